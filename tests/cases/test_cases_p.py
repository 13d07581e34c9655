"""P: input to the parser, with a model of the small base treebank."""

from __future__ import annotations

import math

import pytest
from case_runs import labels_of, tree_of
from command_line import run_here, succeed
from oracles import leaves, phrases, read_trees


def lines_of(outcome):
    lines = outcome.out.split("\n")
    assert lines.pop() == ""
    return lines


def shape(tree):
    label, below = tree
    return label if isinstance(below, str) else (label, tuple(map(shape, below)))


def test_p01_slashes_inside_words(parse):
    first, second = (leaves(tree_of(line)) for line in lines_of(parse("P01")))
    assert (len(first), len(second)) == (6, 5)
    assert ("CC", "and/or") in first
    assert ("CD", "1\\/2") in second


def test_p03_any_blanks_between_tokens(parse):
    lines = lines_of(parse("P03"))
    assert len(lines) == 3
    assert len(set(lines)) == 1
    assert len(leaves(tree_of(lines[0]))) == 4


def test_p04_empty_lines_keep_their_place(parse):
    lines = lines_of(parse("P04"))
    assert [tree_of(line) is not None for line in lines] == [True, False, True, False, True]
    assert lines[1] == lines[3] == "(())"


def test_p05_nothing_in_nothing_out(parse):
    assert parse("P05").out == ""


def test_p06_tokens_without_a_tag(train, case):
    model = train("_base").folder
    stopped = run_here("parse", model, case("P06", "tagged.txt"))
    assert stopped.code == 3
    assert "tagged.txt:2:17: 'vanished' has no tag" in stopped.err
    assert [tree_of(line) is not None for line in lines_of(stopped)] == [True]
    skipped = run_here("parse", model, case("P06", "tagged.txt"), "--on-error", "skip")
    assert skipped.code == 0
    assert [tree_of(line) is not None for line in lines_of(skipped)] == [True, False, False]
    for message in ("tagged.txt:2:17: 'vanished' has no tag", "tagged.txt:3:24: 'lamp/' has no tag"):
        assert message in skipped.err
    assert "2 not readable" in skipped.err


def test_p07_a_tag_never_seen(parse):
    outcome = parse("P07")
    first, second = lines_of(outcome)
    assert ("GW", "ba") in leaves(tree_of(first))
    assert second == "(TOP (S (NP (DT the) (NN baker)) (VP (VBD slept)) (. .)))"
    assert "tagged.txt:1: tag 'GW' of 'ba' never occurred in training" in outcome.err


def test_p08_words_never_seen(parse):
    for line, words in zip(lines_of(parse("P08")), ("the zorble frimped .", "Quastle mibbled the vint ."), strict=True):
        assert line.startswith("(TOP (S ")
        assert [word for _, word in leaves(tree_of(line))] == words.split()


def test_p10_a_capital_letter_at_the_start(parse):
    first, second = (tree_of(line) for line in lines_of(parse("P10")))
    assert shape(first) == shape(second)
    assert leaves(first)[0] == ("DT", "The")


def test_p12_sentences_of_one_word(parse):
    lines = lines_of(parse("P12"))
    assert [leaves(tree_of(line)) for line in lines] == [[("NNP", "Iona")], [("VBD", "slept")], [(".", ".")]]


def test_p13_rows_of_punctuation(parse):
    assert [len(leaves(tree_of(line))) for line in lines_of(parse("P13"))] == [7, 3]


def test_p14_a_sentence_of_220_words(parse):
    first, second = lines_of(parse("P14"))
    assert len(leaves(tree_of(first))) == 220
    assert len(phrases(tree_of(first))) > 2
    assert second.startswith("(TOP (S ")


def test_p14_a_limit_is_told_with_line_and_length(parse):
    outcome = parse("P14", "_base", "--max-length", "100")
    first, second = lines_of(outcome)
    assert [label for label, _ in phrases(tree_of(first))] == ["TOP"]
    assert second.startswith("(TOP (S ")
    assert "tagged.txt:1: 220 words are more than --max-length 100: the tree is flat." in outcome.err


@pytest.mark.parametrize("how", ["--raw", "--text"])
def test_p16_raw_brackets_quotes_and_contractions(train, case, how):
    lines = lines_of(succeed("parse", train("_base").folder, case("P16", "raw.txt"), how))
    assert len(lines) == 3
    for line in lines:
        assert len(read_trees(line)) == 1
        assert not any(char in word for _, word in leaves(tree_of(line)) for char in "()")


def test_p16_without_being_told_raw_text_is_refused(train, case):
    outcome = run_here("parse", train("_base").folder, case("P16", "raw.txt"))
    assert outcome.code == 3
    assert "raw.txt:1:1: 'She' has no tag" in outcome.err
    assert "--raw and --text read text without tags" in outcome.err


def test_p18_brackets_as_tokens(parse):
    first, second = lines_of(parse("P18"))
    assert first == second
    assert len(leaves(tree_of(first))) == 8
    assert {("-LRB-", "-LRB-"), ("-RRB-", "-RRB-")} <= set(leaves(tree_of(first)))


def test_p20_tags_are_kept(parse):
    first, second = lines_of(parse("P20"))
    assert leaves(tree_of(first)) == [("DT", "the"), ("NN", "slept"), ("VBD", "clock"), (".", ".")]
    assert leaves(tree_of(second)) == [("DT", "the"), ("NN", "clock"), ("VBD", "slept"), (".", ".")]


@pytest.mark.parametrize("name", ["P01", "P07", "P08", "P13", "P14", "P18", "P20"])
def test_only_labels_of_the_treebank_come_out(parse, train, name):
    known = {"TOP"} | train("_base").categories
    for line in lines_of(parse(name)):
        assert set(labels_of(line)) <= known


def test_p21_more_trees_asked_for_than_there_are(parse):
    """Each sentence gets 1 to 50 different trees, best first, with finite scores; the first is the 1-best tree."""
    best = lines_of(parse("P21", check=False))
    blocks = [block.splitlines() for block in parse("P21", "_base", "--nbest", "50", check=False).out.split("\n\n")]
    assert blocks.pop() == []
    assert len(blocks) == len(best)
    for block, one_best in zip(blocks, best, strict=True):
        scores, trees = zip(*(line.split("\t") for line in block), strict=True)
        assert 1 <= len(trees) <= 50
        assert len(set(trees)) == len(trees)
        assert trees[0] == one_best
        numbers = [float(score) for score in scores]
        assert all(math.isfinite(number) for number in numbers)
        assert numbers == sorted(numbers, reverse=True)
        words = leaves(tree_of(one_best))
        assert all(leaves(tree_of(tree)) == words for tree in trees)
        assert not any("@" in label for tree in trees for label in labels_of(tree))
    assert max(map(len, blocks)) > 1
