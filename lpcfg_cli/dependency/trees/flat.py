"""The heads of many sentences in one array, for kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.dependency.trees.sentence import DependencySentence


class FlatHeads(NamedTuple):
    """The heads of N words of S sentences.

    Attributes
    ----------
    head : (N,) int32 array
        Numbers of heads within their sentence, as in `DependencySentence.heads`.
    start : (S + 1,) int64 array
        Where the words of each sentence begin, and where the last one ends.
    """

    head: np.ndarray
    start: np.ndarray


def flat_heads(sentences: Sequence[DependencySentence]) -> FlatHeads:
    """The heads of sentences, one after the other."""
    arrays = [sentence.heads for sentence in sentences]
    head = np.concatenate(arrays) if arrays else np.empty(0)
    return FlatHeads(head.astype(np.int32), starts([len(array) for array in arrays]))
