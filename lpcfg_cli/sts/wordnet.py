"""Similarities of words by WordNet: the largest over their senses (J12 §2.4).

Paths and information content are computed from the ancestors of each sense, once a word: the distance of two senses is
the least sum, over common ancestors, of the distances to it, so that the least over all pairs of senses is that over
the words' merged tables.
"""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lpcfg_cli.errors import InputError

ROOT = "*"
"""The ancestor of all senses of a part of speech."""

TAXONOMIES = ("n", "v")
"""Parts of speech with a hierarchy: nouns and verbs."""

INSTALL = "Install it with `python -m nltk.downloader wordnet`."

Distances = dict[str, float]
"""Ancestor → distance; of each part of speech apart, as the names of senses tell it."""


@dataclass(frozen=True)
class WordNet:
    """WordNet as NLTK reads it.

    Attributes
    ----------
    reader : WordNetCorpusReader
    count : mapping of str to int
        Counts of words, from which the information content of senses is estimated.
    """

    reader: Any
    count: Mapping[str, int]

    def path(self, first: str, second: str) -> float:
        """1 / (1 + edges of the shortest path between two senses); 0 without a path. Nouns and verbs only."""
        return _similarity(_least_sum(self._steps(first), self._steps(second)))

    def information(self, first: str, second: str) -> float:
        """1 / (1 + d) with Jiang and Conrath's distance d = IC(s₁) + IC(s₂) − 2 IC(s₁ ∩ s₂) of the nearest senses.

        The paper's similarity is 1 / d, which is infinite for equal senses.
        """
        return _similarity(_least_sum(self._losses(first), self._losses(second)))

    def gloss(self, first: str, second: str) -> float:
        """Largest cosine between the sets of words of the glosses of two senses, of any part of speech."""
        pairs = ((a, b) for a in self._glosses(first) for b in self._glosses(second))
        return max((len(a & b) / math.sqrt(len(a) * len(b)) for a, b in pairs), default=0.0)

    def matrix(
        self, measure: Callable[[WordNet, str, str], float], first: Sequence[str], second: Sequence[str]
    ) -> np.ndarray:
        """W of J12 eq. 1: 1 for equal words, the measure otherwise; float64, shape (n_first, n_second)."""
        found = [self._known(measure, *sorted((a, b))) for a in first for b in second]
        return np.array(found, np.float64).reshape(len(first), len(second))

    def _known(self, measure: Callable[[WordNet, str, str], float], first: str, second: str) -> float:
        key = (measure.__name__, first, second)
        if key not in self._pairs:
            self._pairs[key] = 1.0 if first == second else measure(self, first, second)
        return self._pairs[key]

    @cached_property
    def _pairs(self) -> dict[tuple[str, str, str], float]:
        return {}

    @cached_property
    def _tables(self) -> dict[tuple[str, str], Any]:
        return {}

    def _table(self, kind: str, word: str, make: Callable[[str], Any]) -> Any:
        """What is known of a word, made once."""
        if (kind, word) not in self._tables:
            self._tables[kind, word] = make(word)
        return self._tables[kind, word]

    def _steps(self, word: str) -> Distances:
        return self._table("steps", word, lambda word: _least(map(ancestors, self._senses(word))))

    def _losses(self, word: str) -> Distances:
        """For each ancestor of a sense, the information that the nearest sense has beyond it."""

        def losses(sense: Any) -> Distances:
            own = self._content(sense.name())
            return {name: own - self._content(name) for name in ancestors(sense)}

        return self._table("losses", word, lambda word: _least(map(losses, self._senses(word))))

    def _glosses(self, word: str) -> list[frozenset[str]]:
        def glosses(word: str) -> list[frozenset[str]]:
            found = (frozenset(sense.definition().lower().split()) for sense in self.reader.synsets(word))
            return [gloss for gloss in found if gloss]

        return self._table("glosses", word, glosses)

    def _senses(self, word: str) -> list[Any]:
        return [sense for kind in TAXONOMIES for sense in self.reader.synsets(word, kind)]

    def _content(self, name: str) -> float:
        """Information content −log p of a sense, with one count added to each."""
        kind = name[-1] if name[0] == ROOT else name.split(".")[-2]
        return math.log((self._counts[ROOT + kind] + 1) / (self._counts[name] + 1))

    @cached_property
    def _counts(self) -> dict[str, float]:
        """Counts of senses and their ancestors: a word's count is shared evenly by its senses (Resnik 1995)."""
        found: dict[str, float] = defaultdict(float)
        for word, count in self.count.items():
            for kind in TAXONOMIES:
                senses = self.reader.synsets(word, kind)
                for sense in senses:
                    for name in ancestors(sense):
                        found[name] += count / len(senses)
        return found


def ancestors(sense: Any) -> Distances:
    """Each ancestor of a sense, itself included, and the number of edges to it; the root is beyond all others."""
    found, level = {sense.name(): 0.0}, [sense]
    while level:
        above = {up.name(): up for low in level for up in (*low.hypernyms(), *low.instance_hypernyms())}
        steps = found[level[0].name()] + 1
        level = [up for name, up in above.items() if name not in found]
        found |= {up.name(): steps for up in level}
    return {**found, ROOT + sense.pos(): max(found.values()) + 1}


def _least(tables: Iterable[Distances]) -> Distances:
    """The least distance to each ancestor."""
    merged: Distances = {}
    for table in tables:
        for name, distance in table.items():
            merged[name] = min(distance, merged.get(name, distance))
    return merged


def _least_sum(first: Distances, second: Distances) -> float:
    """The least sum of the distances to a common ancestor; infinite if there is none."""
    few, many = sorted((first, second), key=len)
    return min((distance + many[name] for name, distance in few.items() if name in many), default=math.inf)


def _similarity(distance: float) -> float:
    return 1 / (1 + distance)


def open_wordnet(count: Mapping[str, int]) -> WordNet | None:
    """WordNet with the information content of some counts of words; None if NLTK does not find it."""
    import nltk  # here, since it is slow to import
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class EnglishReader(WordNetCorpusReader):
        """A reader without the map between versions, which only other languages need and which takes seconds."""

        def map_wn(self, version: str = "wordnet") -> None:
            """No map."""

    for place in ("corpora/wordnet", "corpora/wordnet.zip/wordnet/"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that there are no other languages
                return WordNet(EnglishReader(nltk.data.find(place), None), count)
        except LookupError:
            continue
        except (OSError, ValueError) as error:
            raise InputError(f"WordNet at {place} of NLTK's data cannot be read: {error}. {INSTALL}") from error
    return None
