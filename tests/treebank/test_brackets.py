"""The bracket reader and writer: layouts, unusual strings, and places of errors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import leaves, read_trees, tuples_of, write_tree
from strategies import layouts, raw_treebanks

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.treebank.brackets import (
    bracket_strings,
    join_texts,
    new_string_table,
    parse_brackets,
    treebank_from_text,
)


def read(text):
    return tuples_of(treebank_from_text(text))


TWO_TREES = [("S", (("NP", (("NN", "a"),)), ("VB", "b"))), ("X", "c")]


@pytest.mark.parametrize(
    "text",
    [
        "(S (NP (NN a)) (VB b))\n(X c)\n",
        "(S (NP (NN a)) (VB b)) (X c)",
        "(S(NP(NN a))(VB b))(X c)",
        "(S (NP (NN a))\n\n   (VB b))\n\n\n(X c)",
        "(S\r\n  (NP (NN a))\r\n  (VB b) )\r\n(X c)\r\n",
        "\t(S\t(NP\t(NN\ta)\t)\t(VB  b)\t)\n\n\t(X c)\t",
        "\f( S ( NP ( NN a ) ) ( VB b ) )\v( X c )",
        "(S (NP (NN a) ()) (VB b) (()) )(X c)",
    ],
)
def test_layout_makes_no_difference(text):
    assert read(text) == TWO_TREES


def test_null_trees_keep_their_place():
    assert read("(()) (X c) ( ( ) ) () ((()))") == [None, ("X", "c"), None, None, None]


def test_unlabelled_nodes_are_read_at_the_root_and_inside():
    assert read("( (S ( (NN a))) )") == [("", (("S", (("", (("NN", "a"),)),)),))]


def test_escaped_brackets_are_part_of_words():
    text = r"(S (-LRB- \() (NN t\(est\)) (-RRB- \)))"
    assert leaves(read(text)[0]) == [("-LRB-", r"\("), ("NN", r"t\(est\)"), ("-RRB-", r"\)")]
    assert list(bracket_strings(treebank_from_text(text))) == [text]


def test_only_ascii_blanks_separate():
    assert read("(NN Xpd\u200aTTD) (N\u00a0P (A \u2028\u0085))") == [
        ("NN", "Xpd\u200aTTD"),
        ("N\u00a0P", (("A", "\u2028\u0085"),)),
    ]


def test_no_text_is_no_tree():
    treebank = treebank_from_text(" \n\t ")
    assert (treebank.n_trees, treebank.n_nodes, list(bracket_strings(treebank))) == (0, 0, [])


def test_a_final_backslash_does_not_escape_the_closing_bracket():
    trees = [("S", (("NN", "a\\"), ("NN", "\\")))]
    written = "\n".join(bracket_strings(treebank_from_text(write_tree(trees[0]))))
    assert read(written) == trees


@given(st.data(), raw_treebanks)
def test_reader_equals_the_naive_one_in_any_layout(data, trees):
    text = data.draw(layouts("\n ".join(map(write_tree, trees))))
    assert read(text) == read_trees(text) == trees


@given(raw_treebanks)
def test_writing_and_reading_again_changes_nothing(trees):
    treebank = treebank_from_text("\n".join(map(write_tree, trees)))
    lines = list(bracket_strings(treebank))
    assert len(lines) == len(trees)
    assert read("\n".join(lines)) == trees


@given(st.lists(raw_treebanks, max_size=4))
def test_texts_are_joined_in_order(parts):
    strings = new_string_table()
    texts = [parse_brackets("\n".join(map(write_tree, trees)), strings) for trees in parts]
    assert tuples_of(join_texts(texts, strings)) == [tree for trees in parts for tree in trees]


PROBLEMS = [
    ("(X c)\n (S (NN a)))", 2, 12, "a closing bracket that closes nothing: ')'"),
    (")", 1, 1, "a closing bracket that closes nothing"),
    ("(X c)\n\n  (S (NN a)\n (NN b)", 3, 3, "not closed at the end of the file: '(S (NN a) (NN b)'"),
    ("(X c) (", 1, 7, "not closed at the end of the file"),
    ("(X c)\nremark (X d)", 2, 1, "text outside a tree: 'remark (X d)'"),
    ("(X c) d\n(X e)", 1, 7, "text outside a tree: 'd (X e)'"),
    ("(S (NNP New York))", 1, 13, "a second word under one tag: 'York))'"),
    ("(S\r\n\t(NNP New\r\n York Times))", 3, 2, "a second word under one tag: 'York Times))'"),
    ("(S the (NN cat))", 1, 8, "a word with no tag next to a phrase: '(NN cat))'"),
    ("(S (NN cat) sat)", 1, 13, "a word with no tag next to a phrase: 'sat)'"),
    ("(S\n (NN))", 2, 2, "a label with neither word nor children: '(NN))'"),
    ("(S (NN (dog)))", 1, 8, "a label with neither word nor children: '(dog)))'"),
    ("(S (() dog))", 1, 8, "a word with no tag next to a phrase: 'dog))'"),
    ("(S (()) ( ) )", 1, 1, "a label with neither word nor children"),
    ("(S (NN caf\u00e9\u200a) (NN\n()))", 1, 15, "a label with neither word nor children"),
]


@pytest.mark.parametrize(("text", "line", "column", "found"), PROBLEMS)
def test_a_problem_is_found_at_its_line_and_column(text, line, column, found):
    with pytest.raises(SyntaxProblem) as caught:
        treebank_from_text(text, "a.mrg")
    assert (caught.value.path, caught.value.line, caught.value.column) == ("a.mrg", line, column)
    assert found in caught.value.found
    assert str(caught.value).startswith(f"a.mrg:{line}:{column}: ")


def test_the_first_of_several_problems_is_told():
    with pytest.raises(SyntaxProblem, match=r"^<text>:1:10: a second word"):
        treebank_from_text("(S (NN a b)) ) (S")


@given(raw_treebanks)
def test_a_missing_last_bracket_is_told_at_the_start_of_its_tree(trees):
    lines = [write_tree(tree) for tree in trees if tree] + ["(S (NN a)"]
    with pytest.raises(SyntaxProblem) as caught:
        treebank_from_text("\n".join(lines))
    assert (caught.value.line, caught.value.column) == (len(lines), 1)


@pytest.mark.parametrize(
    ("tree", "column"),
    [
        ("(S (NP (NN a)) *T*-1)", 16),
        ("(S (NP (*)) (NN a))", 9),
        ("(S *T*-1 (NN a))", 4),
        ("(S (VB go *) (NN a))", 11),
        ("(S (VB *-1 go) (NN a))", 8),
        ("(S (NN a) 0)", 11),
    ],
)
def test_all_traces_without_a_tag_are_told_at_once(tree, column):
    text = f"(S (NN a))\n{tree}\n(S (NP *) (-NONE- *) (* b))\n(S (C c) 0 *)\n(S (*))"
    with pytest.raises(SyntaxProblem) as caught:
        treebank_from_text(text, "x")
    trace = tree[column - 1 :].split(")")[0].split(" ")[0]
    assert str(caught.value).startswith(
        f"x:2:{column}: a trace without a tag: {trace!r}; 3 more in lines 4, 5; expected a tag, as in (-NONE- *T*-1). "
    )


@pytest.mark.parametrize(
    "tree", ["(S (VB go) it)", "(S (VB go it))", "(S (NN (dog)))", "(S (NN 12) 0", "(S *T*-1", "* (S a)"]
)
def test_other_problems_are_not_blamed_on_traces(tree):
    with pytest.raises(SyntaxProblem) as caught:
        treebank_from_text(f"{tree}\n(S (NN a) *)" if tree[-1] == ")" else tree, "x")
    assert "without a tag:" not in str(caught.value)
