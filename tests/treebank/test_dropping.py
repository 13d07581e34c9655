"""What is no language is left out: tags, labels, bare traces, lemmas, invisible characters; presets of treebanks."""

from __future__ import annotations

import unicodedata
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import leaves, read_trees, tuples_of, write_tree
from strategies import raw_treebanks

from lpcfg_cli.config import CleanSettings, ReadSettings, Settings
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.treebank.brackets import bracket_strings, treebank_from_text
from lpcfg_cli.treebank.characters import invisible_characters, normalized
from lpcfg_cli.treebank.clean import clean
from lpcfg_cli.treebank.dropping import drops_more_than_traces, without_marks
from lpcfg_cli.treebank.lemmas import split_lemma
from lpcfg_cli.treebank.presets import TREEBANKS, cleaning, with_preset


def cleaned(text, **options):
    trees, report = clean(treebank_from_text(text), CleanSettings(**options))
    return list(bracket_strings(trees)), report


SPEECH = """( (CODE (SYM SpeakerA1) (. .)))
( (S (INTJ (UH Well)) (EDITED (RM (-DFL- \\[)) (NP-SBJ (PRP she)) (, ,) (IP (-DFL- \\+))) (NP-SBJ (PRP she))
     (RS (-DFL- \\])) (VP (VBD ran)) (. .) (-DFL- E_S)))"""
HISTORICAL = """( (IP-MAT (CODE <P_1>) (NP-NOM (D^N +de) (N^N mann)) (VBDI slep) (. .)) (ID X,1.1))
( (IP-MAT (NP-NOM *pro*) (CP (C 0) (VBDI com)) (ID-X a)) (ID X,1.2))
( (METADATA (AUTHOR unknown)) (ID X,1.3))"""


@pytest.mark.parametrize(
    ("text", "options", "trees", "dropped"),
    [
        (
            SPEECH,
            {"treebank": "switchboard"},
            ["(S (INTJ (UH Well)) (EDITED (NP (PRP she)) (, ,)) (NP (PRP she)) (VP (VBD ran)) (. .))"],
            {"CODE": 2, "-DFL-": 4},
        ),
        (
            SPEECH,
            {"treebank": "switchboard-fluent"},
            ["(S (INTJ (UH Well)) (NP (PRP she)) (VP (VBD ran)) (. .))"],
            {"CODE": 2, "EDITED": 4, "-DFL-": 2},
        ),
        (
            HISTORICAL,
            {"treebank": "penn-helsinki"},
            ["(IP (NP (D^N +de) (N^N mann)) (VBDI slep) (. .))", "(IP (CP (VBDI com)) (ID-X a))"],
            {"ID": 3, "CODE": 1, "METADATA": 1},
        ),
        ("(S (N.a-1 x) (N.b y) (. .))", {"cut_tags_at": "."}, ["(S (N x) (N y) (. .))"], {}),
        ("(S (NN[acc] x) (-LRB- y))", {"cut_tags_at": "-["}, ["(S (NN x) (-LRB- y))"], {}),
        ("(S:H (NP|x-A (NN y)) (NP;A (NN z)))", {"cut_labels_at": "-=|;:"}, ["(S (NP (NN y)) (NP (NN z)))"], {}),
        ("(S (NP-SBJ (NN y)) (VP=1 (VB z)))", {"strip_functions": False}, ["(S (NP-SBJ (NN y)) (VP=1 (VB z)))"], {}),
        (
            "(S (A a) (XP-1 (B b) (-NONE- *)) (XP (C c) (XQ (D d))))",
            {"drop_labels": ("XQ", "XP", "YP")},
            ["(S (A a))"],
            {"XQ": 1, "XP": 2, "YP": 0},
        ),
        ("(S (A a) (B-2 b))", {"drop_tags": ("B", ",")}, ["(S (A a))"], {"B": 1, ",": 0}),
        (
            "(S (X <s>) (CODE <P>) (A b) (X {COM:x}) (Y </s>) (Z <) (Z >))",
            {"drop_mark_up": True, "drop_tags": ("CODE",)},
            ["(S (A b) (Z <) (Z >))"],
            {"CODE": 1, "mark-up": 3},
        ),
        ("(S (NP-SBJ *T*-1) (A b))", {"drop_bare_traces": True}, ["(S (A b))"], {}),
        (
            "(S (N hund-hundr) (, ,-,) (V a-b-a-b) (X -) (Y b-))",
            {"drop_lemmas": True},
            ["(S (N hund) (, ,) (V a-b) (X -) (Y b-))"],
            {},
        ),
        (
            "(S\u00ad (N\u200b a\u00adb) (M e\u0301) (-NONE- \u00ad) (K \u00ad))",
            {"normalize": True},
            ["(S (N ab) (M é) (K \u00ad))"],
            {},
        ),
    ],
)
def test_settings_drop_and_cut(text, options, trees, dropped):
    found, report = cleaned(text, **options)
    assert found == trees
    assert report.dropped == dropped


def test_bare_traces_are_counted_apart_from_others():
    _, report = cleaned("(S (NP-SBJ *T*-1) (NP (-NONE- *)) (C 0) (A b))", drop_bare_traces=True)
    assert (report.traces, report.bare_traces, report.emptied) == (1, 2, 1)
    _, report = cleaned("(S (NP-SBJ *T*-1) (A b))")
    assert report.bare_traces == 0


@given(
    raw_treebanks,
    st.sets(st.sampled_from(["NN", "NNS", "PRP$", "NP", "$"])),
    st.sets(st.sampled_from(["S", "NP", "@VP"])),
)
def test_no_dropped_word_is_left_and_no_other_is_lost(trees, tags, labels):
    settings = CleanSettings(drop_tags=tuple(sorted(tags)), drop_labels=tuple(sorted(labels)))
    left, report = without_marks(treebank_from_text("\n".join(map(write_tree, trees))), settings)
    expected = [[pair for pair in _language(tree, tags, labels)] if tree else [] for tree in trees]
    assert [leaves(tree) for tree in tuples_of(left)] == expected
    n_words = sum(tag != "-NONE-" for tree in trees for tag, _ in leaves(tree))
    assert sum(report.dropped.values()) == n_words - sum(map(len, expected))


def _language(tree, tags, labels):
    """The leaves that are to be left, by a plain walk."""
    label, below = tree
    if isinstance(below, str):
        bare = label
        while (cut := bare.rstrip("0123456789"))[1:] and cut != bare and cut[-1] in "-=":
            bare = cut[:-1]
        return [] if label == "-NONE-" or {label, bare} & tags else [tree]
    cut = label if label[:1] in ("-", "=") else label.split("-")[0].split("=")[0]
    return [] if {label, cut} & labels else [pair for child in below for pair in _language(child, tags, labels)]


@pytest.mark.parametrize("name", TREEBANKS)
def test_a_preset_only_adds_and_adding_it_again_changes_nothing(name):
    own = CleanSettings(treebank=name, drop_tags=("XY",), cut_labels_at="|-")
    joined = with_preset(own)
    assert with_preset(joined) == joined
    assert joined.drop_tags[0] == "XY" and joined.cut_labels_at[:2] == "|-"
    assert set(CleanSettings().wrappers) <= set(joined.wrappers)
    trees = read_trees("(S (NP-SBJ (NN a) (VB b)) (-NONE- *))")
    changed = asdict(joined) != {**asdict(own), "treebank": name}
    assert changed == (name != "ptb")
    assert cleaned("\n".join(map(write_tree, trees)), treebank=name)[0] == ["(S (NP (NN a) (VB b)))"]


def test_a_treebank_that_is_not_known_is_refused():
    with pytest.raises(
        ConfigError, match=r"^clean\.treebank is 'switchbord'; expected one of ptb, .* Did you mean switchboard\?$"
    ):
        CleanSettings(treebank="switchbord")


def test_no_bare_trace_is_a_word_when_errors_are_skipped():
    assert not cleaning(Settings()).drop_bare_traces
    assert cleaning(Settings(read=ReadSettings(on_error="skip"))).drop_bare_traces
    assert with_preset(cleaning(Settings(clean=CleanSettings(treebank="cess")))).drop_bare_traces


def test_it_is_known_whether_gold_words_are_lost():
    assert not drops_more_than_traces(CleanSettings(cut_tags_at="."))
    for change in ({"drop_tags": ("X",)}, {"normalize": True}, {"treebank": "code"}, {"drop_bare_traces": True}):
        assert drops_more_than_traces(replace(CleanSettings(), **change))


@pytest.mark.parametrize(
    ("word", "form", "lemma"),
    [("var-vera", "var", "vera"), (".-.", ".", "."), ("a-b-a-b", "a-b", "a-b"), ("a-b-c", "a-b", "c"),
     ("-", "-", ""), ("--", "--", ""), ("---", "-", "-"), ("a-", "a-", ""), ("-a", "-a", ""), ("a", "a", "")],
)  # fmt: skip
def test_lemmas_are_divided_at_the_middle_hyphen(word, form, lemma):
    assert split_lemma(word) == (form, lemma)


INVISIBLE = "\u00ad\u200b\u200e\u200f\u202a\u202c\u2060\u2066\u2069\ufeff\u180e\u061c"


@pytest.mark.parametrize("char", INVISIBLE)
def test_characters_that_cannot_be_seen_are_found_and_removed(char):
    assert unicodedata.category(char) == "Cf"
    for word in (f"ab{char}c", f"{char}abc", f"abc{char}"):
        assert invisible_characters(word) == [char]
        assert normalized(word) == "abc"
    assert normalized(char) == char


@pytest.mark.parametrize(
    "word",
    [
        "می\u200cخواهم",
        "ක්\u200dෂ",
        "👩\u200d🚀",
        "🏴\U000e0067\U000e0062\U000e007f",
        "\u0600\u0661",
        "\u06dd",
        "abc",
        "é",
        "\u00a0",
    ],
)
def test_characters_that_belong_to_the_spelling_stay(word):
    assert invisible_characters(word) == []
    assert normalized(word) == word


@pytest.mark.parametrize("word", ["ab\u200dc", "ab\u200c", "\u200dab", "γ\u200dα"])
def test_joiners_that_join_nothing_are_found(word):
    assert len(invisible_characters(word)) == 1


@given(st.text(max_size=8))
def test_normalizing_twice_is_normalizing_once(text):
    assert normalized(normalized(text)) == normalized(text)
