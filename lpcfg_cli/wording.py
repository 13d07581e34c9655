"""Words of messages that depend on numbers."""

from __future__ import annotations

IRREGULAR = {"box": "boxes", "branch": "branches", "class": "classes", "process": "processes", "suffix": "suffixes"}
"""Plurals that are not made by an s alone."""


def counted(number: int, noun: str, verb: str = "", verbs: str = "") -> str:
    """A number with its noun, and a verb: ``1 sentence``, ``1,200 sentences``, ``2 classes``, ``3 empty files have``.

    Parameters
    ----------
    number : int
    noun : str
        In the singular; the plural is formed of its last word.
    verb, verbs : str
        The verb after the noun, for one and for any other number; empty for none.
    """
    words = (noun, verb) if number == 1 else (plural(noun), verbs)
    return f"{number:,} {' '.join(filter(None, words))}"


def plural(noun: str) -> str:
    """The plural of a noun, or of the last word of a phrase."""
    before, space, last = noun.rpartition(" ")
    regular = f"{last[:-1]}ies" if last.endswith("y") and last[-2:-1] not in "aeiou" else f"{last}s"
    return f"{before}{space}{IRREGULAR.get(last, regular)}"
