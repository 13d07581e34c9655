"""The division of files into sentences."""

from __future__ import annotations

import pytest

from lpcfg_cli.errors import ConfigError, InputError, SyntaxProblem
from lpcfg_cli.evaluation.layouts import is_by_line
from lpcfg_cli.evaluation.sentences import open_source, source_of_text

LDC = """
( (S
    (NP (NN x))
    (VP (VB y))))
( (S
    (VP (VB y)) ))
"""


def texts(source):
    return [" ".join(sentence.text.split()) for sentence in source.sentences()]


def test_one_tree_a_line_with_blank_lines_in_between():
    source = source_of_text("(S (A a))\n\n(S (A b))\n\n")
    assert source.is_by_line
    assert texts(source) == ["(S (A a))", "", "(S (A b))", ""]
    assert [sentence.line for sentence in source.sentences()] == [1, 2, 3, 4]


def test_trees_over_lines():
    source = source_of_text(LDC)
    assert not source.is_by_line
    assert texts(source) == ["( (S (NP (NN x)) (VP (VB y))))", "( (S (VP (VB y)) ))"]
    assert [sentence.line for sentence in source.sentences()] == [2, 5]


def test_trees_over_lines_may_share_a_line():
    source = source_of_text("(S\n (A a)) (S (A b)) (S (A\n c))\n")
    assert texts(source) == ["(S (A a))", "(S (A b))", "(S (A c))"]
    assert [sentence.line for sentence in source.sentences()] == [1, 2, 2]


@pytest.mark.parametrize(
    "lines, expected",
    [
        (["(S (A a))"] * 9 + ["(S (A a)"], True),  # one broken line
        (["(S (A a))"] * 8 + ["(S (A a)", "(S (A a)))"], True),  # two that make up for each other
        (["(S", " (A a))"] + ["(S (A a))"] * 20, False),  # the only long tree is over two lines
        (["(S", "(A a)", ")"], False),
        (["(S (A a)"], True),  # one broken line by itself
        (["(S (A a)", "(S (A a))", "(S (A a)))))"], True),
        (["(S", " (A a)", " (B b", "(S", " (A a))"] * 2, False),  # an LDC file that lacks brackets
        ([], True),
        (["", "(())"], True),
        (["(S (A \\())"], True),  # an escaped bracket is a word
    ],
)
def test_decision(lines, expected):
    assert is_by_line([f"{line}\n".encode() for line in lines]) is expected


def test_layout_can_be_forced():
    assert texts(source_of_text("(S (A a)) (S (A b))", layout="trees")) == ["(S (A a))", "(S (A b))"]
    assert len(texts(source_of_text(LDC, layout="lines"))) == 6
    with pytest.raises(ConfigError, match="rows"):
        open_source("x", layout="rows")


def test_a_tree_that_does_not_end_is_named_by_its_first_line():
    with pytest.raises(SyntaxProblem, match="x:2:1: a tree that is not closed"):
        texts(source_of_text("(S (A a))\n(S\n  (A a)\n  (A a)\n  (B\n", "x"))


def test_text_outside_trees_over_lines_is_named():
    with pytest.raises(SyntaxProblem, match=r"x:3:3: text outside a tree: 'oops \(S'"):
        texts(source_of_text("(S\n (A a))\n  oops (S\n  (A a))", "x"))


def test_files_of_a_directory_are_read_in_order_without_blank_ends(write, tmp_path):
    write("d/b/2.mrg", "(S (A b))\n\n(S (A c))\n\n\n")
    write("d/a/1.mrg", "(S\n (A a))\n\n")
    write("d/notes.txt", "no trees")
    source = open_source(tmp_path / "d")
    assert texts(source) == ["(S (A a))", "(S (A b))", "", "(S (A c))"]
    assert not source.is_by_line


def test_a_byte_that_is_not_utf8_is_named(tmp_path):
    path = tmp_path / "latin.mrg"
    path.write_bytes("(S (A a))\n(S (A é))\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin.mrg:2: byte 0xe9"):
        open_source(path)
    assert texts(open_source(path, encoding="latin-1"))[1] == "(S (A é))"
    with pytest.raises(InputError, match="klingon"):
        open_source(path, encoding="klingon")


def test_only_newlines_end_lines(write):
    sentences = open_source(write("x", "(S (A a\u2028b))\n(S (A \x85))")).sentences()
    assert [sentence.text for sentence in sentences] == ["(S (A a\u2028b))", "(S (A \x85))"]
