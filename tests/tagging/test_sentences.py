"""The table of sentence formats: one sentence in every form, places and problems, and what the command says of them."""

from __future__ import annotations

import pytest
from command_line import fail, succeed

from lpcfg_cli.config import CleanSettings, ReadSettings
from lpcfg_cli.errors import ConfigError, SyntaxProblem
from lpcfg_cli.tagging.sentence import InputSettings, without_tags
from lpcfg_cli.tagging.sentences import SENTENCE_FORMATS, open_sentences, read_input, read_sentences

SKIP = ReadSettings(on_error="skip")
TAGGED = [("and/or", "CC"), ("ships", "NNS")]

FORMS = {
    "slash": "and/or/CC ships/NNS-4",
    "underscore": "and/or_CC ships_NNS=1-2",
    "hash": "and/or#CC ships#NNS",
    "bar": "and/or|CC -|-NONE- ships|NNS",
    "tab": "and/or\tCC\textra\nships\tNNS-1\n",
    "conllu": "# text\n1-2\tx\t_\t_\t_\t_\t_\t_\t_\t_\n1\tand/or\t_\tCCONJ\tCC\t_\t_\t_\t_\t_\n"
    "2\tships\tship\tNNS\t_\t_\t_\t_\t_\t_\n2.1\t_\t_\t_\t_\t_\t_\t_\t_\t_\n",
    "trees": "(X (CC and/or)\n (NP (NNS-1=2 ships) (-NONE- *)))",
    "raw": "and/or ships",
    "text": "and/or\nships",
    "marked": "and/or/CC|IN [NP ships ]",
    "json": '{"words": ["and/or", "ships"], "require": [[1, 2, "NP"]]}',
    "partial": "(X and/or (NP-SBJ ships))",
}
"""The same sentence in every form; indices and traces are no part of it, in any of them."""


def read(text, form, settings=None, **options):
    return list(read_input(text.split("\n"), form, "x", settings, **options))


def test_every_format_is_tried_here():
    assert list(FORMS) == list(SENTENCE_FORMATS)
    assert [name for name, form in SENTENCE_FORMATS.items() if not form.has_tags] == [
        "raw", "text", "marked", "json", "partial",
    ]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_all_formats_give_the_same_sentence(form):
    (sentence,) = read(FORMS[form], form)
    given = TAGGED if SENTENCE_FORMATS[form].has_tags else [(word, "") for word, _ in TAGGED]
    assert sentence.tokens == given
    assert sentence.place == f"x:{2 if form == 'conllu' else 1}"
    assert without_tags(sentence).tokens == [(word, "") for word, _ in TAGGED]
    assert next(read_sentences(FORMS[form] + "\n", form, "x")) == given


@pytest.mark.parametrize("form", FORMS)
def test_files_are_read_as_lines_are(tmp_path, form):
    path = tmp_path / "x.txt"
    path.write_text(FORMS[form].replace("ships", "é"), "latin-1")
    (sentence,) = open_sentences(path, form, ReadSettings("latin-1"))
    assert [word for word, _ in sentence.tokens] == ["and/or", "é"]
    assert sentence.place == f"{path}:{2 if form == 'conllu' else 1}"


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
    with pytest.raises(ConfigError, match=rf"'tabs'; expected one of {', '.join(FORMS)}\. Did you mean tab"):
        read("", "tabs")


def test_the_command_names_the_formats(tmp_path):
    page = " ".join(succeed("parse", "--help").out.split())
    assert f"--format [{'|'.join(FORMS)}]" in page
    assert all(f"{name}: {form.summary}" in page for name, form in SENTENCE_FORMATS.items())
    message = fail(2, "parse", tmp_path, "-f", "slsh")
    assert message == f"lpcfg: --format is 'slsh'; expected one of {', '.join(FORMS)}. Did you mean slash?\n"
    message = fail(2, "parse", tmp_path, "--decoder", "maxrule")
    assert message == (
        "lpcfg: --decoder is 'maxrule'; expected one of expected-f1, max-rule, sum, signed. Did you mean max-rule?\n"
    )


CONLLU = "1\tla\tla\tDET\t_\t_\t_\t_\t_\t_\n2\tmil uno\t_\tNUM\tZ\t_\t_\t_\t_\t_\n\n1\tsi\t_\tINTJ\t_\t_\t_\t_\t_\t_"


def test_conllu_has_the_tags_of_treebanks_or_else_universal_ones_and_says_which():
    told = []
    found = read(CONLLU, "conllu", tell=told.append)
    assert [sentence.tokens for sentence in found] == [[("la", "DET"), ("mil_uno", "Z")], [("si", "INTJ")]]
    assert told == ["x:1: tags are taken from column 4 (UPOS).", "x:2: tags are taken from column 5 (XPOS)."]


@pytest.mark.parametrize(
    ("form", "text", "message"),
    [
        ("tab", CONLLU, r"^x:1:1: 10 columns; expected a word, a tab and its tag.*-f conllu"),
        (
            "tab",
            "1\tThe\tDT\n2\tboat\tNN",
            r"^x:2:1: 3 columns; expected a word.*The first is a number: leave it out; -f conllu",
        ),
        ("raw", CONLLU, r"^x:1:1: 10 columns; expected words with blanks between.*-f conllu"),
        ("tab", "# a comment\na\tA", r"^x:1:1: '# a comment'; expected a word.*-f conllu"),
        ("conllu", "the\tDT", r"^x:1:1: 2 columns; expected 10 columns.*-f tab"),
        ("conllu", "1\ta" + "\t_" * 8, r"^x:1:1: '1  a  _  _  _'; expected a number, a word, and its tag"),
        ("conllu", "x\ta\t_\tN" + "\t_" * 6, r"^x:1:1: 'x  a"),
        ("slash", "the_DT boat_NN", r"'the_DT' has no tag; expected word/TAG\. -f underscore reads"),
        ("slash", "the|DT boat|NN", r"-f bar reads"),
        ("underscore", "the/DT boat/NN", r"'the/DT' has no tag; expected word_TAG\. -f slash reads"),
        ("hash", "the boat", r"has no tag; expected word#TAG\. --raw and --text"),
    ],
)
def test_a_line_of_another_format_is_refused_with_the_format_that_reads_it(form, text, message):
    with pytest.raises(SyntaxProblem, match=message):
        read(text, form)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("a\tA\tx\nb\tB\tx", "x:1: 3 columns: the first is the word, the second its tag."),
        (
            "a\tA\n.\t.\nb\tB\n.\t.",
            "x: no line of 4 is empty, so all are one sentence. Put an empty line after each.",
        ),
        ("a\tA\n" * 60, None),
        (
            '<doc id="1">\n<s>\na\tA\n<g/>\n<\t<\n</s>\n<s>\n<b>\tB\n</s>',
            "x:1: lines of mark-up such as <s> are taken as ends of sentences.",
        ),
        ("a\tA\n.\t.\n\nb\tB\n.\t.", None),
    ],
)
def test_columns_and_sentences_that_are_guessed_are_told(text, note):
    told = []
    found = read(text, "tab", tell=told.append)
    assert told == ([] if note is None else [note])
    assert len(found) == (2 if "<s>" in text or "\n\n" in text else 1)


def test_long_columns_without_an_empty_line_are_told():
    told = []
    read("a\tA\n" * 60 + "b\tB", "tab", tell=told.append)
    assert told == ["x: no line of 61 is empty, so all are one sentence. Put an empty line after each."]


@pytest.mark.parametrize(
    ("form", "line", "words"),
    [
        ("raw", "<s> the boat . </s>", ["the", "boat", "."]),
        ("raw", "<s wsj_12> the </s>\r", ["the"]),
        ("raw", "a<s> <s> b</s>", ["a<s>", "<s>", "b</s>"]),
        ("slash", "<s> the/DT </s>", ["the"]),
        ("text", "<S> the </S>", ["the"]),
    ],
)
def test_marks_around_sentences_are_taken_off_and_told(form, line, words):
    told = []
    (sentence,) = read(line, form, tell=told.append)
    assert [word for word, _ in sentence.tokens] == words
    assert told == ([] if "a<s>" in line else ["x:1: the marks <s> and </s> around sentences are taken off."])


@pytest.mark.parametrize("form", ["slash", "trees"])
def test_tags_are_cut_and_words_dropped_by_the_rule_of_the_model_in_every_format(form):
    text = {
        "slash": "a/N.NOM-2 b/XY c\u00adc/V.1 d/-NONE-",
        "trees": "(S (N.NOM-2 a) (XY b) (V.1 c\u00adc) (-NONE- d))",
    }
    clean, told = CleanSettings(cut_tags_at=".", drop_tags=("XY",), normalize=True), []
    (sentence,) = read(text[form], form, InputSettings(clean=clean), tell=told.append)
    assert sentence.tokens == [("a", "N"), ("cc", "V")]
    left_out = "x:1: words with tags that training left out, such as -NONE-, are left out here too."
    assert told == ([left_out] if form == "slash" else [])
    (sentence,) = read(text[form], form)
    assert sentence.tokens == [("a", "N.NOM"), ("b", "XY"), ("c\u00adc", "V.1")]
