"""Compiled core of the scorer: two sides of many sentences in, counts and matches out.

Loop indexes: s: sentences; i: gold brackets; j: test brackets; k: words of a sentence, or pairs of equal strings.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import ENTRY, njit
from lpcfg_cli.evaluation.bracket_sets import BracketSets

STATUS, MATCHED, GOLD, TEST, CROSSING, WORDS, TAGS = range(7)
"""Columns of the table that `score_sentences` returns."""

VALID, ERROR, SKIPPED = 0, 1, 2
"""Values of the column `STATUS`."""

UNREADABLE = 2
"""The value of `lpcfg_cli.evaluation.scan.UNREADABLE`."""

NONE = -1


@njit(**ENTRY)
def are_equal(one: int, other: int, pairs: np.ndarray) -> bool:
    """Whether two strings, given by number, are the same or one of the `pairs`, int32, (n_pairs, 2); O(n_pairs)."""
    if one == other:
        return True
    for k in range(pairs.shape[0]):
        if (pairs[k, 0] == one and pairs[k, 1] == other) or (pairs[k, 0] == other and pairs[k, 1] == one):
            return True
    return False


@njit(**ENTRY)
def first_difference(gold: np.ndarray, test: np.ndarray, pairs: np.ndarray) -> int:
    """Position of the first word that differs or that only one side has, `NONE` if there is none; O(n · n_pairs).

    `gold` and `test` are int32, (n,) each, with the words of one sentence; `pairs` is as in `are_equal`.
    """
    shorter = min(gold.shape[0], test.shape[0])
    for k in range(shorter):
        if not are_equal(gold[k], test[k], pairs):
            return k
    return NONE if gold.shape[0] == test.shape[0] else shorter


@njit(**ENTRY)
def crosses(start: int, end: int, other_start: int, other_end: int) -> bool:
    """Whether two spans overlap without one containing the other."""
    return (start < other_start < end < other_end) or (other_start < start < other_end < end)


@njit(**ENTRY)
def match_brackets(
    gold: BracketSets,
    test: BracketSets,
    s: int,
    rule: tuple[bool, np.ndarray],
    mates: tuple[np.ndarray, np.ndarray],
) -> int:
    """Match the brackets of sentence `s`: each gold bracket with the first matching test bracket that is free.

    The order matters because equality of labels is not transitive.  O(gold · test brackets).

    Parameters
    ----------
    gold, test : BracketSets
    s : int
    rule : tuple of bool and ndarray of int32, shape (n_pairs, 2)
        Whether labels must agree, and the pairs of labels that count as equal.
    mates : tuple of ndarray of int64, shapes (n_gold_brackets,) and (n_test_brackets,)
        The partners of gold and of test brackets, `NONE` without one; written.

    Returns
    -------
    int
        Number of matches.
    """
    labeled, pairs = rule
    gold_mate, test_mate = mates
    matched = 0
    for i in range(gold.first_bracket[s], gold.first_bracket[s + 1]):
        for j in range(test.first_bracket[s], test.first_bracket[s + 1]):
            if test_mate[j] != NONE or gold.start[i] != test.start[j] or gold.end[i] != test.end[j]:
                continue
            if not labeled or are_equal(gold.label[i], test.label[j], pairs):
                gold_mate[i], test_mate[j] = j, i
                matched += 1
                break
    return matched


@njit(**ENTRY)
def pair_confused(gold: BracketSets, test: BracketSets, gold_mate: np.ndarray, test_mate: np.ndarray) -> np.ndarray:
    """Match the brackets without a partner by their spans only; O(gold · test brackets) for each sentence.

    Parameters
    ----------
    gold, test : BracketSets
    gold_mate, test_mate : ndarray of int64, shapes (n_gold_brackets,) and (n_test_brackets,)
        From `match_brackets`.

    Returns
    -------
    ndarray of int64, shape (n_gold_brackets,)
        The unmatched test bracket with the span of each unmatched gold bracket, else `NONE`.
    """
    confused = np.full(gold.label.shape[0], NONE)
    is_taken = test_mate != NONE
    for s in range(gold.length.shape[0]):
        for i in range(gold.first_bracket[s], gold.first_bracket[s + 1]):
            if gold_mate[i] != NONE:
                continue
            for j in range(test.first_bracket[s], test.first_bracket[s + 1]):
                if not is_taken[j] and gold.start[i] == test.start[j] and gold.end[i] == test.end[j]:
                    confused[i] = j
                    is_taken[j] = True
                    break
    return confused


@njit(**ENTRY)
def cross_brackets(gold: BracketSets, test: BracketSets, s: int, crossed: np.ndarray) -> int:
    """Find the first gold bracket that each test bracket of sentence `s` crosses; O(gold · test brackets).

    Parameters
    ----------
    gold, test : BracketSets
    s : int
    crossed : ndarray of int64, shape (n_test_brackets,)
        The gold brackets found are written; entries without one are not changed.

    Returns
    -------
    int
        Number of test brackets that cross a gold bracket.
    """
    crossing = 0
    for j in range(test.first_bracket[s], test.first_bracket[s + 1]):
        for i in range(gold.first_bracket[s], gold.first_bracket[s + 1]):
            if crosses(gold.start[i], gold.end[i], test.start[j], test.end[j]):
                crossed[j] = i
                crossing += 1
                break
    return crossing


@njit(**ENTRY)
def score_sentences(
    gold: BracketSets, test: BracketSets, labeled: bool, equal_labels: np.ndarray, equal_words: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Compare the two sides of n sentences as EVALB does; O(gold · test brackets) for each sentence.

    Parameters
    ----------
    gold, test : BracketSets
        The two sides of the same n sentences.
    labeled : bool
        Whether labels must agree.
    equal_labels, equal_words : ndarray of int32, shape (n_pairs, 2)
        Strings that count as equal.

    Returns
    -------
    rows : ndarray of int64, shape (n, 7)
        Columns `STATUS`, `MATCHED`, …; all but the first are 0 for sentences that EVALB does not compare.
    difference : ndarray of int64, shape (n,)
        Position of the first word that differs, else `NONE`.
    gold_mate : ndarray of int64, shape (n_gold_brackets,)
        The test bracket matched with each gold bracket, else `NONE`.
    test_mate : ndarray of int64, shape (n_test_brackets,)
        The gold bracket matched with each test bracket, else `NONE`.
    crossed : ndarray of int64, shape (n_test_brackets,)
        The first gold bracket that each test bracket crosses, else `NONE`.
    """
    n = gold.length.shape[0]
    rows = np.zeros((n, 7), np.int64)
    difference = np.full(n, NONE)
    gold_mate = np.full(gold.label.shape[0], NONE)
    test_mate = np.full(test.label.shape[0], NONE)
    crossed = np.full(test.label.shape[0], NONE)
    rule, mates = (labeled, equal_labels), (gold_mate, test_mate)
    for s in range(n):
        row = rows[s]
        gold_words = slice(gold.first_word[s], gold.first_word[s + 1])
        test_words = slice(test.first_word[s], test.first_word[s + 1])
        if gold.error[s] == UNREADABLE or test.error[s] == UNREADABLE:
            row[STATUS] = ERROR
            continue
        if test_words.start == test_words.stop:
            row[STATUS] = SKIPPED
            continue
        difference[s] = first_difference(gold.word[gold_words], test.word[test_words], equal_words)
        if difference[s] != NONE:
            row[STATUS] = ERROR
            continue
        if gold.error[s] != 0 or test.error[s] != 0:
            row[STATUS] = ERROR
        row[GOLD] = gold.first_bracket[s + 1] - gold.first_bracket[s]
        row[TEST] = test.first_bracket[s + 1] - test.first_bracket[s]
        row[MATCHED] = match_brackets(gold, test, s, rule, mates)
        row[CROSSING] = cross_brackets(gold, test, s, crossed)
        row[WORDS] = test_words.stop - test_words.start
        gold_tags, test_tags = gold.tag[gold_words], test.tag[test_words]
        for k in range(gold_tags.shape[0]):
            row[TAGS] += are_equal(gold_tags[k], test_tags[k], equal_labels)
    return rows, difference, gold_mate, test_mate, crossed
