"""The table of templates of the features of trees: a new one is a function with a decorator.

A template gives for some nodes a row of texts each; equal rows are one feature, whose value is how often a tree has it.
Most are those of Charniak and Johnson (2005, §4) and Collins and Koo (2005, §5.2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.config import Table
from lpcfg_cli.parsing.reranking.candidate_view import CandidateView
from lpcfg_cli.treebank.trees import NO_NODE

Rows = tuple[np.ndarray, list[np.ndarray]]
"""Nodes, int, (n,), and columns of texts, int, (n,) each, as `CandidateView` numbers them."""

COORDINATORS = ("CC", "CONJP")
"""Labels of what stands between conjuncts."""


@dataclass(frozen=True)
class TreeTemplate:
    """A template of features of trees.

    Attributes
    ----------
    name, summary : str
    rows : function of CandidateView to Rows
    """

    name: str
    summary: str
    rows: Callable[[CandidateView], Rows]


TREE_TEMPLATES: Table[TreeTemplate] = Table("template of trees")
"""By name."""


def _template(function: Callable[[CandidateView], Rows]) -> Callable[[CandidateView], Rows]:
    """Decorator: adds a function to the table under its name; the summary is the first line of its docstring."""
    summary = (function.__doc__ or "").partition("\n")[0]
    TREE_TEMPLATES.add(TreeTemplate(function.__name__.replace("_", "-"), summary, function))
    return function


@_template
def rule(view: CandidateView) -> Rows:
    """A phrase and its children."""
    n = view.phrases
    return n, [view.label[n], view.children[n]]


@_template
def rule_and_parent(view: CandidateView) -> Rows:
    """A phrase, its children and its parent."""
    n = view.phrases
    return n, [view.label[n], view.children[n], view.at(view.parent[n], view.label)]


@_template
def rule_and_head(view: CandidateView) -> Rows:
    """A phrase, its children and the word of its head."""
    n = view.phrases
    return n, [view.label[n], view.children[n], view.head_word[n]]


@_template
def rule_above(view: CandidateView) -> Rows:
    """A phrase, its children and those of its parent."""
    n = view.phrases
    return n, [view.label[n], view.children[n], view.at(view.parent[n], view.children)]


@_template
def neighbours(view: CandidateView) -> Rows:
    """Two children side by side, and their parent."""
    n = np.flatnonzero(view.parent != NO_NODE)
    return n, [view.label[view.parent[n]], view.at(view.left_sibling[n], view.label), view.label[n]]


@_template
def three_neighbours(view: CandidateView) -> Rows:
    """Three children side by side, and their parent."""
    n = np.flatnonzero(view.parent != NO_NODE)
    sides = (view.at(side[n], view.label) for side in (view.left_sibling, view.right_sibling))
    return n, [view.label[view.parent[n]], view.label[n], *sides]


@_template
def head(view: CandidateView) -> Rows:
    """A phrase, its parent and the word of its head."""
    n = view.phrases
    return n, [view.label[n], view.at(view.parent[n], view.label), view.head_word[n]]


@_template
def head_tag(view: CandidateView) -> Rows:
    """A phrase, its parent, its grandparent and the tag of its head."""
    n, up = view.phrases, view.at(view.parent, view.label)
    return n, [view.label[n], up[n], view.at(view.parent[n], up), view.head_tag[n]]


def _pair(view: CandidateView) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """The children that are not heads, their parents, and the columns that tell the kind of a pair of heads."""
    is_head = np.zeros(len(view.label), bool)
    is_head[view.head[view.phrases]] = True
    n = np.flatnonzero(~is_head & (view.parent != NO_NODE))
    up = view.parent[n]
    is_right = view.spans[0][n] > view.spans[0][view.lexical_head[up]]
    return n, up, [view.label[up], view.label[n], view.digits(is_right.astype(int))]


@_template
def head_pair(view: CandidateView) -> Rows:
    """The words of the heads of a phrase and of another child."""
    n, up, kind = _pair(view)
    return n, [*kind, view.head_word[up], view.head_word[n]]


@_template
def head_and_tag(view: CandidateView) -> Rows:
    """The word of the head of a phrase, and the tag of that of another child."""
    n, up, kind = _pair(view)
    return n, [*kind, view.head_word[up], view.head_tag[n]]


@_template
def tag_and_head(view: CandidateView) -> Rows:
    """The tag of the head of a phrase, and the word of that of another child."""
    n, up, kind = _pair(view)
    return n, [*kind, view.head_tag[up], view.head_word[n]]


@_template
def tag_pair(view: CandidateView) -> Rows:
    """The tags of the heads of a phrase and of another child, and how far they are apart."""
    n, up, kind = _pair(view)
    start = view.spans[0]
    apart = view.classes(np.abs(start[view.lexical_head[n]] - start[view.lexical_head[up]]))
    return n, [*kind, view.head_tag[up], view.head_tag[n], apart]


@_template
def head_preposition_object(view: CandidateView) -> Rows:
    """The heads of a phrase, of another child such as a PP, and of the last child of that one."""
    n, up, kind = _pair(view)
    below = view.last_child[n]
    return n, [*kind, view.head_word[up], view.head_word[n], view.at(below, view.head_word)]


@_template
def tag_preposition_object(view: CandidateView) -> Rows:
    """The same with the tag instead of the word of the first and of the last."""
    n, up, kind = _pair(view)
    below = view.last_child[n]
    return n, [*kind, view.head_tag[up], view.head_word[n], view.at(below, view.head_tag)]


@_template
def heavy(view: CandidateView) -> Rows:
    """A phrase, its number of words, that of the words after it, and the tags of its last word and of the next."""
    n = view.phrases
    _, _, last, after = view.edges
    return n, [view.label[n], view.width[n], view.to_end[n], view.label[last[n]], view.at(after[n], view.label)]


@_template
def edge_tags(view: CandidateView) -> Rows:
    """A phrase and the tags at both ends, inside and outside."""
    n = view.phrases
    return n, [view.label[n], *(view.at(edge[n], view.label) for edge in view.edges)]


@_template
def left_edge(view: CandidateView) -> Rows:
    """A phrase, the word before it and its first word."""
    n = view.phrases
    before, first, _, _ = view.edges
    return n, [view.label[n], view.at(before[n], view.word), view.word[first[n]]]


@_template
def right_edge(view: CandidateView) -> Rows:
    """A phrase, its last word and the word after it."""
    n = view.phrases
    _, _, last, after = view.edges
    return n, [view.label[n], view.word[last[n]], view.at(after[n], view.word)]


@_template
def first_word(view: CandidateView) -> Rows:
    """A phrase, its width and its first word."""
    n = view.phrases
    return n, [view.label[n], view.width[n], view.word[view.edges[1][n]]]


@_template
def last_word(view: CandidateView) -> Rows:
    """A phrase, its width and its last word."""
    n = view.phrases
    return n, [view.label[n], view.width[n], view.word[view.edges[2][n]]]


@_template
def word_before(view: CandidateView) -> Rows:
    """A phrase, its parent and the word before it."""
    n = view.phrases
    return n, [view.label[n], view.at(view.parent[n], view.label), view.at(view.edges[0][n], view.word)]


@_template
def word_after(view: CandidateView) -> Rows:
    """A phrase, its parent and the word after it."""
    n = view.phrases
    return n, [view.label[n], view.at(view.parent[n], view.label), view.at(view.edges[3][n], view.word)]


@_template
def split(view: CandidateView) -> Rows:
    """A phrase and the words at both sides of the border between two of its children."""
    n = np.flatnonzero(view.left_sibling != NO_NODE)
    before, first, _, _ = view.edges
    return n, [view.label[view.parent[n]], view.label[n], view.word[before[n]], view.word[first[n]]]


@_template
def conjuncts(view: CandidateView) -> Rows:
    """Conjuncts: whether their labels, children and widths are the same."""
    wanted = [view.strings[label] for label in COORDINATORS]
    n = np.flatnonzero(np.isin(view.label, wanted) & (view.left_sibling != NO_NODE) & (view.right_sibling != NO_NODE))
    left, right = view.left_sibling[n], view.right_sibling[n]
    same = (view.label[left] == view.label[right]).astype(int) + (view.children[left] == view.children[right])
    wider = np.sign(np.subtract(*(view.spans[1][side] - view.spans[0][side] for side in (left, right))))
    return n, [view.label[view.parent[n]], view.label[left], view.digits(same), view.digits(wider)]


@_template
def conjunct_heads(view: CandidateView) -> Rows:
    """The labels of conjuncts and the tags of their heads."""
    wanted = [view.strings[label] for label in COORDINATORS]
    n = np.flatnonzero(np.isin(view.label, wanted) & (view.left_sibling != NO_NODE) & (view.right_sibling != NO_NODE))
    left, right = view.left_sibling[n], view.right_sibling[n]
    columns = [column[side] for side in (left, right) for column in (view.label, view.head_tag)]
    return n, [view.label[view.parent[n]], *columns]


@_template
def right_branch(view: CandidateView) -> Rows:
    """Whether a phrase ends at the last word that is no punctuation mark, as right-branching ones do."""
    n = view.phrases
    names = np.array([any(map(str.isalnum, name)) for name in view.trees.strings], bool)
    is_word = names[view.word[view.leaves]]
    ends = np.zeros(view.trees.n_trees, np.int64)
    leaves = view.leaves[is_word]
    np.maximum.at(ends, view.tree[leaves], view.spans[1][leaves])
    return n, [view.digits((view.spans[1][n] >= ends[view.tree[n]]).astype(int))]


@_template
def ancestors(view: CandidateView) -> Rows:
    """A word, its tag and the two labels above."""
    n = view.leaves
    up = view.at(view.parent, view.label)
    return n, [view.word[n], view.label[n], up[n], view.at(view.parent[n], up)]


@_template
def projection(view: CandidateView) -> Rows:
    """A word, the largest phrase of which it is the head, and the label above that."""
    n = np.flatnonzero(view.parent != NO_NODE)
    n = n[view.lexical_head[view.parent[n]] != view.lexical_head[n]]
    return n, [view.head_word[n], view.label[n], view.label[view.parent[n]]]
