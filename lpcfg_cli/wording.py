"""Words of messages that depend on numbers."""

from __future__ import annotations

IRREGULAR = {"box": "boxes", "branch": "branches", "class": "classes", "process": "processes", "suffix": "suffixes"}
"""Plurals that are not made by an s alone."""


def counted(number: int, noun: str) -> str:
    """A number with its noun: ``1 sentence``, ``1,200 sentences``, ``2 classes``, ``3 empty files``.

    Parameters
    ----------
    number : int
    noun : str
        In the singular; the plural is formed of its last word.
    """
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """The plural of a noun, or of the last word of a phrase."""
    before, space, last = noun.rpartition(" ")
    regular = f"{last[:-1]}ies" if last.endswith("y") and last[-2:-1] not in "aeiou" else f"{last}s"
    return f"{before}{space}{IRREGULAR.get(last, regular)}"
