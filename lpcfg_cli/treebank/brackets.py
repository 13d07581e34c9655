"""Penn-style bracketed trees: text to flat arrays and back.

ASCII blanks separate tokens, brackets nest, and everything else is a label or a word.  A bracket that is itself a word
is written ``-LRB-`` or, with a backslash, ``\\(``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from lpcfg_cli.treebank import bracket_kernels as kernels
from lpcfg_cli.treebank.bracket_tokens import (
    TOKEN,
    bare_trace_problem,
    lines_and_columns,
    ranked_list_problem,
    syntax_problem,
    token_starts,
)
from lpcfg_cli.treebank.recovery import read_whole_trees, without_remarks
from lpcfg_cli.treebank.tree_format import Piece, TextTrees, TreeFormat
from lpcfg_cli.treebank.trees import NO_NODE, NO_WORD, StringTable, Treebank

NULL_TREE = "(())"

_ESCAPES = str.maketrans({"(": "-LRB-", ")": "-RRB-", " ": "_", "\t": "_", "\r": "_", "\n": "_", "\f": "_", "\v": "_"})


def new_string_table() -> StringTable:
    """A string table with the entries that the reader's kernel expects."""
    return StringTable({"(": kernels.OPEN, ")": kernels.CLOSE, "": kernels.EMPTY})


def parse_brackets(text: str, strings: StringTable, path: str = "<text>", on_error: str = "stop") -> TextTrees:
    """Read all trees of a text.

    Parameters
    ----------
    text : str
        Any number of trees in any layout.  Remark lines between them are ignored.
    strings : StringTable
        From `new_string_table`; new labels and words are added to it.
    path : str
        Name of the text in error messages.
    on_error : {"stop", "skip"}
        Whether anything that is not a tree raises an error, or is skipped and listed.

    Raises
    ------
    SyntaxProblem
        The text has something that is not part of a tree; only with ``on_error="stop"``.
    """
    numbers = _token_numbers(text, strings)
    *arrays, problem, where, _ = kernels.read_trees(numbers)
    if problem == kernels.OK:
        return TextTrees(*arrays)
    tidy, notes = without_remarks(text, path)
    if notes:
        numbers = _token_numbers(tidy, strings)
        *arrays, problem, where, _ = kernels.read_trees(numbers)
    if problem == kernels.OK:
        return TextTrees(*arrays, notes=tuple(notes))
    if on_error == "stop":
        position = int(token_starts(tidy)[where])
        raise (
            ranked_list_problem(tidy, path, position)
            or bare_trace_problem(tidy, path, position)
            or syntax_problem(text, path, problem, position)
        )
    pieces, skipped = read_whole_trees(tidy, numbers, path)
    return TextTrees(*_join_pieces(pieces), notes=tuple(notes), skipped=tuple(skipped))


def _token_numbers(text: str, strings: StringTable) -> np.ndarray:
    tokens = TOKEN.findall(text)
    return np.fromiter(map(strings.__getitem__, tokens), np.int32, len(tokens))


def _join_pieces(pieces: Sequence[Piece]) -> list[np.ndarray]:
    trees = join_texts(pieces, new_string_table())
    tokens = [
        _concatenate([getattr(piece, name) for piece in pieces], np.int64) for name in ("tree_place", "node_place")
    ]
    return [trees.label, trees.word, trees.parent, trees.tree_start, *tokens]


def join_texts(texts: Iterable[Piece | Treebank], strings: StringTable) -> Treebank:
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
    """The trees of one text; raises the errors of `parse_brackets`."""
    strings = new_string_table()
    return join_texts([parse_brackets(text, strings, path)], strings)


def bracket_strings(treebank: Treebank) -> Iterator[str]:
    """Yield each tree as one bracketed line, ``(())`` for a null tree; for any depth, in O(n)."""
    pieces = node_texts(treebank)
    for start, stop in zip(treebank.tree_start[:-1], treebank.tree_start[1:], strict=True):
        yield " ".join(pieces[start:stop]) if stop > start else NULL_TREE


def node_texts(treebank: Treebank) -> list[str]:
    """What stands in brackets for each node: its opening, its word if any, and the brackets that close after it."""
    names = treebank.strings
    labels = [names[k] for k in treebank.label]
    # the blank prevents a final backslash of a word from escaping the bracket
    spaced = [f"{name} " if name.endswith("\\") else name for name in names]
    words = [spaced[k] if k != NO_WORD else None for k in treebank.word]
    end = treebank.subtree_end()
    closes = np.bincount(end - 1, minlength=treebank.n_nodes) if treebank.n_nodes else end
    return [
        f"({label} {word}{')' * n}" if word is not None else f"({label}"
        for label, word, n in zip(labels, words, closes.tolist(), strict=True)
    ]


def escaped(word: str) -> str:
    """A word or tag in the form of bracketed trees: brackets as ``-LRB-`` and ``-RRB-``, blanks as ``_``."""
    return word.replace("\\(", "(").replace("\\)", ")").translate(_ESCAPES)


def _concatenate(arrays: list[np.ndarray], dtype: type) -> np.ndarray:
    return np.concatenate(arrays).astype(dtype, copy=False) if arrays else np.zeros(0, dtype)


def token_positions(text: str, trees: TextTrees) -> np.ndarray:
    """Position in the text at which each token begins that `parse_brackets` counted, int64, shape (n_tokens,)."""
    return token_starts(without_remarks(text, "")[0] if trees.notes else text)


def lines_of_tokens(text: str, trees: TextTrees, tokens: Sequence[int]) -> list[int]:
    """The 1-based lines of some tokens, which are the places that `parse_brackets` gives."""
    read = without_remarks(text, "")[0] if trees.notes else text
    return [line for line, _ in lines_and_columns(read, tokens)]


BRACKETS = TreeFormat(
    name="brackets",
    summary="trees in brackets, as in the Penn Treebank",
    suffixes=(".mrg", ".mrg.txt", ".tree", ".ptb", ".psd", ".tbf", ".bracket", ".parse"),
    read=parse_brackets,
    write=bracket_strings,
    lines=lines_of_tokens,
    is_bracketed=True,
)
