"""What a hidden state of a model of words is about: its likeliest words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class StateWords:
    """A state and its words.

    Attributes
    ----------
    state : int
    weight : float
        Its share in the text.
    anchor : str
        The word by which it was found; empty if it was not found so.
    words : list of (str, float)
        The likeliest words with s(w | h).
    """

    state: int
    weight: float
    anchor: str
    words: list[tuple[str, float]]


def likeliest(p: np.ndarray, most: int) -> list[tuple[int, float]]:
    """The positions of the largest positive numbers of a vector, at most so many, with the numbers."""
    return [(int(k), float(p[k])) for k in np.argsort(-p, kind="stable")[:most] if p[k] > 0]
