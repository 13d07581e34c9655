"""A sentence of a dependency treebank."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

EMPTY = "_"
"""An empty field of CoNLL-X and CoNLL-U."""


@dataclass(frozen=True)
class DependencySentence:
    """The n words of a sentence with their heads.

    Attributes
    ----------
    forms : tuple of str
        The words; they may hold blanks.
    tags : tuple of str
        The fine tag of each word, or its universal one where there is no fine tag.
    heads : (n,) int32 array
        Number of the head of each word, counted from 1; 0 for the root, -1 for none.
    relations : tuple of str
        The label of the arc to each word; ``_`` for none.
    columns : mapping of str to tuple of str
        The other columns, by name: ``lemma``, ``upos``, ``xpos``, ``feats``, ``deps``, ``misc``.
    comments : tuple of str
        The lines that begin with #, before the first word.
    inserted : tuple of (int, str)
        Lines of tokens of several words, of empty nodes, and of comments between words, each with the number of words
        before it.
    place : str
        ``path:line`` of the first word, for messages.
    """

    forms: tuple[str, ...]
    tags: tuple[str, ...]
    heads: np.ndarray
    relations: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    comments: tuple[str, ...] = ()
    inserted: tuple[tuple[int, str], ...] = ()
    place: str = ""

    def __len__(self) -> int:
        return len(self.forms)

    def place_of_word(self, number: int) -> str:
        """``path:line`` of a word, counted from 1, for messages."""
        path, _, line = self.place.rpartition(":")
        between = sum(1 <= before < number for before, _ in self.inserted)
        return f"{path}:{int(line) + number - 1 + between}" if line.isdecimal() else self.place
