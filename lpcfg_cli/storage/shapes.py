"""The check that the arrays of a file have the shapes that kernels rely on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from lpcfg_cli.errors import TruncatedArtefactError
from lpcfg_cli.storage.artefacts import Kind


def check_shapes(
    arrays: Mapping[str, np.ndarray], shapes: Mapping[str, str], sizes: Mapping[str, int], path: Path, kind: Kind
) -> None:
    """Raise an error unless arrays of numbers have the sizes that are expected.

    Parameters
    ----------
    arrays : mapping of str to ndarray
    shapes : mapping of str to str
        For each name a letter for each axis; arrays that are not named are not checked.
    sizes : mapping of str to int
        The length that each letter stands for.
    path : Path
    kind : Kind

    Raises
    ------
    TruncatedArtefactError
        An array has another shape, or is not of float64.
    """
    for name in shapes.keys() & arrays.keys():
        expected = tuple(sizes[axis] for axis in shapes[name])
        if arrays[name].shape != expected or arrays[name].dtype != np.float64:
            raise damaged(path, kind)


def damaged(path: Path, kind: Kind) -> TruncatedArtefactError:
    """The error for a file whose contents do not agree."""
    return TruncatedArtefactError(f"{path}: damaged or cut off. Run `lpcfg {kind.command}` again.")
