"""Log-probabilities of trees, with a value for those whose estimate is no probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.dependency.latent.model import TreeModel
from lpcfg_cli.dependency.latent.tree_arrays import TreeArrays
from lpcfg_cli.dependency.trees.sentence import DependencySentence


@dataclass(frozen=True)
class TreeScores:
    """The values of some trees.

    Attributes
    ----------
    logs : ndarray of float64, shape (n_trees,)
        ln |p̂|; where p̂ vanishes, `independent`.
    independent : ndarray of float64, shape (n_trees,)
        ln p of the words as if they did not depend on each other: the sum of the logarithms of their frequencies.
    is_negative, is_vanished : ndarray of bool, shape (n_trees,)
        Whether p̂ was negative; whether it was zero or not finite.
    """

    logs: np.ndarray
    independent: np.ndarray
    is_negative: np.ndarray
    is_vanished: np.ndarray


def score_trees(model: TreeModel, trees: TreeArrays) -> TreeScores:
    """Score trees in the numbering of the model.

    Parsing too takes absolute values (C13 §3.3): a negative estimate is mostly one of a large error.
    """
    found = model.values(trees)
    totals = np.append(0.0, np.cumsum(np.log(model.frequency[trees.symbols])))
    independent = np.diff(totals[trees.offsets])
    is_vanished = ~np.isfinite(found.logs)
    logs = np.where(is_vanished, independent, found.logs)
    return TreeScores(logs, independent, (found.signs < 0) & ~is_vanished, is_vanished)


def tree_log_probabilities(model: TreeModel, trees: TreeArrays | Sequence[DependencySentence]) -> np.ndarray:
    """ln p of the words of each tree given its structure; float64, shape (n_trees,), always finite.

    Parameters
    ----------
    model : TreeModel
    trees : TreeArrays or sequence of DependencySentence
        Flat arrays in the numbering of the model (`TreeModel.arrays`), such as the trees of lists that share words; or
        sentences with heads.

    Raises
    ------
    InputError
        The heads of a tree form no tree.
    """
    arrays = trees if isinstance(trees, TreeArrays) else model.arrays(trees)
    return score_trees(model, arrays).logs
