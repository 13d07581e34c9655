"""The discbracket reader and writer: any order of children, both ways, and trees that are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import leaves, phrases, read_trees, tuples_of, write_tree
from strategies import raw_treebanks, trees

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.treebank.brackets import join_texts, new_string_table, treebank_from_text
from lpcfg_cli.treebank.discbracket import DISCBRACKET, discbracket_strings, parse_discbracket
from lpcfg_cli.treebank.tree_kernels import lowest_and_highest


def read(text, on_error="stop"):
    """The trees of a text, and what was left out."""
    strings = new_string_table()
    found = parse_discbracket(text, strings, "a.dbr", on_error)
    return tuples_of(join_texts([found], strings)), found


def lines_of(trees):
    return list(discbracket_strings(treebank_from_text("\n".join(map(write_tree, trees)))))


CAT = ("S", (("NP", (("DT", "The"), ("NN", "cat"))), ("VP", (("VBD", "slept"),))))


@pytest.mark.parametrize(
    "text",
    [
        "(S (NP (DT 0=The) (NN 1=cat)) (VP (VBD 2=slept)))",
        "(S (VP (VBD 2=slept)) (NP (NN 1=cat) (DT 0=The)))",
        "( S(NP\n(NN 01=cat)(DT 0=The) )\n\t(VP (VBD 2=slept)) )\n",
    ],
)
def test_children_are_put_in_the_order_of_their_words(text):
    assert read(text)[0] == [CAT]


def test_trees_are_written_with_numbered_words_and_escaped_brackets():
    trees = [CAT, None, ("-LRB-", "\\("), ("S", (("A", "a\\)b\\"), ("B", "1=2")))]
    assert lines_of(trees) == [
        "(S (NP (DT 0=The) (NN 1=cat)) (VP (VBD 2=slept)))",
        "(())",
        "(-LRB- 0=#LRB#)",
        "(S (A 0=a#RRB#b\\ ) (B 1=1=2))",
    ]
    assert read("\n".join(lines_of(trees)))[0] == trees


def test_a_table_with_a_string_twice_is_written_right():
    treebank = treebank_from_text("(S (A a) (B b))")
    (line,) = discbracket_strings(replace(treebank, strings=[*treebank.strings, "S", "a"]))
    assert line == "(S (A 0=a) (B 1=b))"


def test_chains_keep_their_order():
    chain = ("A", (("B", (("C", (("D", "d"),)),)),))
    tree = ("S", (chain, ("A", (("B", (("C", (("D", "d"),)), ("E", "e"))),))))
    (line,) = lines_of([tree])
    assert read(line)[0] == [tree]


@given(raw_treebanks)
def test_writing_and_reading_again_changes_nothing(trees):
    assert read("\n".join(lines_of(trees)))[0] == trees


def shuffled(draw, tree, numbers):
    """The tree with numbered words and its children in any order."""
    label, below = tree
    if isinstance(below, str):
        escaped = below.replace("\\(", "#LRB#").replace("\\)", "#RRB#")
        return (label, f"{next(numbers)}={escaped}")
    return (label, tuple(draw(st.permutations([shuffled(draw, child, numbers) for child in below]))))


@given(st.data(), st.lists(trees(max_leaves=8), max_size=3))
def test_any_order_of_children_is_read(data, trees):
    text = "\n".join(write_tree(shuffled(data.draw, tree, iter(range(100)))) for tree in trees)
    found, texts = read(text)
    assert found == trees
    assert DISCBRACKET.lines(text, texts, texts.tree_place) == list(range(1, len(trees) + 1))


def is_continuous(tree):
    """Whether the words of every phrase are neighbours, looked at one phrase after the other."""
    spans = [sorted(int(word.split("=")[0]) for _, word in leaves(phrase)) for phrase in phrases(tree)]
    return all(span == list(range(span[0], span[-1] + 1)) for span in spans)


def renumbered(tree, numbers):
    label, below = tree
    content = f"{next(numbers)}=x" if isinstance(below, str) else tuple(renumbered(child, numbers) for child in below)
    return (label, content)


@given(st.data(), trees(max_leaves=6))
def test_discontinuous_trees_and_no_others_are_refused(data, tree):
    n = len(leaves(tree))
    numbers = data.draw(st.permutations(range(n)))
    numbered = renumbered(tree, iter(numbers))
    found, texts = read(write_tree(numbered), "skip")
    assert len(found) == is_continuous(numbered)
    assert len(texts.skipped) == 1 - len(found)
    if found:
        assert sorted(leaves(found[0])) == sorted((tag, "x") for tag, _ in leaves(tree))


PROBLEMS = [
    ("(S (A 0=a))\n(S\n (VP (A 0=a) (C 2=c)) (B 1=b))", 3, 2, "a discontinuous phrase: '(VP (A"),
    ("(S (X (VP (A 1=a) (C 3=c))) (B 2=b) (D 0=d))", 1, 4, "a discontinuous phrase: '(X (VP"),
    ("(S (A 0=a) (B b))", 1, 12, "a word without its number: '(B b))'"),
    ("(S (A 0=a) (B 1=))", 1, 12, "a word without its number: '(B 1=))'"),
    ("(S (A 0=a) (B =b))", 1, 12, "a word without its number"),
    ("(S (A -1=a))", 1, 4, "a word without its number"),
    ("(S (A 9999999999=a))", 1, 4, "a word without its number"),
    ("(S (A 1=a) (B 2=b))", 1, 12, "a word number that is taken or too high: '(B 2=b))'"),
    ("(S (A 0=a) (B 0=b))", 1, 12, "a word number that is taken or too high: '(B 0=b))'"),
    ("(S (VP (A 0=a) (C 3=c)) (B 1=b))", 1, 16, "taken or too high: '(C 3=c)) (B"),
    ("# (\n(S (B b))", 2, 4, "a word without its number"),
    ("(S (NP 0=The 1=cat))", 1, 14, "a second word under one tag"),
    ("(S (A 0=a)", 1, 1, "not closed"),
]


@pytest.mark.parametrize(("text", "line", "column", "found"), PROBLEMS)
def test_a_problem_is_found_at_its_line_and_column(text, line, column, found):
    with pytest.raises(SyntaxProblem) as caught:
        read(text)
    assert (caught.value.path, caught.value.line, caught.value.column) == ("a.dbr", line, column)
    assert found in caught.value.found
    assert str(caught.value).startswith(f"a.dbr:{line}:{column}: ")


def test_refused_trees_are_left_out_and_listed_in_order():
    text = "# remark\n(A 0=a)\n(S\n (B b) (C c))\n(S (D d e))\n(())\n(S (VP (A 0=a) (C 2=c)) (B 1=b))\n(B 0=b)\n"
    found, texts = read(text, "skip")
    assert found == [("A", "a"), None, ("B", "b")]
    assert [str(part) for part in texts.skipped] == [
        "a.dbr:3:1: skipped '(S (B b) (C c)) (S (D d e)) (()) (S (VP (A 0=a) (C 2=c)) (B': "
        "4:2: a word without its number: '(B b) (C c)) (S (D d e)) (()) (S (VP (A'",
        "a.dbr:5:1: skipped '(S (D d e)) (()) (S (VP (A 0=a) (C 2=c)) (B 1=b)) (B 0=b)': "
        "5:9: a second word under one tag: 'e)) (()) (S (VP (A 0=a) (C 2=c)) (B 1=b)'",
        "a.dbr:7:1: skipped '(S (VP (A 0=a) (C 2=c)) (B 1=b)) (B 0=b)': "
        "7:4: a discontinuous phrase: '(VP (A 0=a) (C 2=c)) (B 1=b)) (B 0=b)'",
    ]
    assert [str(note) for note in texts.notes] == ["a.dbr:1: 1 line of remarks between trees"]
    assert DISCBRACKET.lines(text, texts, texts.tree_place) == [2, 6, 8]
    assert DISCBRACKET.lines(text, texts, texts.node_place) == [2, 8]


def test_no_text_is_no_tree():
    assert read(" \n")[0] == []
    assert lines_of([]) == []


def test_what_the_reader_leaves_of_a_text_does_not_stand_in_the_table_of_strings():
    strings = new_string_table()
    parse_discbracket("(S (A 0=a) (B 1=b))", strings)
    assert set(strings) == {"(", ")", "", "S", "A", "B", "a", "b"}


@given(trees(max_leaves=8), st.randoms(use_true_random=False))
def test_lowest_and_highest_equal_a_look_at_every_subtree(tree, random):
    treebank = treebank_from_text(write_tree(tree))
    number = np.where(treebank.word < 0, -1, [random.randint(0, 20) for _ in treebank.word])
    ends = treebank.subtree_end()
    below = [[k for k in number[node:end] if k >= 0] for node, end in enumerate(ends)]
    lowest, highest = lowest_and_highest(treebank.parent, number)
    assert (lowest.tolist(), highest.tolist()) == ([min(part) for part in below], [max(part) for part in below])


def test_the_naive_reader_sees_what_is_written():
    (line,) = lines_of([CAT])
    assert leaves(read_trees(line)[0]) == [("DT", "0=The"), ("NN", "1=cat"), ("VBD", "2=slept")]
