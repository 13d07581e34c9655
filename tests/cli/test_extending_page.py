"""The examples of the page on extending run: each is put into its table and used."""

from __future__ import annotations

import ast
import json
import re
import sys
import textwrap
from importlib import resources
from types import ModuleType

import numpy as np
import pytest
from command_line import fail, run_here, succeed

from lpcfg_cli.cli.main import COMMANDS, cli
from lpcfg_cli.config import TABLES
from lpcfg_cli.errors import NotAnArtefactError
from lpcfg_cli.treebank.files import read_tree_files
from lpcfg_cli.treebank.finding import find_tree_files

PAGE = (resources.files("lpcfg_cli.cli") / "pages" / "extending.txt").read_text("utf-8")
BLOCK = re.compile(r"^    # (lpcfg_cli/\S+)\.py\n((?:    .*\n|\n)+)", re.MULTILINE)
CODE = {found[1]: textwrap.dedent(found[2]) for found in BLOCK.finditer(PAGE)}
"""Module, as a path → the code that is shown."""

SENTENCE = "The/DT keeper/NN lit/VBD the/DT lamp/NN ./.\n"


def run_example(path):
    """Run the code of an example as the module that it would be."""
    module = ModuleType(path.replace("/", "."))
    sys.modules[module.__name__] = module  # dataclasses look themselves up there
    exec(compile(CODE[path], f"{path}.py", "exec"), vars(module))
    return module


@pytest.fixture(autouse=True)
def tidy():
    """Take out again what examples put into tables, and their modules."""
    before = {kind: set(table) for kind, table in TABLES.items()}
    yield
    for kind, names in before.items():
        for name in set(TABLES[kind]) - names:
            TABLES[kind].remove(name)
    for path in CODE:
        sys.modules.pop(path.replace("/", "."), None)


def test_all_examples_are_run_here():
    with open(__file__, encoding="utf-8") as file:
        own = file.read()
    assert len(CODE) > 3 and [path for path in CODE if f'run_example("{path}")' not in own] == []


def test_a_learner_trains_a_model(tiny_treebank, tmp_path):
    arguments = ("train", tiny_treebank, "-o", tmp_path / "run", "-m", 2, "--no-tagger", "--learner", "random")
    assert "is 'random'" in fail(2, *arguments)
    run_example("lpcfg_cli/learning/random_states")
    succeed(*arguments)
    assert succeed("inspect", tmp_path / "run").out.count(" random ") == 1
    assert succeed("parse", tmp_path / "run", stdin=SENTENCE).out.startswith("(TOP (S ")
    again = run_here(*arguments)
    assert "estimate: unchanged, skipped" in again.err


def test_a_template_gives_features(tiny_treebank, tmp_path):
    arguments = ("train", tiny_treebank, "-o", tmp_path / "run", "-m", 2, "--no-tagger", "--json", "--templates")
    before = json.loads(succeed(*arguments, "full").out)["features"]
    assert "'first_tag'" in fail(2, *arguments, "full,first_tag")
    run_example("lpcfg_cli/features/first_tag")
    after = json.loads(succeed(*arguments, "full,first_tag").out)["features"]
    assert after["inside_features"] > before["inside_features"]
    assert after["outside_features"] == before["outside_features"]


def test_a_sentence_format_is_read(trained):
    arguments = ("parse", trained, "-f", "caret")
    assert "caret" in fail(2, *arguments)
    run_example("lpcfg_cli/tagging/caret")
    assert "caret" in succeed("parse", "--help").out
    text = SENTENCE.replace("/", "^")
    assert succeed(*arguments, stdin=text).out == succeed("parse", trained, stdin=SENTENCE).out
    assert "<stdin>:2:1: a word without a tag" in run_here(*arguments, stdin=f"{text}The dog^NN\n").err
    assert succeed(*arguments, "--on-error", "skip", stdin="The dog^NN\n").out == "(())\n"


def test_a_treebank_is_known_and_cleaned(tmp_path):
    (tmp_path / "a.mrg").write_text("(S (VERSE 1) (NP (NN night)) (STAGE (VB exit)) (VP (VBZ falls)))\n" * 2)
    options = ("binarize", tmp_path / "a.mrg", tmp_path / "run", "--treebank", "cantos")
    assert "'cantos'; expected one of ptb" in fail(2, *options)
    run_example("lpcfg_cli/treebank/cantos")
    assert "verse" not in succeed("binarize", "--help").out and "cantos" in succeed("binarize", "--help").out
    assert "VERSE 2×, STAGE 2×: try --treebank cantos" in succeed(*options[:3]).err
    assert "left out, in words: 2 STAGE, 2 VERSE" in succeed(*options).err
    assert (tmp_path / "run" / "trees.bin.mrg").read_text().startswith("(S/l (NP/u (NN night)) (VP/u (VBZ falls)))\n")


def test_a_tree_format_is_read_and_written(trained, tiny_treebank, tmp_path):
    square = run_example("lpcfg_cli/treebank/square")
    trees = read_tree_files(find_tree_files([tiny_treebank])).trees
    (tmp_path / "a.square").write_text("\n".join(square.write_square(trees)))
    succeed("binarize", tmp_path / "a.square", tmp_path / "run")
    written = [(run / "trees.bin.mrg").read_text() for run in (tmp_path / "run", trained)]
    assert written[0] == written[1]
    (tmp_path / "b.txt").write_text("[S [NN a]]\n[S\n [NN (b)]\n [NN c]\n")
    options = ("binarize", tmp_path / "b.txt", tmp_path / "bin", "--tree-format", "square")
    assert "b.txt:2:1: a tree that starts here and is not closed" in fail(3, *options)
    succeed(*options, "--on-error", "skip")
    assert (tmp_path / "bin" / "trees.bin.mrg").read_text().startswith("(S/u (NN a))\n")


def test_a_decoder_parses(trained):
    arguments = ("parse", trained, "--decoder", "roots")
    assert "is 'roots'" in fail(2, *arguments, stdin=SENTENCE)
    run_example("lpcfg_cli/parsing/roots")
    done = succeed(*arguments, stdin=SENTENCE)
    assert done.out == succeed("parse", trained, stdin=SENTENCE).out
    assert "fallbacks: 0" in done.err


def test_a_command_runs(monkeypatch, tiny_treebank):
    run_example("lpcfg_cli/cli/tags_command")
    (line,) = re.findall(r'^    ("tags": .*),$', PAGE, re.MULTILINE)
    monkeypatch.setattr(cli, "table", COMMANDS | ast.literal_eval(f"{{{line}}}"))
    printed = succeed("tags", tiny_treebank).out.splitlines()
    assert printed[0].split() == ["tag", "words"] and "NN" in {row.split()[0] for row in printed}
    assert "Count the tags of a treebank." in succeed("--help").out


def test_a_model_family_learns_and_is_stored(tmp_path):
    family = run_example("lpcfg_cli/classes/model")
    rng = np.random.default_rng(0)
    words = np.zeros((60, 6))
    for k, row in enumerate(words):
        row[(k % 2) * 3 : (k % 2) * 3 + 3] = rng.poisson(3, 3)
    found = family.learn(words, 2, 1)
    first = found.word_weight[:, :3].sum(1)
    assert sorted(np.round(first, 1)) == [0.0, 1.0] and abs(found.class_weight.sum() - 1) < 1e-12
    family.save(tmp_path / "classes.npz", found, 1)
    again = family.load(tmp_path / "classes.npz")
    assert np.array_equal(again.word_weight, found.word_weight)
    (tmp_path / "other.npz").write_bytes(b"no archive")
    with pytest.raises(NotAnArtefactError, match="Run `lpcfg classes`"):
        family.load(tmp_path / "other.npz")


def test_tables_that_are_named_are_where_the_page_says():
    rows = re.findall(r"^    an? \S.*? +([A-Z_]{6,}) +(lpcfg_cli/\S+)\.py$", PAGE, re.MULTILINE)
    assert len(rows) > 7
    for name, path in rows:
        module = __import__(path.replace("/", "."), fromlist=[name])
        assert len(getattr(module, name)) > 1, name
