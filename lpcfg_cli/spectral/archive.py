"""The file form of projections, ``projections.npz``."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.spectral.projection import Projection
from lpcfg_cli.storage.artefacts import Array, Kind

PROJECTIONS_FILE = "projections.npz"

PROJECTIONS = Kind("lpcfg-projections", 2, 2, "svd")


def projection_arrays(projections: list[Projection]) -> dict[str, Array]:
    """The arrays of ``projections.npz``: the matrices of all symbols, flattened in row-major order, one after another.

    Shapes: ``n_…``, (n_symbols,); ``inside``, (Σ d m,); ``outside``, (Σ d' m,); ``singular_values``, (Σ m,);
    ``discarded``, (Σ n_discarded,).
    """
    n_states = np.array([p.n_states for p in projections], np.int32)
    n_inside = np.array([len(p.inside) for p in projections], np.int64)
    n_outside = np.array([len(p.outside) for p in projections], np.int64)
    return {
        "n_states": Array(n_states, ("symbol",)),
        "n_inside": Array(n_inside, ("symbol",)),
        "n_outside": Array(n_outside, ("symbol",)),
        "n_discarded": Array(np.array([len(p.discarded) for p in projections], np.int64), ("symbol",)),
        "inside": Array(np.concatenate([p.inside.ravel() for p in projections]), ("number",)),
        "outside": Array(np.concatenate([p.outside.ravel() for p in projections]), ("number",)),
        "singular_values": Array(np.concatenate([p.singular_values for p in projections]), ("state",)),
        "discarded": Array(np.concatenate([p.discarded for p in projections]), ("number",)),
    }


def projections_from_arrays(arrays: dict[str, np.ndarray]) -> list[Projection]:
    """The inverse of `projection_arrays`."""
    m = arrays["n_states"].astype(np.int64)
    offsets = {
        "inside": starts(arrays["n_inside"] * m),
        "outside": starts(arrays["n_outside"] * m),
        "singular_values": starts(m),
        "discarded": starts(arrays["n_discarded"]),
    }
    parts = {name: np.split(arrays[name], start[1:-1]) for name, start in offsets.items()}
    return [
        Projection(
            parts["inside"][a].reshape(-1, m[a]),
            parts["outside"][a].reshape(-1, m[a]),
            parts["singular_values"][a],
            parts["discarded"][a],
        )
        for a in range(len(m))
    ]
