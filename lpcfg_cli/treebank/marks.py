"""What is no language in a treebank: marks, mark-up, identifiers, numbers and lemmas on words, features on tags."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cached_property
from shlex import quote

import numpy as np

from lpcfg_cli.config import CleanSettings
from lpcfg_cli.treebank.anomaly import Anomaly
from lpcfg_cli.treebank.checked_nodes import MARK_UP, CheckedNodes, bare_traces
from lpcfg_cli.treebank.dropping import dropped_words
from lpcfg_cli.treebank.labels import cut_tag, strip_function_tags
from lpcfg_cli.treebank.lemmas import split_lemma
from lpcfg_cli.treebank.presets import TREEBANKS, TreebankPreset, with_preset
from lpcfg_cli.wording import counted

BRACKET_TAGS = {f"-{side}{kind}B-" for side in "LR" for kind in "RSC"} | {"-NONE-"}
MARK_TAG = re.compile(r"-[A-Z]{2,}-")
"""Tags that are used for what is no word, unless they are `BRACKET_TAGS`."""

NUMBERED = re.compile(r"([0-9]+)=.+", re.DOTALL)
"""A word behind its place in the sentence, as discbracket has it."""

TAG_MARKS = "-.[:+#^_/;=~<{@&"
"""Characters by which treebanks attach features and functions to tags."""

CLOSED_BY = {"[": "]", "<": ">", "{": "}"}
LEFT_OUT = "leaves them out"

FEW_TREES = 3
"""Smallest number of trees in which a tag may be that of identifiers, and of tags that may be a rule."""

MOST = 0.8
"""Share of trees or words above which something is taken to be the rule."""


class Marks:
    """The search for what is no language, in trees that are cleaned by given settings.

    Parameters
    ----------
    table : CheckedNodes
        The trees as annotated.
    settings : CleanSettings
        What they drop is not found.
    """

    def __init__(self, table: CheckedNodes, settings: CleanSettings):
        self.trees, self.settings = table.trees, with_preset(settings)
        self._table = table
        self.leaves = np.flatnonzero(table.is_word & ~dropped_words(table.trees, settings))
        self.words = [table.trees.strings[k] for k in table.trees.word[self.leaves].tolist()]
        self.tags = [table.trees.strings[k] for k in table.trees.label[self.leaves].tolist()]

    @cached_property
    def names(self) -> Counter[str]:
        """Labels of phrases above words that are kept, and tags of these, with their counts."""
        phrases = np.unique(self.trees.parent[self.leaves])
        above = (self.trees.strings[self.trees.label[k]] for k in self._ancestors(phrases[phrases >= 0]))
        return Counter(self.tags) + Counter(above)

    def _ancestors(self, nodes: np.ndarray) -> np.ndarray:
        found = np.zeros(self.trees.n_nodes, bool)
        while len(nodes):
            found[nodes] = True
            above = np.unique(self.trees.parent[nodes])
            nodes = above[above >= 0]
            nodes = nodes[~found[nodes]]
        return np.flatnonzero(found)

    @cached_property
    def has_lemmas(self) -> bool:
        """Whether most words have a lemma behind a hyphen."""
        n_with = sum(count for word, count in self._counts.items() if split_lemma(word)[1])
        return n_with > MOST * len(self.words) and len(self.words) > FEW_TREES

    @cached_property
    def suggested(self) -> TreebankPreset | None:
        """The first treebank of which there are signs, and whose settings change something."""
        for preset in TREEBANKS.values():
            has_signs = any(is_sign(sign, name) for sign in preset.signs for name in self.names)
            if has_signs and self._is_changed_by(preset):
                return TREEBANKS["icepahc"] if preset.name == "penn-helsinki" and self.has_lemmas else preset
        return None

    def _is_changed_by(self, preset: TreebankPreset) -> bool:
        """Whether the settings of a treebank drop or cut anything that is left by the settings given."""
        tags = {cut_tag(tag, self.settings.cut_tags_at) for tag in self._places}
        removed = {*preset.drop_tags, *preset.drop_labels, *preset.wrappers} - {*self.settings.wrappers}
        return (
            not removed.isdisjoint(self.names)
            or any(strip_function_tags(tag, preset.cut_tags_at) != tag for tag in tags)
            or (preset.drop_bare_traces and self._has_bare_traces)
        )

    @cached_property
    def _has_bare_traces(self) -> bool:
        return bool(np.isin(bare_traces(self._table), self.leaves).any())

    def suggestion(self) -> str:
        """One line that names the suggested treebank and its signs; empty if there is none."""
        preset = self.suggested
        if preset is None:
            return ""
        marks = {*preset.drop_tags, *preset.drop_labels, *preset.signs}
        signs = [f"{name} {n:,}×" for name, n in self.names.most_common() if any(is_sign(m, name) for m in marks)]
        return f"{', '.join(signs[:4])}: try --treebank {preset.name}"

    def find(self) -> list[Anomaly]:
        """All kinds of what is no language."""
        searches = (self._marks, self._mark_up, self._identifiers, self._numbers, self._lemmas, self._features)
        return [anomaly for search in searches for anomaly in search()]

    def _anomaly(self, kind: str, text: str, places: list[int], remedy: str, effect: str) -> Anomaly:
        return Anomaly(kind, f"{text}. {remedy} {effect}", self.leaves[places], remedy)

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """The places of each tag among the words."""
        places: dict[str, list[int]] = defaultdict(list)
        for place, tag in enumerate(self.tags):
            places[tag].append(place)
        return places

    def _matching(self, pattern: re.Pattern[str]) -> list[int]:
        """The places of the words that a pattern matches as a whole."""
        found = {word for word in self._counts if pattern.fullmatch(word)}
        return [k for k, word in enumerate(self.words) if word in found] if found else []

    @cached_property
    def _counts(self) -> Counter[str]:
        return Counter(self.words)

    def _shown(self, places: list[int]) -> str:
        return ", ".join(f"{word} {n}×" for word, n in Counter(self.words[k] for k in places).most_common(4))

    def _marks(self) -> Iterator[Anomaly]:
        """Words under tags and labels that treebanks use for what is no word."""
        for tag, places in self._places.items():
            if tag in self._known or (MARK_TAG.fullmatch(tag) and tag not in BRACKET_TAGS):
                are = "is a mark rather than a word" if len(places) == 1 else "are marks rather than words"
                text = f"{counted(len(places), 'word')} under the tag {tag} {are}: {self._shown(places)}"
                yield self._anomaly("mark", text, places, self._remedy("tag", tag), LEFT_OUT)
        for label in sorted(self._known & (self.names.keys() - self._places.keys())):
            nodes = np.flatnonzero(np.array(self.trees.strings, object)[self.trees.label] == label)
            hold = "holds" if len(nodes) == 1 else "hold"
            text = f"{counted(len(nodes), 'phrase')} {label} {hold} marks rather than words"
            remedy = self._remedy("label", label)
            yield Anomaly("mark", f"{text}. {remedy} {LEFT_OUT}", nodes, remedy)

    @cached_property
    def _known(self) -> set[str]:
        """Tags and labels that treebanks use for what is no word."""
        dropped = {name for preset in TREEBANKS.values() for name in (*preset.drop_tags, *preset.drop_labels)}
        return dropped - {"EDITED"}

    def _remedy(self, kind: str, name: str) -> str:
        preset = self.suggested
        if preset is not None and name in (*preset.drop_tags, *preset.drop_labels):
            return f"--treebank {preset.name}"
        return f"--drop-{kind} {quote(name)}"

    def _mark_up(self) -> Iterator[Anomaly]:
        places = self._matching(MARK_UP)
        if places:
            those = counted(len(places), "word", "is", "are")
            text = f"{those} mark-up: {self._shown(places)}"
            yield self._anomaly("mark-up", text, places, "--drop-mark-up", LEFT_OUT)

    def _identifiers(self) -> Iterator[Anomaly]:
        """Tags that most trees have once, at their end or beginning, each time with another word that has digits."""
        tree = self.trees.tree_of_node()[self.leaves]
        is_first = np.append(True, tree[1:] != tree[:-1]) if len(tree) else np.zeros(0, bool)
        is_last = np.append(is_first[1:], True) if len(tree) else is_first
        n_trees = int(is_first.sum())
        for tag, places in self._places.items():
            words = {self.words[k] for k in places}
            is_new = len(places) == len(words) == len(set(tree[places].tolist())) and len(places) >= FEW_TREES
            at_end = is_last[places].all() or is_first[places].all()
            is_known = tag in self._known
            if (
                is_new
                and not is_known
                and at_end
                and len(places) > MOST * n_trees
                and all(re.search("[0-9]", word) for word in words)
            ):
                each = f"each of {counted(len(places), 'tree')}"
                text = f"{tag} has another word in {each}, as identifiers do: {self._shown(places)}"
                yield self._anomaly("identifier", text, places, self._remedy("tag", tag), LEFT_OUT)

    def _numbers(self) -> Iterator[Anomaly]:
        places = self._matching(NUMBERED)
        if len(places) > MOST * len(self.words):
            those = counted(len(places), "word", "stands", "stand")
            text = f"{those} behind numbers, as in disco-dop's trees: {self._shown(places)}"
            yield self._anomaly("numbered-word", text, places, "--tree-format discbracket", "reads them")

    def _lemmas(self) -> Iterator[Anomaly]:
        if self.has_lemmas and not self.settings.drop_lemmas:
            places = [k for k, word in enumerate(self.words) if split_lemma(word)[1]]
            those = f"{len(places):,} of {counted(len(self.words), 'word')} have"
            text = f"{those} lemmas behind them: {self._shown(places)}"
            yield self._anomaly("lemma", text, places, "--drop-lemmas", "cuts them")

    def _features(self) -> Iterator[Anomaly]:
        """Tags of which many are one tag with different features or functions behind the same character."""
        cut = {tag: cut_tag(tag, self.settings.cut_tags_at) for tag in self._places}
        tags = set(cut.values())
        phrases = {strip_function_tags(name) for name in self.names if name not in tags}
        for mark in TAG_MARKS:
            glued = sorted(tag for tag in tags if strip_function_tags(tag, mark) != tag and tag not in BRACKET_TAGS)
            stems = Counter(strip_function_tags(tag, mark) for tag in glued)
            is_rule = len(glued) >= FEW_TREES and len(glued) > len(tags) / 2
            shared = [t for t in glued if is_rule or self._is_glued(t, mark, stems, tags, phrases)]
            if not shared:
                continue
            places = sorted(k for tag, found in self._places.items() if cut[tag] in shared for k in found)
            n_cut = len({strip_function_tags(tag, mark) for tag in tags})
            shown = ", ".join(shared[:4])
            text = f"{len(shared):,} tags look like tags with functions or features after {mark!r}: {shown}"
            remedy, effect = f"--cut-tags {quote(mark)}", f"makes {n_cut:,} tags of {len(tags):,}"
            yield self._anomaly("attached-feature", text, places, remedy, effect)

    @staticmethod
    def _is_glued(tag: str, mark: str, stems: Counter[str], tags: set[str], phrases: set[str]) -> bool:
        stem = strip_function_tags(tag, mark)
        if not re.fullmatch(r"[^\W\d_]\w*\$?", stem) or stem in phrases:
            return False
        return stem in tags or stems[stem] > 1 or tag.count(mark) > 1 or tag.endswith(CLOSED_BY.get(mark, "\0"))


def is_sign(sign: str, name: str) -> bool:
    """Whether a name is a sign, or contains it if the sign begins with ``*``."""
    return sign[1:] in name if sign[:1] == "*" and len(sign) > 1 else sign == name
