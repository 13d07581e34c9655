"""What random starts of EM share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np


def random_factors(shapes: Iterable[tuple[int, ...]], spread: float, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Arrays of random factors, float64, drawn one after another.

    Parameters
    ----------
    shapes : iterable of tuple of int
    spread : float
        The factors are between 1 / spread and spread; their logarithms are uniform.
    rng : Generator
    """
    return (np.exp(np.log(spread) * rng.uniform(-1, 1, shape)) for shape in shapes)
