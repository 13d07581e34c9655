"""Sentences with constraints: marked lines, JSON lines, half-bracketed trees; and offsets of words."""

from __future__ import annotations

import pytest

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.tagging.constraints import Constraints, Span
from lpcfg_cli.tagging.offsets import word_offsets
from lpcfg_cli.tagging.sentence import InputSettings
from lpcfg_cli.tagging.sentences import read_input
from lpcfg_cli.tagging.text import TextConventions


def read(text, form, **settings):
    return list(read_input(text.split("\n"), form, "in", InputSettings(**settings)))


def one(text, form, **settings):
    (sentence,) = read(text, form, **settings)
    return sentence.tokens, sentence.constraints


def test_a_marked_line():
    tokens, constraints = one("[S The/DT [NP old|er man ] saw/NN|VBD [! it [!VP now ] ] and/or 1\\/2 ]", "marked")
    assert tokens == [
        ("The", "DT"), ("old|er", ""), ("man", ""), ("saw", ""), ("it", ""), ("now", ""), ("and", "or"), ("1\\/2", ""),
    ]  # fmt: skip
    assert constraints == Constraints(
        (Span(0, 8, "S"), Span(1, 3, "NP")), (Span(5, 6, "VP"), Span(4, 6)), None, ((3, ("NN", "VBD")),)
    )


@pytest.mark.parametrize("line", ["a ] b", "[NP a", "[NP ] a", "[NP [VP a ]"])
def test_marks_must_be_opened_and_closed_around_words(line):
    with pytest.raises(SyntaxProblem, match=r"^in:1:1: .*bracket"):
        read(line, "marked")
    assert [s.problem is None for s in read(f"a\n{line}\nb", "marked", on_error="skip")] == [True, False, True]


def test_a_json_line():
    line = '{"words": ["a", "b", "c"], "tags": ["DT", null, ["NN", "VB"]], "require": [[0, 2, "NP"], [1, 3]], '
    tokens, constraints = one(line + '"forbid": [[0, 3, "VP"]], "root": "S"}', "json")
    assert tokens == [("a", "DT"), ("b", ""), ("c", "")]
    required = (Span(0, 2, "NP"), Span(1, 3))
    assert constraints == Constraints(required, (Span(0, 3, "VP"),), "S", ((2, ("NN", "VB")),))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("[1]", "which is no object"), ("{", "Expecting"), ('{"word": ["a"]}', "the key 'word'"),
        ('{"words": ["a"], "text": "a"}', "with both"), ('{"words": ["a"], "tags": ["A", "B"]}', "2 tags for 1 words"),
        ('{"words": ["a"], "require": [[0, 2]]}', "0 <= start < stop <= 1"), ('{"words": ["a", 1]}', "1 where there"),
        ('{"words": ["a"], "require": [[0, "1"]]}', "should be [start, stop]"),
        ('{"words": null}', "None for words, which is no list"),
        ('{"words": "ab"}', "'ab' for words, which is no list"), ('{"text": 5}', "5 where there should be a string"),
        ('{"words": ["a"], "tags": "N"}', "'N' for tags, which is no list"),
    ],
)  # fmt: skip
def test_a_json_line_that_is_not_one(line, found):
    with pytest.raises(SyntaxProblem) as error:
        read(line, "json")
    assert found in str(error.value) and str(error.value).startswith("in:1:1: ")
    assert read(line, "json", on_error="skip")[0].tokens == []


def test_half_bracketed_trees():
    text = "(TOP (S (NP-SBJ The man) (-NONE- *T*)\n (VP (VBD saw) ( the dog)) .))\n\n( (NP it))"
    first, second = read(text, "partial")
    assert [word for word, tag in first.tokens] == ["The", "man", "saw", "the", "dog", "."]
    assert {tag for _, tag in first.tokens} == {""}
    assert first.constraints.required == (
        Span(0, 6, "S"), Span(0, 2, "NP"), Span(2, 5, "VP"), Span(2, 3, "VBD"), Span(3, 5)
    )  # fmt: skip
    assert (first.place, second.place) == ("in:1", "in:4")
    assert second.constraints == Constraints((Span(0, 1, "NP"),))


@pytest.mark.parametrize(("text", "place"), [("word (S a)", "in:1:1"), ("(S (NP a)", "in:1:1"), ("(S a) )", "in:1:7")])
def test_half_bracketed_trees_that_are_none(text, place):
    with pytest.raises(SyntaxProblem, match=f"^{place}: "):
        read(text, "partial")


def test_a_root_for_all_sentences_but_those_with_their_own():
    lines = '{"words": ["a"]}\n{"words": ["a"], "root": "NP"}'
    assert [s.constraints.root for s in read(lines, "json", root="S")] == ["S", "NP"]


TEXT = 'He said “no” – (yes)…\nIt\'s "here". '


def test_offsets_of_words_that_are_spelt_otherwise():
    words = ["He", "said", "``", "no", "''", "--", "-LRB-", "yes", "-RRB-", "...", "It", "'s", "``", "here", "''", "."]
    found = word_offsets(TEXT, words)
    assert [TEXT[i:j] for i, j in found] == [
        "He", "said", "“", "no", "”", "–", "(", "yes", ")", "…", "It", "'s", '"', "here", '"', "."
    ]  # fmt: skip


def test_a_word_that_is_not_in_the_text_has_no_offset():
    assert word_offsets("a c", ["a", "b", "c"]) == [(0, 1), None, (2, 3)]


def test_offsets_of_raw_text_are_into_the_input():
    text = "a b\n\n  c (d)"
    sentences = [s for s in read(text, "raw") if s.tokens]
    found = [text[i:j] for s in sentences for i, j in s.located()[1]]
    assert found == ["a", "b", "c", "(d)"]
    assert [s.located()[0] for s in sentences] == ["a b", "  c (d)"]


def test_offsets_of_running_text_are_into_the_input():
    text = "The dog slept.  It\nwas old.\n\nThe cat slept."
    conventions = TextConventions(clitics=("'s",))
    sentences = list(read_input(text.split("\n"), "text", "in", InputSettings(), conventions=conventions))
    assert [s.located()[0] for s in sentences] == ["The dog slept.", "It\nwas old.", "The cat slept."]
    for sentence in sentences:
        words = [word for word, _ in sentence.tokens]
        assert [text[i:j] for i, j in sentence.located()[1]] == words


def test_offsets_of_tagged_words_are_into_the_words():
    (sentence,) = read("The/DT dog/NN", "slash")
    assert sentence.located() == ("The dog", [(0, 3), (4, 7)])
