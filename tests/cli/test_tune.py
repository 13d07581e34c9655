"""Choosing settings on held-out trees."""

from __future__ import annotations

import re

import pytest
from command_line import fail, succeed

from lpcfg_cli.config import load_settings
from lpcfg_cli.experiments import tune
from lpcfg_cli.experiments.cross_validation import cross_validate, score_folds
from lpcfg_cli.grammar.archive import load_model

TRIED = """
[tune]
folds = 3
only = [0]
vary = [{ lexicon.rare_below = 1 }, { lexicon.rare_below = 4, parse.decoder = "signed" }, { lexicon.rare_below = 2 }]
"""


@pytest.fixture
def config(small_settings, tmp_path):
    path = tmp_path / "tried.toml"
    path.write_text(small_settings.read_text() + TRIED)
    return path


def test_the_best_settings_are_those_of_the_model(tiny_treebank, config, tmp_path):
    outcome = succeed("train", tiny_treebank, "-o", tmp_path / "run", "-c", config, "--tune")
    told = re.findall(r"tune: F1 ([0-9.]+) with lexicon.rare_below = (\d)", outcome.err)
    assert [int(rare) for _, rare in told] == [1, 4, 2]
    best = max(told, key=lambda pair: float(pair[0]))  # the first of equals
    header, grammar = load_model(tmp_path / "run")
    assert grammar.lexicon.settings.rare_below == int(best[1])
    assert header.settings["parse"]["decoder"] == ("signed" if best[1] == "4" else "expected-f1")


def test_scores_are_those_of_held_out_trees(tiny_treebank, config, tmp_path):
    settings = load_settings(config)
    chosen, trials = tune.tune([tiny_treebank], settings)
    assert chosen in [tune.tuned_settings(settings, trial.entry) for trial in trials]
    (fold,) = cross_validate([tiny_treebank], tmp_path, tune.tuned_settings(settings, trials[2].entry), 3, [0])
    assert trials[2].f1 == score_folds([fold], tmp_path).f1


def test_what_is_no_setting_is_refused_before_anything_is_trained(tiny_treebank, small_settings, tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text(small_settings.read_text() + "[tune]\nvary = [{ lexicon.rare = 1 }]\n")
    err = fail(2, "train", tiny_treebank, "-o", tmp_path / "run", "-c", path, "--tune")
    assert "tune.vary: unknown setting lexicon.rare" in err
    path.write_text("[tune]\nvary = []\n")
    assert "nothing to choose from" in fail(2, "train", tiny_treebank, "-o", tmp_path / "run", "-c", path)
