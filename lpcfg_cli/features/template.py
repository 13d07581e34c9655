"""The interface of a feature template: a function from all nodes to columns of integers.

Two nodes of one symbol have a feature in common when their rows in a template's columns are equal.  The
columns come from a `NodeView`, so that a template costs a few array operations and no loop over nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lpcfg_cli.arrays.grouping import number_rows
from lpcfg_cli.treebank.binary import BINARY, LEXICAL, NONE, UNARY, BinaryTreebank

Columns = list[np.ndarray]

PHRASES = (BINARY, UNARY)
WORDS = (LEXICAL,)
ALL = (LEXICAL, BINARY, UNARY)
"""Kinds of node."""


class NodeView:
    """Arrays that templates read, each computed once and on demand; all have shape (n_nodes,).

    Parameters
    ----------
    trees : BinaryTreebank
    lexical_entry : ndarray of int, shape (n_nodes,)
        For preterminals the entry of the word in the lexicon, else `NONE`.
    """

    def __init__(self, trees: BinaryTreebank, lexical_entry: np.ndarray):
        self.trees = trees
        self.lexical_entry = lexical_entry

    @cached_property
    def left_symbol(self) -> np.ndarray:
        """Symbol of the left or only child, `NONE` for preterminals."""
        return self.at(self.trees.left, self.trees.symbol)

    @cached_property
    def right_symbol(self) -> np.ndarray:
        """Symbol of the right child; for unary nodes a number below `NONE` for the labels between node and child."""
        hidden = NONE - 1 - self.trees.hidden
        return np.where(self.trees.kind == UNARY, hidden, self.at(self.trees.right, self.trees.symbol))

    @cached_property
    def rule(self) -> np.ndarray:
        """Number of the rule at each node."""
        first = np.where(self.trees.kind == LEXICAL, self.lexical_entry, self.left_symbol)
        return number_rows([self.trees.symbol, self.trees.kind, first, self.right_symbol])[0]

    @cached_property
    def rule_above(self) -> np.ndarray:
        """Number of the rule above each node and of the node's place in it, `NONE` for roots."""
        above = self.at(self.trees.parent, self.rule)
        return np.where(above == NONE, NONE, 2 * above + self.trees.is_right)

    @cached_property
    def grandparent(self) -> np.ndarray:
        """Position of the parent's parent, `NONE` where there is none."""
        return self.at(self.trees.parent, self.trees.parent)

    @cached_property
    def tag(self) -> np.ndarray:
        """Number of the tag of preterminals, in order of first appearance; `NONE` for other nodes."""
        tags: dict[str | None, int] = {None: NONE}
        table = np.array([tags.setdefault(symbol.tag, len(tags) - 1) for symbol in self.trees.symbols])
        return table[self.trees.symbol]

    def at(self, where: np.ndarray, values: np.ndarray) -> np.ndarray:
        """``values[where]``, with `NONE` where ``where`` is `NONE`."""
        return np.where(where == NONE, NONE, values[where])


@dataclass(frozen=True)
class Template:
    """A named feature template.

    Attributes
    ----------
    name : str
        As in ``features.templates``.
    summary : str
        One line for help pages.
    is_inside : bool
        Whether it describes inside trees; otherwise outside trees.
    kinds : tuple of int
        The kinds of node it applies to.
    columns : function from NodeView to list of ndarray of int, shape (n_nodes,) each
    sets : tuple of str
        Names in `TEMPLATE_SETS` of the sets to which it belongs.
    """

    name: str
    summary: str
    is_inside: bool
    kinds: tuple[int, ...]
    columns: Callable[[NodeView], Columns]
    sets: tuple[str, ...] = ("full",)
