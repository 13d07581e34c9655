"""The tables of lpcfg experiment: figures that are known, 80 columns, Markdown."""

from __future__ import annotations

import pytest

from lpcfg_cli.cli.experiment_tables import Table, tables
from lpcfg_cli.execution.stopwatch import Spent
from lpcfg_cli.experiments.experiment_grid import GridPoint, GridResult
from lpcfg_cli.experiments.experiment_summary import (
    AblationScore,
    ChosenScore,
    ExperimentReport,
    Spread,
    best_states,
    learner_scores,
)


def result(learner, states, f1, seed=0, seconds=1.0, chosen=None, ablation="", negative=0, is_alone=True):
    by_iteration = {} if chosen is None else {"0": f1 - 20, str(chosen): f1}
    stages = {"binarize": Spent(1.0, 0.5), "estimate": Spent(2 * seconds, seconds)}
    step = None if chosen is None else Spent(0.5, 0.25)
    point = GridPoint(learner, states, seed, ablation)
    return GridResult(
        point, f"{point}", f1, f1, f1, 273, negative, 0, chosen, by_iteration, stages, step, is_alone
    )  # fmt: skip


RESULTS = [
    result("pcfg", 1, 61.89),
    result("spectral", 8, 84.0, seconds=1.5, negative=9),
    result("spectral", 16, 86.0, seconds=1.5, negative=30),
    result("em", 8, 86.0, seed=0, seconds=19.5, chosen=10),
    result("em", 8, 84.0, seed=1, seconds=29.5, chosen=20),
    result("em", 16, 85.0, seed=0, seconds=39.5, chosen=5),
    result("em", 16, 84.0, seed=1, seconds=49.5, chosen=15),
    result("spectral", 8, 82.5, ablation="no-scaling", negative=12),
    result("spectral", 16, 83.25, ablation="no-scaling", negative=69),
]


def report(results=RESULTS, with_test=True):
    scores = learner_scores(results)
    tests = [ChosenScore(best.learner, best.states, best.f1) for best in best_states(scores)] if with_test else []
    whole = {score.states: score.f1.mean for score in scores if score.learner == "spectral"}
    ablations = [
        AblationScore(r, "", r.f1 - whole[r.point.states], 0.04 if r.point.states == 16 else 0.06)
        for r in results
        if r.point.ablation
    ]
    return ExperimentReport(results, scores, tests, ablations)


def rows_of(title, form="as_text"):
    """The rows of the table whose title starts with `title`, each with its entries."""
    found = next(part for part in tables(report()) if part.title.startswith(title))
    return {row[0]: row[1:] for row in found.rows} if form == "rows" else getattr(found, form)().splitlines()


def test_accuracy_has_means_deviations_iterations_and_the_test_score_of_the_best_m():
    assert rows_of("F1 on the dev trees (273 sentences)")[-6:] == [
        "learner     m=1          m=8         m=16               test",
        "--------  -----  -----------  -----------  -----------------",
        "pcfg      61.89                                        61.89",
        "spectral               84.00        86.00       86.00 (m=16)",
        "em               85.00 ±1.41  84.50 ±0.71  85.00 ±1.41 (m=8)",
        "                       10 20         5 15",
    ]
    without = next(iter(tables(report(with_test=False))))
    assert without.header == ["learner", "m=1", "m=8", "m=16"]


def test_training_time_is_told_in_multiples_of_the_spectral_learner():
    # (0.5 + 19.5 + 0.5 + 29.5) / 2 = 25 CPU seconds against 2; (40 + 50) / 2 = 45 against 2
    assert rows_of("CPU seconds of training by learner", "rows") == {
        "spectral": ["2.0", "2.0"],
        "em": ["25.0 (12×)", "45.0 (22×)"],
    }
    assert rows_of("CPU seconds of training by stage", "rows")["em m=8"] == ["0.25", "0.50", "24.50", "25.00"]
    assert rows_of("CPU seconds of training by stage", "rows")["pcfg"] == ["", "0.50", "1.00", "1.50"]


def test_with_other_processes_at_work_seconds_are_those_of_the_clock():
    shared = [result("spectral", 8, 84.0, is_alone=False), result("em", 8, 84.0, seconds=10.0, chosen=1)]
    times = next(part for part in tables(report(shared)) if part.title.startswith("Seconds of training by learner"))
    assert times.rows == [["spectral", "3.0"], ["em", "21.0 (7.0×)"]]


def test_iterations_stand_by_learner_with_the_best_marked():
    assert rows_of("F1 on the dev trees by iteration of em", "rows") == {
        "m=8 seed=0": ["66.00 ", "", "86.00*", "", ""],
        "m=8 seed=1": ["64.00 ", "", "", "", "84.00*"],
        "m=16 seed=0": ["65.00 ", "85.00*", "", "", ""],
        "m=16 seed=1": ["64.00 ", "", "", "84.00*", ""],
    }


def test_ablations_show_the_difference_whether_it_is_chance_and_negative_totals():
    assert rows_of("F1 on the dev trees with one thing changed", "rows") == {
        "as it is": ["84.00       ", "86.00       "],
        "no scaling of features": ["82.50 -1.50 ", "83.25 -2.75*"],
    }
    assert rows_of("Sentences, of 273, whose inside total is negative", "rows") == {
        "as it is": ["9", "30"],
        "no scaling of features": ["12", "69"],
    }


def test_of_equal_sizes_the_smaller_is_chosen():
    scores = learner_scores([result("spectral", 16, 84.0), result("spectral", 8, 84.0), result("spectral", 4, 83.0)])
    assert [score.states for score in scores] == [4, 8, 16]
    assert [score.states for score in best_states(scores)] == [8]


def test_the_spread_of_one_number_is_unknown():
    assert Spread.of([85.0]) == Spread(85.0, None)
    assert Spread.of([85.0, 87.0, 86.0]) == Spread(86.0, 1.0)


@pytest.mark.parametrize("n", [2, 8, 30])
def test_wide_tables_are_cut_into_several_of_80_columns(n):
    wide = Table("A title that is long. " * 6, ["learner", *(f"m={k}" for k in range(n))], [["x" * 20, *["85.00"] * n]])
    lines = wide.as_text().splitlines()
    assert max(map(len, lines)) <= 80
    assert " ".join(lines).count("85.00") == n
    assert [f"m={k}" for k in range(n)] == [word for line in lines for word in line.split() if word.startswith("m=")]
    assert max(len(line) for part in tables(report()) for line in part.as_text().splitlines()) <= 80


def test_markdown_escapes_bars():
    lines = Table("Title.", ["", "F1"], [["decoding by Σ|µ|", "86.32 "]]).as_markdown().splitlines()
    assert lines == ["Title.", "", "|  | F1 |", "| --- | ---: |", r"| decoding by Σ\|µ\| | 86.32 |"]
