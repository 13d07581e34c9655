"""What the help pages show of dependency files is read and written so."""

from __future__ import annotations

import re
import textwrap
from importlib import resources

from command_line import succeed
from dependency_files import sentences_of

from lpcfg_cli.dependency.trees.conll import conll_text

PAGES = resources.files("lpcfg_cli.cli") / "pages"
SAVIN = (
    "(S (NP (DT The) (NN board) (PP (IN of) (NP (NNP Savin)))) (VP (MD will) (VP (VB report) (NP (DT a) (NN loss))))"
    " (. .))"
)

NAMES = (
    "Sentences",
    "Words",
    "Unlabelled attachment (UAS)",
    "Labelled attachment (LAS)",
    "Label accuracy",
    "Complete match, heads",
    "Complete match, labelled",
)


def example(page, first):
    """The indented block of a page that begins with a line."""
    text = (PAGES / f"{page}.txt").read_text("utf-8")
    block = re.search(rf"^    {re.escape(first)}\n(?:    .*\n)+", text, re.MULTILINE)[0]
    return textwrap.dedent(block)


def test_the_drawing_is_that_of_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "savin.conll").write_text(succeed("dep", "from-trees", "-", stdin=SAVIN).out)
    shown = example("dependency", "$ lpcfg dep draw savin.conll")
    assert shown.partition("\n")[2] == succeed("dep", "draw", "savin.conll").out


def test_the_file_is_read_and_written_again():
    text = re.sub(r" {2,}", "\t", example("formats", "# text = The dog didn't leave")) + "\n"
    (sentence,) = sentences_of(text)
    assert sentence.forms == ("The", "dog", "did", "n't", "leave")
    assert sentence.heads.tolist() == [2, 5, 5, 5, 0]
    assert conll_text([sentence]) == text


def test_the_table_of_scores_has_the_rows_of_the_command(tmp_path):
    path = tmp_path / "savin.conll"
    path.write_text(succeed("dep", "from-trees", "-", stdin=SAVIN).out)
    printed = succeed("dep", "eval", path, path).out
    for name in ("all words  no punctuation", *NAMES):
        assert name in printed and name in (PAGES / "dependency.txt").read_text("utf-8")
    assert len(printed.split("-\n")[1].splitlines()) == len(NAMES)
