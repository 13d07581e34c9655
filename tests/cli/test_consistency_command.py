"""lpcfg consistency: tables, JSON, the plot, and the same bytes whatever --jobs."""

from __future__ import annotations

import json

import pytest
from command_line import fail, run_installed, succeed

from lpcfg_cli.experiments import plots
from lpcfg_cli.experiments.consistency_curves import Curve
from lpcfg_cli.experiments.plots import plot_consistency

TINY = ("consistency", "--smallest", 200, "--largest", 2000, "--seeds", 2, "--starts", 2, "--words", 3)


def test_the_same_results_from_one_process_and_from_two():
    options = ("--learners", "spectral,em", "--grammars", "separable,hidden", "--largest", 640, "--json", "-j")
    first = succeed(*TINY, *options, 1).out
    assert first == succeed(*TINY, *options, 2, run=run_installed).out
    report = json.loads(first)
    assert [grammar["name"] for grammar in report["grammars"]] == ["separable", "hidden"]
    assert [(s["grammar"], s["size"], s["seed"]) for s in report["samples"][:4]] == [
        ("separable", 200, 0), ("separable", 200, 1), ("separable", 632, 0), ("separable", 632, 1),
    ]  # fmt: skip
    outcomes = report["samples"][0]["outcomes"]
    assert [(o["learner"], o["start"]) for o in outcomes] == [("spectral", 0), ("em", 0), ("em", 1)]
    other = json.loads(succeed(*TINY, "--grammars", "separable", "--learners", "spectral", "--json", "--seed", 1).out)
    assert other["samples"][0]["outcomes"][0]["error"] != outcomes[0]["error"]


def test_tables_for_people(tmp_path):
    grammar = tmp_path / "own.grammar"
    grammar.write_text("ROOT ->\n  1 S\nS ->\n  1 A[x] B[x]\n  1 A[y] B[y]\nA[x] = p\nA[y] = q\nB[x] = p\nB[y] = q\n")
    out = succeed(*TINY, "--grammars", f"{grammar},hidden", "--learners", "spectral,em", "--em-largest", 700).out
    lines = out.splitlines()
    assert lines[0] == f"{grammar}: 2 states; errors over its 4 shortest trees, which have 100.0 % of the probability"
    spectral, *em = [line for line in lines if line.startswith(("spectral", "em, "))][:3]
    assert len(spectral.split()) == 1 + 3 + 3
    assert [len(line.split()) for line in em] == [3 + 2 + 3] * 2
    assert "EM, M = 632: log-likelihood (error)" in out


def test_the_plot_is_the_same_each_time(tmp_path):
    pytest.importorskip("matplotlib")
    curves = [
        Curve("here", "spectral", [10, 10, 100], [0.5, 0.4, 0.2], -0.4, None),
        Curve("there.grammar", "pcfg", [10, 100], [0.5, 0.5], 0.0, None),
    ]
    for name in ("a.svg", "b.svg", "c.png"):
        plot_consistency(curves, tmp_path / name)
    drawn = (tmp_path / "a.svg").read_bytes()
    assert drawn == (tmp_path / "b.svg").read_bytes()
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
    assert [drawn.count(text) for text in (b">here<", b">there<", b">spectral (-0.40)<")] == [1, 1, 1]


def test_what_cannot_be_plotted_is_told_before_the_work(tmp_path, monkeypatch):
    assert "ends in one of .svg" in fail(2, *TINY, "--plot", tmp_path / "plot.jpg")
    assert "there is no folder" in fail(3, *TINY, "--plot", tmp_path / "absent" / "plot.png")
    monkeypatch.setattr(plots, "find_spec", lambda name: None)
    assert "pip install 'lpcfg-cli[plot]'" in fail(3, *TINY, "--plot", tmp_path / "plot.png")


def slopes(*options):
    out = succeed("consistency", "--model", "hmm", "--words", 3, "--json", *options).out
    report = json.loads(out)
    return report, {(c["grammar"], c["learner"]): (c["slope"], c["standard_error"]) for c in report["curves"]}


def test_spectral_hmms_approach_known_ones_like_the_root_of_the_sample():
    """Hsu et al., Theorem 6: the slope is −1/2 for HMMs of full rank, and nearly 0 for one that is not."""
    sizes = ("--smallest", 1000, "--largest", 100_000, "--seeds", 3, "--hmm-learners", "spectral,full")
    report, found = slopes(*sizes)
    for learner in ("spectral", "full"):
        for name in ("separable", "blurred"):
            slope, error = found[name, learner]
            assert error < 0.08
            assert abs(slope + 0.5) < 0.1, (name, learner, slope)
        assert found["hidden", learner][0] > -0.2
    lacking = {sample["grammar"] for sample in report["samples"] if sample["size"] == 100_000 and sample["warnings"]}
    assert lacking == {"hidden"}


def test_tables_of_hmms_for_people():
    options = ("--model", "hmm", "--hmm-learners", "spectral,em", "--grammars", "hidden", "--starts", 2, "--seeds", 1)
    out = succeed("consistency", *options, "--smallest", 500, "--largest", 2000, "-j", 2, run=run_installed).out
    lines = out.splitlines()
    assert lines[0] == (
        "hidden: 3 states; errors over its 781 shortest sequences, which have 76.3 % of the probability"
    )
    assert [line.split("  ")[0] for line in lines[4:7]] == ["spectral", "em, likeliest start", "em, unlikeliest start"]
    assert "svd, M = 1,581: only 2 of 3 singular values are larger than chance makes them" in out
    assert "unknown HMM 'english'. Known: separable, blurred, hidden" in fail(
        2, "consistency", "--model", "hmm", "--grammars", "english"
    )


def test_tables_of_dependency_trees_for_people():
    options = ("--model", "dependency", "--grammars", "hidden", "--words", 3, "--starts", 2, "--seeds", 1)
    out = succeed("consistency", *options, "--smallest", 20_000, "--largest", 70_000, "-j", 2, run=run_installed).out
    lines = out.splitlines()
    assert lines[0] == "hidden: 3 states; errors over its 930 shortest trees, which have 100.0 % of the probability"
    assert [line.split("  ")[0] for line in lines[4:7]] == ["spectral", "em, likeliest start", "em, unlikeliest start"]
    assert "svd, M = 63,246: only 2 of 3 singular values are larger than chance makes them" in out
    assert "unknown tree model 'english'. Known: separable, blurred, hidden" in fail(
        2, "consistency", "--model", "dependency", "--grammars", "english"
    )
