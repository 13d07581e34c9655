"""Every learner from the command line: a model that parses, stages it needs and no others, kill and resume."""

from __future__ import annotations

import itertools
import json
import shutil
import signal
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from command_line import LPCFG, fail, succeed

from lpcfg_cli.config import EstimateSettings, load_settings
from lpcfg_cli.em import run as em
from lpcfg_cli.execution import stopwatch
from lpcfg_cli.execution.stopwatch import Spent
from lpcfg_cli.grammar.archive import load_model
from lpcfg_cli.learning import dev_scores
from lpcfg_cli.learning.em_steps import step_settings
from lpcfg_cli.learning.learner import LearningContext
from lpcfg_cli.learning.learners import LEARNERS, learn
from lpcfg_cli.stages.chain import run_alone
from lpcfg_cli.stages.estimate import ESTIMATION, load_training_data
from lpcfg_cli.stages.stage import StageContext


@pytest.fixture
def train(tiny_treebank, small_settings, tmp_path):
    """Train into a directory of this test; returns the JSON report."""

    def run(*options, into="run"):
        outcome = succeed("train", tiny_treebank, "-o", tmp_path / into, "-c", small_settings, "--json", *options)
        return json.loads(outcome.out), outcome.err

    return run


def estimate(run, settings, **context):
    """The stage by itself."""
    return run_alone(ESTIMATION, StageContext(run, settings, **context))


def model_bytes(run):
    return (run / "model.lpcfg.npz").read_bytes()


@pytest.mark.parametrize("learner", ["em", "cluster", "pivot", "pivot+em", "pcfg", "markov"])
def test_a_learner_makes_a_model_that_parses(train, tmp_path, learner):
    report, _ = train("--learner", learner)
    assert ("svd" in report) == (learner in {"cluster", "pivot", "pivot+em"})
    assert report["estimate"]["learner"] == learner
    _, grammar = load_model(tmp_path / "run")
    assert grammar.n_states.max() == (1 if learner in {"pcfg", "markov"} else 4)
    assert any(symbol.ancestors for symbol in grammar.symbols) == (learner == "markov")
    outcome = succeed("parse", tmp_path / "run", stdin="The/DT keeper/NN woke/VBD ./.\n")
    assert outcome.out.startswith("(")
    assert "negative totals: 0" in outcome.err
    again, _ = train("--learner", learner)
    assert not any(again.values())


def test_em_climbs_and_tells_each_step(train, tmp_path):
    report, err = train("--learner", "em", "--iterations", "6")
    records = report["estimate"]["em"]
    assert [record["iteration"] for record in records] == list(range(7))
    assert all(b["bound"] >= a["bound"] for a, b in itertools.pairwise(records))
    assert report["estimate"]["chosen"] == 6
    assert err.count("em: step") == 7
    journal = json.loads((tmp_path / "run" / "log.json").read_text())
    assert journal[-1]["learner"] == "em"
    assert journal[-1]["em"] == records


def test_a_dev_treebank_chooses_the_iteration(train, tiny_treebank, tmp_path):
    dev = shutil.copytree(tiny_treebank, tmp_path / "dev")
    options = ("--learner", "em", "--iterations", "12", "--dev", dev)
    report, err = train(*options)
    scores = {r["iteration"]: r["dev_score"] for r in report["estimate"]["em"] if r["dev_score"] is not None}
    assert list(scores) == [0, 5, 10, 12]
    assert scores[report["estimate"]["chosen"]] == max(scores.values())
    assert f"parameters of step {report['estimate']['chosen']} of EM" in err
    assert {path.name for path in (tmp_path / "run").iterdir()} == {
        "features.npz", "log.json", "model.lpcfg.npz", "settings.json", "symbols.json", "tagger.npz", "trees.bin.mrg",
    }  # fmt: skip
    assert train(*options)[0]["estimate"] is None
    with open(dev / "b.mrg", "a") as file:
        file.write("(S (NP (PRP It)) (VP (VBD burned)))\n")
    assert train(*options)[0]["estimate"] is not None


def test_a_model_is_made_again_when_a_setting_of_its_learner_changes_and_only_then(train):
    train("--learner", "em", "--iterations", "3")
    assert train("--learner", "em", "--iterations", "3", "--decoder", "expected-f1")[0]["estimate"] is None
    assert train("--learner", "em", "--iterations", "4")[0]["estimate"] is not None
    assert train("--learner", "em", "--iterations", "4", "-m", "3")[0]["estimate"] is not None
    assert train("--learner", "cluster", "--iterations", "4")[0]["estimate"] is not None
    assert train("--learner", "cluster", "--iterations", "3")[0]["estimate"] is None
    assert train("--learner", "pcfg", "--iterations", "4")[0]["estimate"] is not None
    assert train("--learner", "pcfg", "--iterations", "5", "-m", "2")[0]["estimate"] is None


@pytest.mark.parametrize("learner", ["em", "cluster", "pivot+em"])
def test_jobs_and_a_second_run_change_no_byte(train, tmp_path, learner):
    train("--learner", learner, "--iterations", "4", into="one")
    train("--learner", learner, "--iterations", "4", "--jobs", "2", into="two")
    assert model_bytes(tmp_path / "one") == model_bytes(tmp_path / "two")


@pytest.mark.parametrize("with_dev", [False, True])
def test_interrupted_em_goes_on_at_the_iteration_it_had_reached(train, tiny_treebank, tmp_path, monkeypatch, with_dev):
    dev = str(tiny_treebank) if with_dev else ""
    train("--learner", "em", "--iterations", "8", "--dev", dev, into="whole")
    train("--learner", "em", "--iterations", "0")
    monkeypatch.setattr(em, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(em, "CHECKPOINT_SHARE", 1e9)
    settings = eight_steps(dev)
    told = []

    def stop_at_step_five(record):
        told.append(record)
        if record.iteration == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        estimate(tmp_path / "run", settings, on_step=stop_at_step_five)
    assert (tmp_path / "run" / "em.npz").exists()
    report = estimate(tmp_path / "run", settings, on_step=told.append)
    assert [record.iteration for record in told] == [0, 1, 2, 3, 4, 5, 5, 6, 7, 8]
    assert report.em == [*told[:5], *told[6:]]  # with the time that was spent before the interrupt
    assert [record.iteration for record in report.em] == list(range(9))
    assert model_bytes(tmp_path / "run") == model_bytes(tmp_path / "whole")
    assert not (tmp_path / "run" / "em.npz").exists()


def eight_steps(dev="", learner="em"):
    """The settings of the tests with eight steps of EM."""
    settings = load_settings(None, seed=5, svd__states=4, lexicon__rare_below=2, em__iterations=8, em__dev=dev)
    settings = replace(settings, estimate=EstimateSettings(learner=learner))
    return settings if learner == "em" else replace(settings, em=replace(settings.em, refine=8, tolerance=0.0))


def mixing(settings, rules, words):
    """Other settings of how states are mixed."""
    return replace(settings, em=replace(settings.em, mix_rules=rules, mix_words=words))


def test_models_and_those_that_a_dev_treebank_scores_have_mixed_states(train, tiny_treebank, tmp_path, monkeypatch):
    train("--learner", "pivot+em")
    looked_at, parse_all = [], dev_scores.parse_all
    monkeypatch.setattr(dev_scores, "parse_all", lambda *given: looked_at.append(given[0]) or parse_all(*given))
    for learner in ("em", "cluster", "pivot", "pivot+em"):
        estimate(tmp_path / "run", mixing(eight_steps(str(tiny_treebank), learner), 1.0, 1.0))
        grammar = load_model(tmp_path / "run")[1]
        assert grammar.n_states.max() > 1
        for model in (*looked_at, grammar):
            tensors = [model.binary.tensor(rule, model.n_states) for rule in range(len(model.binary))]
            assert all((tensor == tensor[0]).all() for tensor in tensors)
            assert all(len(set(one.tolist())) == 1 for one in np.split(model.lexical.values, model.lexical.start[1:-1]))
        assert bool(looked_at) == (learner != "pivot")
        looked_at.clear()


@pytest.mark.parametrize("learner", ["em", "cluster", "pivot", "pivot+em", "pcfg", "markov", "spectral"])
def test_mixing_makes_a_model_stale_but_no_checkpoint(learner, tmp_path):
    plain = eight_steps(learner=learner)
    mixed = mixing(plain, 0.1, 0.2)
    is_mixed = learner not in {"pcfg", "markov", "spectral"}
    own = LEARNERS[learner]
    assert (own.shaping(plain) != own.shaping(mixed)) == is_mixed
    if own.takes_em_steps:
        assert step_settings(own, plain) == step_settings(own, mixed)
        (tmp_path / "dev.mrg").write_text("(X (A a))")
        plain, mixed = (replace(s, em=replace(s.em, dev=str(tmp_path / "dev.mrg"))) for s in (plain, mixed))
        assert step_settings(own, plain) != step_settings(own, mixed)  # other scores choose the step


def test_interrupted_pivot_em_goes_on_at_the_iteration_it_had_reached(train, tmp_path, monkeypatch):
    train("--learner", "pivot+em")
    whole = shutil.copytree(tmp_path / "run", tmp_path / "whole")
    settings = eight_steps(learner="pivot+em")
    estimate(whole, settings)
    monkeypatch.setattr(em, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(em, "CHECKPOINT_SHARE", 1e9)
    told = []

    def stop_at_step_five(record):
        told.append(record.iteration)
        if record.iteration == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        estimate(tmp_path / "run", settings, on_step=stop_at_step_five)
    estimate(tmp_path / "run", settings, on_step=lambda record: told.append(record.iteration))
    assert told == [0, 1, 2, 3, 4, 5, 5, 6, 7, 8]
    assert model_bytes(tmp_path / "run") == model_bytes(whole)


def test_training_time_is_that_of_preparation_steps_and_mixing(train, tmp_path, monkeypatch):
    """With a clock that ticks whenever it is looked at: one second each, and one for each step before the chosen."""
    train("--learner", "em", "--iterations", "0")
    data, ticks = load_training_data(tmp_path / "run", LEARNERS["em"]), itertools.count()
    monkeypatch.setattr(stopwatch, "_now", lambda: Spent(now := next(ticks), 10 * now))
    learnt = learn(data, eight_steps(), LearningContext())
    assert learnt.chosen == 8
    assert [record.spent for record in learnt.records] == [Spent(1, 10)] * 9
    assert learnt.training == Spent(1 + 8 + 1, 100)


def test_a_damaged_checkpoint_is_not_used(train, tmp_path):
    train("--learner", "em", "--iterations", "8", into="whole")
    train("--learner", "em", "--iterations", "0")
    (tmp_path / "run" / "em.npz").write_bytes(b"PK\x03\x04 half")
    estimate(tmp_path / "run", eight_steps())
    assert model_bytes(tmp_path / "run") == model_bytes(tmp_path / "whole")


@pytest.mark.parametrize("learner", ["em", "pivot+em"])
def test_killed_em_ends_the_same(train, tiny_treebank, small_settings, tmp_path, learner):
    many = tmp_path / "many.toml"
    many.write_text(f"{small_settings.read_text()}[em]\niterations = 300\nrefine = 300\ntolerance = 0.0\n")
    options = ["-c", many, "--learner", learner]
    train(*options, into="whole")
    with subprocess.Popen(
        [LPCFG, "train", tiny_treebank, "-o", tmp_path / "run", *options], stderr=subprocess.PIPE, text=True
    ) as process:
        for line in process.stderr:
            if "step 3" in line:
                process.send_signal(signal.SIGKILL)
                break
    assert process.returncode == -signal.SIGKILL
    train(*options)
    assert model_bytes(tmp_path / "run") == model_bytes(tmp_path / "whole")


def test_what_a_learner_cannot_use_is_told(trained, tmp_path):
    run = shutil.copytree(trained, tmp_path / "run")
    assert "--vertical 2 --horizontal 1" in fail(2, "estimate", run, "--learner", "markov")
    assert "Did you mean spectral?" in fail(2, "estimate", run, "--learner", "spectrl")
    assert "absent: no such file" in fail(3, "estimate", run, "--learner", "em", "--dev", "absent")
    assert "-m is not for the learner spectral here. Run `lpcfg svd" in fail(2, "estimate", run, "-m", 3)
    (run / "projections.npz").unlink()
    assert "Run `lpcfg svd`" in fail(3, "estimate", run, "--learner", "cluster")
