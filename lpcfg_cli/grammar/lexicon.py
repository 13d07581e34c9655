"""Which words the grammar knows by themselves and which by their class."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import log

from lpcfg_cli.config import LexiconSettings

CLASS_MARK = "\N{NUL}"
"""First character of a class name: no word of a text file has it, so that classes and words never clash."""

MIN_SUFFIX_COUNT = 20
MIN_SUFFIX_GAIN = 10.0


@dataclass(frozen=True)
class Lexicon:
    """Maps words to lexical entries: themselves when frequent, else their class.

    Attributes
    ----------
    entries : tuple of str
        Frequent words (lower-cased if so set) and, marked by `CLASS_MARK`, the classes seen in training.
    suffixes : tuple of str
        The suffixes that classes distinguish.
    settings : LexiconSettings
    """

    entries: tuple[str, ...]
    suffixes: tuple[str, ...]
    settings: LexiconSettings
    _position: dict[str, int] = field(init=False, repr=False, compare=False)
    _suffix_set: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_position", {entry: k for k, entry in enumerate(self.entries)})
        object.__setattr__(self, "_suffix_set", frozenset(self.suffixes))

    def entry(self, word: str) -> int:
        """Position in `entries` of the word or of its class; -1 when its class was never seen."""
        known = self._position.get(self.normalise(word))
        return known if known is not None else self.class_entry(word)

    def class_entry(self, word: str) -> int:
        """Position in `entries` of the word's class; -1 when it was never seen."""
        return self._position.get(self.class_name(word), -1)

    def normalise(self, word: str) -> str:
        """The form under which a word is counted and kept."""
        return word.lower() if self.settings.lowercase else word

    def class_name(self, word: str) -> str:
        """Name of the class that stands for a rare word."""
        if self.settings.classes == "tag":
            return CLASS_MARK
        return CLASS_MARK + signature(word, self._suffix_set, self.settings.suffix_length)


def signature(word: str, suffixes: frozenset[str], longest: int) -> str:
    """Shape and ending of a word: digits, case, hyphen, and its longest known suffix.

    Parameters
    ----------
    word : str
    suffixes : frozenset of str
        Lower-cased.
    longest : int
        Length of the longest suffix to try.
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


def learn_lexicon(counts: Iterable[tuple[str, str, int]], settings: LexiconSettings) -> Lexicon:
    """Choose the words to keep and the suffixes to tell apart.

    Parameters
    ----------
    counts : iterable of (word, tag, count)
        How often each word has each tag in the training trees.
    settings : LexiconSettings
    """
    by_tag = list(counts)
    total: Counter[str] = Counter()
    for word, _, count in by_tag:
        total[word.lower() if settings.lowercase else word] += count
    kept = sorted(word for word, count in total.items() if count >= settings.rare_below)
    frequent = set(kept)
    rare = [item for item in by_tag if (item[0].lower() if settings.lowercase else item[0]) not in frequent]
    suffixes = learn_suffixes(rare, settings) if settings.classes == "signature" else ()
    classes_only = Lexicon((), suffixes, settings)
    classes = sorted({classes_only.class_name(word) for word, _, _ in rare})
    return Lexicon((*kept, *classes), suffixes, settings)


def learn_suffixes(rare: Iterable[tuple[str, str, int]], settings: LexiconSettings) -> tuple[str, ...]:
    """The suffixes that tell most about the tag, beyond what the suffix shorter by a character tells.

    The gain of a suffix is the log-likelihood ratio Σ n_t log(p(t | suffix) / p(t | shorter suffix)) over the
    tokens of rare words that end in it.

    Parameters
    ----------
    rare : iterable of (word, tag, count)
    settings : LexiconSettings

    Returns
    -------
    tuple of str
        At most ``settings.max_suffixes``, sorted.
    """
    tags: dict[str, Counter[str]] = defaultdict(Counter)
    for word, tag, count in rare:
        low = word.lower()
        for length in range(min(settings.suffix_length, len(low) - 1) + 1):
            tags[low[len(low) - length :]][tag] += count
    gains = [(_gain(tags[suffix], tags[suffix[1:]]), suffix) for suffix in tags if suffix]
    good = sorted((-gain, suffix) for gain, suffix in gains if gain >= MIN_SUFFIX_GAIN)
    return tuple(sorted(suffix for _, suffix in good[: settings.max_suffixes]))


def _gain(counts: Counter[str], wider: Counter[str]) -> float:
    total, wider_total = counts.total(), wider.total()
    if total < MIN_SUFFIX_COUNT:
        return 0.0
    return sum(n * log(n * wider_total / (total * wider[tag])) for tag, n in counts.items())
