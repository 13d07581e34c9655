"""lpcfg experiment: a small grid, its tables, and going on where it was ended."""

from __future__ import annotations

import json

import pytest
from command_line import fail, succeed

SETTINGS = """
[lexicon]
rare_below = 2
[em]
iterations = 4
every = 2
refine = 1
[experiment]
learners = ["pcfg", "markov", "spectral", "em", "cluster"]
states = [2, 3]
seeds = 2
"""


@pytest.fixture
def experiment(tiny_treebank, tmp_path):
    """Run it with settings; returns the outcome."""
    config = tmp_path / "grid.toml"

    def run(settings, *options):
        config.write_text(settings)
        paths = ("--train", tiny_treebank, "--dev", tiny_treebank, "-o", tmp_path / "out")
        return succeed("experiment", config, *paths, *options)

    return run


def test_a_grid_is_run_once_and_grows(experiment, tmp_path):
    first = experiment(SETTINGS, "-f", "json")
    results = json.loads(first.out)
    cells = [(r["learner"], r["states"], r["seed"]) for r in results]
    assert cells == [
        ("pcfg", 1, 0), ("markov", 1, 0), ("spectral", 2, 0), ("spectral", 3, 0),
        *((learner, m, seed) for learner in ("em", "cluster") for m in (2, 3) for seed in (0, 1)),
    ]  # fmt: skip
    assert all(0 < r["f1"] <= 100 for r in results)
    for r in results:
        assert (r["chosen"] is not None) == (r["learner"] in ("em", "cluster"))
        if r["chosen"] is not None:
            assert r["f1"] == pytest.approx(max(r["by_iteration"].values()))
    assert "(from before)" not in first.err
    lines = (tmp_path / "out" / "results.jsonl").read_text().splitlines()
    (tmp_path / "out" / "results.jsonl").write_text("\n".join([*lines[:3], "{half"]))
    again = experiment(SETTINGS, "-f", "json")
    assert again.err.count("(from before)") == 3
    assert [(r["learner"], r["f1"]) for r in json.loads(again.out)] == [(r["learner"], r["f1"]) for r in results]
    assert experiment(SETTINGS.replace("[2, 3]", "[2, 3, 4]"), "-f", "json").err.count("(from before)") == 12


def test_tables_as_text_and_markdown(experiment):
    small = SETTINGS.replace('"pcfg", "markov", "spectral", "em", "cluster"', '"pcfg", "em"').replace("seeds = 2", "")
    text = experiment(small).out
    assert text.splitlines()[2].split("  ")[1:] == ["m = 1", "m = 2", "m = 3"]
    assert "F1 by EM's iteration." in text
    rows = [line for line in experiment(small, "-f", "markdown").out.splitlines() if line.startswith("| pcfg")]
    assert len(rows) == 2
    assert rows[0].endswith("|  |  |")


def test_what_cannot_be_run_is_told(tmp_path, tiny_treebank):
    config = tmp_path / "grid.toml"
    paths = ("--train", tiny_treebank, "--dev", "absent", "-o", tmp_path / "out")
    for text, message in (
        ('[experiment]\nlearners = ["spectrl"]', "Did you mean spectral?"),
        ('[experiment]\nstates = ["8"]', "expected a list of numbers"),
        ("[experiment]\nstates = [0]", "at least 1"),
    ):
        config.write_text(text)
        assert message in fail(2, "experiment", config, *paths)
    config.write_text("")
    assert "absent: no such file" in fail(3, "experiment", config, *paths)
