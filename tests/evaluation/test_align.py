"""Scores by character spans."""

from __future__ import annotations

from eval_strategies import line_pairs
from hypothesis import given, settings
from hypothesis import strategies as st

from lpcfg_cli.evaluation.align import AlignedScores, plain_form
from lpcfg_cli.evaluation.parameters import COLLINS, EvalbParameters
from lpcfg_cli.evaluation.score import score_treebanks
from lpcfg_cli.evaluation.sentences import source_of_text


def aligned(gold, test, parameters=COLLINS):
    observer = AlignedScores(parameters)
    sources = (source_of_text(text, layout="lines") for text in (gold, test))
    scores = score_treebanks(*sources, parameters, [observer])
    return observer.result(), scores


def brackets(score):
    return score.counts.matched, score.counts.gold, score.counts.test


def test_a_word_that_was_split():
    gold = "(TOP (S (NP (DT the) (NN ink-pot)) (VP (VBD broke) (ADVP (RB again))) (. .)))"
    test = "(TOP (S (NP (DT the) (NN ink) (: -) (NN pot)) (VP (VBD broke)) (ADVP (RB again)) (. .)))"
    score, scores = aligned(gold, test)
    assert scores.all.errors == 1
    assert brackets(score) == (3, 4, 4)
    assert score.counts.crossing == 0
    assert (score.gold_tokens, score.test_tokens, score.same_tokens, score.same_tags) == (5, 7, 4, 4)


def test_split_words_with_a_bracket_between_them():
    gold, test = "(S (X don't) (Y (X go)))", "(S (X do) (V (X n't) (X go)))"
    score, _ = aligned(gold, test)
    assert brackets(score) == (1, 2, 2)
    assert score.counts.crossing == 0  # (n't go) holds (go)
    assert aligned("(S (Z (X a) (X bc)) (X d))", "(S (X ab) (Q (X c) (X d)))")[0].counts.crossing == 1


def test_characters_deleted_on_one_side_are_left_out_on_both():
    gold, test = "(S (A (X a) (X -)) (X b))", "(S (A (X a)) (: -) (X b))"
    assert brackets(aligned(gold, test)[0]) == (2, 2, 2)
    assert brackets(aligned(test, gold)[0]) == (2, 2, 2)
    assert brackets(aligned(gold, test, EvalbParameters())[0]) == (1, 2, 2)


def test_escapes_and_traces_are_no_difference():
    gold = "(S (NP (-NONE- *)) (X -LRB-) (NP (X 1\\/2)) (`` ``) (V go))"
    test = '(S (X ( ) (NP (X 1/2)) (`` ") (V go))'.replace("(X ( )", "(X \\()")
    assert brackets(aligned(gold, test)[0]) == (2, 2, 2)


def test_other_characters_are_an_error_and_no_parse_is_skipped():
    score, _ = aligned("(S (X a))\n(S (X b))\n(S (X c))", "(S (X b))\n(())\n(S (X c))")
    assert (score.counts.errors, score.counts.skipped, score.counts.valid) == (1, 1, 1)
    assert score.differing == [1]


def test_plain_forms():
    assert [plain_form(w) for w in ("-RRB-", "''", "1\\/2", "a")] == [")", '"', "1/2", "a"]


SAME_TAGS = EvalbParameters(delete_labels=("TOP",), equal_labels=(("ADVP", "PRT"),))


@settings(max_examples=150, deadline=None)
@given(st.lists(line_pairs(), min_size=1, max_size=4))
def test_where_words_agree_character_spans_score_as_word_spans(pairs):
    """No words are deleted, so that only sentences with different words may differ."""
    gold, test = ("\n".join(side) for side in zip(*pairs, strict=True))
    score, scores = aligned(gold, test, SAME_TAGS)
    has_empty_word = any("( )" in pair for pair in pairs)  # EVALB counts it; by characters there is nothing
    if scores.all.errors == scores.all.skipped == 0 and not has_empty_word:
        assert brackets(score) == (scores.all.matched, scores.all.gold, scores.all.test)
        assert score.counts.crossing == scores.all.crossing
        assert score.same_tokens == scores.all.words
