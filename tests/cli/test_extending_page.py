"""The examples of the page on extending run: each is put into its table and used."""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from importlib import resources
from types import ModuleType

import numpy as np
import pytest
from command_line import fail, run_here, succeed

from lpcfg_cli.cli.main import COMMANDS
from lpcfg_cli.config import TABLES
from lpcfg_cli.errors import NotAnArtefactError

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
    assert "estimate.learner is 'random'" in fail(2, *arguments)
    run_example("lpcfg_cli/learning/random_states")
    succeed(*arguments)
    assert succeed("inspect", tmp_path / "run").out.count(" random ") == 1
    assert succeed("parse", tmp_path / "run", stdin=SENTENCE).out.startswith("(TOP (S ")
    again = run_here(*arguments)
    assert "estimate: unchanged, skipped" in again.err


def test_a_decoder_parses(trained):
    arguments = ("parse", trained, "--decoder", "roots")
    assert "parse.decoder is 'roots'" in fail(2, *arguments, stdin=SENTENCE)
    run_example("lpcfg_cli/parsing/roots")
    done = succeed(*arguments, stdin=SENTENCE)
    assert done.out == succeed("parse", trained, stdin=SENTENCE).out
    assert "fallbacks: 0" in done.err


def test_a_command_runs(monkeypatch, tiny_treebank):
    run_example("lpcfg_cli/cli/tags_command")
    (line,) = re.findall(r'^    ("tags": .*),$', PAGE, re.MULTILINE)
    monkeypatch.setattr("lpcfg_cli.cli.main.COMMANDS", COMMANDS | ast.literal_eval(f"{{{line}}}"))
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
    assert len(rows) > 4
    for name, path in rows:
        module = __import__(path.replace("/", "."), fromlist=[name])
        assert len(getattr(module, name)) > 1, name
