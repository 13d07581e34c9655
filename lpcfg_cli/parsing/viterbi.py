"""The derivations of a forest with the largest sums of scores of rule applications."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lpcfg_cli.parsing import decode_kernels
from lpcfg_cli.parsing.layout import Forest, Marginals
from lpcfg_cli.parsing.nbest import best_different, rank_derivations, read_choice
from lpcfg_cli.parsing.written import Written


@dataclass(frozen=True)
class Derivation:
    """A tree of the binarized grammar over consecutive words, in preorder.

    Attributes
    ----------
    symbol : ndarray of int32, shape (n_nodes,)
    kind : ndarray of int8, shape (n_nodes,)
        `LEXICAL`, `BINARY` or `UNARY` of `lpcfg_cli.treebank.binary`.
    hidden : ndarray of int32, shape (n_nodes,)
        Position in `Grammar.hidden_labels` for unary nodes, -1 for others.
    parent : ndarray of int32, shape (n_nodes,)
        -1 for the root.
    """

    symbol: np.ndarray
    kind: np.ndarray
    hidden: np.ndarray
    parent: np.ndarray


def best_trees(
    forest: Forest, scores: Marginals, is_root: np.ndarray, written: Written, is_open: np.ndarray, n: int = 1
) -> list[tuple[float, Derivation]]:
    """The n trees with the largest sums of scores, best first; fewer if the forest has fewer.  O(edges) for n = 1.

    Of derivations that write one tree, or trivial variants of it, the best is returned.

    Parameters
    ----------
    forest : Forest
    scores : Marginals
        Scores in place of marginals.
    is_root : ndarray of bool, shape (n_top,)
        Whether each top item may be the root of a tree.
    written : Written
        What the grammar's symbols and rules write.
    is_open : ndarray of bool, shape (n_words,)
        Whether each word's tag is chosen by the parser.
    n : int
        At least 1.

    Returns
    -------
    list of (float, Derivation)
        Empty if the forest has no tree.
    """
    roots = np.flatnonzero(is_root)
    if not len(roots):
        return []
    if n == 1:
        return _best_tree(forest, scores, roots, written.hidden)
    ranking = rank_derivations(forest, scores, written, is_open, n)
    whole = {choice: (int(root), rank) for root in roots for rank, choice in enumerate(ranking.top[root])}
    best = best_different(whole, n)
    return [
        (choice.score, Derivation(*read_choice(forest, ranking, *whole[choice], written.hidden))) for choice in best
    ]


def _best_tree(
    forest: Forest, scores: Marginals, roots: np.ndarray, unary_hidden: np.ndarray
) -> list[tuple[float, Derivation]]:
    bottom_edge, top_unary, top_best = decode_kernels.best_derivation(forest, scores)
    if not np.isfinite(top_best[roots]).any():
        return []
    root = int(roots[np.argmax(top_best[roots])])
    derivation = decode_kernels.read_derivation(forest, root, bottom_edge, top_unary, unary_hidden)
    return [(float(top_best[root]), Derivation(*derivation))]
