"""``lpcfg grep``, as a user of grep runs it."""

from __future__ import annotations

import json

import pytest
from command_line import fail, run_here, run_installed, succeed

pytest.importorskip("pyparsing")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.mrg").write_text("(S (NP (DT the)\n(NN dog)) (VP (VBZ barks)))\n(S (NP (NN x)) (VP (VBZ is)))\n")
    (tmp_path / "b.mrg").write_text("(S (VP (VB go)))\n")
    return tmp_path


def test_matches_come_with_file_and_line(folder):
    outcome = succeed("grep", "NP < NN", ".", run=run_installed, folder=folder)
    assert outcome.out == "a.mrg:1: (NP (DT the) (NN dog))\na.mrg:3: (NP (NN x))\n"
    assert succeed("grep", "dog", "a.mrg", folder=folder).out == "a.mrg:2: (NN dog)\n"
    assert succeed("grep", "-", "-", "-t", stdin="(S (A -))", folder=folder).out == "(A -)\n"


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        (("-c",), ["a.mrg:2", "b.mrg:0"]),
        (("-l",), ["a.mrg"]),
        (("-m", "1", "-t"), ["(NP (DT the) (NN dog))"]),
        (("-m", "1", "-w"), ["a.mrg:1: (S (NP (DT the) (NN dog)) (VP (VBZ barks)))"]),
        (("-v",), ["b.mrg:1: (S (VP (VB go)))"]),
        (("-v", "-c"), ["a.mrg:0", "b.mrg:1"]),
    ],
)
def test_options_of_grep(options, lines, folder):
    assert succeed("grep", "NP < NN", *options, "a.mrg", "b.mrg", folder=folder).out.splitlines() == lines


def test_the_count_of_one_file_stands_alone(folder):
    assert succeed("grep", "-c", "NP", "a.mrg", folder=folder).out == "2\n"


def test_json(folder):
    found = json.loads(succeed("grep", "NN", "--json", ".", folder=folder).out)
    assert (found["pattern"], found["count"]) == ("NN", 2)
    assert found["matches"][0] == {
        "file": "a.mrg", "line": 2, "place": "a.mrg:2", "tree": 1, "start": 1, "stop": 2, "words": ["dog"],
        "text": "(NN dog)",
    }  # fmt: skip


def test_the_exit_status_is_that_of_grep(folder):
    outcome = run_here("grep", "ADJP", ".", folder=folder)
    assert (outcome.code, outcome.out, outcome.err) == (1, "", "")
    assert "no tree pattern" in fail(2, "grep", "NP (", ".", folder=folder)
    assert "no such file" in fail(3, "grep", "NP", "none.mrg", folder=folder)
