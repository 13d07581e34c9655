"""Feature templates: each is a small function from all nodes to columns of integers.

Two nodes of one symbol have the same feature if their rows in the template's columns are equal.  The columns come from
a `NodeView`, so that a template costs a few array operations and no loop over nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lpcfg_cli.arrays.grouping import number_rows
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.features.feature_kernels import first_other_head
from lpcfg_cli.treebank.binary import BINARY, LEXICAL, NONE, UNARY, BinaryTreebank

Columns = list[np.ndarray]


class NodeView:
    """The properties of nodes that templates use, computed on demand and cached; every array has shape (n_nodes,).

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
        """Symbol of the right child; for unary nodes a number below `NONE` that stands for the hidden labels."""
        hidden = NONE - 1 - self.trees.hidden
        return np.where(self.trees.kind == UNARY, hidden, self.at(self.trees.right, self.trees.symbol))

    @cached_property
    def rule(self) -> np.ndarray:
        """Number of the rule at each node."""
        first = np.where(self.trees.kind == LEXICAL, self.lexical_entry, self.left_symbol)
        return number_rows([self.trees.symbol, self.trees.kind, first, self.right_symbol])[0]

    @cached_property
    def rule_above(self) -> np.ndarray:
        """Number of the rule above each node together with the node's side in it, `NONE` for roots."""
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
    is_inside : bool
        Whether it describes inside trees; else it describes outside trees.
    kinds : tuple of int
        The kinds of node it applies to.
    columns : function from NodeView to list of ndarray of int, shape (n_nodes,) each
    """

    name: str
    is_inside: bool
    kinds: tuple[int, ...]
    columns: Callable[[NodeView], Columns]


PHRASES = (BINARY, UNARY)
WORDS = (LEXICAL,)
ALL = (LEXICAL, BINARY, UNARY)

REGISTRY: dict[str, Template] = {}


def _register(
    is_inside: bool, kinds: tuple[int, ...]
) -> Callable[[Callable[[NodeView], Columns]], Callable[[NodeView], Columns]]:
    def register(function: Callable[[NodeView], Columns]) -> Callable[[NodeView], Columns]:
        REGISTRY[function.__name__] = Template(function.__name__, is_inside, kinds, function)
        return function

    return register


@_register(True, PHRASES)
def left_label(view: NodeView) -> Columns:
    """(a, b) of the rule a → b c."""
    return [view.trees.kind, view.left_symbol]


@_register(True, PHRASES)
def right_label(view: NodeView) -> Columns:
    """(a, c) of the rule a → b c."""
    return [view.right_symbol]


@_register(True, PHRASES)
def rule(view: NodeView) -> Columns:
    """The rule a → b c."""
    return [view.rule]


@_register(True, PHRASES)
def rule_over_left(view: NodeView) -> Columns:
    """The rule and the one at its left child."""
    return [view.rule, view.at(view.trees.left, view.rule)]


@_register(True, PHRASES)
def rule_over_right(view: NodeView) -> Columns:
    """The rule and the one at its right child; at its only child for a unary rule."""
    last = np.where(view.trees.kind == UNARY, view.trees.left, view.trees.right)
    return [view.rule, view.at(last, view.rule)]


@_register(True, PHRASES)
def head_tag(view: NodeView) -> Columns:
    """The part of speech of the head."""
    return [view.tag[view.trees.head]]


@_register(True, PHRASES)
def width(view: NodeView) -> Columns:
    """The number of words, in ten classes; C13 uses the number itself as the feature's value."""
    return [length_class(view.trees.stop - view.trees.start)]


@_register(True, WORDS)
def word(view: NodeView) -> Columns:
    """The word, or its class."""
    return [view.lexical_entry]


@_register(False, ALL)
def rule_above(view: NodeView) -> Columns:
    """The rule above, with the foot marked."""
    return [view.rule_above]


@_register(False, ALL)
def two_rules_above(view: NodeView) -> Columns:
    """The two-level fragment above."""
    return [view.rule_above, view.at(view.trees.parent, view.rule_above)]


@_register(False, ALL)
def three_rules_above(view: NodeView) -> Columns:
    """The three-level fragment above."""
    return [*two_rules_above(view), view.at(view.grandparent, view.rule_above)]


@_register(False, ALL)
def parent(view: NodeView) -> Columns:
    """The label of the parent."""
    return [view.at(view.trees.parent, view.trees.symbol)]


@_register(False, ALL)
def parent_and_grandparent(view: NodeView) -> Columns:
    """The labels of parent and grandparent."""
    return [*parent(view), view.at(view.grandparent, view.trees.symbol)]


@_register(False, ALL)
def other_head_tag(view: NodeView) -> Columns:
    """The part of speech of the first head on the way to the root that is not the foot's own."""
    return [view.at(first_other_head(view.trees.parent, view.trees.head), view.tag)]


@_register(False, ALL)
def words_before(view: NodeView) -> Columns:
    """The number of words left of the foot, in classes."""
    return [length_class(view.trees.start)]


@_register(False, ALL)
def words_after(view: NodeView) -> Columns:
    """The number of words right of the foot, in classes."""
    length = np.repeat(view.trees.sentence_lengths(), np.diff(view.trees.tree_start))
    return [length_class(length - view.trees.stop)]


@_register(True, ALL)
def constant_inside(view: NodeView) -> Columns:
    """The same feature for every inside tree: with `constant_outside` and m = 1 the model is the plain PCFG."""
    return [np.zeros(view.trees.n_nodes, np.int64)]


@_register(False, ALL)
def constant_outside(view: NodeView) -> Columns:
    """The same feature for every outside tree."""
    return [np.zeros(view.trees.n_nodes, np.int64)]


FULL = tuple(name for name in REGISTRY if not name.startswith("constant"))
SETS = {
    "full": FULL,
    "simple": ("rule", "word", "rule_above"),
    "constant": ("constant_inside", "constant_outside"),
}


def length_class(length: np.ndarray) -> np.ndarray:
    """Class of each length, int, same shape: a class for each of 0 to 5, then up to 10, 20, 40, and longer."""
    return np.where(length <= 5, length, 6 + np.searchsorted([10, 20, 40], length))


def choose_templates(names: str | tuple[str, ...]) -> list[Template]:
    """The templates of a set in `SETS` or of a list of names.

    Raises
    ------
    ConfigError
        A name is unknown, or one side has no template.
    """
    wanted = SETS.get(names, (names,)) if isinstance(names, str) else names
    unknown = [name for name in wanted if name not in REGISTRY]
    if unknown:
        raise ConfigError(
            f"features.templates: unknown {', '.join(unknown)}. Known sets: {', '.join(SETS)}. "
            f"Known templates: {', '.join(REGISTRY)}."
        )
    chosen = [REGISTRY[name] for name in dict.fromkeys(wanted)]
    for is_inside, kinds, side in (
        (True, PHRASES, "inside trees of phrases"),
        (True, WORDS, "inside trees of words"),
        (False, ALL, "outside trees"),
    ):
        if not any(t.is_inside == is_inside and set(kinds) <= set(t.kinds) for t in chosen):
            raise ConfigError(f"features.templates: none of {', '.join(wanted)} describes {side}.")
    return chosen
