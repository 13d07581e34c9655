r"""The discbracket format of disco-dop, for trees without discontinuous phrases.

A tree is written in brackets, and each word is prefixed with its 0-based position in the sentence:
``(S (NP (DT 0=The) (NN 1=cat)) (VP (VBD 2=slept)))``.  Children may stand in any order.  A bracket in a word is
written ``#LRB#`` or ``#RRB#``; in memory it is escaped with a backslash, as in all trees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.treebank.bracket_tokens import excerpt, line_and_column
from lpcfg_cli.treebank.brackets import (
    bracket_strings,
    join_texts,
    lines_of_tokens,
    new_string_table,
    parse_brackets,
    token_positions,
)
from lpcfg_cli.treebank.tree_format import Skipped, TextTrees, TreeFormat
from lpcfg_cli.treebank.tree_kernels import lowest_and_highest
from lpcfg_cli.treebank.trees import NO_NODE, NO_WORD, StringTable, Treebank, renumbered

LEAF = re.compile("([0-9]{1,9})=(.+)", re.DOTALL)
NO_NUMBER = -1

SPLIT_PHRASE = (
    "a discontinuous phrase",
    "trees without discontinuous phrases",
    "Split such phrases, as `discodop treetransforms --splitdisc` does, or skip their trees with --on-error skip.",
)
UNNUMBERED_WORD = (
    "a word without its number",
    "a number, an equals sign and a word, as in 0=The",
    "Number the words, or name the format of the trees with --tree-format.",
)
WRONG_NUMBER = (
    "a word number that is taken or too high",
    "each number from 0 up, once in a tree",
    "Number the words of each tree by their positions in the sentence.",
)
"""Of each problem: what was found, what was expected, and what to do."""

ESCAPES = (("\\(", "#LRB#"), ("\\)", "#RRB#"))
"""Brackets in words, in memory and in files."""


def parse_discbracket(text: str, strings: StringTable, path: str = "<text>", on_error: str = "stop") -> TextTrees:
    """Read all trees of a text; the parameters are those of `parse_brackets`, and places are token numbers as there.

    Raises
    ------
    SyntaxProblem
        At the first place that is not part of a tree.  If the brackets are in order: at the first word without a
        number of its own or the first discontinuous phrase.
    """
    own = new_string_table()
    found = parse_brackets(text, own, path, on_error)
    numbered = _NumberedTrees(join_texts([found], own))
    bad = numbered.bad_nodes()
    if len(bad):
        position = token_positions(text, found)
        places = position[found.node_place[bad]].tolist()
        problems = [_error(text, path, at, *numbered.problem(n)) for n, at in zip(bad, places, strict=True)]
        if on_error == "stop":
            raise problems[0]
        begins = position[found.tree_place[numbered.trees.tree_of_node()[bad]]].tolist()
        left_out = [_skipped(text, at, problem) for at, problem in zip(begins, problems, strict=True)]
        skipped = sorted([*found.skipped, *left_out], key=lambda part: (part.line, part.column))
        found = replace(found, skipped=tuple(skipped))
    return numbered.in_order(found, strings)


class _NumberedTrees:
    """Trees whose words are prefixed with their numbers.

    Parameters
    ----------
    trees : Treebank
        As in the text.
    """

    def __init__(self, trees: Treebank):
        self.trees = trees
        self._leaves = [LEAF.fullmatch(name) for name in trees.strings]
        numbers = np.array([int(match[1]) if match else NO_NUMBER for match in self._leaves], np.int64)
        self.number = np.where(trees.word == NO_WORD, NO_NUMBER, numbers[trees.word])
        self.lowest, self._highest = lowest_and_highest(trees.parent, self.number)

    @cached_property
    def has_number_of_its_own(self) -> np.ndarray:
        """Whether a leaf has a number below its tree's word count that no earlier leaf has; bool, (n_nodes,)."""
        tree = self.trees.tree_of_node()
        n_words = np.bincount(tree[self.trees.word != NO_WORD], minlength=self.trees.n_trees)
        fits = (self.number != NO_NUMBER) & (self.number < n_words[tree])
        nodes = np.flatnonzero(fits)
        _, first = np.unique(starts(n_words)[tree[nodes]] + self.number[nodes], return_index=True)
        has = np.zeros(self.trees.n_nodes, bool)
        has[nodes[first]] = True
        return has

    def bad_nodes(self) -> np.ndarray:
        """The first faulty node of each faulty tree, int64; a faulty word counts before a faulty phrase."""
        trees, tree = self.trees, self.trees.tree_of_node()
        bad_words = np.flatnonzero((trees.word != NO_WORD) & ~self.has_number_of_its_own)
        is_split = self._highest - self.lowest + 1 != trees.words_below()
        is_split &= ~np.isin(tree, tree[bad_words])  # phrases are checked only if all words have valid numbers
        bad = np.union1d(bad_words, np.flatnonzero(is_split))
        return bad[np.unique(tree[bad], return_index=True)[1]]

    def problem(self, node: int) -> tuple[str, str, str]:
        """What is wrong with a faulty node, what was expected, and what to do."""
        if self.trees.word[node] == NO_WORD:
            return SPLIT_PHRASE
        return UNNUMBERED_WORD if self.number[node] == NO_NUMBER else WRONG_NUMBER

    def in_order(self, found: TextTrees, strings: StringTable) -> TextTrees:
        """The trees without faults: numbers removed, children in the order of their words."""
        trees, tree = self.trees, self.trees.tree_of_node()
        is_good = np.ones(trees.n_trees, bool)
        is_good[tree[self.bad_nodes()]] = False
        # nodes over the same words form a chain, which is in order already: the sort is stable
        order = np.lexsort((-trees.words_below(), self.lowest, tree))
        order = order[is_good[tree[order]]]
        position = np.full(trees.n_nodes + 1, NO_NODE, np.int32)
        position[order] = np.arange(len(order))
        return replace(
            found,
            label=renumbered(trees.label[order], list(trees.strings), strings),
            word=renumbered(trees.word[order], [_unescaped(match) for match in self._leaves], strings),
            parent=position[trees.parent[order]],  # `NO_NODE` selects the last entry
            tree_start=starts(np.diff(trees.tree_start)[is_good]),
            tree_place=found.tree_place[is_good],
            node_place=found.node_place[order],
        )


def _unescaped(leaf: re.Match[str] | None) -> str:
    word = leaf[2] if leaf else ""
    for inside, written in ESCAPES:
        word = word.replace(written, inside)
    return word


def _error(text: str, path: str, position: int, found: str, expected: str, hint: str) -> SyntaxProblem:
    line, column = line_and_column(text, position)
    return SyntaxProblem(path, line, column, f"{found}: {excerpt(text, position)!r}", expected, hint)


def _skipped(text: str, position: int, problem: SyntaxProblem) -> Skipped:
    line, column = line_and_column(text, position)
    found = f"{problem.line}:{problem.column}: {problem.found}"
    return Skipped(problem.path, line, column, found, excerpt(text, position, 60))


def discbracket_strings(treebank: Treebank) -> Iterator[str]:
    """Yield each tree as one line, ``(())`` for a null tree."""
    table = StringTable()
    leaves = np.flatnonzero(treebank.word != NO_WORD)
    word = treebank.word.copy()
    for leaf, number in zip(leaves.tolist(), treebank.spans()[0][leaves].tolist(), strict=True):
        numbered = f"{number}={_escaped(treebank.strings[treebank.word[leaf]])}"
        word[leaf] = len(treebank.strings) + table[numbered]
    return bracket_strings(replace(treebank, word=word, strings=[*treebank.strings, *table]))


def _escaped(word: str) -> str:
    for inside, written in ESCAPES:
        word = word.replace(inside, written)
    return word


DISCBRACKET = TreeFormat(
    name="discbracket",
    summary="disco-dop's brackets with numbered words; discontinuous trees are an error",
    suffixes=(".discbracket", ".dbr"),
    read=parse_discbracket,
    write=discbracket_strings,
    lines=lines_of_tokens,
    is_bracketed=True,
)
