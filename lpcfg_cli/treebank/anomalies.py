"""Anomalies of a treebank: nodes that look like annotation errors.  Nothing is changed."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.treebank.clean import TRACE_TAG, strip_function_tags, strip_index
from lpcfg_cli.treebank.trees import NO_NODE, NO_WORD, Treebank

SURE_TRACE = re.compile(r"\*[A-Za-z?]+\*(?:-[0-9]+)*|\*-[0-9]+|\*0\*")
"""Words that are certainly traces."""

LIKELY_TRACE = re.compile(r"\**[0-9A-Za-z]*\**|0")
SEPARATORS = "*;:+~/&."
"""Characters by which some treebanks attach functions to labels; cleaning keeps them as part of the label."""

FEW = 2
"""Largest number of occurrences of a label that may be an error."""


@dataclass(frozen=True)
class Anomaly:
    """Nodes that look like annotation errors of one kind.

    Attributes
    ----------
    kind : str
        Identifier of the kind, for programs.
    text : str
        Description, for people.
    nodes : ndarray of int64, shape (n,)
        All nodes concerned.
    """

    kind: str
    text: str
    nodes: np.ndarray


class CheckedNodes:
    """A treebank with the categories of its nodes, for the search for anomalies.

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


def find_anomalies(table: CheckedNodes) -> list[Anomaly]:
    """All anomalies of a treebank, grouped by kind."""
    searches = (
        _traces_without_tag, _both_phrase_and_tag, _lower_case_labels, _odd_label_characters, _attached_functions,
        _nameless_inside, _unary_cycles, _odd_word_characters,
    )  # fmt: skip
    return [anomaly for search in searches for anomaly in search(table)]


def _traces_without_tag(table: CheckedNodes) -> Iterator[Anomaly]:
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
    nodes = leaves[looks & ~is_trace_tag[tag]]
    if len(nodes):
        kinds = Counter(f"({names[trees.label[k]]} {names[trees.word[k]]})" for k in nodes)
        shown = ", ".join(f"{kind} {count}×" for kind, count in kinds.most_common(4))
        text = f"{len(nodes):,} words look like traces but are not tagged {TRACE_TAG}, so they are kept: {shown}"
        yield Anomaly("untagged-trace", text, nodes)


def _both_phrase_and_tag(table: CheckedNodes) -> Iterator[Anomaly]:
    for k in np.flatnonzero((table.n_as_phrase > 0) & (table.n_as_tag > 0)):
        phrases, tags = int(table.n_as_phrase[k]), int(table.n_as_tag[k])
        text = f"{table.names[k]} is a phrase {phrases:,}× and a tag {tags:,}×"
        yield Anomaly("phrase-and-tag", text, table.nodes_of(int(k), as_tag=tags <= phrases))
    is_annotated = (table.stem != np.arange(len(table.names))) & (table.n_as_tag > 0)
    for k in np.flatnonzero(is_annotated & (table.n_as_phrase[table.stem] > table.n_as_tag[table.stem])):
        stem = table.names[table.stem[k]]
        text = f"{table.names[k]} is a tag {int(table.n_as_tag[k]):,}×, but {stem} is a phrase label"
        yield Anomaly("phrase-and-tag", text, table.nodes_of(int(k), as_tag=True))


def _lower_case_labels(table: CheckedNodes) -> Iterator[Anomaly]:
    """Rare labels in lower case, if hardly any labels of the treebank are in lower case."""
    for counts, as_tag in ((table.n_as_phrase, False), (table.n_as_tag, True)):
        is_lower = np.array([name.isalpha() and name.islower() for name in table.names], bool)
        if counts[is_lower].sum() > 0.01 * counts.sum():
            continue
        for k in np.flatnonzero(is_lower & (counts > 0) & (counts <= FEW)):
            what = "tag" if as_tag else "phrase label"
            yield Anomaly(
                "word-like-label", f"{what} {table.names[k]} looks like a word", table.nodes_of(int(k), as_tag)
            )


def _odd_label_characters(table: CheckedNodes) -> Iterator[Anomaly]:
    for k, name in enumerate(table.names):
        odd = [char for char in name if unicodedata.category(char)[0] in "CZ" or char in "[]{}\\"]
        if odd and table.n_as_phrase[k] + table.n_as_tag[k] and not (table.n_as_tag[k] and len(name) == 1):
            nodes = np.flatnonzero(table.category == k)
            shown = ", ".join(f"U+{ord(char):04X}" for char in odd)
            yield Anomaly("odd-label", f"label {name!r} contains {shown}, {len(nodes):,}×", nodes)


def _attached_functions(table: CheckedNodes) -> Iterator[Anomaly]:
    known = {name for name, count in zip(table.names, table.n_as_phrase, strict=True) if count}
    for k, name in enumerate(table.names):
        stem = re.split(f"[{re.escape(SEPARATORS)}]", name, maxsplit=1)[0]
        if table.n_as_phrase[k] and stem != name and stem in known | {"NP", "VP", "PP", "S"}:
            mark = name[len(stem)]
            text = (
                f"{name} looks like {stem} with a function after {mark!r}; it is kept whole, {table.n_as_phrase[k]:,}×"
            )
            yield Anomaly("attached-function", text, table.nodes_of(k, as_tag=False))


def _nameless_inside(table: CheckedNodes) -> Iterator[Anomaly]:
    nameless = np.array([name == "" for name in table.names], bool)[table.category]
    nodes = np.flatnonzero(nameless & ~table.is_word & (table.trees.parent != NO_NODE))
    if len(nodes):
        text = f"{len(nodes):,} nodes without a label inside a tree; they are replaced by their children"
        yield Anomaly("nameless", text, nodes)
    tags = np.flatnonzero(nameless & table.is_word)
    if len(tags):
        yield Anomaly("nameless-tag", f"{len(tags):,} words under an empty tag", tags)


def _unary_cycles(table: CheckedNodes) -> Iterator[Anomaly]:
    """Chains of phrases over one span in which a label is repeated after another label."""
    trees = table.trees
    parent = trees.parent
    is_only = np.zeros(trees.n_nodes, bool)
    inner = parent != NO_NODE
    is_only[inner] = trees.n_children()[parent[inner]] == 1
    # a node, its parent and its grandparent on one chain: A over B over A is the shortest cycle
    step = np.where(is_only & inner, parent, NO_NODE)
    above = np.where(step != NO_NODE, step[step], NO_NODE)
    kind = np.where(table.is_word, -1, table.category)
    found = np.zeros(trees.n_nodes, bool)
    while (above != NO_NODE).any():
        is_back = (above != NO_NODE) & (kind == np.where(above != NO_NODE, kind[above], -2)) & (kind[step] != kind)
        found |= is_back
        above = np.where(above != NO_NODE, step[above], NO_NODE)
    nodes = np.flatnonzero(found)
    if len(nodes):
        labels = Counter(table.names[kind[k]] for k in nodes)
        shown = ", ".join(f"{label} {count}×" for label, count in labels.most_common(4))
        yield Anomaly("unary-cycle", f"{len(nodes):,} labels are repeated in a unary chain: {shown}", nodes)


def _odd_word_characters(table: CheckedNodes) -> Iterator[Anomaly]:
    names = table.trees.strings
    for kind, text, is_odd in (
        ("control-character", "words with control characters or U+FFFD", _is_no_text),
        ("blank-in-word", "words with non-ASCII blanks, which are kept", str.isspace),
    ):
        has = np.array([any(map(is_odd, name)) for name in names], bool)
        nodes = np.flatnonzero(table.is_word & has[table.trees.word])
        if len(nodes):
            yield Anomaly(kind, f"{len(nodes):,} {text}: {names[table.trees.word[nodes[0]]]!r}", nodes)


def _is_no_text(char: str) -> bool:
    return char == "\N{REPLACEMENT CHARACTER}" or unicodedata.category(char) == "Cc"
