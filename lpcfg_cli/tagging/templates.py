"""The features of the tagger: templates over a word and its neighbours.

No template uses the tags of other words.  In the parser the grammar models which tags go together; if the tagger did so
too, this evidence would count twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

LONGEST_SUFFIX, LONGEST_PREFIX = 5, 4
_DIGIT = re.compile(r"\d")
_REPEATED = re.compile(r"(.)\1+")


KEPT = 1 << 14
"""Number of words whose own features are kept, a kilobyte each, since texts repeat words."""


class Own(NamedTuple):
    """What is known of a word by itself: two forms, and its features, of the whole word and of its ends."""

    low: str
    shape: str
    whole: tuple[str, ...]
    ends: tuple[str, ...]


def word_features(words: Sequence[str]) -> list[list[str]]:
    """The features of each word of a sentence.

    Parameters
    ----------
    words : sequence of str

    Returns
    -------
    list of list of str
        The features of each word, as ``template=value``.
    """
    own = [own_features(word) for word in words]
    low = ["<<", "<", *(one.low for one in own), ">", ">>"]
    shapes = ["<", *(one.shape for one in own), ">"]
    return [
        [*one.whole, *_context_features(low[at : at + 5], shapes[at : at + 3]), *one.ends] for at, one in enumerate(own)
    ]


@lru_cache(KEPT)
def own_features(word: str) -> Own:
    """The features of a word that do not depend on its neighbours."""
    low, form = normalise(word), shape(word)
    suffixes = (f"suffix={low[-length:]}" for length in range(1, min(LONGEST_SUFFIX, len(low)) + 1))
    prefixes = (f"prefix={low[:length]}" for length in range(1, min(LONGEST_PREFIX, len(low)) + 1))
    return Own(low, form, ("bias=", f"word={low}", f"as-written={word}", f"shape={form}"), (*suffixes, *prefixes))


def _context_features(low: list[str], shapes: list[str]) -> tuple[str, ...]:
    """Those of a word in the middle of five words and of three shapes."""
    before2, before, own, after, after2 = low
    shape_before, shape_own, shape_after = shapes
    return (
        f"word-1={before}",
        f"word+1={after}",
        f"word-2={before2}",
        f"word+2={after2}",
        f"words-1,0={before} {own}",
        f"words0,+1={own} {after}",
        f"suffix-1={before[-3:]}",
        f"suffix+1={after[-3:]}",
        f"shapes-1,0={shape_before} {shape_own}",
        f"shapes0,+1={shape_own} {shape_after}",
    )


def normalise(word: str) -> str:
    """The word in lower case, with all digits replaced by 0."""
    return _DIGIT.sub("0", word.lower())


def shape(word: str) -> str:
    """The shape of a word: ``X`` for upper case, ``x`` for lower case, ``0`` for digits, repetitions written once."""
    kinds = ("0" if c.isdigit() else "X" if c.isupper() else "x" if c.isalpha() else c for c in word)
    return _REPEATED.sub(r"\1", "".join(kinds))
