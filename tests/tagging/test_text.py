"""Splitting of running text into sentences and words, by the conventions of different treebanks."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from lpcfg_cli.config import ReadSettings
from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.tagging.sentences import open_sentences, read_abbreviations, read_input
from lpcfg_cli.tagging.text import TextConventions, learn_conventions

PENN_SENTENCES = [
    "`` It 's old , '' said Mr. Hill -LRB- again -RRB- .",
    "He does n't row -- ever ... in Jan. storms .",
    "The keeper of the U.S. boat left .",
    *["The boat left .", "the the the"] * 5,
]
PENN = learn_conventions(sentence.split() for sentence in PENN_SENTENCES)
PLAIN = learn_conventions([["La", "luz", "de", "EE.UU.", '"', "fuerte", '"', "."]])


def words_of(text, conventions=PENN, form="text"):
    found = read_input(text.split("\n"), form, "x", conventions=conventions)
    return [[word for word, tag in sentence.tokens if tag == ""] for sentence in found]


def places_of(text, conventions=PENN, form="text"):
    return [sentence.place for sentence in read_input(text.split("\n"), form, "x", conventions=conventions)]


def test_conventions_are_learnt_from_words():
    assert PENN.abbreviations == ("jan", "mr", "u.s")
    assert PENN.has_directed_quotes and PENN.clitics == ("'s", "n't")
    written = dict(PENN.spellings)
    assert written == {
        "(": "-LRB-",
        ")": "-RRB-",
        "“": "``",
        "”": "''",
        "„": "``",
        "«": "``",
        "»": "''",
        "–": "--",
        "—": "--",
        "…": "...",
        "‘": "`",
        "’": "'",
    }
    assert "the" in PENN.starters
    assert not PLAIN.has_directed_quotes and not PLAIN.clitics
    assert PLAIN.abbreviations == ("ee.uu",)
    assert PLAIN.spellings == tuple((quote, '"') for quote in "“”„«»")


def test_a_treebank_that_has_the_character_keeps_it():
    kept = learn_conventions([["(", "-LRB-", '"', "``", "''", "n't", *"“”„«»‘’"]])
    assert kept.spellings == ()
    assert not kept.has_directed_quotes and kept.clitics == ("n't",)


def test_conventions_survive_json():
    assert TextConventions.from_dict(json.loads(json.dumps(asdict(PENN)))) == PENN
    for wrong in ({}, {**asdict(PENN), "spellings": [["ab", "c"]]}):
        with pytest.raises((KeyError, ValueError)):
            TextConventions.from_dict(wrong)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. Hill left. The boat left.", ["Mr. Hill left .", "The boat left ."]),
        ("He left in Jan. The boat did not.", ["He left in Jan .", "The boat did not ."]),
        ("“It’s old,” he said — twice…", ["`` It 's old , '' he said -- twice ..."]),
        ('"Wait!" she said.', ["`` Wait ! '' she said ."]),
        ("the lamp(s) (again)", ["the lamp -LRB- s -RRB- -LRB- again -RRB-"]),
        ("It grew, i.e.\nit rose 3.5%.", ["It grew , i.e. it rose 3.5 % ."]),
        ("one line\nof two\n\nand no full stop", ["one line of two", "and no full stop"]),
        ("\n \n\t\n", []),
        ("\u3000Wide\u00a0blanks\u2003here.", ["Wide blanks here ."]),
        ("Ça coûte 5 €? Да!", ["Ça coûte 5 € ?", "Да !"]),
        ("👩‍🚀 e\u0301te\u0301 naïve.", ["👩‍🚀 e\u0301te\u0301 naïve ."]),
    ],
)
def test_running_text_of_a_penn_treebank(text, expected):
    assert [" ".join(words) for words in words_of(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("La luz de EE.UU. es fuerte. No importa.", ["La luz de EE.UU. es fuerte .", "No importa ."]),
        ('Dijo: "no" (dos veces) & R&D | x.', ['Dijo : " no " ( dos veces ) & R&D | x .']),
    ],
)
def test_running_text_of_another_treebank(text, expected):
    assert [" ".join(words) for words in words_of(text, PLAIN)] == expected


def test_sentences_are_named_by_their_first_line():
    text = "\nThe boat left. The\nkeeper\nslept. The end\n\n\nThe end."
    assert [" ".join(words) for words in words_of(text)] == [
        "The boat left .",
        "The keeper slept .",
        "The end",
        "The end .",
    ]
    assert places_of(text) == ["x:2", "x:2", "x:4", "x:7"]


def test_sentences_come_as_soon_as_the_next_one_begins():
    taken = []

    def lines():
        for line in ("The boat left.", "The keeper", "slept. He", "rowed"):
            taken.append(line)
            yield line

    found = read_input(lines(), "text", "x", conventions=PENN)
    assert [word for word, _ in next(found).tokens] == ["The", "boat", "left", "."]
    assert len(taken) == 3
    assert [len(sentence.tokens) for sentence in found] == [4, 2]


def test_raw_lines_are_sentences_of_words_between_blanks():
    text = 'The " lamp " (s) .\n\n ( -LRB- [ \n“ U.S. ”\t’s\r\n\u00a0'
    assert words_of(text, form="raw") == [
        ["The", "``", "lamp", "''", "-LRB-s-RRB-", "."],
        [],
        ["-LRB-", "-LRB-", "["],
        ["``", "U.S.", "''", "'s"],
        ["\u00a0"],
    ]
    assert places_of(text, form="raw") == ["x:1", "x:2", "x:3", "x:4", "x:5"]


def test_without_conventions_words_stay_as_they_come():
    assert words_of('( " ’', TextConventions(), "raw") == [["(", '"', "’"]]


@pytest.mark.parametrize("form", ["raw", "text"])
def test_what_is_no_text_is_refused_or_skipped(form, tmp_path):
    path = tmp_path / "odd.txt"
    path.write_bytes(b"One.\nT\0wo.\nThree.\n")
    with pytest.raises(SyntaxProblem, match=r"odd\.txt:2:2"):
        list(open_sentences(path, form, ReadSettings()))
    found = list(open_sentences(path, form, ReadSettings(on_error="skip")))
    assert [sentence.problem is not None for sentence in found] == [False, True, False]


def words(text, conventions):
    return " ".join(conventions.tokenise(text))


@pytest.mark.parametrize(
    ("learnt", "text", "expected"),
    [
        (["'s"], "Tamsin's lamp didn't fall.", "Tamsin 's lamp didn't fall ."),
        (["n't"], "Tamsin's lamp didn’t fall.", "Tamsin's lamp did n't fall ."),
        (["'ll", "'d"], "We'll say they'd go; she's in.", "We 'll say they 'd go ; she's in ."),
        (["n’t", "’s"], "It's here, isn’t it?", "It ’s here , is n’t it ?"),
        (["n't", "’s", "n’t", "'s"], "It's here, isn’t it?", "It 's here , is n’t it ?"),
        (["'s", "o'clock", "O'Neill", "'d", "'ve"], "O'Neill'd've at 5 o'clock", "O'Neill 'd 've at 5 o'clock"),
        (["'s", "cannot"], "I cannot", "I cannot"),
        (["'s"], "I cannot", "I can not"),
        (["l'", "d'", "qu'", "L'"], "L'homme d'ici qu'aujourd'hui.", "L' homme d' ici qu' aujourd'hui ."),
        (["l'", "l'homme", "l'homme"], "l'ami", "l'ami"),
        ([], "Tamsin's lamp", "Tamsin's lamp"),
    ],
)
def test_each_clitic_is_cut_if_the_treebank_has_it(learnt, text, expected):
    assert words(text, learn_conventions([["a", ".", "?", ",", ";", *learnt]])) == expected


QUOTED = {
    "penn": (["``", "''", "n't", "'s"], "``", "''"),
    "penn without clitics": (["``", "''"], "``", "''"),
    "straight": (['"'], '"', '"'),
    "straight with clitics": (['"', "'s"], '"', '"'),
    "curly": (["“", "”"], "“", "”"),
    "guillemets": (["«", "»", '"'], '"', '"'),
}


GIVEN = ["“”", '""', ("``", "''")]
BOTH = [(name, given) for name in QUOTED for given in GIVEN if name != "curly" or given == GIVEN[0]]
"""A treebank with curly quotes does not tell the direction of straight ones."""


@pytest.mark.parametrize(("name", "given"), BOTH)
def test_quotes_become_those_of_the_treebank_and_full_stops_stand_apart(name, given):
    learnt, left, right = QUOTED[name]
    conventions = learn_conventions([["a", ".", ",", "fell", *learnt]])
    assert words(f"{given[0]}Go,{given[1]} she said.", conventions) == f"{left} Go , {right} she said ."
    assert words(f"{given[0]}The lamp fell.{given[1]}", conventions) == f"{left} The lamp fell . {right}"


def test_low_quotes_are_closed_by_what_opens_others():
    assert words("„Go,“ she said, „and go.“", PENN) == "`` Go , '' she said , `` and go . ''"
    assert words_of("„ Go , “ “ x ”", form="raw") == [["``", "Go", ",", "''", "``", "x", "''"]]


ADDRESSES = [
    "https://a-b.org/c_(d)?q=1,2&r=x", "www.a.com/b:c", "ann.x@mail.example.org", "1,000.50", "3.5", "10:30",
    "1.2.2024", "a.example.com/b?c=d,e", "12:30:45.5",
]  # fmt: skip


@pytest.mark.parametrize("conventions", [PENN, PLAIN, TextConventions()])
@pytest.mark.parametrize("whole", ADDRESSES)
def test_addresses_and_numbers_stay_whole(conventions, whole):
    spelt = conventions.respell([whole])[0]
    full_stop, comma, question = (words(f"Look at {whole}{mark}", conventions) for mark in (".", ", please", "?"))
    assert full_stop == f"Look at {spelt} ."
    assert comma == f"Look at {spelt} , please"
    assert question == f"Look at {spelt} ?"


def test_private_characters_of_a_text_stay_what_they_are():
    assert words("a\U000f0000\U000f0001b 3.5", PENN) == "a\U000f0000\U000f0001b 3.5"


def test_abbreviations_of_single_letters_and_added_ones_end_no_sentence():
    text = "He left, i.e. John left. Ask Dr. Hill approx. Monday. The end."
    split = [text[start:stop] for start, stop in PENN.sentence_spans(text)]
    assert split == ["He left, i.e. John left.", "Ask Dr.", "Hill approx.", "Monday.", "The end."]
    more = PENN.with_abbreviations(["Dr.", "approx", ""])
    assert [text[start:stop] for start, stop in more.sentence_spans(text)] == [
        "He left, i.e. John left.", "Ask Dr. Hill approx. Monday.", "The end.",
    ]  # fmt: skip


def test_files_of_abbreviations_have_remarks(tmp_path):
    (tmp_path / "a.txt").write_text("Dr.  # title\n\n# none\napprox\n")
    assert read_abbreviations(tmp_path / "a.txt") == ["Dr.", "approx"]


def test_conventions_of_older_models_are_read():
    old = {**asdict(PENN), "has_clitics": True}
    del old["clitics"], old["whole"]
    assert TextConventions.from_dict(old).tokenise("It's") == ["It", "'s"]
