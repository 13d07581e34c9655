"""The nodes of a treebank with their categories, and which of them are bare traces."""

from __future__ import annotations

import re

import numpy as np

from lpcfg_cli.treebank.labels import strip_function_tags, strip_index
from lpcfg_cli.treebank.trees import NO_WORD, Treebank

TRACE_TAG = "-NONE-"

SURE_TRACE = re.compile(r"\*[A-Za-z?]+\*(?:-[0-9]+)*|\*-[0-9]+|\*0\*")
"""Words that are certainly traces."""

MARK_UP = re.compile(r"</?[A-Za-z_][^<>]*>|\{[A-Za-z]+:[^{}]*\}?|/\*|\*/|/~\*|\*~/")
"""Words of mark-up, comments and editors' remarks."""

LIKELY_TRACE = re.compile(r"\**[0-9A-Za-z]*\**|0")


class CheckedNodes:
    """A treebank with the categories of its nodes, for the search for anomalies and bare traces.

    Attributes
    ----------
    trees : Treebank
        As annotated.
    is_word : ndarray of bool, shape (n_nodes,)
        Whether each node is a preterminal.
    category : ndarray of int64, shape (n_nodes,)
        Position in `names` of each node's label without functions and indices.
    names : list of str
    n_as_phrase, n_as_tag : ndarray of int64, shape (n_names,)
        Number of phrases and of preterminals of each category.
    stem : ndarray of int64, shape (n_names,)
        For a tag such as ``NP-SBJ``, the category of the same label on a phrase; for others the category itself.
    """

    def __init__(self, trees: Treebank):
        self.trees = trees
        self.is_word = trees.word != NO_WORD
        numbers: dict[str, int] = {}
        self.category = np.zeros(trees.n_nodes, np.int64)
        for mask, cut in ((~self.is_word, strip_function_tags), (self.is_word, strip_index)):
            table = np.zeros(len(trees.strings), np.int64)
            for k in np.unique(trees.label[mask]):
                table[k] = numbers.setdefault(cut(trees.strings[k]), len(numbers))
            self.category[mask] = table[trees.label[mask]]
        self.names = list(numbers)
        n = len(self.names)
        self.n_as_phrase = np.bincount(self.category[~self.is_word], minlength=n)
        self.n_as_tag = np.bincount(self.category[self.is_word], minlength=n)
        self.stem = np.array([numbers.get(strip_function_tags(name), k) for k, name in enumerate(self.names)], np.int64)

    def nodes_of(self, name: int, as_tag: bool) -> np.ndarray:
        """The nodes of a category, as tags or as phrases."""
        return np.flatnonzero((self.category == name) & (self.is_word == as_tag))


def bare_traces(table: CheckedNodes) -> np.ndarray:
    """The preterminals whose words look like traces but are not tagged ``-NONE-``, int64, shape (n,)."""
    trees, names = table.trees, table.trees.strings
    leaves = np.flatnonzero(table.is_word)
    is_trace_tag = np.array([name == TRACE_TAG for name in table.names], bool)
    sure = np.array([SURE_TRACE.fullmatch(name) is not None for name in names], bool)
    likely = np.array([name != "" and LIKELY_TRACE.fullmatch(name) is not None for name in names], bool)
    likely &= np.array([name[:1] == "*" or name == "0" for name in names], bool)
    has_digit = np.array([any(char.isdigit() for char in name) and name != "0" for name in names], bool)
    word, tag = trees.word[leaves], table.category[leaves]
    n_tag = np.bincount(tag, minlength=len(table.names))
    is_number_tag = np.bincount(tag, has_digit[word], minlength=len(table.names)) > 0.2 * n_tag
    stem = table.stem[tag]
    under_phrase_label = table.n_as_phrase[stem] >= np.maximum(table.n_as_tag[stem], 1)
    is_zero = np.array([name == "0" for name in names], bool)[word]
    looks = sure[word] | (likely[word] & under_phrase_label) | (is_zero & ~is_number_tag[tag])
    return leaves[looks & ~is_trace_tag[tag]]
