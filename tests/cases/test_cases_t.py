"""T: training and numbers."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import numpy as np
import pytest
from case_runs import Run, labels_of
from command_line import run_here, run_installed, succeed
from oracles import read_trees

from lpcfg_cli.config import ParseSettings
from lpcfg_cli.grammar.archive import load_model
from lpcfg_cli.parsing.parser import Parser


def assert_finite(run):
    _, grammar = load_model(run.folder)
    for part in (grammar.binary, grammar.unary, grammar.lexical):
        assert np.isfinite(part.values).all()
        assert np.isfinite(part.probability).all()
    assert np.isfinite(grammar.root_vector).all()


def log_probabilities(run, text):
    parser = Parser(load_model(run.folder)[1], ParseSettings())
    sentences = [[tuple(token.rsplit("/", 1)) for token in line.split()] for line in text.splitlines()]
    return np.array([parser.parse(sentence).log_probability for sentence in sentences])


def test_t01_a_treebank_of_one_tree(train, parse, case):
    run = train("T01")
    assert run.outcome.code == 0
    assert parse("T01", "T01").out == f"(TOP {run.trees[0]})\n"
    assert np.isfinite(log_probabilities(run, case("T01", "tagged.txt").read_text())).all()
    assert "have fewer than 16 states: their examples or rank allow no more" in run.message
    assert_finite(run)


def test_t02_no_trees_found(train, case, tmp_path):
    run = train("T02")
    assert run.outcome.code == 3
    assert "no trees found in" in run.message
    assert "T02/train (looked for *.mrg, " in run.message
    assert not run.has_model
    absent = run_here("train", case("T02") / "absent", "-o", tmp_path / "run")
    assert absent.code == 3
    assert "absent: no such file or directory" in absent.err
    assert not (tmp_path / "run").exists()


def test_t03_a_category_that_occurs_once(train, parse):
    run = train("T03", "-m", "8")
    assert run.outcome.code == 0
    (line,) = parse("T03", "T03", train_options=("-m", "8")).out.splitlines()
    assert "WHADVP" in labels_of(line)
    assert_finite(run)


def test_t05_more_states_than_the_data_can_carry(train, parse):
    run = train("T05", "-m", "500")
    assert run.outcome.code == 0
    assert run.message.count("have fewer than 500 states") == 1
    assert parse("T05", "T05", train_options=("-m", "500")).out.count("(TOP ") == 1
    assert_finite(run)


def run_under(case, folder, name, **environment):
    """Model, parses and scores of one training in a process of its own."""
    succeed("train", case("_base", "train"), "-o", folder, "--seed", 3, run=run_installed, **environment)
    tagged = case(name, "tagged.txt")
    parses = succeed("parse", folder, tagged, run=run_installed, **environment).out
    return parses, log_probabilities(Run(None, folder), tagged.read_text())


def test_t06_the_hash_seed_changes_nothing(case, tmp_path):
    first, second = (run_under(case, tmp_path / seed, "T06", PYTHONHASHSEED=seed) for seed in ("1", "2"))
    assert first[0] == second[0]
    np.testing.assert_allclose(first[1], second[1], rtol=1e-9)


def test_t07_threads_change_nothing_that_matters(case, tmp_path):
    first, second = (
        run_under(case, tmp_path / n, "T07", OMP_NUM_THREADS=n, OPENBLAS_NUM_THREADS=n) for n in ("1", "4")
    )
    assert first[0] == second[0]
    np.testing.assert_allclose(first[1], second[1], rtol=1e-6)


def test_t11_one_of_the_files_is_empty(train):
    run = train("T11")
    assert run.outcome.code == 0
    assert len(run.trees) == 4
    assert run.message.count("b.mrg") == run.message.count("T11/train/b.mrg") == 1
    assert "warning: no trees in " in run.message.split("T11/train/b.mrg")[0]


@pytest.mark.parametrize("name", ["T01", "T03", "T05", "R05"])
@pytest.mark.parametrize(
    "options", [("--templates", "constant"), ("--no-smooth",), ("-m", "1"), ("--unaries", "collapse")]
)
def test_small_treebanks_train_with_any_settings(train, case, name, options):
    run = train(name, *options)
    assert run.outcome.code == 0
    assert_finite(run)
    text = "the/DT baker/NN slept/VBD ./."
    (line,) = succeed("parse", run.folder, stdin=text).out.splitlines()
    assert len(read_trees(line)) == 1


def test_t09_em_on_long_sentences(train):
    """Every log-likelihood is finite, and no step lowers it by more than 1e-6 of its absolute value."""
    options = ("--learner", "em", "-m", "4", "--iterations", "12", "--json")
    steps = json.loads(train("T09", *options).outcome.out)["estimate"]["em"]
    assert len(steps) == 13
    likelihoods = [step["log_likelihood"] for step in steps]
    assert all(map(math.isfinite, likelihoods))
    assert all(after >= before - 1e-6 * abs(before) for before, after in pairwise(likelihoods))
    assert likelihoods[-1] > likelihoods[0]
