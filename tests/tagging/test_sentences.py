"""The table of sentence formats: one sentence in every form, places and problems, and what the command says of them."""

from __future__ import annotations

import pytest
from command_line import fail, succeed

from lpcfg_cli.config import ReadSettings
from lpcfg_cli.errors import ConfigError, SyntaxProblem
from lpcfg_cli.tagging.sentence import without_tags
from lpcfg_cli.tagging.sentences import SENTENCE_FORMATS, open_sentences, read_input, read_sentences

SKIP = ReadSettings(on_error="skip")
TAGGED = [("and/or", "CC"), ("ships", "NNS")]

FORMS = {
    "slash": "and/or/CC ships/NNS",
    "tab": "and/or\tCC\textra\nships\tNNS\n",
    "trees": "(X (CC and/or)\n (NP (NNS-1=2 ships) (-NONE- *)))",
    "raw": "and/or ships",
    "text": "and/or\nships",
}
"""The same sentence in every form."""


def read(text, form, settings=None, **options):
    return list(read_input(text.split("\n"), form, "x", settings, **options))


def test_every_format_is_tried_here():
    assert list(FORMS) == list(SENTENCE_FORMATS)
    assert [name for name, form in SENTENCE_FORMATS.items() if not form.has_tags] == ["raw", "text"]


@pytest.mark.parametrize("form", FORMS)
def test_all_formats_give_the_same_sentence(form):
    (sentence,) = read(FORMS[form], form)
    given = TAGGED if SENTENCE_FORMATS[form].has_tags else [(word, "") for word, _ in TAGGED]
    assert sentence.tokens == given
    assert sentence.place == ("x tree 1" if form == "trees" else "x:1")
    assert without_tags(sentence).tokens == [(word, "") for word, _ in TAGGED]
    assert next(read_sentences(FORMS[form] + "\n", form, "x")) == given


@pytest.mark.parametrize("form", FORMS)
def test_files_are_read_as_lines_are(tmp_path, form):
    path = tmp_path / "x.txt"
    path.write_text(FORMS[form].replace("ships", "é"), "latin-1")
    (sentence,) = open_sentences(path, form, ReadSettings("latin-1"))
    assert [word for word, _ in sentence.tokens] == ["and/or", "é"]
    assert sentence.place == f"{path}:1"


@pytest.mark.parametrize(
    ("form", "text", "places"),
    [
        ("slash", "a/A\nb\nc/C", ["x:1", "x:2", "x:3"]),
        ("tab", "a\tA\n\nb\nd\tD\n\nc\tC", ["x:1", "x:3", "x:6"]),
        ("raw", "a\nb\0\nc", ["x:1", "x:2", "x:3"]),
        ("text", "a\nb\0\nc", ["x:1", "x:2", "x:3"]),
    ],
)
def test_a_sentence_that_cannot_be_read_stops_or_keeps_its_place(form, text, places):
    found = read(text, form, SKIP)
    assert [sentence.place for sentence in found] == places
    assert [[word for word, _ in sentence.tokens] for sentence in found] == [["a"], [], ["c"]]
    with pytest.raises(SyntaxProblem) as caught:
        read(text, form)
    assert (caught.value.path, caught.value.line) == ("x", found[1].problem.line)


def test_what_is_passed_over_among_trees_is_told():
    told = []
    found = read("# remark\n(A a)\n(B b c)\n(C c)", "trees", SKIP, tell=told.append)
    assert [sentence.tokens for sentence in found] == [[("a", "A")], [("c", "C")]]
    assert told[0] == "x:1: 1 line of remarks between trees"
    assert told[1].startswith("x:3:1: skipped '(B b c)")
    with pytest.raises(SyntaxProblem):
        read("(B b c)", "trees")


def test_a_format_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(ConfigError, match=r"'tabs'; expected one of slash, tab, trees, raw, text\. Did you mean tab"):
        read("", "tabs")


def test_the_command_names_the_formats(tmp_path):
    page = " ".join(succeed("parse", "--help").out.split())
    assert "--format [slash|tab|trees|raw|text]" in page
    assert all(f"{name}: {form.summary}" in page for name, form in SENTENCE_FORMATS.items())
    message = fail(2, "parse", tmp_path, "-f", "slsh")
    assert message == "lpcfg: --format is 'slsh'; expected one of slash, tab, trees, raw, text. Did you mean slash?\n"
    message = fail(2, "parse", tmp_path, "--decoder", "maxrule")
    assert message == (
        "lpcfg: --decoder is 'maxrule'; expected one of expected-f1, max-rule, sum, signed. Did you mean max-rule?\n"
    )
