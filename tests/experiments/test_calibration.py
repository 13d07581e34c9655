"""Reliability of posteriors, the correction of them, and the command that measures and stores it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from lpcfg_cli.evaluation.reliability import reliability
from lpcfg_cli.experiments.calibration import fit_calibration, gold_brackets
from lpcfg_cli.parsing.calibration import OF_ONE_SIGNED, STORED_AS, UNCORRECTED, Calibration
from lpcfg_cli.parsing.corpora import calibration_of
from lpcfg_cli.storage.artefacts import Header
from lpcfg_cli.treebank.brackets import treebank_from_text


def overconfident(seed, n=20_000):
    """Posteriors, and whether each is right, which it is with the square root of the odds."""
    rng = np.random.default_rng(seed)
    posterior = 1 / (1 + np.exp(-rng.normal(2.0, 2.5, n)))
    true = 1 / (1 + np.sqrt((1 - posterior) / posterior))
    return posterior, rng.random(n) < true, true


def test_bins_hold_what_they_say():
    posterior = np.array([0.05, 0.0, 0.1, 0.55, 0.59, 0.999, 1.0])
    found = reliability(posterior, np.array([False, False, True, True, False, True, True]))
    shown = [(one.low, one.high, one.count, round(one.mean, 4), one.right) for one in found.bins]
    assert shown == [
        (0.0, 0.1, 2, 0.025, 0.0), (0.1, 0.2, 1, 0.1, 1.0), (0.5, 0.6, 2, 0.57, 0.5), (0.99, 1.0, 2, 0.9995, 1.0)
    ]  # fmt: skip
    assert (found.count, found.right) == (7, pytest.approx(4 / 7))
    assert found.mean == pytest.approx(posterior.mean())
    assert found.calibration_error == pytest.approx((2 * 0.025 + 0.9 + 2 * 0.07 + 2 * 0.0005) / 7)
    assert found.brier == pytest.approx((0.05**2 + 0.9**2 + 0.45**2 + 0.59**2 + 0.001**2) / 7)


def test_a_correction_finds_the_true_shares():
    posterior, is_right, _ = overconfident(1)
    fresh, fresh_right, true = overconfident(2)
    correction = fit_calibration(posterior, is_right)
    assert np.abs(correction.of(fresh) - true).mean() < 0.015 < np.abs(fresh - true).mean()
    before, after = reliability(fresh, fresh_right), reliability(correction.of(fresh), fresh_right)
    assert after.calibration_error < 0.015 < 0.05 < before.calibration_error
    assert after.brier < before.brier


def test_a_correction_never_turns_the_order_around():
    posterior, is_right, _ = overconfident(3, 600)
    corrected = fit_calibration(posterior, is_right).of(np.linspace(0, 1, 1001))
    assert (np.diff(corrected) >= 0).all() and corrected[0] == 0 and corrected[-1] <= 1


def test_without_points_nothing_is_corrected():
    posterior = np.array([0.0, 0.3, 1.0])
    assert UNCORRECTED.changes_nothing and UNCORRECTED.of(posterior) is posterior
    halved = Calibration((0.0, 1.0), (0.0, 0.5), 1)
    np.testing.assert_allclose(halved.of(posterior), posterior / 2)


def test_brackets_of_gold_trees():
    trees = treebank_from_text("(S (NP (NN a)) (VP (VB b) (NP (NN c))))\n(X (Y y))")
    assert list(gold_brackets(trees)) == [
        {("S", 0, 3), ("NP", 0, 1), ("VP", 1, 3), ("NP", 2, 3)}, {("X", 0, 1)}
    ]  # fmt: skip
    json.dumps(vars(UNCORRECTED))  # as it is stored


@pytest.mark.parametrize(
    ("is_probabilistic", "stored", "expected"),
    [
        ([False], None, OF_ONE_SIGNED),
        ([True], None, UNCORRECTED),
        ([False, False], None, UNCORRECTED),
        ([False], {"posterior": [0, 1], "corrected": [0, 0.5], "brackets": 7}, Calibration((0.0, 1.0), (0.0, 0.5), 7)),
    ],
)
def test_one_signed_grammar_is_corrected_by_default(is_probabilistic, stored, expected):
    settings = {"tables": {"is_probabilistic": is_probabilistic}, STORED_AS: stored}
    assert calibration_of(Header("lpcfg-model", 3, "train", settings, 0, {})) == expected


def test_the_default_correction_rises_and_lowers_what_is_too_sure():
    posterior = np.linspace(0, 1, 1001)
    corrected = OF_ONE_SIGNED.of(posterior)
    assert (np.diff(corrected) >= 0).all() and (corrected <= posterior).all()
    assert OF_ONE_SIGNED.of(np.array([0.0, 0.852, 1.0])).tolist() == [0.0, 0.733, 0.995]
