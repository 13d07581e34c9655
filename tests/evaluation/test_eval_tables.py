"""Scores by label and length, confusions, leaf-ancestor and unlabelled scores."""

from __future__ import annotations

import pytest

from lpcfg_cli.evaluation.breakdowns import Confusion, ConfusionTable, LabelTable, length_table
from lpcfg_cli.evaluation.leaf_ancestor import LeafAncestorScores, UnlabelledScores
from lpcfg_cli.evaluation.parameters import COLLINS, EvalbParameters
from lpcfg_cli.evaluation.score import score_treebanks
from lpcfg_cli.evaluation.sentences import source_of_text

GOLD = """\
(TOP (S (NP (DT the) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat))))))
(TOP (S (NP (PRP we)) (VP (VBD left) (PRT (RP off)))))
(TOP (S (NP (DT the) (NN cat)) (VP (VBD sat))))
"""
TEST = """\
(TOP (S (NP (DT the) (NN cat) (VBD sat)) (XP (IN on) (NP (DT the) (NN mat)))))
(TOP (S (NP (PRP we)) (VP (VBD left) (ADVP (RP off)))))
(TOP (S (NP (DT the) (NN dog)) (ZZ (VBD sat))))
"""


def watch(observer, gold=GOLD, test=TEST, parameters=COLLINS):
    scores = score_treebanks(source_of_text(gold), source_of_text(test), parameters, [observer])
    return observer, scores


def test_labels_count_valid_sentences_only():
    table, _ = watch(LabelTable())
    rows = {row.label: (row.gold, row.test, row.matched, row.matched_test) for row in table.scores()}
    assert rows == {
        "S": (2, 2, 2, 2),
        "NP": (3, 3, 2, 2),
        "VP": (2, 1, 1, 1),
        "PP": (1, 0, 0, 0),
        "PRT": (1, 0, 1, 0),
        "ADVP": (0, 1, 0, 1),
        "XP": (0, 1, 0, 0),
    }
    assert [row.label for row in table.scores()][:3] == ["NP", "S", "VP"]
    noun = table.scores()[0]
    assert (noun.recall, noun.precision, noun.f1) == (pytest.approx(200 / 3),) * 3


def test_confusions_and_crossings():
    table, _ = watch(ConfusionTable())
    assert table.labels() == [Confusion("PP", "XP", 1)]
    assert table.crossings() == [Confusion("VP", "NP", 1)]


def test_confusions_pair_each_bracket_once():
    gold, test = "(A (B (X a) (X b)))", "(C (D (X a) (X b)))"
    assert watch(ConfusionTable(), gold, test)[0].labels() == [Confusion("A", "C", 1), Confusion("B", "D", 1)]


def test_lengths():
    ten, eleven = ("(S " + " ".join("(X a)" for _ in range(n)) + ")" for n in (10, 11))
    _, scores = watch(LabelTable(), f"{GOLD}{ten}\n{eleven}\n", f"{TEST}{ten}\n{eleven}\n")
    rows = length_table(scores)
    assert [(row.shortest, row.longest, row.counts.valid, row.counts.errors) for row in rows] == [
        (1, 10, 3, 1),
        (11, 20, 1, 0),
    ]
    assert sum(row.counts.matched for row in rows) == scores.all.matched


def test_unlabelled_equals_scoring_with_labeled_0():
    unlabelled, scores = watch(UnlabelledScores(COLLINS))
    _, again = watch(LabelTable(), parameters=EvalbParameters(labeled=False, delete_labels=COLLINS.delete_labels))
    assert unlabelled.result() == again.all
    assert unlabelled.result().matched == scores.all.matched + 1


def test_leaf_ancestor_of_a_small_tree_by_hand():
    """Lineages: a gold [S [A, test [S [B ... written out below.

    Gold (S (A a b) c): a: [ S A       test (S a (A b c)): a: [ S
                        b: S A ]                           b: S [ A
                        c: S ]                             c: S ] A
    with the mark before the highest bracket that begins, and after the highest that ends, at the word.
    """
    gold, test = "(S (A (X a) (X b)) (X c))", "(S (X a) (A (X b) (X c)))"
    observer, _ = watch(LeafAncestorScores(EvalbParameters()), gold, test, EvalbParameters())
    words = [2 * 2 / (3 + 2), 2 * 2 / (3 + 3), 2 * 2 / (2 + 3)]
    assert observer.result().by_word == pytest.approx(100 * sum(words) / 3)


def test_leaf_ancestor_means_over_words_and_over_sentences():
    gold, test = "(S (X a) (X b))\n(S (X c))\n", "(S (X a) (X b))\n(Q (X c))\n"
    result = watch(LeafAncestorScores(COLLINS), gold, test)[0].result()
    last = 2 * 2 / (3 + 3)  # [ S ] against [ Q ]: the marks agree
    assert result.by_word == pytest.approx(100 * (2 + last) / 3)
    assert result.by_sentence == pytest.approx(100 * (1 + last) / 2)


def test_leaf_ancestor_knows_equal_labels_and_takes_full_marks_for_the_same_tree():
    gold, test = "(S (ADVP (X a)) (X b))", "(S (PRT (X a)) (X b))"
    assert watch(LeafAncestorScores(COLLINS), gold, test)[0].result().by_word == 100
    assert watch(LeafAncestorScores(EvalbParameters()), gold, test)[0].result().by_word < 100


def test_nothing_to_score():
    assert watch(LeafAncestorScores(COLLINS), "\n", "\n")[0].result().by_word == 0
    assert watch(LabelTable(), "", "")[0].scores() == []
