"""The file form of feature matrices, ``features.npz``."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from lpcfg_cli.features.matrices import FeatureMatrices, NodeFeatures, NodeOrder
from lpcfg_cli.storage.artefacts import Array, Kind

FEATURES_FILE = "features.npz"

FEATURES = Kind("lpcfg-features", 2, 2, "features")


def feature_arrays(features: NodeFeatures, entry: np.ndarray) -> dict[str, Array]:
    """The arrays of ``features.npz``, except those of the lexicon.

    Parameters
    ----------
    features : NodeFeatures
    entry : ndarray of int, shape (n_nodes,)
        Lexicon entry of each preterminal's word, `NONE` for other nodes.
    """
    order, phi, psi = features
    arrays = {
        "row_node": Array(order.node, ("row",)),
        "row_start": Array(order.row_start, ("symbol_plus_one",)),
        "node_entry": Array(entry.astype(np.int32), ("node",)),
    }
    if np.any(order.weight != 1):
        arrays["row_weight"] = Array(order.weight, ("row",))
    for side, matrices in (("phi", phi), ("psi", psi)):
        arrays[f"{side}_indptr"] = Array(matrices.indptr, ("row_plus_one",))
        arrays[f"{side}_indices"] = Array(matrices.indices, ("nonzero",))
        arrays[f"{side}_column_start"] = Array(matrices.column_start, ("symbol_plus_one",))
        arrays[f"{side}_count"] = Array(matrices.count, ("feature",))
        arrays[f"{side}_template"] = Array(matrices.template, ("feature",))
    return arrays


def features_from_arrays(arrays: dict[str, np.ndarray]) -> NodeFeatures:
    """The inverse of `feature_arrays`, without the entries."""
    names = [field.name for field in fields(FeatureMatrices)]
    sides = [FeatureMatrices(*(arrays[f"{side}_{name}"] for name in names)) for side in ("phi", "psi")]
    node = arrays["row_node"]
    weight = arrays.get("row_weight", np.ones(len(node)))
    return NodeFeatures(NodeOrder(node, arrays["row_start"], weight), sides[0], sides[1])
