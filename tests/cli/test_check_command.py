"""``lpcfg check`` from the command line."""

from __future__ import annotations

import json
import time

import pytest
from command_line import fail, succeed


@pytest.fixture
def treebank(tmp_path):
    """A folder with one example of each kind of file and anomaly."""
    folder = tmp_path / "bank"
    folder.mkdir()
    (folder / "a.mrg").write_text(
        "# newdoc\n( (S (NP-SBJ (DT the) (NN cat)) (VP (VBD sat))) )\n(())\n"
        "( (S (NP-SBJ *T*-1) (VP (VBD sat))) )\n( (S (NP=2 (-NONE- *)) (VP (VBD sat) (NP (NN mat) (NN mat)))) )\n"
    )
    (folder / "b.mrg").write_text("")
    (folder / "README").write_text("About (this) bank")
    return folder


def test_the_page_tells_figures_and_oddities_with_their_places(treebank, tmp_path):
    lines = succeed("check", "bank", folder=tmp_path).out.splitlines()
    assert lines[0] == "2 files, 3 trees, 8 words"
    for line in (
        "        3  words in the longest sentence: bank/a.mrg:2",
        "        2  phrase labels with function tags or indices, to be cut",
        "        1  traces, to be removed",
        "  bank/b.mrg",
        "  bank/README",
        "  bank/a.mrg:1: 1 line of remarks between trees",
        "* 1 tree without words, to be left out",
        "    bank/a.mrg:3",
        "    bank/a.mrg:4",
    ):
        assert line in lines
    assert "(NP-SBJ *T*-1) 1×" in " ".join(line.strip() for line in lines)
    assert max(map(len, lines)) <= 80


def test_json_holds_the_same(treebank, tmp_path):
    report = json.loads(succeed("check", "bank", "--json", folder=tmp_path).out)
    assert (report["files"], report["figures"]["trees"], report["empty_files"]) == (2, 3, ["bank/b.mrg"])
    assert report["figures"]["longest"] == {"size": 3, "place": "bank/a.mrg:2"}
    assert dict(map(tuple, report["figures"]["tags"]))["VBD"] == 3
    assert {finding["kind"] for finding in report["findings"]} == {"no-words", "untagged-trace", "phrase-and-tag"}


def test_sentences_in_two_treebanks_are_found(treebank, tmp_path):
    (tmp_path / "dev.mrg").write_text("(S (X y))\n(S (DT the) (NN cat) (VBD sat))\n")
    out = succeed("check", "bank", "--against", "dev.mrg", folder=tmp_path).out
    assert "1 of 4 sentences also occur in dev.mrg, 0 of them with more than 3 words" in " ".join(out.split())
    assert "bank/a.mrg:2 = dev.mrg:2" in out


def test_broken_files_stop_or_are_listed(treebank, tmp_path):
    (treebank / "c.mrg").write_text("(S (NN a b))\n")
    assert "bank/c.mrg:1:10: a second word" in fail(3, "check", "bank", folder=tmp_path)
    out = succeed("check", "bank", "--on-error", "skip", folder=tmp_path).out
    assert "bank/c.mrg:1:1: skipped '(S (NN a b))'" in " ".join(out.split())
    assert "no trees found" in fail(3, "check", "bank", "--sections", "02", folder=tmp_path)
    (tmp_path / "null.mrg").write_text("(())")
    assert "no tree with words in null.mrg" in fail(3, "check", "null.mrg", folder=tmp_path)


def test_a_large_treebank_is_checked_in_seconds(shared):
    began = time.process_time()
    craft = shared / "data" / "craft"
    report = json.loads(succeed("check", craft / "train.mrg", "--against", craft / "dev.mrg", "--json").out)
    assert report["figures"]["trees"] == 25_095
    assert (report["figures"]["longest"]["size"], report["figures"]["widest"]["size"]) == (376, 89)
    assert [finding["count"] > 200 for finding in report["findings"] if finding["kind"] == "repeated"] == [True]
    assert time.process_time() - began < 20
