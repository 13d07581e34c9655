"""The features of the tagger: templates over a word and its neighbours.

No template uses the tags of other words.  In the parser the grammar models which tags go together; if the tagger did so
too, this evidence would count twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

LONGEST_SUFFIX, LONGEST_PREFIX, LONGEST_NEARBY_SUFFIX = 5, 4, 3
_DIGIT = re.compile(r"\d")
_REPEATED = re.compile(r"(.)\1+")

BEFORE, AFTER = ("<<", "<"), (">", ">>")
"""What stands for words before and after a sentence, as far as templates see."""

KEPT = 1 << 14
"""Number of words whose own features are kept, a kilobyte each, since texts repeat words."""


class Own(NamedTuple):
    """What is known of a word by itself: its forms, and its features, of the whole word and of its ends."""

    low: str
    shape: str
    suffix: str
    whole: tuple[str, ...]
    ends: tuple[str, ...]


FORMS = ("low", "shape", "suffix")
"""The forms of words near a word that templates look at: fields of `Own`."""


class Template(NamedTuple):
    """A template over words near a word: some of their `FORMS`, each of the word at a distance."""

    name: str
    parts: tuple[tuple[str, int], ...]

    def features(self, columns: Sequence[Sequence[str]]) -> list[str]:
        """The features of some words, from the forms of the words near them: a column for each part."""
        return [f"{self.name}={forms}" for forms in map(" ".join, zip(*columns, strict=True))]


CONTEXT = (
    Template("word-1", (("low", -1),)),
    Template("word+1", (("low", 1),)),
    Template("word-2", (("low", -2),)),
    Template("word+2", (("low", 2),)),
    Template("words-1,0", (("low", -1), ("low", 0))),
    Template("words0,+1", (("low", 0), ("low", 1))),
    Template("suffix-1", (("suffix", -1),)),
    Template("suffix+1", (("suffix", 1),)),
    Template("shapes-1,0", (("shape", -1), ("shape", 0))),
    Template("shapes0,+1", (("shape", 0), ("shape", 1))),
)
"""Those that look at neighbours; what is known of a word by itself is in `own_features`."""


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
    own = [own_features(word) for word in (*BEFORE, *words, *AFTER)]
    forms = {form: [getattr(one, form) for one in own] for form in FORMS}
    at, to = len(BEFORE), len(BEFORE) + len(words)
    context = [t.features([forms[form][at + k : to + k] for form, k in t.parts]) for t in CONTEXT]
    return [[*one.whole, *features, *one.ends] for one, *features in zip(own[at:to], *context, strict=True)]


@lru_cache(KEPT)
def own_features(word: str) -> Own:
    """The forms and features of a word that do not depend on its neighbours."""
    low, form = normalise(word), shape(word)
    suffixes = (f"suffix={low[-length:]}" for length in range(1, min(LONGEST_SUFFIX, len(low)) + 1))
    prefixes = (f"prefix={low[:length]}" for length in range(1, min(LONGEST_PREFIX, len(low)) + 1))
    whole = "bias=", f"word={low}", f"as-written={word}", f"shape={form}"
    return Own(low, form, low[-LONGEST_NEARBY_SUFFIX:], whole, (*suffixes, *prefixes))


def normalise(word: str) -> str:
    """The word in lower case, with all digits replaced by 0."""
    return _DIGIT.sub("0", word.lower())


def shape(word: str) -> str:
    """The shape of a word: ``X`` for upper case, ``x`` for lower case, ``0`` for digits, repetitions written once."""
    kinds = ("0" if c.isdigit() else "X" if c.isupper() else "x" if c.isalpha() else c for c in word)
    return _REPEATED.sub(r"\1", "".join(kinds))
