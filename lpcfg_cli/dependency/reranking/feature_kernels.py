"""Compiled extraction of the features of trees that rerankers use (D12 §4.3).

Loop indexes: c: candidates; w: words, whose heads are counted from 1 in their sentence; l, r: left and right modifiers
of a word.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, njit


@njit(**ENTRY)
def tree_features(start: np.ndarray, tags: np.ndarray, heads: np.ndarray, n_tags: int) -> tuple[np.ndarray, np.ndarray]:
    """The features of each candidate tree: triples of tags.

    Three kinds: left modifier, head, right modifier, for all pairs of modifiers of a head; and left (then right)
    modifier, head, grandparent, for all words whose head is a word.  The grandparent of a word below the root has the
    tag ``n_tags - 1``.

    Parameters
    ----------
    start : ndarray of int64, shape (n_candidates + 1,)
        Words of each candidate.
    tags : ndarray of int32, shape (n_words,)
        Below ``n_tags - 1``.
    heads : ndarray of int32, shape (n_words,)
    n_tags : int
        T, with the tag of the root.

    Returns
    -------
    first : ndarray of int64, shape (n_candidates + 1,)
        Features of each candidate.
    features : ndarray of int64, shape (n_features,)
        Kind · T³ + (first tag · T + second tag) · T + third tag.
    """
    n_candidates, cube = len(start) - 1, n_tags**3
    first = np.zeros(n_candidates + 1, np.int64)
    for c in range(n_candidates):
        first[c + 1] = first[c] + _n_features(heads[start[c] : start[c + 1]])
    features = np.empty(first[-1], np.int64)
    for c in range(n_candidates):
        own_tags, own_heads, at = tags[start[c] : start[c + 1]], heads[start[c] : start[c + 1]], first[c]
        for w in range(len(own_heads)):
            h = own_heads[w] - 1
            if h < 0:
                continue
            above = n_tags - 1 if own_heads[h] == 0 else own_tags[own_heads[h] - 1]
            kind = 1 if w < h else 2
            features[at] = kind * cube + (own_tags[w] * n_tags + own_tags[h]) * n_tags + above
            at += 1
            if w < h:
                for r in range(h + 1, len(own_heads)):
                    if own_heads[r] == h + 1:
                        features[at] = (own_tags[w] * n_tags + own_tags[h]) * n_tags + own_tags[r]
                        at += 1
    return first, features


@njit(**ENTRY)
def _n_features(heads: np.ndarray) -> int:
    """Number of features of a tree."""
    left, right, n = np.zeros(len(heads), np.int64), np.zeros(len(heads), np.int64), 0
    for w in range(len(heads)):
        h = heads[w] - 1
        if h >= 0:
            n += 1
            if w < h:
                left[h] += 1
            else:
                right[h] += 1
    return n + (left * right).sum()
