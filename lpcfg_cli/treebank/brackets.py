"""Penn-style bracketed trees: text to flat arrays and back.

One rule for the text: ASCII blanks separate, brackets nest, everything else is a label or a word.
A bracket that is itself a word is written ``-LRB-`` or, with a backslash, ``\\(``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.treebank import bracket_kernels as kernels
from lpcfg_cli.treebank.trees import NO_NODE, NO_WORD, StringTable, Treebank

TOKEN = re.compile(r"[()]|(?:[^() \t\r\n\f\v\\]+|\\[()]?)+")

PROBLEMS = {
    kernels.EXTRA_CLOSE: (
        "a closing bracket that closes nothing",
        "the next tree or the end of the file",
        "Remove it, or add the opening bracket that it belongs to.",
    ),
    kernels.UNCLOSED: (
        "a tree that starts here and is not closed at the end of the file",
        "as many closing as opening brackets",
        "Add the missing bracket, or remove the tree.",
    ),
    kernels.STRAY_TEXT: (
        "text outside a tree",
        "an opening bracket",
        "Remove it: only bracketed trees may stand in a tree file.",
    ),
    kernels.TWO_WORDS: (
        "a second word under one tag",
        "a closing bracket, since a tag has one word",
        "Join the words with '_' or give each its own tag.",
    ),
    kernels.MIXED: (
        "a word with no tag next to a phrase",
        "either one word or one or more bracketed nodes below a label",
        "Give the word a tag of its own, as in (NN dog).",
    ),
    kernels.NO_CONTENT: (
        "a label with neither word nor children",
        "a word, as in (NN dog), or bracketed nodes below it",
        "If the word itself stands in brackets, as in (NN (dog)), remove the inner ones.",
    ),
}


@dataclass(frozen=True)
class TextTrees:
    """The trees of one text, before they are joined with those of other texts.

    Attributes
    ----------
    label, word, parent : ndarray of int32, shape (n_nodes,)
        As in `Treebank`.
    tree_start : ndarray of int64, shape (n_trees + 1,)
        As in `Treebank`.
    tree_token : ndarray of int64, shape (n_trees,)
        Number of the text's token at which each tree begins, for `position_of_token`.
    """

    label: np.ndarray
    word: np.ndarray
    parent: np.ndarray
    tree_start: np.ndarray
    tree_token: np.ndarray


def new_string_table() -> StringTable:
    """A string table with the entries that the reader's kernel expects."""
    return StringTable({"(": kernels.OPEN, ")": kernels.CLOSE, "": kernels.EMPTY})


def parse_brackets(text: str, strings: StringTable, path: str = "<text>") -> TextTrees:
    """Read all trees of a text.

    Parameters
    ----------
    text : str
        Any number of trees in any layout.
    strings : StringTable
        From `new_string_table`; new labels and words are added to it.
    path : str
        Name of the text in error messages.

    Raises
    ------
    SyntaxProblem
        At the first place that is not part of a tree.
    """
    tokens = TOKEN.findall(text)
    numbers = np.fromiter(map(strings.__getitem__, tokens), np.int32, len(tokens))
    *arrays, problem, where = kernels.build_trees(numbers, int(np.count_nonzero(numbers == kernels.OPEN)))
    if problem != kernels.OK:
        found, expected, hint = PROBLEMS[problem]
        line, column = position_of_token(text, where)
        shown = _excerpt(text, where)
        raise SyntaxProblem(path, line, column, f"{found}: {shown!r}", expected, hint)
    return TextTrees(*arrays)


def join_texts(texts: Iterable[TextTrees], strings: StringTable) -> Treebank:
    """Join the trees of several texts that share a string table, in order."""
    parts = list(texts)
    sizes = np.array([0] + [len(part.label) for part in parts])
    first_node = np.cumsum(sizes)
    parents = [np.where(p.parent == NO_NODE, NO_NODE, p.parent + f) for p, f in zip(parts, first_node, strict=False)]
    starts = [part.tree_start[1:] + f for part, f in zip(parts, first_node, strict=False)]
    return Treebank(
        _concatenate([part.label for part in parts], np.int32),
        _concatenate([part.word for part in parts], np.int32),
        _concatenate(parents, np.int32),
        _concatenate([np.zeros(1, np.int64), *starts], np.int64),
        list(strings),
    )


def treebank_from_text(text: str, path: str = "<text>") -> Treebank:
    """The trees of one text; raises as `parse_brackets` does."""
    strings = new_string_table()
    return join_texts([parse_brackets(text, strings, path)], strings)


def position_of_token(text: str, token: int) -> tuple[int, int]:
    """1-based line and column of the given token; scans the text, so only for messages."""
    for number, match in enumerate(TOKEN.finditer(text)):
        if number == token:
            start = match.start()
            line_start = text.rfind("\n", 0, start) + 1
            return text.count("\n", 0, start) + 1, start - line_start + 1
    return text.count("\n") + 1, 1


def bracket_strings(treebank: Treebank) -> Iterator[str]:
    """Yield each tree as one line of brackets, ``(())`` for a null tree.  Any depth; O(n)."""
    names = treebank.strings
    labels = [names[k] for k in treebank.label]
    # a blank keeps a word's last backslash from escaping the bracket
    spaced = [f"{name} " if name.endswith("\\") else name for name in names]
    words = [spaced[k] if k != NO_WORD else None for k in treebank.word]
    end = treebank.subtree_end()
    closes = np.bincount(end - 1, minlength=treebank.n_nodes) if treebank.n_nodes else end
    pieces = [
        f"({label} {word}{')' * n}" if word is not None else f"({label}"
        for label, word, n in zip(labels, words, closes.tolist(), strict=True)
    ]
    for start, stop in zip(treebank.tree_start[:-1], treebank.tree_start[1:], strict=True):
        yield " ".join(pieces[start:stop]) if stop > start else "(())"


def _concatenate(arrays: list[np.ndarray], dtype: type) -> np.ndarray:
    return np.concatenate(arrays).astype(dtype, copy=False) if arrays else np.zeros(0, dtype)


def _excerpt(text: str, token: int, width: int = 40) -> str:
    for number, match in enumerate(TOKEN.finditer(text)):
        if number == token:
            return re.sub(r"[ \t\r\n\f\v]+", " ", text[match.start() : match.start() + width]).rstrip(" ")
    return ""
