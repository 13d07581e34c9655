"""Arrays over the nodes of some trees, from which templates of features read their columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import islice

import numpy as np

from lpcfg_cli.treebank import tree_kernels
from lpcfg_cli.treebank.heads import HeadRules, head_children
from lpcfg_cli.treebank.trees import NO_NODE, NO_WORD, StringTable, Treebank

NONE = "-"
"""What stands in a column where there is no node."""

WIDTHS = (1, 2, 3, 4, 5, 6, 11, 21)
"""Least numbers of words of the classes of widths."""


class CandidateView:
    """Arrays that templates read, each computed once and on demand; their shape is (n_nodes,) unless another is given.

    Columns are numbers of texts in `strings`; others are positions of nodes, `NO_NODE` where there is none.

    Parameters
    ----------
    trees : Treebank
        Without null trees.
    rules : HeadRules
    """

    def __init__(self, trees: Treebank, rules: HeadRules):
        self.trees, self.rules = trees, rules
        self.strings = StringTable({text: number for number, text in enumerate(trees.strings)})
        self.label, self.word, self.parent = trees.label, trees.word, trees.parent
        self.is_phrase = trees.word == NO_WORD
        self.phrases, self.leaves = np.flatnonzero(self.is_phrase), np.flatnonzero(~self.is_phrase)
        self.tree = trees.tree_of_node()

    def at(self, where: np.ndarray, column: np.ndarray) -> np.ndarray:
        """The column at some nodes, the number of `NONE` where there is no node."""
        return np.where(where == NO_NODE, self.strings[NONE], column[where])

    def text(self, number: int) -> str:
        """The text with a number."""
        return next(islice(self.strings, number, None))

    def texts(self, texts: Sequence[str]) -> np.ndarray:
        """A column with these texts, one of each node."""
        return np.array([self.strings[text] for text in texts], np.int64)

    def digits(self, numbers: np.ndarray) -> np.ndarray:
        """A column with some small numbers, int, as texts."""
        values, places = np.unique(numbers, return_inverse=True)
        return self.texts([str(value) for value in values.tolist()])[places]

    @cached_property
    def spans(self) -> tuple[np.ndarray, np.ndarray]:
        """First word of each node, and the word after its last."""
        return self.trees.spans()

    @cached_property
    def _children(self) -> tuple[np.ndarray, np.ndarray]:
        """Where the children of each node begin, (n_nodes + 1,), and the children, (n_nodes − n_trees,)."""
        return tree_kernels.children_in_order(self.parent)

    @cached_property
    def left_sibling(self) -> np.ndarray:
        """The node's neighbour to the left under one parent."""
        _, child = self._children
        found = np.full(len(self.label), NO_NODE)
        follows = self.parent[child[1:]] == self.parent[child[:-1]]
        found[child[1:][follows]] = child[:-1][follows]
        return found

    @cached_property
    def right_sibling(self) -> np.ndarray:
        """The node's neighbour to the right under one parent."""
        found = np.full(len(self.label), NO_NODE)
        has = self.left_sibling != NO_NODE
        found[self.left_sibling[has]] = np.flatnonzero(has)
        return found

    @cached_property
    def last_child(self) -> np.ndarray:
        """The last child."""
        first, child = self._children
        found = np.full(len(self.label), NO_NODE)
        found[self.phrases] = child[first[self.phrases + 1] - 1]
        return found

    @cached_property
    def children(self) -> np.ndarray:
        """Column: the labels of a phrase's children, in one text; of a word, `NONE`."""
        first, child = self._children
        names = [self.trees.strings[label] for label in self.label[child].tolist()]
        bounds = first.tolist()
        texts = [" ".join(names[bounds[k] : bounds[k + 1]]) or NONE for k in range(len(self.label))]
        return self.texts(texts)

    @cached_property
    def head(self) -> np.ndarray:
        """The head child."""
        return head_children(self.trees, self.rules)

    @cached_property
    def lexical_head(self) -> np.ndarray:
        """The word, as a node, to which heads of heads lead."""
        found = np.where(self.head < 0, np.arange(len(self.head)), self.head)
        while (further := found[found] != found).any():
            found[further] = found[found[further]]
        return found

    @cached_property
    def head_word(self) -> np.ndarray:
        """Column: the word of the lexical head."""
        return self.word[self.lexical_head]

    @cached_property
    def head_tag(self) -> np.ndarray:
        """Column: the tag of the lexical head."""
        return self.label[self.lexical_head]

    @cached_property
    def edges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The words, as nodes: before a node, its first and its last one, and the one after it."""
        start, stop = self.spans
        words_of_tree = np.bincount(self.tree[self.leaves], minlength=self.trees.n_trees)
        base, length = (np.cumsum(words_of_tree) - words_of_tree)[self.tree], words_of_tree[self.tree]
        padded = np.append(self.leaves, NO_NODE)
        before = np.where(start > 0, padded[base + start - 1], NO_NODE)
        after = np.where(stop < length, padded[base + stop], NO_NODE)
        return before, padded[base + start], padded[base + stop - 1], after

    @cached_property
    def width(self) -> np.ndarray:
        """Column: class of the number of words, one of `WIDTHS`."""
        start, stop = self.spans
        return self.classes(stop - start)

    @cached_property
    def to_end(self) -> np.ndarray:
        """Column: class of the number of words that follow in the sentence."""
        end = self.spans[1]
        last = np.maximum.reduceat(end, self.trees.tree_start[:-1])
        return self.classes(last[self.tree] - end)

    def classes(self, sizes: np.ndarray) -> np.ndarray:
        """A column with the largest of `WIDTHS` that each size reaches, 0 below the first."""
        return self.digits(np.array((0, *WIDTHS))[np.searchsorted(WIDTHS, sizes, side="right")])
