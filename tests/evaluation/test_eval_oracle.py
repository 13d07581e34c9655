"""The scorer and an independent slow one agree on random trees and parameter files."""

from __future__ import annotations

import evalb_oracle as oracle
import numpy as np
from eval_strategies import line_pairs, parameter_files
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lpcfg_cli.cli.eval_tables import evalb_report
from lpcfg_cli.evaluation.parameters import parse_parameters
from lpcfg_cli.evaluation.score import score_treebanks, without_unlabelled
from lpcfg_cli.evaluation.sentences import source_of_text
from lpcfg_cli.evaluation.unlabelled_brackets import WithoutUnlabelled

NEW = "DELETE_LABEL ''\nQUOTE_LABEL ''\nQUOTE_LABEL POS\nQUOTE_LABEL NN\n"
CHAIN = "EQ_LABEL NP VP\nEQ_LABEL VP X\nDELETE_LABEL .\n"


def scores_of(pairs, rules):
    gold, test = ("\n".join(side) + "\n" for side in zip(*pairs, strict=True))
    sources = (source_of_text(text, layout="lines") for text in (gold, test))
    return score_treebanks(*sources, parse_parameters(rules).parameters)


def figures(lines):
    """The two sections of EVALB's output as dictionaries."""
    sections = "\n".join(lines).split("\n-- ")[1:]
    return [dict(line.split(" = ") for line in section.splitlines() if " = " in line) for section in sections]


@settings(max_examples=400, deadline=None)
@given(st.lists(line_pairs(), min_size=1, max_size=4), parameter_files())
@example([("(S (NP (NN a) ('' ')) (VB b))", "(S (NP (NN a)) (POS ') (VB b))")], NEW)
@example([("(S (NN a) (X ('' ')) ('' ') (VB b))", "(S (NN a) (X (NN ') (NN ')) (VB b))")], NEW)
@example([("(X (NP (VP (NN a))))", "(NP (X (VP (NN a))))")], CHAIN)
@example([("(S (NN a)", "(S (NP (NN a)) (. .))"), ("(S (NN a))", "(S (S (NN a)")], CHAIN)
def test_same_rows_and_summary(pairs, rules):
    scores = scores_of(pairs, rules)
    known = oracle.read_rules(rules)
    expected = [oracle.score_line(gold, test, known) for gold, test in pairs]
    assert np.column_stack([scores.length, scores.rows]).tolist() == expected
    short = [row for row in expected if row[0] <= known["CUTOFF_LEN"]]
    printed = figures(evalb_report(scores))
    for section, rows in zip(printed, (expected, short), strict=True):
        assert {name.rstrip(): value.strip() for name, value in section.items()} == oracle.summary(rows)


@settings(max_examples=100, deadline=None)
@given(st.lists(line_pairs(), min_size=1, max_size=6), parameter_files())
def test_one_chunk_or_many_makes_no_difference(pairs, rules):
    whole = scores_of(pairs, rules)
    parts = [scores_of([pair], rules) for pair in pairs]
    assert whole.rows.tolist() == [row for part in parts for row in part.rows.tolist()]
    assert [p.message for p in whole.problems] == [p.message for part in parts for p in part.problems]


@settings(max_examples=100, deadline=None)
@given(st.lists(line_pairs(), min_size=1, max_size=4))
def test_a_file_against_itself_has_every_bracket_and_tag(pairs):
    scores = scores_of([(gold, gold) for gold, _ in pairs], "DELETE_LABEL .\n")
    total = scores.all
    assert (total.matched, total.crossing, total.correct_tags) == (total.gold, 0, total.words)
    assert total.gold == total.test and total.complete == total.valid


@settings(max_examples=200, deadline=None)
@given(st.lists(line_pairs(), min_size=1, max_size=4), parameter_files())
@example([("((S (NN a) (NN b)))", "(() (S (NN a)) (NN b))"), ("( (NN a) ( ))", "(S ( (NN a)))")], "LABELED 0\n")
@example([("((S (NN a) (NN b)) (NN c))", "((NN a) (S (NN b) (NN c)))")], "LABELED 1\n")
def test_scores_without_unlabelled_brackets_are_those_of_rules_that_delete_them(pairs, rules):
    gold, test = ("\n".join(side) + "\n" for side in zip(*pairs, strict=True))
    sources = [source_of_text(text, layout="lines") for text in (gold, test)]
    used = parse_parameters(rules).parameters
    along = WithoutUnlabelled(used)
    score_treebanks(*sources, used, [along])
    assert along.result() == score_treebanks(*sources, without_unlabelled(used)).all
