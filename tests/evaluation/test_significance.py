"""Paired tests compared with exact enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from lpcfg_cli.errors import ConfigError
from lpcfg_cli.evaluation.score import score_treebanks
from lpcfg_cli.evaluation.sentences import source_of_text
from lpcfg_cli.evaluation.significance import (
    SignificanceSettings,
    bootstrap_differences,
    compare_parses,
    paired_counts,
    randomization_p,
)

RIGHT, FLAT, WRONG = "(S (A (X a)) (B (X b) (X c)))", "(S (X a) (X b) (X c))", "(S (C (X a)) (D (X b) (X c)))"


def scores(*test):
    return score_treebanks(source_of_text("\n".join([RIGHT] * len(test))), source_of_text("\n".join(test)))


def f1(total):
    return 200 * total[0] / (total[1] + total[2])


def exact_p(table):
    observed = abs(f1(table.sum(0)[3:]) - f1(table.sum(0)[:3]))
    extreme = 0
    for swap in product([False, True], repeat=len(table)):
        rows = np.where(np.array(swap)[:, None], np.roll(table, 3, axis=1), table)
        extreme += abs(f1(rows.sum(0)[3:]) - f1(rows.sum(0)[:3])) >= observed - 1e-9
    return extreme / 2 ** len(table)


def test_counts_are_of_sentences_valid_in_both():
    table = paired_counts(scores(RIGHT, FLAT, "", RIGHT), scores(WRONG, WRONG, WRONG, "(S (X z))"))
    assert table.tolist() == [[3, 3, 3, 1, 3, 3], [1, 3, 1, 1, 3, 3]]


def test_p_value_is_that_of_all_exchanges():
    a = scores(RIGHT, RIGHT, FLAT, RIGHT, WRONG, RIGHT, WRONG, FLAT)
    b = scores(WRONG, FLAT, RIGHT, FLAT, WRONG, WRONG, FLAT, FLAT)
    table = paired_counts(a, b)
    expected = exact_p(table)
    assert 0.05 < expected < 0.5
    assert randomization_p(table, 40_000, np.random.default_rng(1)) == pytest.approx(expected, abs=0.01)


def test_bootstrap_is_that_of_all_samples():
    table = paired_counts(scores(RIGHT, FLAT, WRONG), scores(WRONG, WRONG, RIGHT))
    every = [table[list(chosen)].sum(0) for chosen in product(range(3), repeat=3)]
    expected = [f1(total[3:]) - f1(total[:3]) for total in every]
    drawn = bootstrap_differences(table, 40_000, np.random.default_rng(2))
    assert drawn.mean() == pytest.approx(np.mean(expected), abs=0.5)
    assert drawn.std() == pytest.approx(np.std(expected), rel=0.02)


def test_the_same_parse_twice_differs_in_nothing():
    found = compare_parses(scores(RIGHT, FLAT), scores(RIGHT, FLAT))
    assert (found.difference, found.low, found.high, found.p_value) == (0, 0, 0, 1)


def test_a_clear_difference_is_found_and_the_seed_decides_the_digits():
    a, b = scores(*[FLAT, WRONG] * 15), scores(*[RIGHT] * 30)
    settings = SignificanceSettings(samples=999, seed=3)
    found = compare_parses(a, b, settings)
    assert found.difference == pytest.approx(100 - 200 * 30 / (90 + 60))
    assert found.p_value == pytest.approx(1 / 1000)
    assert 0 < found.low < found.difference < found.high
    assert found == compare_parses(a, b, settings)
    one, same, other = (
        bootstrap_differences(paired_counts(a, b), 20, np.random.default_rng(seed)) for seed in (3, 3, 4)
    )
    assert np.array_equal(one, same) and not np.array_equal(one, other)


def test_no_sentence_in_common():
    found = compare_parses(scores(""), scores(RIGHT))
    assert (found.sentences, found.p_value, found.f1_a) == (0, 1, 0)


@pytest.mark.parametrize("wrong", [{"samples": 0}, {"confidence": 1.0}])
def test_settings_out_of_range(wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        SignificanceSettings(**wrong)
