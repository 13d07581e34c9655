"""Lemmas that some treebanks write behind words, as in ``was-be``."""

from __future__ import annotations

LEMMA_MARK = "-"


def split_lemma(word: str) -> tuple[str, str]:
    """The word and its lemma; an empty lemma if there is none.

    They are divided at the middle one of the hyphens, so that both may have as many: ``one-eyed-one-eyed``.
    """
    parts = word.split(LEMMA_MARK)
    middle = (len(parts) + 1) // 2
    form, lemma = LEMMA_MARK.join(parts[:middle]), LEMMA_MARK.join(parts[middle:])
    return (form, lemma) if form and lemma else (word, "")
