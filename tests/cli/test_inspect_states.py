"""``lpcfg inspect --states``: as text, JSON and a page, for learners of both kinds."""

from __future__ import annotations

import json
import shutil

import pytest
from command_line import fail, succeed


@pytest.fixture(scope="module")
def em_run(tmp_path_factory, tiny_treebank, small_settings):
    run = tmp_path_factory.mktemp("em") / "run"
    succeed("train", tiny_treebank, "-o", run, "-c", small_settings, "--learner", "em", "--no-tagger")
    return run


def test_states_of_probabilities_share_the_nodes(em_run):
    report = json.loads(succeed("inspect", em_run, "--states", "NP", "--json").out)
    assert report["is_probabilistic"] and sum(state["share"] for state in report["states"]) == pytest.approx(1)
    shares = [state["share"] for state in report["states"]]
    assert shares == sorted(shares, reverse=True)
    text = succeed("inspect", em_run, "--states", "NP").out
    assert text.startswith(f"NP: {report['nodes']} nodes, learner em.") and max(map(len, text.splitlines())) <= 80


def test_spectral_models_have_two_ends_of_each_dimension(trained):
    report = json.loads(succeed("inspect", trained, "--states", "NP", "--json", "--most", 2).out)
    assert not report["is_probabilistic"]
    names = [state["name"] for state in report["states"]]
    assert names[:2] == ["0+", "0-"] and len(names) % 2 == 0
    assert all(len(state["words"]) <= 2 for state in report["states"])


def test_the_page_shows_every_state_and_refers_to_nothing(trained, tmp_path):
    outcome = succeed("inspect", trained, "--states", "NP", "--html", tmp_path / "p.html")
    text = (tmp_path / "p.html").read_text("utf-8")
    assert outcome.err == f"wrote {tmp_path / 'p.html'}\n"
    assert text.count("<section ") == outcome.out.count("\nNP ") and "http" not in text and "<script" not in text
    assert "prefers-color-scheme: dark" in text


def test_what_cannot_be_shown_is_told(trained, tmp_path):
    assert "no nonterminal 'NQ'. Did you mean" in fail(2, "inspect", trained, "--states", "NQ")
    shutil.copy(trained / "model.lpcfg.npz", tmp_path)
    assert "Name the run directory" in fail(3, "inspect", tmp_path / "model.lpcfg.npz", "--states", "NP")
    assert "name one with --states" in fail(2, "inspect", trained, "--html", tmp_path / "p.html")
