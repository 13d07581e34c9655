"""Cleaning: traces, function tags, wrappers, repeated labels."""

from __future__ import annotations

import pytest
from hypothesis import given
from oracles import clean_tree, leaves, read_trees, tuples_of, write_tree
from strategies import raw_treebanks

from lpcfg_cli.config import CleanSettings
from lpcfg_cli.treebank.brackets import bracket_strings, treebank_from_text
from lpcfg_cli.treebank.clean import CleaningReport, clean
from lpcfg_cli.treebank.labels import strip_function_tags, strip_index


def cleaned(text, **options):
    return list(bracket_strings(clean(treebank_from_text(text), CleanSettings(**options))[0]))


def report_of(text):
    return clean(treebank_from_text(text), CleanSettings())[1]


@pytest.mark.parametrize(
    ("label", "category"),
    [
        ("NP-SBJ", "NP"), ("NP=2", "NP"), ("NP-SBJ=2", "NP"), ("NP=1-3", "NP"), ("PP-LOC-PRD-TPC-1", "PP"),
        ("-LRB-", "-LRB-"), ("-P<+np", "-P<+np"), ("=H", "=H"), ("ADVP|PRT", "ADVP|PRT"),
        ("NP*SUB", "NP*SUB"),
        ("PP;*SBJ*", "PP;*SBJ*"), ("NP-", "NP"), ("", ""), ("S", "S"),
    ],
)  # fmt: skip
def test_function_tags_are_cut_but_never_the_whole_label(label, category):
    assert strip_function_tags(label) == category


@pytest.mark.parametrize(
    ("tag", "bare"),
    [
        ("NNS-4", "NNS"), ("NN=2", "NN"), ("NN=1-3", "NN"), ("NS-D", "NS-D"), ("PRP$", "PRP$"),
        ("-LRB-", "-LRB-"),
        ("-4", "-4"), ("NN-SBJ-1", "NN-SBJ"), (":", ":"), ("np0000p", "np0000p"),
    ],
)  # fmt: skip
def test_only_indices_are_cut_from_tags(tag, bare):
    assert strip_index(tag) == bare


def test_traces_go_with_all_that_they_leave_empty():
    text = """( (S (NP-SBJ (-NONE- *)) (VP (VBD left) (SBAR (-NONE- 0) (S (NP (-NONE- *T*-1))))
        (NP (NNS (-NONE- *RNR*-4)) (NNS-4 x)))) )"""
    assert cleaned(text) == ["(S (VP (VBD left) (NP (NNS x))))"]
    assert report_of(text) == CleaningReport(traces=4, emptied=5, null_trees=(), self_loops=0, unlabelled=0)


def test_traces_are_known_by_their_tag_not_by_their_looks():
    assert cleaned("(S (SYM *) (NN *T*-1) (LS ***) (CD 0))") == ["(S (SYM *) (NN *T*-1) (LS ***) (CD 0))"]


@pytest.mark.parametrize("root", ["TOP", "ROOT", "S1", "", "TOP-1"])
def test_wrappers_of_every_kind_are_dropped(root):
    assert cleaned(f"({root} (S (NN a) (VB b)))") == ["(S (NN a) (VB b))"]


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("( (ROOT (TOP (S1 (S (NN a) (VB b))))))", "(S (NN a) (VB b))"),
        ("(ROOT (S (NN a)) (. .))", "(TOP (S (NN a)) (. .))"),
        ("( (NP (NN a)) (S (VB b)))", "(TOP (NP (NN a)) (S (VB b)))"),
        ("( ( (NP (NN a)) (VB b)))", "(TOP (NP (NN a)) (VB b))"),
        ("( (X (IN @)))", "(X (IN @))"),
        ("(ROOT (UH Hush))", "(UH Hush)"),
        ("(UH Hush)", "(UH Hush)"),
        ("(S (NP (NN a)) ( (VP (VB b)) ( (NN c))))", "(S (NP (NN a)) (VP (VB b)) (NN c))"),
        ("(S (TOP (NN a) (NN b)) (VB c))", "(S (TOP (NN a) (NN b)) (VB c))"),
    ],
)
def test_roots_and_nodes_without_a_label(text, tree):
    assert cleaned(text) == [tree]


def test_nodes_without_a_label_are_counted_inside_trees_only():
    assert report_of("( (S ( (NN a)) ( (NN b) ( (NN c)))))").unlabelled == 3


@pytest.mark.parametrize(
    ("text", "tree", "dropped"),
    [
        ("(S (NP (NP (NN a) (NN b))) (VB c))", "(S (NP (NN a) (NN b)) (VB c))", 1),
        ("(S (S (S (NN a) (NN b))))", "(S (NN a) (NN b))", 2),
        ("(S (NP-1 (NP=2 (NN a) (NN b))) (NP (-NONE- *)))", "(S (NP (NP (NN a) (NN b))))", 0),
        ("(NP (NP-1 (NP=2 (NN a) (NN b))) (NP (-NONE- *)))", "(NP (NN a) (NN b))", 2),
        ("(NP (NP (NN a)))", "(NP (NP (NN a)))", 0),
        ("(S (VP (S (NN a) (NN b))))", "(S (VP (S (NN a) (NN b))))", 0),
        ("(NP (NP (PRN (NN a) (NN b))))", "(NP (NP (PRN (NN a) (NN b))))", 0),
        ("(NN (NN a))", "(NN (NN a))", 0),
    ],
)
def test_a_label_over_itself_alone_is_dropped(text, tree, dropped):
    assert cleaned(text) == [tree]
    assert report_of(text).self_loops == dropped


def test_trees_without_words_are_left_out_and_counted():
    text = "(()) (X (NN a)) ( (FRAG (PP (-NONE- *) (P (-NONE- ***))))) (X (NN b))"
    assert cleaned(text) == ["(X (NN a))", "(X (NN b))"]
    assert report_of(text).null_trees == (0, 2)
    assert cleaned("(()) (())") == []


def test_settings_choose_wrappers_and_function_tags():
    text = "(TOP (UTT (NP-SBJ (NN-1 a) (NN b))))"
    assert cleaned(text, strip_functions=False, wrappers=()) == ["(TOP (UTT (NP-SBJ (NN a) (NN b))))"]
    assert cleaned(text, wrappers=("TOP", "UTT")) == ["(NP (NN a) (NN b))"]


def test_a_root_renamed_top_is_the_same_label_as_top_elsewhere():
    treebank, _ = clean(treebank_from_text("(ROOT (TOP (NN a) (NN b)) (VB TOP))"), CleanSettings())
    assert len(set(treebank.strings)) == len(treebank.strings)
    assert treebank.label[0] == treebank.label[1]


@given(raw_treebanks)
def test_cleaning_equals_the_naive_one(trees):
    treebank, report = clean(treebank_from_text("\n".join(map(write_tree, trees))), CleanSettings())
    expected = [clean_tree(tree) for tree in trees]
    assert tuples_of(treebank) == [tree for tree in expected if tree]
    assert report.null_trees == tuple(k for k, tree in enumerate(expected) if tree is None)
    assert report.traces == sum(tag == "-NONE-" for tree in trees for tag, _ in leaves(tree))


@given(raw_treebanks)
def test_cleaning_twice_changes_nothing_more(trees):
    once, _ = clean(treebank_from_text("\n".join(map(write_tree, trees))), CleanSettings())
    twice, report = clean(once, CleanSettings())
    assert report == CleaningReport(0, 0, (), 0, 0)
    assert tuples_of(twice) == tuples_of(once)


def test_the_naive_reader_and_cleaner_agree_with_trees_written_by_hand():
    tree = read_trees("( (VP-1 (NP-SBJ (-NONE- *)) (VP (VB a) (NN-2 b))))")[0]
    assert clean_tree(tree) == ("VP", (("VB", "a"), ("NN", "b")))
