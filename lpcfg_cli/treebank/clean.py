"""Cleaning of annotated trees for training: removes traces, marks that are no language, function tags and wrappers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from lpcfg_cli.config import CleanSettings
from lpcfg_cli.treebank.dropping import renamed, without_marks
from lpcfg_cli.treebank.labels import cut_tag, strip_function_tags
from lpcfg_cli.treebank.presets import with_preset
from lpcfg_cli.treebank.trees import NO_NODE, NO_WORD, Treebank

ROOT_LABEL = "TOP"


@dataclass(frozen=True)
class CleaningReport:
    """Counts of what cleaning removed.

    Attributes
    ----------
    traces : int
        Preterminals tagged ``-NONE-``.
    emptied : int
        Phrases with no words but traces and other words that are removed.
    null_trees : tuple of int
        Positions of the trees without words, which were removed.
    self_loops : int
        Phrases whose only child is a phrase with the same label.
    unlabelled : int
        Phrases without a label inside a tree, replaced by their children.
    bare_traces : int
        Traces that are not tagged ``-NONE-``, if they are removed.
    dropped : dict of str to int
        Number of words removed under each tag or label that is to be dropped, and of words of mark-up; those that a
        treebank's preset names only if there are any.
    """

    traces: int
    emptied: int
    null_trees: tuple[int, ...]
    self_loops: int
    unlabelled: int
    bare_traces: int = 0
    dropped: dict[str, int] = field(default_factory=dict)


def clean(treebank: Treebank, settings: CleanSettings) -> tuple[Treebank, CleaningReport]:
    """Clean a treebank as is usual for parsers of the Penn Treebank.

    Removed are:

    - traces, recognised by their tag and, unless the settings say so, not by their form;
    - words and phrases whose tags and labels the settings drop; then all phrases that are left empty;
    - function tags and indices: ``NP-SBJ=2`` becomes ``NP``;
    - a root without a label or with a wrapper's label (``TOP``, ``ROOT``, ``S1``); if it has several children it is
      kept, with the label ``TOP``;
    - chains of phrases of one label over one span, except one phrase;
    - phrases without a label inside a tree, which are replaced by their children;
    - trees without words.

    Parameters
    ----------
    treebank : Treebank
    settings : CleanSettings

    Returns
    -------
    Treebank
        Without null trees.
    CleaningReport
    """
    wanted = with_preset(settings)
    without, counts = without_marks(treebank, settings)
    relabelled = _relabel(without, wanted)
    unwrapped, unlabelled = _unwrap(relabelled, wanted.wrappers)
    single, self_loops = _drop_self_loops(unwrapped)
    sizes = np.diff(single.tree_start)
    kept = single.subset(np.flatnonzero(sizes > 0))
    null_trees = tuple(np.flatnonzero(sizes == 0).tolist())
    report = CleaningReport(
        counts.traces, counts.emptied, null_trees, self_loops, unlabelled, counts.bare_traces, counts.dropped
    )
    return kept, report


def _label_mask(treebank: Treebank, labels: set[str]) -> np.ndarray:
    wanted = np.array([name in labels for name in treebank.strings], bool)
    return wanted[treebank.label]


def _relabel(treebank: Treebank, settings: CleanSettings) -> Treebank:
    is_word = treebank.word != NO_WORD
    label, strings = treebank.label, treebank.strings
    if settings.strip_functions:
        label, strings = renamed(
            label, ~is_word, strings, lambda name: strip_function_tags(name, settings.cut_labels_at)
        )
    label, strings = renamed(label, is_word, strings, lambda name: cut_tag(name, settings.cut_tags_at))
    return replace(treebank, label=label, strings=strings)


def _unwrap(treebank: Treebank, wrappers: tuple[str, ...]) -> tuple[Treebank, int]:
    """Remove wrappers and inner nodes without a label; rename wrappers that must be kept."""
    nameless = _label_mask(treebank, {""}) & (treebank.word == NO_WORD)
    inner = nameless & (treebank.parent != NO_NODE)
    bare = treebank.select(~inner)
    while True:  # wrappers may be nested
        wrapper = (bare.parent == NO_NODE) & (bare.word == NO_WORD) & _label_mask(bare, {"", *wrappers})
        outer = wrapper & (bare.n_children() == 1)
        if not outer.any():
            break
        bare = bare.select(~outer)
    # the root's label has one number, even if it also occurs inside trees
    strings = bare.strings if ROOT_LABEL in bare.strings else [*bare.strings, ROOT_LABEL]
    label = np.where(wrapper, strings.index(ROOT_LABEL), bare.label).astype(np.int32)
    return replace(bare, label=label, strings=strings), int(inner.sum())


def _drop_self_loops(treebank: Treebank) -> tuple[Treebank, int]:
    """Reduce every unary chain that repeats a single label to one node."""
    n_children = treebank.n_children()
    is_unary = (n_children == 1) & (treebank.word == NO_WORD)
    child = np.minimum(np.arange(treebank.n_nodes) + 1, max(treebank.n_nodes - 1, 0))
    # a unary node is removed if all nodes of its chain have its label: determined from the bottom of the chain up
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
    """The bracketed pieces under one root; a single piece that already has the root's label is unchanged."""
    if len(pieces) == 1 and pieces[0].startswith(f"({ROOT_LABEL} "):
        return pieces[0]
    return f"({ROOT_LABEL} {' '.join(pieces)})"
