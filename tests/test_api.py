"""The Python API: the ten lines of the README, what it accepts, and that it gives what the command line gives."""

from __future__ import annotations

import doctest
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import succeed
from nltk.tree import Tree

import lpcfg_cli as lpcfg
from lpcfg_cli import api
from lpcfg_cli.errors import ConfigError, InputError

WORDS = ["The", "keeper", "lit", "the", "lamp", "."]
TAGGED = list(zip(WORDS, ["DT", "NN", "VBD", "DT", "NN", "."], strict=True))


@pytest.fixture(scope="module")
def model(trained):
    """The model of the tiny treebank."""
    return lpcfg.load(trained)


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(api).attempted > 5
    assert doctest.testmod(api).failed == 0


def test_a_parse_has_words_tags_tree_and_probability(model):
    parse = model.parse(TAGGED)
    assert str(parse) == "(TOP (S (NP (DT The) (NN keeper)) (VP (VBD lit) (NP (DT the) (NN lamp))) (. .)))"
    assert (parse.words, parse.tags, parse.status) == (WORDS, [tag for _, tag in TAGGED], "parsed")
    assert parse.tree == Tree.fromstring(str(parse))
    assert -60 < parse.logprob < 0 and not parse.is_negative


def test_text_words_and_pairs_with_some_tags_are_sentences(model):
    by_text, by_words = model.parse("The keeper lit the lamp."), model.parse(WORDS)
    assert str(by_text) == str(by_words) == str(model.parse(TAGGED))
    some = model.parse([*WORDS[:1], ("keeper", "VBD"), *((word, None) for word in WORDS[2:])])
    assert some.tags[1] == "VBD" and some.words == WORDS


def test_brackets_in_words_are_words(model):
    parse = model.parse([("(", "-LRB-"), ("lamp", "NN"), (")", "-RRB-")])
    assert parse.tree.leaves() == parse.words == ["(", "lamp", ")"]
    assert "-LRB-" in str(parse)


@pytest.mark.parametrize(("asked", "lacks"), [({"span_weight": 0.5}, "span model"), ({"rerank": True}, "reranker")])
def test_what_the_model_does_not_have_cannot_be_asked_for(trained, asked, lacks):
    with pytest.raises(InputError, match=f"has no {lacks} for this decoder.*Train with --"):
        lpcfg.load(trained, **asked)
    off = {name: type(value)(0) for name, value in asked.items()}
    assert lpcfg.load(trained, **off).parse(TAGGED).status == "parsed"


def test_an_empty_sentence_has_an_empty_tree(model):
    parse = model.parse([])
    assert (str(parse), parse.status, parse.words, len(parse.tree)) == ("(())", "empty", [], 0)
    assert math.isnan(parse.logprob)
    assert [ranked.text for ranked in parse.nbest(2)] == ["(())"]


def test_the_best_trees_differ_and_the_first_is_the_tree(model):
    parse = model.parse(TAGGED)
    ranked = parse.nbest(4)
    assert ranked[0].text == str(parse) and ranked[0].tree == parse.tree
    assert len({one.text for one in ranked}) == len(ranked) > 1
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
    with pytest.raises(ValueError, match="expected at least 1"):
        parse.nbest(0)


@pytest.mark.parametrize("jobs", [1, 2])
def test_many_sentences_come_in_order_whatever_the_jobs(model, jobs):
    sentences = [TAGGED, WORDS[:2], "The lamp burned."] * 7
    expected = [str(model.parse(sentence)) for sentence in sentences]
    assert [str(parse) for parse in model.parse_all(iter(sentences), jobs=jobs)] == expected


def test_running_text_is_cut_into_sentences(model):
    parses = list(model.parse_text("The keeper slept. The lamp burned."))
    assert [parse.words for parse in parses] == [["The", "keeper", "slept", "."], ["The", "lamp", "burned", "."]]


def test_settings_of_parsing_can_be_changed(trained):
    assert lpcfg.load(trained, decoder="max-rule").parser.settings.decoder == "max-rule"
    with pytest.raises(ConfigError, match="Did you mean max-rule"):
        lpcfg.load(str(trained), decoder="maxrule")
    with pytest.raises(ConfigError, match=r"Did you mean parse\.threshold"):
        lpcfg.load(trained, treshold=0.1)


def test_training_gives_the_bytes_of_the_command_line(trained, tiny_treebank, small_settings, tmp_path):
    kept = lpcfg.train(tiny_treebank, small_settings, run=tmp_path / "run")
    passing = lpcfg.train([tiny_treebank / "a.mrg", str(tiny_treebank / "b.mrg")], small_settings)
    passing.save(tmp_path / "copy.npz")
    expected = (trained / "model.lpcfg.npz").read_bytes()
    assert (tmp_path / "run" / "model.lpcfg.npz").read_bytes() == expected
    assert (tmp_path / "copy.npz").read_bytes() == expected
    assert str(lpcfg.load(tmp_path / "copy.npz").parse(WORDS)) == str(kept.parse(WORDS))


def test_trees_can_be_given_themselves():
    trees = lpcfg.synth(60, seed=3)
    assert trees == lpcfg.synth(60, seed=3) != lpcfg.synth(60, seed=4)
    lines = [tree.pformat(margin=10**6) for tree in trees]
    models = [lpcfg.train(given, svd__states=2, tagger__epochs=0) for given in (trees, lines)]
    assert models[0].path.read_bytes() == models[1].path.read_bytes()
    with pytest.raises(InputError, match="has no tagger"):
        models[0].parse("The dog slept.")


def test_words_that_a_tree_cannot_hold_are_escaped_for_training(tmp_path):
    trees = [Tree("S", [Tree("-LRB-", ["("]), Tree("NN", ["a\\"]), Tree("-RRB-", [")"])])] * 3
    model = lpcfg.train(trees, run=tmp_path / "run", tagger__epochs=0, lexicon__rare_below=1)
    assert model.parse([("-LRB-", "-LRB-"), ("a\\", "NN"), ("-RRB-", "-RRB-")]).tree.leaves()[1] == "a\\"


def test_evaluation_takes_files_trees_and_parses(model, tiny_treebank, tmp_path):
    gold = lpcfg.read_trees(tiny_treebank / "a.mrg")
    sentences = [[(word, tag) for word, tag in tree.pos() if tag != "-NONE-"] for tree in gold]
    report = lpcfg.evaluate(gold, model.parse_all(sentences))
    (tmp_path / "gold.mrg").write_text("".join(f"{' '.join(str(tree).split())}\n" for tree in gold))
    (tmp_path / "parsed.mrg").write_text("".join(f"{parse}\n" for parse in model.parse_all(sentences)))
    told = json.loads(succeed("eval", tmp_path / "gold.mrg", tmp_path / "parsed.mrg", "--json").out)
    assert report.f1 == told["all"]["f1"] == lpcfg.evaluate(tmp_path / "gold.mrg", tmp_path / "parsed.mrg").f1
    assert 50 < report.f1 < 100
    assert lpcfg.evaluate(gold, gold).f1 == 100


def test_trees_are_read_as_they_stand(tiny_treebank):
    trees = lpcfg.read_trees([tiny_treebank / "a.mrg", tiny_treebank / "b.mrg"])
    assert trees == lpcfg.read_trees(str(tiny_treebank))
    assert any(tag == "-NONE-" for tree in trees for _, tag in tree.pos())


def test_nothing_to_learn_from_is_an_error():
    with pytest.raises(InputError, match="no trees were given"):
        lpcfg.train([])
    with pytest.raises(InputError, match="no such file or directory"):
        lpcfg.train("absent")


def test_the_package_imports_nothing_until_it_is_used_and_knows_its_names():
    code = "import sys, lpcfg_cli; print(sorted(set(sys.modules) & {'numpy', 'numba', 'click'}), dir(lpcfg_cli))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("[] [")
    assert all(repr(name) in done.stdout for name in lpcfg.__all__)
    with pytest.raises(AttributeError, match="no attribute 'pars'"):
        lpcfg.pars  # noqa: B018


def test_the_module_can_be_run(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "lpcfg_cli", "--version"], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout == f"lpcfg, version {lpcfg.__version__}\n"


def test_types_are_told():
    assert (Path(lpcfg.__file__).parent / "py.typed").is_file()


def test_trees_are_converted_as_the_command_does(tiny_treebank):
    for form in ("brackets", "export", "conllu"):
        assert lpcfg.convert(tiny_treebank, to=form) == succeed("convert", tiny_treebank, "--to", form).out
    options = ("--binarize", "--horizontal", 1, "--clean")
    found = lpcfg.convert(tiny_treebank, clean=True, binarize=True, binarize__horizontal=1)
    assert found == succeed("convert", tiny_treebank, *options).out
    assert lpcfg.convert(lpcfg.read_trees(tiny_treebank)) == succeed("convert", tiny_treebank).out
    with pytest.raises(ConfigError, match="expected one of auto, brackets"):
        lpcfg.convert(tiny_treebank, to="xml")


def test_one_tree_or_several_are_taken_in_every_form(model):
    parse, line = model.parse(TAGGED), str(model.parse(TAGGED))
    for one in (line, parse.tree, parse, parse.best, [line], [parse.tree], iter([parse])):
        assert lpcfg.convert(one) == f"{line}\n"
    assert lpcfg.convert([line, parse.tree, parse]) == f"{line}\n" * 3


def test_patterns_are_found_as_the_command_finds_them(tiny_treebank):
    pytest.importorskip("pyparsing")
    expected = json.loads(succeed("grep", "NP < DT", tiny_treebank, "--json").out)["matches"]
    found = lpcfg.grep("NP < DT", tiny_treebank)
    assert [(one.place, one.text, one.words) for one in found] == [
        (one["place"], one["text"], one["words"]) for one in expected
    ]
    trees = lpcfg.read_trees(tiny_treebank)
    given = lpcfg.grep("NP < DT", trees)
    assert [one.text for one in given] == [one.text for one in found] and given[0].place.startswith("<trees>:")
    whole, rest = (lpcfg.grep("NP < DT", trees, **{name: True}) for name in ("whole", "invert"))
    assert len(whole) + len(rest) == len(trees) > len(whole) > 0
    with pytest.raises(ConfigError, match="no tree pattern"):
        lpcfg.grep("NP < (", trees)


def test_trees_are_drawn_as_the_command_does(model, tiny_treebank):
    for form in ("text", "svg", "latex"):
        outcome = succeed("draw", tiny_treebank, "--to", form, "--width", 60)
        assert lpcfg.draw(tiny_treebank, form, width=60) == outcome.out
    parse = model.parse(TAGGED)
    assert lpcfg.draw(parse) == lpcfg.draw(parse.tree) == lpcfg.draw(str(parse))
    ranked = model.parse(TAGGED).nbest(3)[-1]
    assert min(bracket.posterior for bracket in ranked.brackets) < 0.99
    assert "%" in lpcfg.draw(ranked) and "%" not in lpcfg.draw(ranked.text)
    with pytest.raises(ConfigError, match="expected one of text, svg, png, latex"):
        lpcfg.draw(parse, "gif")
