"""Inside-outside over a forest with an arbitrary score for each rule application."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.parsing.layout import Forest, Marginals
from lpcfg_cli.parsing.posterior_kernels import log_inside, spread_posteriors
from lpcfg_cli.parsing.scores import parts_of


def forest_posteriors(forest: Forest, scores: Marginals, is_root: np.ndarray) -> Marginals:
    """Posteriors of rule applications where p(tree) ∝ exp(Σ scores of the tree's rule applications); O(edges).

    Inside values are logarithms.  Posteriors are computed top down as shares of the posterior above, without
    logarithms.  Nothing overflows or underflows in sentences of any length.

    Parameters
    ----------
    forest : Forest
    scores : Marginals
        A finite score for each rule application.
    is_root : ndarray of bool, shape (n_top,)
        Whether each top item may be the root of a tree.

    Returns
    -------
    Marginals
        The total is 1; all values are zero if the forest has no tree.
    """
    if len(forest.bottom_symbol):
        shares = log_inside(forest, scores)
        total = np.logaddexp.reduce(shares.top[is_root])  # −∞ for no roots
        if total > -np.inf:
            in_top = np.zeros(len(is_root))
            in_top[is_root] = np.exp(shares.top[is_root] - total)
            return spread_posteriors(forest, shares, in_top)
    return Marginals(0, 0.0, *(np.zeros(len(part)) for part in parts_of(scores)))


def log_total(forest: Forest, scores: Marginals, is_root: np.ndarray) -> float:
    """ln Σ exp(Σ scores) over the trees of a forest; −∞ without a tree.  Parameters as for `forest_posteriors`."""
    if not len(forest.bottom_symbol):
        return -np.inf
    return float(np.logaddexp.reduce(log_inside(forest, scores).top[is_root]))
