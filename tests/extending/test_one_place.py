"""One place a kind: a toy of each kind is one file, one line puts it into its table, and the commands know it."""

from __future__ import annotations

import ast
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import toy_decoder
import toy_learner
import toy_sentences
import toy_stage
import toy_template
import toy_trees
from command_line import fail, run_here, succeed
from oracles import leaves, read_trees
from tiny_trees import TINY_TREES

from lpcfg_cli.features.templates import TEMPLATES
from lpcfg_cli.grammar.archive import load_model
from lpcfg_cli.learning.learners import LEARNERS
from lpcfg_cli.parsing.decoders import DECODERS
from lpcfg_cli.stages.chain import STAGES
from lpcfg_cli.tagging.sentences import SENTENCE_FORMATS
from lpcfg_cli.treebank.archive import load_binary_trees
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.formats import TREE_FORMATS

SENTENCE = "The/DT keeper/NN lit/VBD the/DT lamp/NN ./.\n"


@pytest.fixture
def stage():
    yield STAGES.add(toy_stage.TOY)
    STAGES.remove("tally")


@pytest.fixture
def learner():
    yield LEARNERS.add(toy_learner.TOY)
    LEARNERS.remove("toy")


@pytest.fixture
def decoder():
    yield DECODERS.add(toy_decoder.TOY)
    DECODERS.remove("toy")


@pytest.fixture
def sentence_format():
    yield SENTENCE_FORMATS.add(toy_sentences.TOY)
    SENTENCE_FORMATS.remove("toy")


@pytest.fixture
def tree_format():
    yield TREE_FORMATS.add(toy_trees.TOY)
    TREE_FORMATS.remove("toy")


@pytest.fixture
def template():
    yield TEMPLATES.add(toy_template.TOY)
    TEMPLATES.remove("toy")


def help_page(*command):
    return " ".join(succeed(*command, "--help").out.split())


@pytest.mark.parametrize("path", sorted(Path(__file__).parent.glob("toy_*.py")), ids=lambda path: path.stem)
def test_a_toy_is_a_file_with_nothing_but_the_object(path):
    tree = ast.parse(path.read_text("utf-8"))
    more = {ast.Import} if "import numpy" in path.read_text("utf-8") else set()
    more |= {ast.ClassDef} if path.stem == "toy_stage" else set()  # its report
    assert {type(node) for node in tree.body} == {ast.Expr, ast.ImportFrom, ast.FunctionDef, ast.Assign} | more
    (assigned,) = (node for node in tree.body if isinstance(node, ast.Assign))
    assert assigned.targets[0].id == "TOY"


def test_a_toy_is_gone_where_nobody_added_it(trained, tiny_treebank, tmp_path):
    assert "toy" not in help_page("train") + help_page("parse")
    assert fail(2, "train", tiny_treebank, "-o", tmp_path / "run", "--learner", "toy") == (
        "lpcfg: options: estimate.learner is 'toy'; "
        "expected one of spectral, em, cluster, pivot, pivot+em, pcfg, markov.\n"
    )


def test_a_learner(learner, tiny_treebank, small_settings, tmp_path):
    assert "pcfg, markov, toy. [spectral]" in help_page("train")
    message = fail(2, "train", tiny_treebank, "-o", tmp_path / "run", "--learner", "toi")
    assert message.endswith("pcfg, markov, toy. Did you mean toy?\n")
    options = ("-c", small_settings, "--no-tagger", "--json")
    report = json.loads(succeed("train", tiny_treebank, "-o", tmp_path / "run", "--learner", "toy", *options).out)
    assert report["estimate"]["learner"] == "toy"
    assert "svd" not in report
    _, grammar = load_model(tmp_path / "run")
    rules = [(part.parent, part.probability) for part in (grammar.binary, grammar.unary)]
    rules.append((grammar.lexical.symbol, grammar.lexical.probability))
    n_rules = Counter(symbol for symbols, _ in rules for symbol in symbols.tolist())
    assert max(n_rules.values()) > 5
    for symbols, probabilities in rules:
        np.testing.assert_allclose(probabilities, [1 / n_rules[symbol] for symbol in symbols.tolist()])
    assert succeed("parse", tmp_path / "run", stdin=SENTENCE).out.startswith("(TOP (")


@pytest.fixture
def learner_of_other_trees():
    yield LEARNERS.add(replace(toy_learner.TOY, name="toy-2", binarization={"vertical": 2}))
    LEARNERS.remove("toy-2")


def test_learners_in_an_experiment(learner, learner_of_other_trees, tiny_treebank, tmp_path):
    config = tmp_path / "experiment.toml"
    config.write_text("[experiment]\nlearners = ['toy', 'pcfg', 'toy-2']\nstates = [1]\n[lexicon]\nrare_below = 2\n")
    trees = ("--train", tiny_treebank, "--dev", tiny_treebank)
    found = json.loads(succeed("experiment", config, *trees, "-o", tmp_path / "out", "-f", "json").out)
    scores = {score["learner"]: score["f1"]["mean"] for score in found["learners"]}
    assert scores.keys() == {"toy", "pcfg", "toy-2"} and 0 < scores["toy"] < scores["pcfg"]
    # models of the same binarized trees share a run directory
    assert {path.name for path in (tmp_path / "out").glob("run*")} == {"run", "run-toy-2"}


def unary_rules(tree):
    """Over how many spans of a tree with its root under TOP there are several labels."""
    spans = Counter()

    def walk(node, start):
        stop = start + 1 if isinstance(node[1], str) else start
        for child in () if isinstance(node[1], str) else node[1]:
            stop = walk(child, stop)
        spans[start, stop] += 1
        return stop

    walk(tree, 0)
    spans[0, len(leaves(tree))] -= 1
    return sum(count > 1 for count in spans.values())


def test_a_decoder(decoder, trained):
    assert "--decoder [expected-f1|max-rule|sum|signed|toy]" in help_page("parse")
    assert "sum, signed, toy. [expected-f1]" in help_page("train")
    assert fail(2, "parse", trained, "--decoder", "toi").endswith("signed, toy. Did you mean toy?\n")
    ranked = succeed("parse", trained, "--decoder", "toy", "--nbest", 5, "--threshold", 0, stdin=SENTENCE).out
    pairs = [line.split("\t") for line in ranked.splitlines() if line]
    assert len(pairs) > 1
    for score, tree in pairs:
        assert float(score) == unary_rules(read_trees(tree)[0])
    best = succeed("parse", trained, "--decoder", "toy", "--threshold", 0, stdin=SENTENCE).out
    plain = succeed("parse", trained, "--threshold", 0, stdin=SENTENCE).out
    assert unary_rules(read_trees(best)[0]) == float(pairs[0][0]) > unary_rules(read_trees(plain)[0])


def test_a_sentence_format(sentence_format, trained):
    page = help_page("parse")
    assert "--format [slash|underscore|hash|bar|tab|conllu|trees|raw|text|marked|json|partial|toy]" in page
    assert "toy: TAG=word tokens, a sentence a line." in page
    assert fail(2, "parse", trained, "-f", "toi").endswith("marked, json, partial, toy. Did you mean toy?\n")
    text = "DT=The NN=keeper VBD=lit DT=the NN=lamp .=.\n"
    assert succeed("parse", trained, "-f", "toy", stdin=text).out == succeed("parse", trained, stdin=SENTENCE).out
    outcome = run_here("parse", trained, "-f", "toy", stdin=f"{text}keeper\n")
    assert (outcome.code, outcome.out.count("\n")) == (3, 1)
    assert "<stdin>:2:1: 'keeper'; expected TAG=word." in outcome.err
    outcome = succeed("parse", trained, "-f", "toy", "--on-error", "skip", stdin=f"keeper\n{text}")
    assert outcome.out.splitlines()[0] == "(())"


@pytest.fixture
def toy_file(tmp_path):
    path = tmp_path / "treebank" / "x.toy"
    path.parent.mkdir()
    lines = toy_trees.write(treebank_from_text(TINY_TREES.replace("( (", "(TOP (")))
    path.write_text("".join(f"{tree}\n" for tree in lines))
    return path


def test_a_tree_format(tree_format, toy_file, trained, small_settings, tmp_path):
    names = ["auto", *TREE_FORMATS]
    assert names[-1] == "toy"
    assert f"Format of the tree files: {', '.join(names)}. [auto]" in help_page("train")
    assert f"--tree-format [{'|'.join(names)}]" in help_page("parse")
    message = fail(2, "train", toy_file, "-o", tmp_path / "run", "--tree-format", "toi")
    assert message.endswith(f"{', '.join(names)}. Did you mean toy?\n")
    run, odd = tmp_path / "run", tmp_path / "odd"
    odd.write_text(toy_file.read_text())
    for source, more in ((toy_file, ()), (toy_file.parent, ()), (odd, ("--tree-format", "toy"))):
        succeed("train", source, "-o", run, "-c", small_settings, *more)
        assert (run / "trees.bin.mrg").read_bytes() == (trained / "trees.bin.mrg").read_bytes()
        (run / "trees.bin.mrg").unlink()


def test_places_and_problems_of_a_tree_format(tree_format, toy_file, tmp_path):
    figures = json.loads(succeed("check", toy_file, "--json").out)["figures"]
    lines = toy_file.read_text().split("\n")
    path, line = figures["widest"]["place"].rsplit(":", 1)
    assert path == str(toy_file)
    start = int(line) - 1
    depth = len(lines[start]) - len(lines[start].lstrip())
    below = []
    for text in lines[start + 1 :]:
        indent = len(text) - len(text.lstrip())
        if not text or indent <= depth:
            break
        below.append(indent)
    assert below.count(depth + 1) == figures["widest"]["size"] == 10
    toy_file.write_text("S\n A a\n B b c\n\n")
    assert f"{toy_file}:3:1: ' B b c'; expected a label" in fail(3, "binarize", toy_file, tmp_path / "run")


def test_sentences_and_parts_of_a_tree_format(tree_format, toy_file, trained, small_settings, tmp_path):
    plain = succeed("parse", trained, "-f", "trees", stdin=TINY_TREES).out
    assert succeed("parse", trained, toy_file, "-f", "trees").out == plain
    options = ("-c", small_settings, "--folds", 3, "--only", 1, "-o", tmp_path / "parsed", "--gold", tmp_path / "gold")
    parsed = []
    for source, more in ((toy_file, ("--tree-format", "toy")), (toy_file, ())):
        succeed("crossval", source, *options, *more)
        parsed.append((tmp_path / "parsed").read_text())
    assert parsed[0] == parsed[1] and parsed[0].count("\n") == 7


def test_a_template(template, tiny_treebank, small_settings, tmp_path):
    assert "constant_outside, toy. [full]" in help_page("train")
    message = fail(2, "train", tiny_treebank, "-o", tmp_path / "run", "--templates", "full,toi")
    assert message.endswith("constant_outside, toy. Did you mean toy?\n")
    options = ("-c", small_settings, "--no-tagger", "--json")
    n_outside = {}
    for names in ("simple", "simple,toy"):
        report = json.loads(succeed("train", tiny_treebank, "-o", tmp_path / names, *options, "--templates", names).out)
        n_outside[names] = report["features"]["outside_features"]
    trees = load_binary_trees(tmp_path / "simple")[1]
    sides = set(zip(trees.symbol.tolist(), trees.is_right.tolist(), strict=True))
    assert n_outside["simple,toy"] - n_outside["simple"] == len(sides)


def test_a_template_is_in_the_sets_that_it_names(template):
    names = {template.name for template in TEMPLATES.values() if "full" in template.sets}
    assert "toy" in names and toy_template.TOY.sets == ("full",)


def test_a_stage_takes_part_in_training_and_is_skipped_while_current(stage, tiny_treebank, small_settings, tmp_path):
    run, options = tmp_path / "run", ("-c", small_settings)
    first = succeed("train", tiny_treebank, "-o", run, *options)
    assert "tally: trees 21, words 120" in first.err.splitlines()
    assert json.loads((run / "tally.json").read_text())["content"] == {"trees": 21, "words": 120}
    assert "tally: unchanged, skipped" in succeed("train", tiny_treebank, "-o", run, *options).err
    again = succeed("train", tiny_treebank, "-o", run, *options, "--direction", "right")
    assert "tally: trees 21, words 120" in again.err  # [binarize] shapes it
