"""``lpcfg dep eval``."""

from __future__ import annotations

import gzip
import json

import pytest
from command_line import fail, succeed
from dependency_files import conll

GOLD = conll([("He", "PRP", 2, "nsubj"), ("left", "VBD", 0, "root"), (".", ".", 2, "punct")])
WRONG = conll([("He", "PRP", 3, "nsubj"), ("left", "VBD", 0, "root"), (".", ".", 2, "dep")])


@pytest.fixture
def files(tmp_path):
    paths = tmp_path / "gold.conllu", tmp_path / "a.conllu.gz", tmp_path / "b.conllu"
    paths[0].write_text(GOLD * 20)
    paths[1].write_bytes(gzip.compress((WRONG * 20).encode()))
    paths[2].write_text(GOLD * 10 + WRONG * 10)
    return paths


def test_scores_of_one_file(files):
    gold, test, _ = files
    out = succeed("dep", "eval", gold, test).out
    rows = {line[:27].rstrip(): line.split()[-2:] for line in out.splitlines() if line}
    assert rows["Words"] == ["60", "40"]
    assert rows["Unlabelled attachment (UAS)"] == ["66.67", "50.00"]
    assert rows["Labelled attachment (LAS)"] == ["33.33", "50.00"]
    assert rows["Label accuracy"] == ["66.67", "100.00"]
    assert rows["Complete match, heads"] == ["0.00", "0.00"]
    assert "CoNLL-X" in out and "By relation" not in out


def test_punctuation_may_be_of_the_relation(files):
    out = succeed("dep", "eval", files[0], files[0], "--punctuation", "relation", "--full", "--align").out
    assert "the relation is punct" in out
    for title in ("By relation", "By length of sentence", "By length of arc", "Over aligned words, as CoNLL 2018"):
        assert title in out
    assert all(len(line) <= 80 for line in out.splitlines()[2:])  # the first two have paths


def test_two_files_are_compared(files):
    out = succeed("dep", "eval", *files, "--samples", 100).out
    (row,) = [line.split() for line in out.splitlines() if line.startswith("UAS")]
    assert row[:2] == ["UAS", "25.00"] and float(row[-1]) < 0.05


def test_json_has_all(files):
    one = json.loads(succeed("dep", "eval", *files[:2], "--json").out)
    assert one["without_punctuation"]["uas"] == 50.0 and one["aligned"] is None
    two = json.loads(succeed("dep", "eval", *files, "--json", "--align", "--samples", 10).out)
    assert two["b"]["without_punctuation"]["uas"] == 75.0
    assert two["a"]["aligned"]["LAS"]["correct"] == 20
    assert two["significance"]["uas"]["difference"] == 25.0


def test_standard_input_is_read_once(files):
    assert "60" in succeed("dep", "eval", files[0], "-", stdin=GOLD * 20).out
    assert "read once" in fail(2, "dep", "eval", "-", "-", stdin=GOLD)


def test_files_that_cannot_be_scored(tmp_path, files):
    other = tmp_path / "other.conllu"
    other.write_text(GOLD.replace("left", "went"))
    message = fail(3, "dep", "eval", files[0], other)
    assert f"{other}:2: sentence 1 has 'went', but 'left' in gold ({files[0]}:2)" in message
    empty = tmp_path / "empty.conllu"
    empty.write_text("# nothing\n")
    assert "no sentences, so there is nothing to score" in fail(3, "dep", "eval", empty, other)
    other.write_text(GOLD.replace("He", "H e").replace("\tnsubj", "\tdet"))
    cut = tmp_path / "cut.conllu"
    cut.write_text(GOLD)
    aligned = succeed("dep", "eval", cut, other, "--align")
    assert "words differ, so only aligned words are scored" in aligned.err
    assert "Unlabelled attachment" not in aligned.out and "LAS" in aligned.out


def test_a_file_of_bad_lines_is_refused_with_its_place(tmp_path, files):
    bad = tmp_path / "bad.conll"
    bad.write_text("1\ta\t_\tT\tT\t_\t7\tx\t_\t_\n")
    assert f"{bad}:1:13: the head '7'" in fail(3, "dep", "eval", files[0], bad)
