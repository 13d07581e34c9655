"""Compiled core of the leaf-ancestor score.

Loop indexes: s: sentences; word: words of a sentence; b: brackets of a sentence; i, j: labels of two lineages.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, njit
from lpcfg_cli.evaluation.bracket_sets import BracketSets
from lpcfg_cli.evaluation.score_kernels import are_equal

LEFT_EDGE, RIGHT_EDGE = -2, -3
"""Marks in a lineage; no label has these numbers."""


@njit(**ENTRY)
def write_lineage(sets: BracketSets, s: int, word: int, lineage: np.ndarray) -> int:
    """Write the labels above a word of sentence `s`, root first, with the marks; O(brackets of the sentence).

    Parameters
    ----------
    sets : BracketSets
    s, word : int
        Sentence, and position of the word in it.
    lineage : ndarray of int64, shape (≥ brackets of the sentence + 2,)
        Written.

    Returns
    -------
    int
        Length of the lineage.
    """
    n = 0
    is_left_marked = is_right_marked = False
    for b in range(sets.first_bracket[s], sets.first_bracket[s + 1]):
        if not sets.start[b] <= word < sets.end[b]:
            continue
        if sets.start[b] == word and not is_left_marked:
            lineage[n] = LEFT_EDGE
            n += 1
            is_left_marked = True
        lineage[n] = sets.label[b]
        n += 1
        if sets.end[b] == word + 1 and not is_right_marked:
            lineage[n] = RIGHT_EDGE
            n += 1
            is_right_marked = True
    return n


@njit(**ENTRY)
def longest_common(one: np.ndarray, other: np.ndarray, pairs: np.ndarray) -> int:
    """Length of the longest common subsequence; O(m n · pairs).

    `one` and `other` are int64, (m,) and (n,); `pairs`, int32, (n_pairs, 2), has the labels that count as equal.
    """
    row = np.zeros(other.shape[0] + 1, np.int64)
    for i in range(one.shape[0]):
        diagonal = 0
        for j in range(other.shape[0]):
            above = row[j + 1]
            if are_equal(one[i], other[j], pairs):
                row[j + 1] = diagonal + 1
            else:
                row[j + 1] = max(above, row[j])
            diagonal = above
    return int(row[other.shape[0]])


@njit(**ENTRY)
def leaf_ancestor_scores(gold: BracketSets, test: BracketSets, is_valid: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Sum of the leaf-ancestor scores of the words of each sentence; O(depth²) a word.

    Parameters
    ----------
    gold, test : BracketSets
        Two sides of the same n sentences; valid sentences have the same words on both sides.
    is_valid : ndarray of bool, shape (n,)
        Sentences to score.
    pairs : ndarray of int32, shape (n_pairs, 2)
        Labels that count as equal.

    Returns
    -------
    ndarray of float64, shape (n,)
        0 for sentences that are not valid.
    """
    n = is_valid.shape[0]
    total = np.zeros(n)
    for s in range(n):
        if not is_valid[s]:
            continue
        gold_lineage = np.empty(gold.first_bracket[s + 1] - gold.first_bracket[s] + 2, np.int64)
        test_lineage = np.empty(test.first_bracket[s + 1] - test.first_bracket[s] + 2, np.int64)
        for word in range(gold.first_word[s + 1] - gold.first_word[s]):
            m = write_lineage(gold, s, word, gold_lineage)
            k = write_lineage(test, s, word, test_lineage)
            common = longest_common(gold_lineage[:m], test_lineage[:k], pairs)
            total[s] += 2.0 * common / (m + k) if m + k > 0 else 1.0
    return total
