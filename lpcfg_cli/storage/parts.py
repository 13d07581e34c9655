"""Checks that the parts of an artefact fit together, for files that somebody else may have made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from lpcfg_cli.errors import ConfigError, NotAnArtefactError
from lpcfg_cli.storage.artefacts import Kind

Layout = Mapping[str, tuple[Sequence[str], type]]
"""For each array its dimensions, a name or a digit each (of a string, its letters), and its dtype."""

ROUNDING = 1e-6
"""By so much the sum of probabilities may differ from 1."""


@contextmanager
def fitting_parts(path: Path, kind: Kind) -> Iterator[None]:
    """Turn errors of putting the parts of a file together into a `NotAnArtefactError` that names the file."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, ConfigError) as error:
        raise NotAnArtefactError(
            f"{path}: its parts do not fit together ({error}). Run `lpcfg {kind.command}` again."
        ) from error


def check_arrays(arrays: Mapping[str, np.ndarray], layout: Layout, **sizes: int) -> dict[str, int]:
    """Check the dtypes and shapes of the arrays that a layout names, and that all numbers are finite.

    Parameters
    ----------
    arrays : mapping of str to ndarray
    layout : Layout
        A digit is that size.  A name is the same size wherever it stands.
    sizes : int
        The sizes of names that are known; of others the first array decides.

    Returns
    -------
    dict of str to int
        The sizes of all names.

    Raises
    ------
    ValueError
        An array is missing or not as expected.
    """
    known = dict(sizes)
    for name, (dimensions, dtype) in layout.items():
        if name not in arrays:
            raise ValueError(f"{name} is missing")
        values = arrays[name]
        for one, size in zip(dimensions, values.shape, strict=False):
            known.setdefault(one, int(one) if one.isdigit() else size)
        shape = tuple(known.get(one) for one in dimensions)
        if values.shape != shape or values.dtype != dtype:
            found = f"{values.dtype} of shape {values.shape}"
            raise ValueError(f"{name} is {found}; expected {np.dtype(dtype)} of shape {shape}")
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise ValueError(f"{name} has a number that is NaN or infinite")
    return known


def check_range(name: str, values: np.ndarray, least: float, most: float = np.inf) -> None:
    """Raise a `ValueError` unless all values are between two bounds, both included."""
    if values.size and not (values.min() >= least and values.max() <= most):
        raise ValueError(f"{name} goes from {values.min()} to {values.max()}; expected {least} to {most}")


def check_distributions(name: str, values: np.ndarray, axis: int = -1) -> None:
    """Raise a `ValueError` unless the values are not negative, and their sums along an axis are 1, or 0 for no case."""
    check_range(name, values, 0)
    sums = values.sum(axis)
    if not (np.isclose(sums, 1, rtol=0, atol=ROUNDING) | (sums == 0)).all():
        raise ValueError(f"{name} has probabilities that do not sum to 1")
