"""Reading of trees whose words and labels can all be used: they are text, and not longer than any word is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.config import ReadSettings
from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.treebank.bracket_tokens import excerpt, line_and_column
from lpcfg_cli.treebank.brackets import new_string_table
from lpcfg_cli.treebank.escaped_bytes import NOT_TEXT, described
from lpcfg_cli.treebank.formats import format_of_file
from lpcfg_cli.treebank.tree_format import Skipped, TextTrees, TreeFormat
from lpcfg_cli.treebank.trees import NO_NODE, NO_WORD, StringTable, renumbered

LONGEST_WORD = 10_000
"""Largest number of characters of a word or label: longer ones are no words, and fill the memory."""


def read_usable_trees(text: str, strings: StringTable, path: str, settings: ReadSettings) -> TextTrees:
    """Read all trees of a text in the format of its file.

    Parameters
    ----------
    text : str
        Decoded with ``settings.on_error``.
    strings : StringTable
        From `new_string_table`; labels and words are added to it.
    path : str
        Name of the file.
    settings : ReadSettings
        With ``on_error = "skip"``, trees with a word or label that cannot be used are skipped and listed too.

    Raises
    ------
    SyntaxProblem
        With ``on_error = "stop"``: at text that is not a tree, or at a word or label that is too long.
    ConfigError
        There is no such format as the settings name.
    """
    form = format_of_file(path, settings.format)
    if settings.on_error == "stop":
        n_known = len(strings)
        found = form.read(text, strings, path, "stop")
        for token in islice(reversed(strings), len(strings) - n_known):
            if len(token) > LONGEST_WORD:
                raise word_too_long(path, *line_and_column(text, text.find(token)), token)
        return found
    own = new_string_table()
    found = _without_unusable(form.read(text, own, path, "skip"), text, list(own), path, settings, form)
    names = list(own)
    for number in np.unique(np.concatenate([found.label, found.word[found.word != NO_WORD]])).tolist():
        strings[names[number]]  # numbers them in the order of the text, as with "stop"
    return replace(
        found,
        label=renumbered(found.label, names, strings),
        word=renumbered(found.word, names, strings),
    )


def is_usable(token: str) -> bool:
    """Whether a string can be a word or a label."""
    return len(token) <= LONGEST_WORD and not NOT_TEXT.search(token)


def word_too_long(path: str, line: int, column: int, word: str) -> SyntaxProblem:
    """The error of a word or label with more than `LONGEST_WORD` characters."""
    return SyntaxProblem(
        path, line, column, f"a word of {len(word):,} characters: '{excerpt(word, 0)}…'",
        f"at most {LONGEST_WORD:,}", "Check that this is the right file, and that blanks separate the words.",
    )  # fmt: skip


def _without_unusable(
    found: TextTrees, text: str, names: list[str], path: str, settings: ReadSettings, form: TreeFormat
) -> TextTrees:
    """The trees without those that have an unusable word or label, which are added to the skipped ones."""
    unusable = np.array([not is_usable(name) for name in names], bool)
    if not unusable.any():
        return found
    sizes = np.diff(found.tree_start)
    tree = np.repeat(np.arange(len(sizes)), sizes)
    bad = unusable[found.label] | ((found.word != NO_WORD) & unusable[found.word])
    bad_trees, first = np.unique(tree[bad], return_index=True)
    nodes = np.flatnonzero(bad)[first]
    tokens = [names[found.label[n] if unusable[found.label[n]] else found.word[n]] for n in nodes.tolist()]
    lines = form.lines(text, found, found.node_place[nodes].tolist())
    begins = form.lines(text, found, found.tree_place[bad_trees].tolist())
    own_lines = text.split("\n")
    skipped = [
        _skipped(path, begin, own_lines, line, token, settings.encoding)
        for begin, line, token in zip(begins, lines, tokens, strict=True)
    ]
    both = sorted([*found.skipped, *skipped], key=lambda part: (part.line, part.column))
    return replace(_trees_without(found, sizes, tree, bad_trees), skipped=tuple(both))


def _skipped(path: str, begin: int, lines: list[str], line: int, token: str, encoding: str) -> Skipped:
    column = lines[line - 1].find(token) + 1
    wrong = NOT_TEXT.search(token)
    problem = described(wrong[0], encoding) if wrong else word_too_long(path, line, column, token).found
    text = lines[begin - 1]
    return Skipped(
        path, begin, len(text) - len(text.lstrip()) + 1, f"{line}:{column}: {problem}", excerpt(text.lstrip(), 0, 60)
    )


def _trees_without(found: TextTrees, sizes: np.ndarray, tree: np.ndarray, left_out: Iterable[int]) -> TextTrees:
    stays = np.ones(len(sizes), bool)
    stays[list(left_out)] = False
    node_stays = stays[tree]
    position = np.append(np.cumsum(node_stays) - 1, NO_NODE).astype(np.int32)  # `NO_NODE` selects the last entry
    return replace(
        found,
        label=found.label[node_stays],
        word=found.word[node_stays],
        parent=position[found.parent[node_stays]],
        tree_start=starts(sizes[stays]),
        tree_place=found.tree_place[stays],
        node_place=found.node_place[node_stays],
    )
