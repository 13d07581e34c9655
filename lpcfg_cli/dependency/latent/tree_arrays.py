"""Dependency trees as flat arrays of numbers, the form in which models score them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lpcfg_cli.dependency.latent import tree_kernels
from lpcfg_cli.dependency.trees.flat import flat_heads
from lpcfg_cli.dependency.trees.sentence import DependencySentence
from lpcfg_cli.errors import InputError
from lpcfg_cli.text.vocabulary import Vocabulary

LEFT, RIGHT = 0, 1
"""Sides of a child, seen from its head."""


@dataclass(frozen=True)
class TreeArrays:
    """Trees, one after the other.

    Attributes
    ----------
    symbols : ndarray of int32, shape (n,)
        Number of the symbol of each node.
    heads : ndarray of int32, shape (n,)
        Head of each node, counted from 1 in its tree; 0 for a root.
    offsets : ndarray of int64, shape (n_trees + 1,)
        Tree k has the nodes ``offsets[k]:offsets[k + 1]``.
    """

    symbols: np.ndarray
    heads: np.ndarray
    offsets: np.ndarray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def order(self) -> np.ndarray:
        """The nodes of each tree, children before their heads; int32, shape (n,), counted from 0 in the tree.

        Raises
        ------
        InputError
            A head is no node of its tree, or heads form a circle.
        """
        order = np.empty(len(self.heads), np.int32)
        wrong = int(tree_kernels.children_first(self.heads, self.offsets, order))
        if wrong >= 0:
            raise InputError(f"tree {wrong + 1:,}: its heads form no tree. Mend them, or leave the sentence out.")
        return order

    @cached_property
    def parents(self) -> np.ndarray:
        """Position of the head of each node among all nodes; −1 for roots; int64, shape (n,)."""
        begin = np.repeat(self.offsets[:-1], np.diff(self.offsets))
        return np.where(self.heads > 0, self.heads - 1 + begin, -1)

    @cached_property
    def sides(self) -> np.ndarray:
        """`LEFT` or `RIGHT` of each node, seen from its head; of no meaning for roots; int64, shape (n,)."""
        return (np.arange(len(self.heads)) > self.parents).astype(np.int64)

    def tree(self, number: int) -> TreeArrays:
        """One of the trees, alone."""
        begin, end = self.offsets[number : number + 2].tolist()
        return TreeArrays(self.symbols[begin:end], self.heads[begin:end], np.array([0, end - begin]))


def arrays_of(sentences: Sequence[DependencySentence], vocabulary: Vocabulary, column: str) -> TreeArrays:
    """The trees of sentences.

    Parameters
    ----------
    sentences : sequence of DependencySentence
        With heads.
    vocabulary : Vocabulary
    column : str
        ``forms`` or ``tags``: what is a symbol.

    Raises
    ------
    InputError
        A word has no head, or heads form no tree; the message names the place of the sentence.
    """
    numbers = vocabulary.number_of
    symbols = [numbers(symbol) for sentence in sentences for symbol in getattr(sentence, column)]
    flat = flat_heads(sentences)
    found = TreeArrays(np.array(symbols, np.int32), flat.head, flat.start)
    wrong = int(tree_kernels.children_first(flat.head, flat.start, np.empty(len(flat.head), np.int32)))
    if wrong >= 0:
        own = sentences[wrong]
        what = "a word has no head" if (own.heads < 0).any() else "the heads form no tree"
        raise InputError(
            f"{own.place or f'sentence {wrong + 1:,}'}: {what}. Mend the heads, or leave the sentence out."
        )
    return found
