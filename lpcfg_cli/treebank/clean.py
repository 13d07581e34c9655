"""From trees as annotated to trees to learn from: no traces, function tags or wrappers."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.config import CleanSettings
from lpcfg_cli.treebank.trees import NO_NODE, NO_WORD, Treebank

TRACE_TAG = "-NONE-"
ROOT_LABEL = "TOP"


@dataclass(frozen=True)
class CleaningReport:
    """What cleaning took away.

    Attributes
    ----------
    traces : int
        Preterminals tagged ``-NONE-``.
    emptied : int
        Phrases that held nothing but traces.
    null_trees : tuple of int
        Positions of the trees without any word, left out.
    self_loops : int
        Phrases over nothing but a phrase of the same label.
    unlabelled : int
        Phrases without a label inside a tree, replaced by their children.
    """

    traces: int
    emptied: int
    null_trees: tuple[int, ...]
    self_loops: int
    unlabelled: int


def clean(treebank: Treebank, settings: CleanSettings) -> tuple[Treebank, CleaningReport]:
    """Clean a treebank as parsers of the Penn Treebank customarily do.

    Removed are traces, by their tag and not by their looks, and the phrases they leave empty; function
    tags and indices (``NP-SBJ=2`` becomes ``NP``); a root without a label or with a wrapper's label
    (``TOP``, ``ROOT``, ``S1``), unless several children make it the only node that spans the sentence:
    then its label is ``TOP``; a chain of phrases of one label over one span, down to one of them; and
    trees without words.

    Returns
    -------
    Treebank
        Without null trees.
    CleaningReport
    """
    is_word = treebank.word != NO_WORD
    trace = is_word & _label_mask(treebank, {TRACE_TAG})
    without_traces, emptied = _drop_empty(treebank, ~trace)
    relabelled = _relabel(without_traces, settings)
    unwrapped, unlabelled = _unwrap(relabelled, settings.wrappers)
    single, self_loops = _drop_self_loops(unwrapped)
    sizes = np.diff(single.tree_start)
    kept = single.subset(np.flatnonzero(sizes > 0))
    null_trees = tuple(np.flatnonzero(sizes == 0).tolist())
    report = CleaningReport(int(trace.sum()), emptied, null_trees, self_loops, unlabelled)
    return kept, report


def strip_function_tags(label: str) -> str:
    """The category of a phrase label: cut at the first ``-`` or ``=``, unless the label begins with one."""
    return label if label[:1] in "-=" else re.split(r"[-=]", label, maxsplit=1)[0]


def strip_index(tag: str) -> str:
    """A tag without the indices of co-indexed nodes: ``NNS-4=1`` is ``NNS``, but ``NS-D`` stays."""
    return re.sub(r"(?<=.)([-=][0-9]+)+$", "", tag)


def _label_mask(treebank: Treebank, labels: set[str]) -> np.ndarray:
    wanted = np.array([name in labels for name in treebank.strings], bool)
    return wanted[treebank.label]


def _drop_empty(treebank: Treebank, keep_word: np.ndarray) -> tuple[Treebank, int]:
    is_kept_word = keep_word & (treebank.word != NO_WORD)
    before = starts(is_kept_word)
    has_words = before[treebank.subtree_end()] > before[:-1]
    emptied = ~has_words & (treebank.word == NO_WORD)
    return treebank.select(has_words), int(emptied.sum())


def _relabel(treebank: Treebank, settings: CleanSettings) -> Treebank:
    numbers = {name: k for k, name in enumerate(treebank.strings)}
    strings = list(treebank.strings)
    is_word = treebank.word != NO_WORD
    label = treebank.label.copy()
    for mask, cut, wanted in (
        (~is_word, strip_function_tags, settings.strip_functions),
        (is_word, strip_index, True),
    ):
        if not wanted:
            continue
        translation = np.arange(len(strings))
        for k in np.unique(treebank.label[mask]):
            name = cut(strings[k])
            if name not in numbers:
                numbers[name] = len(strings)
                strings.append(name)
            translation[k] = numbers[name]
        label[mask] = translation[treebank.label[mask]]
    return replace(treebank, label=label, strings=strings)


def _unwrap(treebank: Treebank, wrappers: tuple[str, ...]) -> tuple[Treebank, int]:
    """Drop wrappers and inner nodes without a label; rename wrappers that must stay."""
    nameless = _label_mask(treebank, {""}) & (treebank.word == NO_WORD)
    inner = nameless & (treebank.parent != NO_NODE)
    bare = treebank.select(~inner)
    while True:  # one wrapper may stand in another
        wrapper = (bare.parent == NO_NODE) & (bare.word == NO_WORD) & _label_mask(bare, {"", *wrappers})
        outer = wrapper & (bare.n_children() == 1)
        if not outer.any():
            break
        bare = bare.select(~outer)
    # one number for the root's label even if it also stands elsewhere in a tree
    strings = bare.strings if ROOT_LABEL in bare.strings else [*bare.strings, ROOT_LABEL]
    label = np.where(wrapper, strings.index(ROOT_LABEL), bare.label).astype(np.int32)
    return replace(bare, label=label, strings=strings), int(inner.sum())


def _drop_self_loops(treebank: Treebank) -> tuple[Treebank, int]:
    """Reduce every unary chain that repeats a single label to one node."""
    n_children = treebank.n_children()
    is_unary = (n_children == 1) & (treebank.word == NO_WORD)
    child = np.minimum(np.arange(treebank.n_nodes) + 1, max(treebank.n_nodes - 1, 0))
    # a unary node goes when all of its chain has its label: decided from the chain's bottom upwards
    is_uniform = np.ones(treebank.n_nodes, bool)
    for node in np.flatnonzero(is_unary)[::-1]:
        below = child[node]
        same = treebank.label[node] == treebank.label[below] and treebank.word[below] == NO_WORD
        is_uniform[node] = same and is_uniform[below]
    under_unary = np.zeros(treebank.n_nodes, bool)
    under_unary[child[is_unary]] = True
    chain_is_uniform = is_uniform.copy()
    for node in np.flatnonzero(under_unary):
        chain_is_uniform[node] = chain_is_uniform[node - 1]
    drop = is_unary & chain_is_uniform
    return treebank.select(~drop), int(drop.sum())


def with_named_roots(trees: Treebank) -> Treebank:
    """Trees whose unlabelled outer brackets are called TOP, which EVALB leaves out as it does not an empty label."""
    is_bare = (trees.parent == NO_NODE) & (np.array(trees.strings)[trees.label] == "")
    label = np.where(is_bare, len(trees.strings), trees.label).astype(np.int32)
    return replace(trees, label=label, strings=[*trees.strings, ROOT_LABEL])


def with_root(pieces: list[str]) -> str:
    """The pieces under one root, unless there is one and it has the root's label already."""
    if len(pieces) == 1 and pieces[0].startswith(f"({ROOT_LABEL} "):
        return pieces[0]
    return f"({ROOT_LABEL} {' '.join(pieces)})"
