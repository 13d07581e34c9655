"""All trees of a grammar up to a number of words: finitely many, because a span has at most one unary rule."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.errors import InputError
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.treebank.binary import BINARY, LEXICAL, NONE, UNARY, BinaryTreebank, NodeTable, assemble
from lpcfg_cli.wording import counted

MOST_TREES = 1 << 20

Rows = np.ndarray
"""The nodes of a tree in preorder, int64, shape (n_nodes, 5): symbol, kind, word, hidden, and the distance to the
parent's row, 0 for the root."""


def all_trees(grammar: Grammar, most_words: int) -> BinaryTreebank:
    """All trees that the rules allow, also those with probability zero, shorter ones first.

    Parameters
    ----------
    grammar : Grammar
        Its lexical entries are the words.
    most_words : int
        Largest number of words; the number of trees grows exponentially with it.

    Raises
    ------
    InputError
        There are more than `MOST_TREES` trees.
    """
    below = _Subtrees(grammar)
    roots = np.flatnonzero(grammar.root_probability > 0).tolist()
    trees = [tree for n in range(1, most_words + 1) for a in roots for tree in below.top(a, n)]
    start = starts([len(tree) for tree in trees])
    symbol, kind, word, hidden, up = np.concatenate([np.zeros((0, 5), np.int64), *trees]).T
    parent = np.where(up == 0, NONE, np.arange(len(up)) - up)
    nodes = NodeTable(symbol, kind, word, hidden, parent, np.zeros(len(symbol), bool), start)
    return assemble(nodes, grammar.symbols, grammar.hidden_labels, list(grammar.lexicon.entries))


class _Subtrees:
    """The subtrees of each symbol and number of words, cached."""

    def __init__(self, grammar: Grammar):
        self.grammar = grammar
        self.entry = np.repeat(np.arange(len(grammar.lexicon.entries)), np.diff(grammar.lexical.entry_start))
        self.top, self.bottom = cache(self._top), cache(self._bottom)

    def _top(self, a: int, n: int) -> list[Rows]:
        unary = self.grammar.unary
        found = list(self.bottom(a, n))
        for rule in np.flatnonzero(unary.parent == a):
            node = (a, UNARY, NONE, unary.hidden[rule])
            found += [_joined(node, child) for child in self.bottom(int(unary.child[rule]), n)]
        return found

    def _bottom(self, a: int, n: int) -> list[Rows]:
        binary = self.grammar.binary
        if n == 1:
            return [_joined((a, LEXICAL, x, NONE)) for x in self.entry[self.grammar.lexical.symbol == a]]
        found: list[Rows] = []
        for rule, k in product(np.flatnonzero(binary.parent == a), range(1, n)):
            lefts, rights = self.top(int(binary.left[rule]), k), self.top(int(binary.right[rule]), n - k)
            if len(found) + len(lefts) * len(rights) > MOST_TREES:
                raise InputError(
                    f"there are more than {MOST_TREES:,} trees of {counted(n, 'word')}. Ask for shorter ones."
                )
            found += [_joined((a, BINARY, NONE, NONE), left, right) for left, right in product(lefts, rights)]
        return found


def _joined(node: tuple[int, ...], *children: Rows) -> Rows:
    """The rows of a tree, from its root node and its subtrees."""
    rows = np.concatenate([[[*node, 0]], *children])
    at = 1
    for child in children:
        rows[at, 4] = at
        at += len(child)
    return rows
