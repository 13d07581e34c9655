"""Where the words of a sentence stand in the text that they were made from."""

from __future__ import annotations

from collections.abc import Sequence

from lpcfg_cli.tagging.text import SPELLINGS

_FORMS: dict[str, tuple[str, ...]] = {}
for _found, _written in SPELLINGS.items():
    _FORMS[_written] = (*_FORMS.get(_written, ()), _found)
for _quotes in ("``", "''", '"'):
    _FORMS[_quotes] = (*_FORMS.get(_quotes, ()), '"', "“", "”", "„", "«", "»", "``", "''")
_LONGEST = max(map(len, _FORMS))

Offset = tuple[int, int]


def word_offsets(text: str, words: Sequence[str]) -> list[Offset | None]:
    """Half-open character offsets of words in a text, found from left to right.

    A word may be spelt otherwise in the text: ``-LRB-`` is ``(`` there, and quotes and dashes are other characters.

    Parameters
    ----------
    text : str
    words : sequence of str
        In the order of the text.

    Returns
    -------
    list of (start, stop) or None
        None for a word that is not in the rest of the text.
    """
    found: list[Offset | None] = []
    place = 0
    for word in words:
        place = _after_blanks(text, place)
        stop = _match(text, place, word)
        start = place
        if stop is None:
            start = text.find(word, place)
            stop = start + len(word) if start >= 0 else None
        found.append(None if stop is None else (start, stop))
        place = place if stop is None else stop
    return found


def _after_blanks(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place


def _match(text: str, place: int, word: str) -> int | None:
    """Where a word that begins at a place of a text ends there; None if it does not begin there."""
    at = 0
    while at < len(word):
        for size in range(min(_LONGEST, len(word) - at), 0, -1):
            part = word[at : at + size]
            forms = (part, *_FORMS.get(part, ())) if size > 1 or part in _FORMS else (part,)
            form = next((form for form in forms if text.startswith(form, place)), None)
            if form is not None and (size == 1 or part in _FORMS):
                at, place = at + size, place + len(form)
                break
        else:
            return None
    return place
