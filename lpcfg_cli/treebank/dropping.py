"""Words and phrases that are no language, and their removal: traces, and what the settings of the cleaning name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.config import CleanSettings
from lpcfg_cli.treebank.characters import normalized
from lpcfg_cli.treebank.checked_nodes import MARK_UP, TRACE_TAG, CheckedNodes, bare_traces
from lpcfg_cli.treebank.labels import cut_tag, strip_function_tags
from lpcfg_cli.treebank.lemmas import split_lemma
from lpcfg_cli.treebank.presets import with_preset
from lpcfg_cli.treebank.trees import NO_WORD, Treebank


@dataclass(frozen=True)
class Dropped:
    """Counts of what was removed; see `lpcfg_cli.treebank.clean.CleaningReport`."""

    traces: int
    emptied: int
    bare_traces: int
    dropped: dict[str, int]


class _Selection:
    """Which preterminals are removed, and why; bool arrays of shape (n_nodes,), disjoint."""

    def __init__(self, treebank: Treebank, settings: CleanSettings):
        wanted = with_preset(settings)
        is_word = treebank.word != NO_WORD
        self.trace = is_word & (np.array([name == TRACE_TAG for name in treebank.strings], bool)[treebank.label])
        bare = np.zeros(treebank.n_nodes, bool)
        if wanted.drop_bare_traces:
            bare[bare_traces(CheckedNodes(treebank))] = True
        self.bare = bare
        self.marks = _marked(treebank, wanted, is_word & ~self.trace & ~bare)
        if wanted.drop_mark_up:
            is_mark_up = np.array([MARK_UP.fullmatch(name) is not None for name in treebank.strings], bool)
            self.marks["mark-up"] = is_word & is_mark_up[treebank.word] & ~self.removed

    @property
    def removed(self) -> np.ndarray:
        """All of them."""
        return np.any([self.trace, self.bare, *self.marks.values()], axis=0)


def drops_more_than_traces(settings: CleanSettings) -> bool:
    """Whether `without_marks` may remove or respell words that are not tagged ``-NONE-``."""
    wanted = with_preset(settings)
    drops = wanted.drop_tags or wanted.drop_labels or wanted.drop_bare_traces or wanted.drop_mark_up
    return bool(drops or wanted.drop_lemmas or wanted.normalize)


def dropped_words(treebank: Treebank, settings: CleanSettings) -> np.ndarray:
    """Whether `without_marks` removes each preterminal, bool, shape (n_nodes,)."""
    return _Selection(treebank, settings).removed


def without_marks(treebank: Treebank, settings: CleanSettings) -> tuple[Treebank, Dropped]:
    """The trees without traces, dropped words and phrases, and phrases that are then empty; words are spelt anew.

    Every tree keeps its place; one without words becomes a null tree.  Labels and tags stay as they are.
    """
    selection = _Selection(treebank, settings)
    kept, emptied = _drop_empty(treebank, ~selection.removed)
    counts = {name: int(nodes.sum()) for name, nodes in selection.marks.items()}
    own = {*settings.drop_tags, *settings.drop_labels, *["mark-up"] * settings.drop_mark_up}
    shown = {name: count for name, count in counts.items() if count or name in own}
    report = Dropped(int(selection.trace.sum()), emptied, int(selection.bare.sum()), shown)
    return spelt(kept, with_preset(settings)), report


def _marked(treebank: Treebank, settings: CleanSettings, counts: np.ndarray) -> dict[str, np.ndarray]:
    """For each tag and label that is to be dropped, the words concerned: no node twice, and only those that count."""
    is_word = treebank.word != NO_WORD
    found: dict[str, np.ndarray] = {}
    left = counts.copy()
    for names, nodes, cut in (
        (settings.drop_labels, ~is_word, lambda name: strip_function_tags(name, settings.cut_labels_at)),
        (settings.drop_tags, is_word, lambda name: cut_tag(name, settings.cut_tags_at)),
    ):
        for name in names:
            has_name = nodes & _is_called(treebank, name, cut)
            inside = _inside(treebank, has_name) & left
            found[name] = found.get(name, np.zeros_like(left)) | inside
            left &= ~inside
    return found


def _is_called(treebank: Treebank, name: str, cut: Callable[[str], str]) -> np.ndarray:
    """Whether the label of each node is a name, before or after it is cut."""
    return np.array([name in (label, cut(label)) for label in treebank.strings], bool)[treebank.label]


def _inside(treebank: Treebank, nodes: np.ndarray) -> np.ndarray:
    """Whether each node is one of the given ones or below one; bool, shape (n_nodes,)."""
    if not nodes.any():
        return nodes
    change = np.zeros(treebank.n_nodes + 1, np.int64)
    change[:-1] += nodes
    np.subtract.at(change, treebank.subtree_end()[nodes], 1)
    return np.cumsum(change[:-1]) > 0


def _drop_empty(treebank: Treebank, keep_word: np.ndarray) -> tuple[Treebank, int]:
    is_kept_word = keep_word & (treebank.word != NO_WORD)
    before = starts(is_kept_word)
    has_words = before[treebank.subtree_end()] > before[:-1]
    emptied = ~has_words & (treebank.word == NO_WORD)
    return treebank.select(has_words), int(emptied.sum())


def spelt(treebank: Treebank, settings: CleanSettings) -> Treebank:
    """The trees with words, and with ``normalize`` also labels, as the settings want them spelt."""
    if not (settings.normalize or settings.drop_lemmas):
        return treebank
    is_word = treebank.word != NO_WORD
    word, strings = renamed(treebank.word, is_word, treebank.strings, lambda name: spelt_word(name, settings))
    label = treebank.label
    if settings.normalize:
        label, strings = renamed(label, np.ones(len(label), bool), strings, normalized)
    return replace(treebank, word=word, label=label, strings=strings)


def spelt_word(word: str, settings: CleanSettings) -> str:
    """A word as it is learnt: without its lemma, and normalized, if the settings want that."""
    form = split_lemma(word)[0] if settings.drop_lemmas else word
    return normalized(form) if settings.normalize else form


def renamed(
    numbers: np.ndarray, mask: np.ndarray, strings: list[str], name: Callable[[str], str]
) -> tuple[np.ndarray, list[str]]:
    """Numbers of strings, of which those in the mask become numbers of the strings' new names.

    Returns
    -------
    ndarray of int32
    list of str
        The strings, with new ones at its end.
    """
    known = {string: k for k, string in enumerate(strings)}
    more = list(strings)
    translation = np.arange(len(strings), dtype=np.int32)
    for k in np.unique(numbers[mask]).tolist():
        new = name(strings[k])
        if new not in known:
            known[new] = len(more)
            more.append(new)
        translation[k] = known[new]
    changed = numbers.copy()
    changed[mask] = translation[numbers[mask]]
    return changed, more
