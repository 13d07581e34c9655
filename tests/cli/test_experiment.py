"""lpcfg experiment: a small grid, resumed after an interruption, test trees, and a plot."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess

import pytest
from command_line import LPCFG, fail, succeed

from lpcfg_cli.config import load_settings
from lpcfg_cli.em import run as em
from lpcfg_cli.experiments import plots
from lpcfg_cli.experiments.experiment import run_experiment

SETTINGS = """
[lexicon]
rare_below = 2
[em]
iterations = 4
every = 2
refine = 1
[parse]
decoder = "sum"
[experiment]
learners = ["pcfg", "markov", "spectral", "em", "cluster"]
states = [2, 3]
seeds = [2]
ablations = ["signed", "no-scaling"]
ablation_states = [3]
"""
SMALL = """
[lexicon]
rare_below = 2
[em]
iterations = 4
every = 2
[experiment]
learners = ["pcfg", "em"]
states = [2, 3]
"""


@pytest.fixture(scope="module")
def finished(tiny_treebank, tmp_path_factory):
    """A folder with the results of `SETTINGS`, and the output of the command."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "grid.toml").write_text(SETTINGS)
    paths = ("--train", tiny_treebank, "--dev", tiny_treebank, "-o", folder / "out")
    return folder / "out", succeed("experiment", folder / "grid.toml", *paths, "-f", "json")


@pytest.fixture
def again(finished, tiny_treebank, tmp_path):
    """Run a grid in a copy of that folder; returns the outcome."""
    shutil.copytree(finished[0], tmp_path / "out")
    return in_folder(tiny_treebank, tmp_path)


@pytest.fixture
def experiment(tiny_treebank, tmp_path):
    """Run a grid in a folder of its own; returns the outcome."""
    return in_folder(tiny_treebank, tmp_path)


def in_folder(treebank, folder):
    def run(settings, *options):
        (folder / "grid.toml").write_text(settings)
        paths = ("--train", treebank, "--dev", treebank, "-o", folder / "out")
        return succeed("experiment", folder / "grid.toml", *paths, *options)

    return run


def points(report):
    return [(r["learner"], r["states"], r["seed"], r["ablation"]) for r in report["results"]]


def scores(report):
    return [(r["learner"], r["states"], r["f1"], r["by_iteration"]) for r in report["results"]]


def test_a_grid_is_run_once_and_grows(finished, again, tmp_path):
    report = json.loads(finished[1].out)
    assert points(report) == [
        ("pcfg", 1, 0, ""), ("markov", 1, 0, ""), ("spectral", 2, 0, ""), ("spectral", 3, 0, ""),
        *((learner, m, seed, "") for seed in (0, 1) for learner in ("em", "cluster") for m in (2, 3)),
        ("spectral", 3, 0, "signed"), ("spectral", 3, 0, "no-scaling"),
    ]  # fmt: skip
    assert "(from before)" not in finished[1].err
    same = again(SETTINGS, "-f", "json")
    assert same.err.count("(from before)") == 14
    assert json.loads(same.out) == report
    grown = again(SETTINGS.replace("[3]", "[3, 4]"), "-f", "json")
    assert grown.err.count("(from before)") == 14
    assert set(points(json.loads(grown.out))) - set(points(report)) == {
        ("spectral", 4, 0, ""), ("spectral", 4, 0, "signed"), ("spectral", 4, 0, "no-scaling")
    }  # fmt: skip


def test_only_what_is_lost_is_done_again(finished, again, tmp_path):
    results = tmp_path / "out" / "results.jsonl"
    kept = [line for line in results.read_text().splitlines() if '"cluster"' not in line]
    results.write_text("\n".join([*kept, "{half", "[]", '{"learner": "em"}']))
    next((tmp_path / "out" / "parses").glob("markov-*")).unlink()
    outcome = again(SETTINGS, "-f", "json")
    assert outcome.err.count("(from before)") == 14 - 4 - 1
    assert scores(json.loads(outcome.out)) == scores(json.loads(finished[1].out))


def test_results_tell_scores_times_and_iterations(finished):
    report = json.loads(finished[1].out)
    assert list(report) == ["clock", "learners", "test", "ablations", "results"]
    assert (report["clock"], report["test"]) == ("cpu_seconds", [])
    for r in report["results"]:
        climbs = r["learner"] in ("em", "cluster")
        assert 0 < r["f1"] <= 100
        assert r["sentences"] == 21
        assert (r["chosen"] is not None) == climbs == (r["step"] is not None)
        if climbs:
            assert r["f1"] == pytest.approx(max(r["by_iteration"].values()))
        has_svd = ["svd"] if r["learner"] in ("spectral", "cluster") else []
        assert list(r["stages"]) == ["binarize", "features", *has_svd, "estimate"]
        assert all(0 <= spent["cpu_seconds"] < 10 for spent in r["stages"].values())
    learners = {(score["learner"], score["states"]): score for score in report["learners"]}
    assert list(learners) == [
        ("pcfg", 1), ("markov", 1), *((name, m) for name in ("spectral", "em", "cluster") for m in (2, 3))
    ]  # fmt: skip
    f1 = [r["f1"] for r in report["results"] if (r["learner"], r["states"]) == ("em", 2)]
    assert learners["em", 2]["f1"]["mean"] == pytest.approx(sum(f1) / 2)
    assert (learners["em", 2]["seeds"], len(learners["em", 2]["iterations"])) == (2, 2)
    assert learners["spectral", 2]["times_spectral"] == 1.0
    by_ablation = {r["ablation"]: r["f1"] for r in report["results"] if (r["learner"], r["states"]) == ("spectral", 3)}
    for score in report["ablations"]:
        assert (score["states"], score["against"]) == (3, "")
        assert score["difference"] == pytest.approx(by_ablation[score["ablation"]] - by_ablation[""])
        assert 0 < score["p_value"] <= 1


def test_test_trees_are_scored_for_what_dev_trees_chose(experiment, tiny_treebank, tmp_path):
    before = experiment(SMALL)
    assert "test" not in before.out
    test = tmp_path / "held-out.mrg"
    test.write_text("( (S (NP (PRP She)) (VP (VBZ sails)) (. .)) )\n( (S (NP (NNS Ships)) (VP (VBP land))) )\n")
    report = json.loads(experiment(SMALL, "--test", test, "-f", "json").out)
    best = {}
    for score in report["learners"]:
        best.setdefault(score["learner"], []).append((score["f1"]["mean"], -score["states"]))
    assert [(score["learner"], score["states"]) for score in report["test"]] == [
        (learner, -max(found)[1]) for learner, found in best.items()
    ]
    parsed = sorted((tmp_path / "out" / "parses").glob("*.test.mrg"))
    assert len(parsed) == 2  # of the four points only those that were chosen were trained again
    for score, path in zip(report["test"], reversed(parsed), strict=True):
        assert f"{score['f1']['mean']:.2f}" in succeed("eval", test, path).out
    assert "test" in experiment(SMALL, "--test", test).out


def test_sections_and_encodings_hold_for_dev_and_test_trees(experiment, tmp_path):
    for section, word in (("00", "é"), ("01", "ü"), ("02", "ö")):
        (tmp_path / "ldc" / section).mkdir(parents=True)
        (tmp_path / "ldc" / section / "a.mrg").write_bytes(f"(S (NP (NN {word})) (VP (VB b{word})))".encode("latin-1"))
    settings = SMALL.replace("[experiment]", '[experiment]\ndev_sections = "01"\ntest_sections = "02"\n')
    config = tmp_path / "grid.toml"
    config.write_text(f'{settings}\ntrain_sections = "00"\n[read]\nencoding = "latin-1"\n')
    ldc = tmp_path / "ldc"
    options = ("--train", ldc, "--dev", ldc, "--test", ldc, "-o", tmp_path / "out", "-f", "json")
    report = json.loads(succeed("experiment", config, *options).out)
    assert [score["f1"]["mean"] for score in (*report["learners"], *report["test"])] == [100.0] * 5
    # in UTF-8 with a byte order mark, so that it is read as such although the encoding is another
    assert (tmp_path / "out" / "dev.mrg").read_text("utf-8") == "\ufeff(S (NP (NN ü)) (VP (VB bü)))"


def test_a_killed_experiment_goes_on(finished, experiment, tiny_treebank, tmp_path):
    config = tmp_path / "grid.toml"
    config.write_text(SETTINGS)
    paths = ("--train", tiny_treebank, "--dev", tiny_treebank)
    command = [LPCFG, "experiment", config, *paths, "-o", tmp_path / "out"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:
            if line.startswith("spectral m=3"):
                process.send_signal(signal.SIGKILL)
                break
    assert process.returncode == -signal.SIGKILL
    rest = experiment(SETTINGS, "-f", "json")
    assert 4 <= rest.err.count("(from before)") < 14
    assert scores(json.loads(rest.out)) == scores(json.loads(finished[1].out))


def test_an_experiment_that_was_ended_within_em_goes_on_there(tiny_treebank, tmp_path, monkeypatch):
    monkeypatch.setattr(em, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(em, "CHECKPOINT_SHARE", 1e9)
    settings = load_settings(
        lexicon__rare_below=2, em__iterations=6, em__every=2, experiment__learners=("em",), experiment__states=(2,)
    )
    told = []

    def stop_at_step_three(record):
        told.append(record)
        if record.iteration == 3:
            raise KeyboardInterrupt

    def run(on_step):
        return run_experiment([tiny_treebank], [tiny_treebank], [], tmp_path / "out", settings, on_step=on_step)

    with pytest.raises(KeyboardInterrupt):
        run(stop_at_step_three)
    (result,) = run(told.append).results
    assert [record.iteration for record in told] == [0, 1, 2, 3, 3, 4, 5, 6]
    steps = [*told[:3], *told[4:]]
    needed = sum(record.spent.seconds for record in steps[: max(result.chosen, 1)])
    assert needed < result.stages["estimate"].seconds < needed + 1
    assert result.step.seconds == pytest.approx(sum(record.spent.seconds for record in steps[1:]) / 6)
    assert run(told.append).results == [result]
    assert len(told) == 8


@pytest.mark.parametrize("is_noted", [True, False])
def test_killed_before_the_parses_were_scored_a_model_counts_if_its_making_was_noted(experiment, tmp_path, is_noted):
    one = SMALL.replace('"pcfg", ', "").replace("[2, 3]", "[2]")
    first = json.loads(experiment(one, "-f", "json").out)
    (tmp_path / "out" / "results.jsonl").unlink()
    journal = tmp_path / "out" / "run" / "log.json"
    entries = json.loads(journal.read_text())
    assert [entry["stage"] for entry in entries] == ["binarize", "features", "estimate"]
    journal.write_text(json.dumps(entries if is_noted else entries[:-1]))
    again = json.loads(experiment(one, "-f", "json").out)
    assert scores(again) == scores(first)
    assert (again["results"] == first["results"]) == is_noted  # else the times are new
    assert len(json.loads(journal.read_text())) == 3


def test_tables_as_text_and_markdown(again):
    text = again(SETTINGS).out
    assert text.splitlines()[3].split() == ["learner", "m=1", "m=2", "m=3"]
    assert max(map(len, text.splitlines())) <= 80
    for title in ("by iteration of em", "by iteration of cluster", "training by stage", "one thing changed"):
        assert title in text
    rows = [line for line in again(SETTINGS, "-f", "markdown").out.splitlines() if line.startswith("| pcfg")]
    assert len(rows) == 2
    assert rows[0].endswith("|  |  |")


def test_the_plot_names_learners_and_states_and_is_the_same_every_time(again, tmp_path):
    for name in ("a.svg", "b.svg", "c.png"):
        again(SETTINGS, "--plot", tmp_path / name)
    picture = (tmp_path / "a.svg").read_text()
    for label in ("pcfg", "markov", "spectral", "em", "cluster", "CPU seconds of training (numbers at the points: m)"):
        assert f">{label}</text>" in picture
    assert (picture.count(">2</text>"), picture.count(">3</text>")) == (3, 3)
    assert (tmp_path / "b.svg").read_text() == picture
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")


def test_a_plot_that_cannot_be_drawn_is_told_before_anything_is_trained(tmp_path, tiny_treebank, monkeypatch):
    config = tmp_path / "grid.toml"
    config.write_text(SMALL)
    options = ("experiment", config, "--train", tiny_treebank, "--dev", tiny_treebank, "-o", tmp_path / "out")
    assert "expected a name that ends in one of .svg, .png, .pdf" in fail(2, *options, "--plot", "plot.jpg")
    monkeypatch.setattr(plots, "find_spec", lambda name: None)
    assert "pip install 'lpcfg-cli[plot]'" in fail(3, *options, "--plot", "plot.svg")
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_run_is_told(tmp_path, tiny_treebank):
    config = tmp_path / "grid.toml"
    paths = ("--train", tiny_treebank, "--dev", "absent", "-o", tmp_path / "out")
    for text, message in (
        ('[experiment]\nlearners = ["spectrl"]', "Did you mean spectral?"),
        ('[experiment]\nstates = ["8"]', "expected a list of numbers"),
        ("[experiment]\nstates = [0]", "at least 1"),
        ("[experiment]\nablation_states = [0]", "at least 1"),
        ("[experiment]\nseeds = [3, 1]", "2 numbers for 4 values of m; give one number"),
        ("[experiment]\nseeds = [0]", "at least 1"),
        ("[ensemble]\nmembers = 2", "an experiment compares single models"),
        ('[experiment]\nablations = ["no-scalng"]', "Did you mean no-scaling?"),
    ):
        config.write_text(text)
        assert message in fail(2, "experiment", config, *paths)
    config.write_text("")
    assert "absent: no such file" in fail(3, "experiment", config, *paths)
    assert "absent: no such file" in fail(
        3, "experiment", config, "--train", tiny_treebank, "--dev", tiny_treebank, "--test", "absent", "-o", tmp_path
    )
