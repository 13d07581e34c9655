"""The features of the tagger: templates over a word and its neighbours.

No template uses the tags of other words.  In the parser the grammar models which tags go together; if the tagger did so
too, this evidence would count twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST_SUFFIX, LONGEST_PREFIX = 5, 4
_DIGIT = re.compile(r"\d")
_REPEATED = re.compile(r"(.)\1+")


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
    low = ["<<", "<", *map(normalise, words), ">", ">>"]
    shapes = ["<<", "<", *map(shape, words), ">", ">>"]
    return [_features_at(at, word, low, shapes) for at, word in enumerate(words, 2)]


def _features_at(at: int, word: str, low: list[str], shapes: list[str]) -> list[str]:
    before2, before, own, after, after2 = low[at - 2 : at + 3]
    features = [
        "bias=",
        f"word={own}",
        f"as-written={word}",
        f"shape={shapes[at]}",
        f"word-1={before}",
        f"word+1={after}",
        f"word-2={before2}",
        f"word+2={after2}",
        f"words-1,0={before} {own}",
        f"words0,+1={own} {after}",
        f"suffix-1={before[-3:]}",
        f"suffix+1={after[-3:]}",
        f"shapes-1,0={shapes[at - 1]} {shapes[at]}",
        f"shapes0,+1={shapes[at]} {shapes[at + 1]}",
    ]
    features += [f"suffix={own[-length:]}" for length in range(1, min(LONGEST_SUFFIX, len(own)) + 1)]
    features += [f"prefix={own[:length]}" for length in range(1, min(LONGEST_PREFIX, len(own)) + 1)]
    return features


def normalise(word: str) -> str:
    """The word in lower case, with all digits replaced by 0."""
    return _DIGIT.sub("0", word.lower())


def shape(word: str) -> str:
    """The shape of a word: ``X`` for upper case, ``x`` for lower case, ``0`` for digits, repetitions written once."""
    kinds = ("0" if c.isdigit() else "X" if c.isupper() else "x" if c.isalpha() else c for c in word)
    return _REPEATED.sub(r"\1", "".join(kinds))
