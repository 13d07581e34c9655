"""Cross-validation from the command line: every tree once, never parsed by a model that saw it."""

from __future__ import annotations

import json

import pytest
from command_line import fail, succeed

from lpcfg_cli.config import load_settings
from lpcfg_cli.experiments import cross_validation
from lpcfg_cli.treebank.brackets import bracket_strings, treebank_from_text
from lpcfg_cli.treebank.clean import with_named_roots


@pytest.fixture
def crossval(tiny_treebank, small_settings, tmp_path):
    def run(*options):
        files = ("-o", tmp_path / "parsed.mrg", "--gold", tmp_path / "gold.mrg")
        outcome = succeed("crossval", tiny_treebank, *files, "-c", small_settings, "--json", *options)
        return json.loads(outcome.out), outcome.err

    return run


def words(path):
    trees = treebank_from_text(path.read_text())
    return [[word for word, tag in sentence if tag != "-NONE-"] for sentence in trees.tagged_sentences()]


def test_every_tree_is_parsed_once_in_order(crossval, tmp_path, tiny_treebank):
    found, err = crossval("--folds", "3")
    assert words(tmp_path / "parsed.mrg") == words(tmp_path / "gold.mrg")
    evaluated = json.loads(succeed("eval", tmp_path / "gold.mrg", tmp_path / "parsed.mrg", "--json").out)
    assert found["f1"] == pytest.approx(evaluated["all"]["f1"])
    assert err.count("fold ") == 3
    everything = words(tmp_path / "gold.mrg")
    again, _ = crossval("--folds", "3", "--only", "1")
    assert (found["folds"], again["folds"]) == (3, 1)
    first = len(everything) // 3 + (len(everything) % 3 > 0)
    assert words(tmp_path / "gold.mrg") == everything[first : first + len(words(tmp_path / "parsed.mrg"))]
    assert len(words(tmp_path / "parsed.mrg")) < len(everything)


def test_raw_words_are_parsed_without_their_tags(crossval, tmp_path):
    crossval("--folds", "3", "--raw")
    assert words(tmp_path / "parsed.mrg") == words(tmp_path / "gold.mrg")
    raw = (tmp_path / "parsed.mrg").read_text()
    crossval("--folds", "3")
    assert raw != (tmp_path / "parsed.mrg").read_text()
    evaluated = json.loads(succeed("eval", tmp_path / "gold.mrg", tmp_path / "parsed.mrg", "--json").out)
    assert evaluated["all"]["tagging_accuracy"] == 100


def test_no_model_sees_what_it_parses(monkeypatch, tmp_path, tiny_treebank, small_settings):
    seen = []

    def record(context):
        seen.append(context.roots[0].read_text().splitlines())
        return trained(context)

    trained = cross_validation.train_model
    monkeypatch.setattr(cross_validation, "train_model", record)
    parts = list(cross_validation.cross_validate([tiny_treebank], tmp_path / "work", load_settings(small_settings), 3))
    everything = [line for part in parts for line in part.gold]
    for part, training in zip(parts, seen, strict=True):
        assert sorted([*training, *part.gold]) == sorted(everything)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--folds", "100000"), "expected a number from 2 to that of the trees"),
        (("--folds", "3", "--only", "3"), "expected numbers from 0 to 2"),
        (("--only", "x"), "expected numbers such as 0,5"),
    ],
)
def test_wrong_folds_are_refused(tmp_path, tiny_treebank, options, message):
    err = fail(2, "crossval", tiny_treebank, "-o", tmp_path / "p", "--gold", tmp_path / "g", *options)
    assert message in " ".join(err.split())


def test_unlabelled_outer_brackets_cost_nothing():
    trees = treebank_from_text("( (S (NP (PRP It)) (VP (VBD burned))))\n(S (NP (PRP We)) (VP (VBD slept)))\n")
    lines = list(bracket_strings(with_named_roots(trees)))
    assert lines == ["(TOP (S (NP (PRP It)) (VP (VBD burned))))", "(S (NP (PRP We)) (VP (VBD slept)))"]
