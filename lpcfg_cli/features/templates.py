"""The table of feature templates and the table of their sets: a new template is a function with a decorator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

import numpy as np

from lpcfg_cli.config import TEMPLATE_KINDS, Table, known_name
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.features.feature_kernels import first_other_head
from lpcfg_cli.features.template import ALL, PHRASES, WORDS, Columns, NodeView, Template
from lpcfg_cli.treebank.binary import UNARY


@dataclass(frozen=True)
class TemplateSet:
    """A named set of templates; its members are listed by `Template.sets`.

    Attributes
    ----------
    name : str
    summary : str
    """

    name: str
    summary: str


TEMPLATE_SETS: Table[TemplateSet] = Table(
    "set of templates",
    TemplateSet("full", "all but the constant ones"),
    TemplateSet("simple", "the rule at a node or its word, and the rule above"),
    TemplateSet("constant", "the same for all nodes: with m = 1 the model is a plain PCFG"),
)

TEMPLATES: Table[Template] = Table("template")
"""In the order in which features are numbered."""


def _template(
    is_inside: bool, kinds: tuple[int, ...], *sets: str
) -> Callable[[Callable[[NodeView], Columns]], Callable[[NodeView], Columns]]:
    """Decorator: adds a function to the table under its name; the summary is the first line of its docstring."""

    def add(function: Callable[[NodeView], Columns]) -> Callable[[NodeView], Columns]:
        summary = (function.__doc__ or "").partition("\n")[0]
        TEMPLATES.add(Template(function.__name__, summary, is_inside, kinds, function, sets))
        return function

    return add


@_template(True, PHRASES, "full")
def left_label(view: NodeView) -> Columns:
    """(a, b) of the rule a → b c."""
    return [view.trees.kind, view.left_symbol]


@_template(True, PHRASES, "full")
def right_label(view: NodeView) -> Columns:
    """(a, c) of the rule a → b c."""
    return [view.right_symbol]


@_template(True, PHRASES, "full", "simple")
def rule(view: NodeView) -> Columns:
    """The rule a → b c."""
    return [view.rule]


@_template(True, PHRASES, "full")
def rule_over_left(view: NodeView) -> Columns:
    """The rule and the one at its left child."""
    return [view.rule, view.at(view.trees.left, view.rule)]


@_template(True, PHRASES, "full")
def rule_over_right(view: NodeView) -> Columns:
    """The rule and the one at its right child; at its only child for a unary rule."""
    last = np.where(view.trees.kind == UNARY, view.trees.left, view.trees.right)
    return [view.rule, view.at(last, view.rule)]


@_template(True, PHRASES, "full")
def head_tag(view: NodeView) -> Columns:
    """The part of speech of the head."""
    return [view.tag[view.trees.head]]


@_template(True, PHRASES, "full")
def width(view: NodeView) -> Columns:
    """The number of words, in ten classes; C13 uses the number itself as the feature's value."""
    return [length_class(view.trees.stop - view.trees.start)]


@_template(True, WORDS, "full", "simple")
def word(view: NodeView) -> Columns:
    """The word, or its class."""
    return [view.lexical_entry]


@_template(False, ALL, "full", "simple")
def rule_above(view: NodeView) -> Columns:
    """The rule above, with the foot marked."""
    return [view.rule_above]


@_template(False, ALL, "full")
def two_rules_above(view: NodeView) -> Columns:
    """The two-level fragment above."""
    return [view.rule_above, view.at(view.trees.parent, view.rule_above)]


@_template(False, ALL, "full")
def three_rules_above(view: NodeView) -> Columns:
    """The three-level fragment above."""
    return [*two_rules_above(view), view.at(view.grandparent, view.rule_above)]


@_template(False, ALL, "full")
def parent(view: NodeView) -> Columns:
    """The label of the parent."""
    return [view.at(view.trees.parent, view.trees.symbol)]


@_template(False, ALL, "full")
def parent_and_grandparent(view: NodeView) -> Columns:
    """The labels of parent and grandparent."""
    return [*parent(view), view.at(view.grandparent, view.trees.symbol)]


@_template(False, ALL, "full")
def other_head_tag(view: NodeView) -> Columns:
    """The part of speech of the first head on the way to the root that is not the foot's own."""
    return [view.at(first_other_head(view.trees.parent, view.trees.head), view.tag)]


@_template(False, ALL, "full")
def words_before(view: NodeView) -> Columns:
    """The number of words left of the foot, in classes."""
    return [length_class(view.trees.start)]


@_template(False, ALL, "full")
def words_after(view: NodeView) -> Columns:
    """The number of words right of the foot, in classes."""
    length = np.repeat(view.trees.sentence_lengths(), np.diff(view.trees.tree_start))
    return [length_class(length - view.trees.stop)]


@_template(True, ALL, "constant")
def constant_inside(view: NodeView) -> Columns:
    """The same feature for every inside tree: with `constant_outside` and m = 1 the model is the plain PCFG."""
    return [np.zeros(view.trees.n_nodes, np.int64)]


@_template(False, ALL, "constant")
def constant_outside(view: NodeView) -> Columns:
    """The same feature for every outside tree."""
    return [np.zeros(view.trees.n_nodes, np.int64)]


def length_class(length: np.ndarray) -> np.ndarray:
    """Class of each length, int, same shape: a class for each of 0 to 5, then up to 10, 20, 40, and longer."""
    return np.where(length <= 5, length, 6 + np.searchsorted([10, 20, 40], length))


def choose_templates(names: str | tuple[str, ...]) -> list[Template]:
    """The templates of one or several names, each once; a name of a set stands for all templates in it.

    Raises
    ------
    ConfigError
        A name is unknown, or one side has no template.
    """
    wanted = (names,) if isinstance(names, str) else names
    known_name("features.templates", wanted, TEMPLATE_KINDS)
    chosen = list(dict.fromkeys(chain.from_iterable(map(_templates_of, wanted))))
    for is_inside, kinds, side in (
        (True, PHRASES, "inside trees of phrases"),
        (True, WORDS, "inside trees of words"),
        (False, ALL, "outside trees"),
    ):
        if not any(t.is_inside == is_inside and set(kinds) <= set(t.kinds) for t in chosen):
            raise ConfigError(f"features.templates: none of {', '.join(wanted)} describes {side}.")
    return chosen


def _templates_of(name: str) -> list[Template]:
    """The template of that name, or the templates of that set in the order of the table."""
    if name in TEMPLATE_SETS:
        return [template for template in TEMPLATES.values() if name in template.sets]
    return [TEMPLATES[name]]
