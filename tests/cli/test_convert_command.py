"""``lpcfg convert``, as a user runs it."""

from __future__ import annotations

from importlib import resources

import pytest
from command_line import fail, run_installed, succeed
from tiny_trees import TINY_TREES

from lpcfg_cli.dependency.trees.conversion import DEPENDENCY_FORMATS
from lpcfg_cli.treebank.brackets import bracket_strings, treebank_from_text
from lpcfg_cli.treebank.formats import TREE_FORMATS

ENDINGS = {"brackets": ".mrg", "indented": ".indented", "discbracket": ".dbr", "export": ".export", "tiger": ".xml"}
ENDINGS |= {"json": ".trees.json"}


@pytest.fixture
def lines(tmp_path):
    """A file of the tiny trees, one a line."""
    path = tmp_path / "lines.mrg"
    path.write_text("".join(f"{tree}\n" for tree in bracket_strings(treebank_from_text(TINY_TREES))))
    return path


@pytest.mark.parametrize("name", ENDINGS)
def test_there_and_back(name, lines, tmp_path):
    assert set(ENDINGS) == set(TREE_FORMATS)
    there = tmp_path / f"there{ENDINGS[name]}"
    outcome = succeed("convert", lines, "-o", there)
    assert outcome.out == "" and outcome.err.startswith("converted 21 trees, ")
    assert succeed("convert", lines, "--to", name).out == there.read_text()
    assert succeed("convert", there).out == lines.read_text()
    assert succeed("convert", "-", "--tree-format", name, stdin=there.read_bytes()).out == lines.read_text()


@pytest.mark.parametrize(
    "options", [(), ("--unaries", "collapse", "--direction", "right"), ("--horizontal", 2, "--vertical", 3)]
)
def test_binarized_there_and_back(options, lines, tmp_path):
    binary = tmp_path / "binary.dbr"
    succeed("convert", lines, "--binarize", *options, "-o", binary)
    assert "@" in binary.read_text()
    assert succeed("convert", binary, "--unbinarize").out == lines.read_text()


def test_cleaning(lines):
    plain = succeed("convert", "-", "--clean", stdin="( (S (NP-SBJ (NN a)) (VP (VB b) (NP (-NONE- *T*-1)))))").out
    assert plain == "(S (NP (NN a)) (VP (VB b)))\n"
    kept = succeed("convert", "-", "--clean", "--keep-functions", stdin="( (S (NP-SBJ (NN a)) (VB b)))").out
    assert kept == "(S (NP-SBJ (NN a)) (VB b))\n"


def test_options_without_effect_and_wrong_trees_are_refused(lines):
    assert "--horizontal has no effect without --binarize." in fail(2, "convert", lines, "--horizontal", 1)
    assert "--keep-functions has no effect without --clean" in fail(2, "convert", lines, "--keep-functions")
    message = fail(3, "convert", "-", "--unbinarize", stdin="(S (A a))\n\n(@S (A a) (B b))\n")
    assert message.startswith("lpcfg: <stdin>:3: a root whose label begins with @")
    assert "one of auto, brackets, " in fail(2, "convert", lines, "--to", "xml")


def test_what_was_skipped_is_told(tmp_path):
    (tmp_path / "bad.mrg").write_text("(S (A a))\n(X)\n(S (B b))\n")
    outcome = succeed("convert", tmp_path / "bad.mrg", "--on-error", "skip", run=run_installed)
    assert outcome.out == "(S (A a))\n(S (B b))\n"
    assert f"note: {tmp_path / 'bad.mrg'}:2:1: skipped '(X)" in outcome.err


def test_dependencies_are_those_of_head_rules(lines, tmp_path):
    by_rules = succeed("dep", "from-trees", lines, "--format", "conllu").out
    assert succeed("convert", lines, "--to", "conllu").out == by_rules and "\troot\t" in by_rules
    outcome = succeed("convert", lines, "-o", tmp_path / "trees.conllu")
    assert (tmp_path / "trees.conllu").read_text() == by_rules and outcome.err.startswith("converted 21 trees, ")
    assert succeed("convert", lines, "--to", "conllx").out == succeed("dep", "from-trees", lines).out
    other = succeed("dep", "from-trees", lines, "--format", "conllu", "--head-rules", "neutral").out
    assert succeed("convert", lines, "--to", "conllu", "--head-rules", "neutral").out == other != by_rules


def test_dependencies_of_cleaned_trees_only(tmp_path):
    trees = "(S (NP-SBJ (NN a)) (VP (VB b) (NP (-NONE- *))))\n(S (-NONE- *))\n"
    (tmp_path / "a.mrg").write_text(trees)
    outcome = succeed("convert", tmp_path / "a.mrg", "--to", "conllu")
    assert "*" not in outcome.out and "1 tree without words left out: " in outcome.err and "a.mrg:2" in outcome.err
    assert "no tree with words" in fail(3, "convert", "-", "--to", "conllu", stdin="(S (-NONE- *))\n")
    assert "conllu has no brackets" in fail(2, "convert", tmp_path / "a.mrg", "--to", "conllu", "--binarize")
    assert "has no effect without --binarize" in fail(
        2, "convert", tmp_path / "a.mrg", "--to", "conllu", "--vertical", 2
    )


def test_the_page_has_a_line_for_each_format():
    page = (resources.files("lpcfg_cli.cli") / "pages" / "looking.txt").read_text("utf-8")
    rows = [line.split() for line in page[page.index("    --to ") : page.index("Trees come in")].splitlines()[1:]]
    told = {row[0]: row[1:] for row in rows if row}
    assert set(told) == {*TREE_FORMATS, *DEPENDENCY_FORMATS}
    for form in [*TREE_FORMATS.values(), *DEPENDENCY_FORMATS.values()]:
        assert form.suffixes[0] in told[form.name] and ("no" in told[form.name]) == (form.name in DEPENDENCY_FORMATS)
