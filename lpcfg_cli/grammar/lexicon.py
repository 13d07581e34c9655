"""The lexicon: frequent words have entries of their own, rare and unknown words those of word classes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from lpcfg_cli.config import CLUSTERS, EIGENWORDS, NEAREST, LexiconSettings
from lpcfg_cli.embeddings.archive import load_embeddings
from lpcfg_cli.embeddings.clusters import NO_CLUSTERS, WordClusters, cluster_words, nearest_words
from lpcfg_cli.grammar.rare_words import NO_RARE_WORDS, RareWords, count_rare_words

CLASS_MARK = "\N{NUL}"
"""First character of a class name: no word of a text file has it, so that classes and words are never confused."""

MIN_SUFFIX_COUNT = 20
"""Smallest number of tokens with a suffix."""

CLUSTER_MARK = f"{CLASS_MARK}@"
"""How the name of a class that is a cluster of embeddings begins; no signature does."""

MIN_CLUSTER_COUNT = 20
"""Smallest number of tokens of a cluster that is a class; the words of others have their signatures."""

MIN_SUFFIX_GAIN = 10.0
"""Smallest rise of the log-likelihood for which a suffix is chosen: a smaller one may be chance."""


@dataclass(frozen=True)
class Lexicon:
    """Maps words to lexical entries: frequent words to their own, others to that of their class.

    Attributes
    ----------
    entries : tuple of str
        Frequent words (in lower case if so set) and, marked by `CLASS_MARK`, the classes that occur in training.
    suffixes : tuple of str
        The suffixes that classes distinguish.
    settings : LexiconSettings
    clusters : WordClusters
        Clusters of embeddings, of any words, or the entries of the nearest words; none unless the classes are
        eigenwords.
    rare : RareWords
        The training words without entries of their own, from which the share of a word in its class is known; none in
        models of versions that did not count them.
    """

    entries: tuple[str, ...]
    suffixes: tuple[str, ...]
    settings: LexiconSettings
    clusters: WordClusters = NO_CLUSTERS
    rare: RareWords = NO_RARE_WORDS
    _position: dict[str, int] = field(init=False, repr=False, compare=False)
    _suffix_set: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_position", {entry: k for k, entry in enumerate(self.entries)})
        object.__setattr__(self, "_suffix_set", frozenset(self.suffixes))

    def entry(self, word: str) -> int:
        """Position in `entries` of the word or of its class; -1 if the class did not occur in training."""
        known = self._position.get(self.normalise(word))
        if known is None and self.settings.eigenwords == NEAREST:
            known = self.clusters.of(word)
        return known if known is not None else self.class_entry(word)

    def class_entry(self, word: str) -> int:
        """Position in `entries` of the word's class; -1 if the class did not occur in training."""
        return self._position.get(self.class_name(word), -1)

    def normalise(self, word: str) -> str:
        """The form of a word that is counted and stored."""
        return word.lower() if self.settings.lowercase else word

    def class_name(self, word: str) -> str:
        """Name of the class of a rare or unknown word."""
        cluster = self.cluster_name(word)
        if cluster in self._position:
            return cluster
        if self.settings.classes == "tag":
            return CLASS_MARK
        return CLASS_MARK + signature(word, self._suffix_set, self.settings.suffix_length)

    def cluster_name(self, word: str) -> str:
        """Name of the cluster of a word's embedding; empty if it has none."""
        cluster = self.clusters.of(word) if self.settings.eigenwords == CLUSTERS else None
        return "" if cluster is None else f"{CLUSTER_MARK}{cluster}"


def signature(word: str, suffixes: frozenset[str], longest: int) -> str:
    """Shape and ending of a word: digits, case, hyphen, and the longest of the given suffixes that it has.

    Parameters
    ----------
    word : str
    suffixes : frozenset of str
        In lower case.
    longest : int
        Largest length of a suffix.
    """
    shape = "#" if any(char.isdigit() for char in word) else ""
    if word[:1].isupper():
        shape += "C" if any(char.islower() for char in word) else "A"
    if "-" in word[1:]:
        shape += "-"
    low = word.lower()
    for length in range(min(longest, len(low) - 1), 0, -1):
        if low[-length:] in suffixes:
            return f"{shape}~{low[-length:]}"
    return shape


def learn_lexicon(
    counts: Iterable[tuple[str, str, int]], settings: LexiconSettings, clusters: WordClusters = NO_CLUSTERS
) -> Lexicon:
    """Choose the words with entries of their own and the suffixes that classes distinguish.

    Parameters
    ----------
    counts : iterable of (word, tag, count)
        Number of tokens of each word with each tag in the training trees.
    settings : LexiconSettings
    clusters : WordClusters
        As of `clusters_for`.
    """
    by_tag = list(counts)
    kept = frequent_words(by_tag, settings)
    frequent = set(kept)
    rare = [item for item in by_tag if (item[0].lower() if settings.lowercase else item[0]) not in frequent]
    frequent_clusters = _frequent_clusters(rare, clusters)
    others = [item for item in rare if clusters.of(item[0]) not in frequent_clusters]
    suffixes = () if settings.classes == "tag" else learn_suffixes(others, settings)
    names = tuple(f"{CLUSTER_MARK}{cluster}" for cluster in sorted(frequent_clusters))
    classes_only = Lexicon(names, suffixes, settings, clusters)
    classes = sorted({classes_only.class_name(word) for word, _, _ in rare})
    return Lexicon((*kept, *classes), suffixes, settings, clusters, count_rare_words(rare))


def _frequent_clusters(rare: Iterable[tuple[str, str, int]], clusters: WordClusters) -> set[int]:
    """The clusters that enough tokens of rare words are in."""
    total: Counter[int] = Counter()
    for word, _, count in rare:
        cluster = clusters.of(word)
        if cluster is not None:
            total[cluster] += count
    return {cluster for cluster, count in total.items() if count >= MIN_CLUSTER_COUNT}


def frequent_words(counts: Iterable[tuple[str, str, int]], settings: LexiconSettings) -> list[str]:
    """The words with entries of their own, in order."""
    total: Counter[str] = Counter()
    for word, _, count in counts:
        total[word.lower() if settings.lowercase else word] += count
    return sorted(word for word, count in total.items() if count >= settings.rare_below)


def clusters_for(counts: Sequence[tuple[str, str, int]], settings: LexiconSettings) -> WordClusters:
    """What embeddings give for the lexicon of these words; nothing unless the classes are eigenwords.

    Raises
    ------
    InputError, ArtefactError
        The file of embeddings cannot be read.
    """
    if settings.classes != EIGENWORDS:
        return NO_CLUSTERS
    found = load_embeddings(Path(settings.embeddings))
    if settings.eigenwords == CLUSTERS:
        return cluster_words(found, settings.clusters)
    seen = {word.lower() for word, _, _ in counts}
    return nearest_words(found, frequent_words(counts, settings), seen, settings.similarity)


def learn_suffixes(rare: Iterable[tuple[str, str, int]], settings: LexiconSettings) -> tuple[str, ...]:
    """Choose the suffixes that predict the tag best.

    They are chosen greedily.  The tokens of rare words are grouped by the longest chosen suffix that they end in.  The
    next suffix is the one that, split off from its group, raises the log-likelihood Σ n_t log p(t | group) of the tags
    most.  So tokens of a chosen suffix no longer count for shorter ones, and a longer suffix must predict more than the
    chosen one does.  Words with digits are ignored: their shape is their class.

    Parameters
    ----------
    rare : iterable of (word, tag, count)
        Number of tokens of each rare word with each tag.
    settings : LexiconSettings

    Returns
    -------
    tuple of str
        At most ``settings.max_suffixes``, sorted.
    """
    groups = _SuffixGroups(rare, settings.suffix_length)
    chosen: list[str] = []
    while len(chosen) < settings.max_suffixes:
        gains = groups.gains()
        best = int(np.argmax(gains))
        if gains[best] < MIN_SUFFIX_GAIN:
            break
        groups.divide(best)
        chosen.append(groups.suffixes[best])
    return tuple(sorted(chosen))


class _SuffixGroups:
    """Tag counts of suffixes while suffixes are chosen.

    Attributes
    ----------
    suffixes : list of str
        The empty suffix, whose group has all tokens at first, and the frequent other suffixes, sorted.
    count : ndarray of int64, shape (n_suffixes, n_tags)
        Number of tokens with each tag that end in each suffix and not in a longer chosen one.
    group : ndarray of int64, shape (n_suffixes,)
        Position of the longest chosen suffix that each suffix ends in, other than itself.
    is_chosen : ndarray of bool, shape (n_suffixes,)
    """

    def __init__(self, rare: Iterable[tuple[str, str, int]], longest: int):
        by_suffix: dict[str, Counter[str]] = defaultdict(Counter)
        by_suffix[""] = Counter()
        for word, tag, count in rare:
            if not any(char.isdigit() for char in word):
                low = word.lower()
                for length in range(min(longest, len(low) - 1) + 1):
                    by_suffix[low[len(low) - length :]][tag] += count
        frequent = (suffix for suffix, tags in by_suffix.items() if tags.total() >= MIN_SUFFIX_COUNT)
        self.suffixes = sorted({"", *frequent})
        column = {tag: k for k, tag in enumerate(sorted(by_suffix[""]))}
        self.count = np.zeros((len(self.suffixes), len(column)), np.int64)
        for row, suffix in enumerate(self.suffixes):
            for tag, count in by_suffix[suffix].items():
                self.count[row, column[tag]] = count
        self.group = np.zeros(len(self.suffixes), np.int64)
        self.is_chosen = np.zeros(len(self.suffixes), bool)
        self.is_chosen[0] = True

    def gains(self) -> np.ndarray:
        """Rise of the log-likelihood if each suffix is chosen next, 0 if it cannot be; float64, (n_suffixes,)."""
        whole = self.count[self.group]
        gain = _log_likelihood(self.count) + _log_likelihood(whole - self.count) - _log_likelihood(whole)
        return np.where(self.is_chosen | (self.count.sum(1) < MIN_SUFFIX_COUNT), 0.0, gain)

    def divide(self, chosen: int) -> None:
        """Choose a suffix: its tokens become a group."""
        suffix, old = self.suffixes[chosen], self.group[chosen]
        taken = self.count[chosen].copy()
        for row, other in enumerate(self.suffixes):
            if row != chosen and self.group[row] == old and other.endswith(suffix):
                self.group[row] = chosen
            elif row == old or (self.group[row] == old and row != chosen and suffix.endswith(other)):
                self.count[row] -= taken
        self.is_chosen[chosen] = True


def _log_likelihood(count: np.ndarray) -> np.ndarray:
    """Σ_t n_t log(n_t / n) for each row of counts; int64, (k, n_tags), to float64, (k,)."""
    total = count.sum(1)
    return (count * np.log(np.maximum(count, 1))).sum(1) - total * np.log(np.maximum(total, 1))
