"""Learning curves: what models are trained on, the law of the forecast, and intervals."""

from __future__ import annotations

import json

import numpy as np
import pytest
from command_line import fail, succeed

from lpcfg_cli.config import load_settings
from lpcfg_cli.evaluation.significance import SignificanceSettings, bootstrap_totals
from lpcfg_cli.experiments import cross_validation
from lpcfg_cli.experiments.cross_validation import Fold, cross_validate
from lpcfg_cli.experiments.learning_curve import f1_of, forecasts, learning_curve

RIGHT = "(TOP (S (NP (DT a) (NN b)) (VP (VB c))))"
WRONG = "(TOP (S (NP (DT a)) (X (NN b) (VP (VB c)))))"


def test_a_power_law_is_followed_exactly():
    sizes = np.array([100.0, 200.0, 400.0, 800.0])
    errors = np.array([7.0, 3.0])[:, None] * (sizes / 100) ** np.array([-0.5, -0.1])[:, None]
    assert np.allclose(100 - forecasts(sizes, 100 - errors, 1600.0), [7.0 * 16**-0.5, 3.0 * 16**-0.1])


def test_only_the_last_three_points_are_followed_and_the_law_begins_at_the_last():
    sizes = np.array([50.0, 100.0, 200.0, 400.0])
    f1 = np.array([[1.0, 60.0, 80.0, 90.0], [50.0, 80.0, 80.0, 80.0], [50.0, 100.0, 100.0, 100.0]])
    assert np.allclose(forecasts(sizes, f1, 800.0), [95.0, 80.0, 100.0])


def test_f1_of_counts():
    assert f1_of(np.array([[3, 4, 5, 0, 0, 0]])).tolist() == [[pytest.approx(600 / 9), 0.0]]


def test_bootstrap_totals_are_sums_of_rows_that_are_drawn_together():
    table = np.array([[1, 10], [2, 20], [4, 40]])
    totals = bootstrap_totals(table, 500, np.random.default_rng(0))
    assert totals.shape == (500, 2) and np.array_equal(totals[:, 1], 10 * totals[:, 0])
    possible = {a + b + c for a in (1, 2, 4) for b in (1, 2, 4) for c in (1, 2, 4)}
    assert set(totals[:, 0].tolist()) == possible
    assert totals[:, 0].mean() == pytest.approx(7, abs=0.3)


def fold(number, share, trees, parsed):
    return Fold(number, [RIGHT] * len(parsed), parsed, 0.0, 0.0, 0, share, trees)


def test_points_are_scores_over_all_folds(tmp_path):
    parts = [
        fold(0, 0.5, 10, [RIGHT, WRONG, WRONG]),
        fold(0, 1.0, 20, [RIGHT, RIGHT, WRONG]),
        fold(1, 0.5, 12, [WRONG, WRONG, WRONG]),
        fold(1, 1.0, 24, [RIGHT, RIGHT, RIGHT]),
    ]
    curve = learning_curve(parts, tmp_path, SignificanceSettings(samples=400))
    half, whole, more = curve.points
    # S and VP are right even in wrong trees: 3 brackets of gold, 4 of a wrong tree
    assert half.f1 == pytest.approx(200 * (3 + 5 * 2) / (6 * 3 + 3 + 5 * 4))
    assert whole.f1 == pytest.approx(200 * (5 * 3 + 2) / (6 * 3 + 5 * 3 + 4))
    assert (half.trees, whole.trees, more.trees) == (11, 22, 44)
    assert more.f1 == pytest.approx(100 - (100 - whole.f1) ** 2 / (100 - half.f1)) and more.is_forecast
    assert curve.gain == pytest.approx(more.f1 - whole.f1) and curve.sentences == 6 and curve.foretold is None
    assert all(point.low <= point.f1 <= point.high for point in curve.points)
    assert half.low < half.high and curve.gain_low < curve.gain < curve.gain_high


def test_smaller_parts_foretell_the_whole(tmp_path):
    parts = [
        fold(0, 0.25, 5, [WRONG, WRONG, WRONG, WRONG]),
        fold(0, 0.5, 10, [RIGHT, WRONG, WRONG, WRONG]),
        fold(0, 1.0, 20, [RIGHT, RIGHT, WRONG, WRONG]),
    ]
    curve = learning_curve(parts, tmp_path, SignificanceSettings(samples=20))
    quarter, half = (100 - point.f1 for point in curve.points[:2])
    assert curve.foretold == pytest.approx(100 - half**2 / quarter)


def test_parts_grow_and_never_hold_what_is_parsed(monkeypatch, tmp_path, tiny_treebank, small_settings):
    seen = []

    def record(context):
        seen.append(context.roots[0].read_text().splitlines())
        return trained(context)

    trained = cross_validation.train_model
    monkeypatch.setattr(cross_validation, "train_model", record)
    settings = load_settings(small_settings)
    parts = list(cross_validate([tiny_treebank], tmp_path, settings, 3, [1], shares=(0.25, 0.5, 1.0)))
    quarter, half, whole = map(set, seen)
    assert quarter < half < whole and not whole & set(parts[0].gold)
    assert [part.training_trees for part in parts] == [len(lines) for lines in seen]
    assert [len(lines) / len(seen[2]) for lines in seen] == pytest.approx([0.25, 0.5, 1.0], abs=0.05)
    assert [part.share for part in parts] == [0.25, 0.5, 1.0] and parts[0].gold == parts[2].gold
    (alone,) = cross_validate([tiny_treebank], tmp_path, settings, 3, [1])
    assert alone.parsed == parts[2].parsed


def test_the_command_prints_the_curve_and_draws_it(tiny_treebank, small_settings, tmp_path):
    plot = tmp_path / "curve.svg"
    command = ("crossval", tiny_treebank, "-c", small_settings, "--curve", "--folds", "2", "--only", "0")
    printed = succeed(*command, "--plot", plot)
    rows = [line.split() for line in printed.out.splitlines()]
    assert rows[0][:2] == ["trees", "F1"] and rows[7][-1] == "forecast" and len(rows) == 12
    assert int(rows[7][0].replace(",", "")) == pytest.approx(2 * int(rows[6][0].replace(",", "")), abs=1)
    assert f"Twice as many trees would bring {float(rows[7][1]) - float(rows[6][1]):+.1f}" in printed.out
    assert rows[11][-1] == f"{rows[6][1]}." and printed.err.count("trained on") == 4
    assert "training trees" in plot.read_text() and "forecast" in plot.read_text()
    found = json.loads(succeed(*command, "--json").out)
    assert [f"{point['f1']:.2f}" for point in found["points"]] == [row[1] for row in rows[2:8]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "Give both -o and --gold"),
        (("--curve", "-o", "parsed.mrg"), "Give both -o and --gold"),
        (("-o", "p.mrg", "--gold", "g.mrg", "--plot", "a.svg"), "give --curve too"),
        (("--curve", "--plot", "a.gif"), "ends in one of .svg"),
    ],
)
def test_options_that_do_not_fit_together_are_refused(tiny_treebank, options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert message in " ".join(fail(2, "crossval", tiny_treebank, *options).split())
