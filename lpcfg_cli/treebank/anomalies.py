"""Anomalies of a treebank: nodes that look like annotation errors.  Nothing is changed."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np

from lpcfg_cli.config import CleanSettings
from lpcfg_cli.treebank.anomaly import Anomaly
from lpcfg_cli.treebank.characters import invisible_characters
from lpcfg_cli.treebank.checked_nodes import TRACE_TAG, CheckedNodes, bare_traces
from lpcfg_cli.treebank.dropping import dropped_words
from lpcfg_cli.treebank.marks import Marks
from lpcfg_cli.treebank.trees import NO_NODE
from lpcfg_cli.wording import counted

SEPARATORS = "*;:+~/&."
"""Characters by which some treebanks attach functions to labels; cleaning keeps them as part of the label."""

MOST_SHOWN = 4
"""Largest number of words that are shown."""

FEW = 2
"""Largest number of occurrences of a label that may be an error."""


def find_anomalies(table: CheckedNodes, settings: CleanSettings) -> list[Anomaly]:
    """All anomalies of a treebank, grouped by kind; those of words that the cleaning removes are not reported."""
    searches = (
        _traces_without_tag, _both_phrase_and_tag, _lower_case_labels, _odd_label_characters, _attached_functions,
        _nameless_inside, _unary_cycles, _odd_word_characters,
    )  # fmt: skip
    removed = dropped_words(table.trees, settings)
    found = [anomaly for search in searches for anomaly in search(table)]
    return no_language(table, Marks(table, settings)) + [
        anomaly for anomaly in found if not removed[anomaly.nodes].all()
    ]


def no_language(table: CheckedNodes, marks: Marks) -> list[Anomaly]:
    """Anomalies of words and tags that are no language or are written in two ways, for which there are settings."""
    spelling = () if marks.settings.normalize else (_invisible_characters, _decomposed_letters)
    return marks.find() + [anomaly for search in spelling for anomaly in search(table)]


def _traces_without_tag(table: CheckedNodes) -> Iterator[Anomaly]:
    trees, names = table.trees, table.trees.strings
    nodes = bare_traces(table)
    if len(nodes):
        kinds = Counter(f"({names[trees.label[k]]} {names[trees.word[k]]})" for k in nodes)
        shown = ", ".join(f"{kind} {count}×" for kind, count in kinds.most_common(4))
        those = counted(len(nodes), "word", "looks", "look")
        text = f"{those} like traces but without the tag {TRACE_TAG}: {shown}. --drop-bare-traces leaves them out"
        yield Anomaly("untagged-trace", text, nodes, "--drop-bare-traces")


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
            text = f"label {name!r} contains {shown}, {len(nodes):,}×"
            remedy = "--normalize" if invisible_characters(name) else ""
            yield Anomaly("odd-label", f"{text}. {remedy} removes it" if remedy else text, nodes, remedy)


def _attached_functions(table: CheckedNodes) -> Iterator[Anomaly]:
    known = {name for name, count in zip(table.names, table.n_as_phrase, strict=True) if count}
    for k, name in enumerate(table.names):
        stem = re.split(f"[{re.escape(SEPARATORS)}]", name, maxsplit=1)[0]
        if table.n_as_phrase[k] and stem != name and stem in known | {"NP", "VP", "PP", "S"}:
            mark = name[len(stem)]
            text = (
                f"{name} looks like {stem} with a function after {mark!r}; it is kept whole, "
                f"{table.n_as_phrase[k]:,}×, unless --cut-labels names the character"
            )
            yield Anomaly("attached-function", text, table.nodes_of(k, as_tag=False))


def _nameless_inside(table: CheckedNodes) -> Iterator[Anomaly]:
    nameless = np.array([name == "" for name in table.names], bool)[table.category]
    nodes = np.flatnonzero(nameless & ~table.is_word & (table.trees.parent != NO_NODE))
    if len(nodes):
        text = f"{counted(len(nodes), 'node')} without a label inside a tree, to be replaced by the children"
        yield Anomaly("nameless", text, nodes)
    tags = np.flatnonzero(nameless & table.is_word)
    if len(tags):
        yield Anomaly("nameless-tag", f"{counted(len(tags), 'word')} under an empty tag", tags)


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
        yield Anomaly(
            "unary-cycle", f"{counted(len(nodes), 'label', 'is', 'are')} repeated in a unary chain: {shown}", nodes
        )


def _odd_word_characters(table: CheckedNodes) -> Iterator[Anomaly]:
    yield from _odd_words(
        table, "control-character", "words with control characters or U+FFFD", lambda word: any(map(_is_no_text, word))
    )
    yield from _odd_words(
        table, "blank-in-word", "words with non-ASCII blanks, which are kept", lambda word: any(map(str.isspace, word))
    )


def _invisible_characters(table: CheckedNodes) -> Iterator[Anomaly]:
    text = "words with invisible characters, which --normalize removes"
    yield from _odd_words(
        table, "invisible-character", text, lambda word: bool(invisible_characters(word)), "--normalize"
    )


def _odd_words(
    table: CheckedNodes, kind: str, text: str, is_odd: Callable[[str], bool], remedy: str = ""
) -> Iterator[Anomaly]:
    names = table.trees.strings
    has = np.array([is_odd(name) for name in names], bool)
    nodes = np.flatnonzero(table.is_word & has[table.trees.word])
    if len(nodes):
        shown = ", ".join(dict.fromkeys(repr(names[k]) for k in table.trees.word[nodes].tolist()[:MOST_SHOWN]))
        yield Anomaly(kind, f"{len(nodes):,} {text}: {shown}", nodes, remedy)


def _is_no_text(char: str) -> bool:
    return char == "\N{REPLACEMENT CHARACTER}" or unicodedata.category(char) == "Cc"


def _decomposed_letters(table: CheckedNodes) -> Iterator[Anomaly]:
    """Words with letters and accents apart, in a treebank that also has such letters as one character."""
    names = table.trees.strings
    apart = np.array([not unicodedata.is_normalized("NFC", name) for name in names], bool)
    joined = np.array(
        [not a and not unicodedata.is_normalized("NFD", name) for a, name in zip(apart, names, strict=True)]
    )
    nodes = np.flatnonzero(table.is_word & apart[table.trees.word])
    if len(nodes) and (table.is_word & joined[table.trees.word]).any():
        word = names[table.trees.word[nodes[0]]]
        those = counted(len(nodes), "word", "has", "have")
        text = f"{those} letters and accents apart, others as one: {word!a}. --normalize joins them"
        yield Anomaly("decomposed-letter", text, nodes, "--normalize")
