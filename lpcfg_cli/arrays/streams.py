"""Random streams: one for each purpose and key, so that no two uses of a seed draw the same numbers."""

from __future__ import annotations

from enum import IntEnum

import numpy as np


class Purpose(IntEnum):
    """Uses of random numbers.  The numbers determine the streams: a new purpose gets a new number."""

    SVD_START = 1
    PERTURBATION = 2
    CLUSTERS = 3
    EM_START = 4
    PIVOT = 5
    MEMBER = 6
    LM_START = 20
    LM_POINTS = 21
    LM_CLUSTERS = 22
    LM_SAMPLE = 23
    HMM_START = 30
    HMM_PROJECTION = 31
    EMBEDDINGS = 40
    WORD_CLUSTERS = 41
    TREE_START = 50
    TREE_PROJECTION = 51
    RERANKER = 52
    SPANS = 53
    DEPENDENCY_ORDER = 54
    DEPENDENCY_RELATIONS = 55
    LEARNING_CURVE = 60
    TEXT_SAMPLE = 61
    SIMILARITY_BOOTSTRAP = 70


def stream(seed: int, purpose: Purpose, *keys: int) -> np.random.Generator:
    """Create the random stream of a purpose.

    Parameters
    ----------
    seed : int
        Seed of the run.
    purpose : Purpose
    *keys : int
        Further numbers that tell streams apart, such as the number of a nonterminal.
    """
    return np.random.default_rng(_sequence(seed, purpose, keys))


def derived_seed(seed: int, purpose: Purpose, *keys: int) -> int:
    """Derive another seed, below 2⁵³ so that JSON can hold it; parameters as for `stream`."""
    return int(_sequence(seed, purpose, keys).generate_state(1, np.uint64)[0]) >> 11


FIRST = {Purpose.SVD_START: (), Purpose.PERTURBATION: (0,)}
"""What follows the nonterminal in the keys of the streams that were there first: models stay what they were."""

OTHERS = 1 << 20
"""The keys of all other streams begin with this plus the purpose: no nonterminal has such a number."""


def _sequence(seed: int, purpose: Purpose, keys: tuple[int, ...]) -> np.random.SeedSequence:
    spawn_key = (*keys, *FIRST[purpose]) if purpose in FIRST else (OTHERS + int(purpose), *keys)
    return np.random.SeedSequence(seed, spawn_key=spawn_key)
