"""Dependency trees of constituency trees: each word hangs from the head of the smallest phrase whose head it is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.config import Table
from lpcfg_cli.dependency.trees.sentence import EMPTY, DependencySentence
from lpcfg_cli.treebank.dropping import renamed
from lpcfg_cli.treebank.heads import HeadRules, head_children
from lpcfg_cli.treebank.labels import strip_function_tags, strip_index
from lpcfg_cli.treebank.trees import NO_NODE, NO_WORD, Treebank

DEPENDENT = "dep"
"""The relation of all words but the root, where relations have no names."""


class RelationScheme(NamedTuple):
    """How relations are named.

    Attributes
    ----------
    name : function of a label to a str
        The relation of a word, by the label of the largest phrase whose head it is, or its tag if there is none.
    meaning : str
        In words.
    """

    name: Callable[[str], str]
    meaning: str


RELATIONS = {
    "phrase": RelationScheme(
        strip_index,
        "the label of the largest phrase whose head the word is, without index, or the word's tag",
    ),
    "none": RelationScheme(lambda label: DEPENDENT, f"{DEPENDENT} for all words"),
}
"""Name → scheme; a new one is a line here."""


@dataclass(frozen=True)
class DependencyFormat:
    """A format in which the dependencies of constituency trees are written.

    Attributes
    ----------
    name, summary : str
    suffixes : tuple of str
        File endings in small letters by which the format is recognized.
    root : str
        The relation of the root.
    has_comments : bool
        Whether a sentence has its number and text in comments, and no universal tags.
    """

    name: str
    summary: str
    suffixes: tuple[str, ...]
    root: str
    has_comments: bool


CONLLX = DependencyFormat("conllx", "CoNLL-X", (".conll", ".conllx"), "ROOT", False)
CONLLU = DependencyFormat("conllu", "CoNLL-U, with numbers and texts in comments", (".conllu",), "root", True)

DEPENDENCY_FORMATS: Table[DependencyFormat] = Table("dependency format", CONLLX, CONLLU)


def lexical_heads(treebank: Treebank, rules: HeadRules) -> np.ndarray:
    """The preterminal of the head word of each node, int64, shape (n_nodes,); O(n log depth).

    The rules are asked by labels without functions: those of NP for ``NP-SBJ``.
    """
    is_phrase = treebank.word == NO_WORD
    label, strings = renamed(treebank.label, is_phrase, treebank.strings, strip_function_tags)
    plain = replace(treebank, label=label, strings=strings)
    below = np.where(is_phrase, head_children(plain, rules), np.arange(treebank.n_nodes))
    while not np.array_equal(further := below[below], below):
        below = further
    return below


def dependencies_of_trees(
    treebank: Treebank, rules: HeadRules, relations: str = "phrase", form: DependencyFormat = CONLLX
) -> list[DependencySentence]:
    """The dependency tree of each constituency tree.

    Parameters
    ----------
    treebank : Treebank
        Clean, with one root and at least one word a tree.
    rules : HeadRules
        Which child is the head of a phrase.
    relations : str
        A name of `RELATIONS`.
    form : DependencyFormat
    """
    lexical = lexical_heads(treebank, rules)
    parent = treebank.parent
    above = np.where(parent == NO_NODE, NO_NODE, lexical[parent])
    is_largest = above != lexical  # the root, or a node that is not the head of its parent
    number = starts(treebank.word != NO_WORD)  # of words before each node
    words = np.flatnonzero(treebank.word != NO_WORD)
    first = number[treebank.tree_start]
    base = np.repeat(first[:-1], np.diff(first))
    top = np.empty(treebank.n_nodes, np.int64)
    top[lexical[is_largest]] = np.flatnonzero(is_largest)
    top = top[words]
    heads = np.where(above[top] == NO_NODE, 0, number[above[top]] - base + 1).astype(np.int32)
    name, strings = RELATIONS[relations].name, treebank.strings
    labels = [name(strings[k]) for k in treebank.label[top].tolist()]
    named = [form.root if head == 0 else label for head, label in zip(heads.tolist(), labels, strict=True)]
    forms = [strings[k] for k in treebank.word[words].tolist()]
    tags = [strings[k] for k in treebank.label[words].tolist()]
    return [
        _sentence(k, forms[i:j], tags[i:j], heads[i:j], named[i:j], form.has_comments)
        for k, (i, j) in enumerate(pairwise(first.tolist()), 1)
    ]


def _sentence(
    number: int, forms: list[str], tags: list[str], heads: np.ndarray, relations: list[str], has_comments: bool
) -> DependencySentence:
    comments = (f"# sent_id = {number}", f"# text = {' '.join(forms)}") if has_comments else ()
    columns = {"upos": (EMPTY,) * len(forms)} if has_comments else {}
    return DependencySentence(tuple(forms), tuple(tags), heads, tuple(relations), columns, comments)
