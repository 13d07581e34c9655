"""NEGRA's export format and TIGER XML: what real files have, crossing branches, and what is refused."""

from __future__ import annotations

import gzip

import pytest
from oracles import tuples_of

from lpcfg_cli.config import ReadSettings
from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.treebank.brackets import bracket_strings, join_texts, new_string_table
from lpcfg_cli.treebank.files import read_tree_files
from lpcfg_cli.treebank.formats import TREE_FORMATS

EXPORT = """\
#FORMAT 3
#BOT WORDTAG
0 UNKNOWN N Unknown word tag
#EOT WORDTAG
%% a comment
#BOS 1 0 12 0 %% its origin
Der\t\tART\tDef.Masc\tNK\t500
Hund\t\tNN\t--\tNK\t500 %% HEAD
,\t\t$,\t--\t--\t0
der\t\tPRELS\t--\tSB\t501
bellt\t\tVVFIN\t--\tHD\t501
,\t\t$,\t--\t--\t0
(\t\t$(\t--\t--\t0
#500\t\tNP\t--\tSB\t502
#501\t\tS\t--\tRC\t500\t--\t502
#502\t\tS\t--\t--\t0
#EOS 1
#BOS 2 0 12 0
Hm\tITJ\t--\t--\t0
#EOS 2
"""
FOUR = """\
#FORMAT 4
#BOS 1
Der der ART Def.Masc NK 500
Hund Hund NN -- NK 500
#500 -- NP -- -- 0
#EOS 1
"""
CROSSING = """\
#BOS 7
was PWS -- OA 501
hat VAFIN -- HD 500
er PPER -- SB 500
getan VVPP -- HD 501
#500 S -- -- 0
#501 VP -- OC 500
#EOS 7
#BOS 8
ja ADV -- -- 0
#EOS 8
"""
TIGER = """\
<?xml version="1.0" encoding="ISO-8859-1"?>
<corpus id="x">
<head><meta><name>x</name></meta></head>
<body>
<s id="s1">
<graph root="s1_VROOT" discontinuous="true">
<terminals>
<t id="s1_1" word="Bär &amp; Söhne" lemma="--" pos="NE" morph="--" />
<t id="s1_2" word="," pos="$," />
<t id="s1_3" word="(" pos="$(" />
<t id="s1_4" word="brummt" pos="VVFIN"><secedge label="SB" idref="s1_500"/></t>
<t id="s1_5" word="." pos="$." />
</terminals>
<nonterminals>
<nt id="s1_501" cat="S"><edge label="HD" idref="s1_4" /><edge label="SB" idref="s1_500" /></nt>
<nt id="s1_500" cat="NP"><edge label="NK" idref="s1_1" /></nt>
<nt id="s1_VROOT" cat="VROOT">
<edge label="--" idref="s1_501" /><edge label="--" idref="s1_2" /><edge label="--" idref="s1_3" />
<edge label="--" idref="s1_5" />
</nt>
</nonterminals>
</graph>
</s>
</body>
</corpus>
"""


def read(form, text, on_error="stop"):
    strings = new_string_table()
    found = TREE_FORMATS[form].read(text, strings, "x", on_error)
    return list(bracket_strings(join_texts([found], strings))), found


def test_export_has_functions_and_puts_punctuation_where_it_stands():
    trees, found = read("export", EXPORT)
    assert trees == [
        r"( (S (NP-SB (ART Der) (NN Hund) ($, ,) (S-RC (PRELS der) (VVFIN bellt)))) ($, ,) ($\( \())",
        "(ITJ Hm)",
    ]
    assert [str(note) for note in found.notes] == [
        "x:9: 1 line of words moved from the root into the phrases around them"
    ]
    assert found.tree_place.tolist() == [6, 18]
    assert found.node_place.tolist()[1:5] == [16, 14, 7, 8]


@pytest.mark.parametrize("text", [FOUR, FOUR.replace("#FORMAT 4\n", ""), FOUR.replace("\n", "\r\n")])
def test_export_of_version_four_has_a_lemma(text):
    assert read("export", text)[0] == ["(NP (ART Der) (NN Hund))"]


def test_tiger_xml_is_read_with_its_root_and_its_functions():
    trees, found = read("tiger", TIGER)
    assert trees == [r"( (S (NP-SB (NE Bär_&_Söhne)) ($, ,) ($\( \() (VVFIN brummt)) ($. .))"]
    assert found.tree_place.tolist() == [5]
    assert found.node_place.tolist() == [5, 15, 16, 8, 9, 10, 11, 12]


def test_crossing_branches_are_refused_by_name_and_line_or_skipped():
    with pytest.raises(SyntaxProblem, match=r"^x:7:1: the phrase 'VP-OC', whose words are not next to each other; "):
        read("export", CROSSING)
    trees, found = read("export", CROSSING, "skip")
    assert trees == ["(ADV ja)"]
    assert [(part.line, part.text) for part in found.skipped] == [(1, "was hat er getan")]
    crossing = TIGER.replace('"NK" idref="s1_1"', '"NK" idref="s1_1"/><edge label="NK" idref="s1_5"').replace(
        '<edge label="--" idref="s1_5" />\n', ""
    )
    with pytest.raises(SyntaxProblem, match=r"^x:16:1: the phrase 'NP-SB', whose words"):
        read("tiger", crossing)
    assert [part.line for part in read("tiger", crossing, "skip")[1].skipped] == [5]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("#BOS 1\na NN -- --\n#EOS 1\n", 2, "expected a word or #number"),
        ("#BOS 1\na NN -- -- 500\n#EOS 1\n", 2, "the parent '500'"),
        ("#BOS 1\na NN -- -- 0\n#500 NP -- -- 0\n#EOS 1\n", 3, "the phrase 'NP' without words"),
        ("#BOS 1\na NN -- -- 500\n#500 NP -- -- 501\n#501 NP -- -- 500\n#EOS 1\n", 2, "is below itself"),
        ("#BOS 1\na NN -- -- 0\n#BOS 2\nb NN -- -- 0\n#EOS 2\n", 1, "a sentence without its end"),
        ("#BOS 1\na NN -- -- 0\n", 1, "a sentence without its end"),
        ("(S (NN a))\n", 1, "expected a line #BOS"),
    ],
)
def test_export_that_is_not_valid_is_refused_at_its_line_or_skipped(text, line, message):
    with pytest.raises(SyntaxProblem, match=message) as caught:
        read("export", text)
    assert (caught.value.path, caught.value.line) == ("x", line)
    after = "#BOS 9\nz NN -- -- 0\n#EOS 9\n"
    trees, found = read("export", text + after, "skip")
    assert trees[-1] == "(NN z)" and len(found.skipped) == 1


LAUGHS = '<!DOCTYPE corpus [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>\n<corpus><body>&b;</body></corpus>'
OUTSIDE = '<!DOCTYPE corpus [<!ENTITY a SYSTEM "file:///etc/hostname">]>\n<corpus><body>&a;</body></corpus>'


@pytest.mark.parametrize("text", [LAUGHS, OUTSIDE])
def test_entities_are_refused(text):
    with pytest.raises(SyntaxProblem, match=r"^x:1:\d+: the declaration of the entity 'a'"):
        read("tiger", text)
    assert read("tiger", text, "skip")[0] == []


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (("</body>", "</bod>"), 24, "mismatched tag"),
        (('word="."', 'wort="."'), 12, "a terminal without a word"),
        (('label="SB" idref="s1_500" /', 'label="SB" idref="s1_77" /'), 5, "an edge to 's1_77'"),
    ],
)
def test_xml_that_is_not_valid_is_refused_at_its_line(change, line, message):
    text = TIGER.replace(*change)
    with pytest.raises(SyntaxProblem, match=message) as caught:
        read("tiger", text)
    assert caught.value.line == line


def test_xml_of_another_kind_has_no_trees():
    for text in (
        "<metadata><s><t/></s></metadata>",
        "<html><br></html>",
        LAUGHS.replace("DOCTYPE corpus", "DOCTYPE html"),
    ):
        trees, found = read("tiger", text)
        assert (trees, found.skipped) == ([], ())


def test_files_are_known_by_their_endings(tmp_path):
    (tmp_path / "a.export").write_text(FOUR)
    (tmp_path / "b.xml.gz").write_bytes(gzip.compress(TIGER.encode("latin-1")))
    (tmp_path / "c.txt").write_text(CROSSING)
    files = read_tree_files([tmp_path / "a.export", tmp_path / "b.xml.gz"], ReadSettings("latin-1"))
    assert [tree[0] for tree in tuples_of(files.trees)] == ["NP", ""]
    other = read_tree_files([tmp_path / "c.txt"], ReadSettings(format="export", on_error="skip"))
    assert tuples_of(other.trees) == [("ADV", "ja")]


@pytest.mark.parametrize("wrong", [b"\xef", b"\0"])
@pytest.mark.parametrize("form", ["tiger", "export"])
def test_a_byte_that_is_no_text_costs_its_tree_and_no_other(tmp_path, form, wrong):
    text = {"tiger": TIGER, "export": EXPORT}[form]
    path = tmp_path / "a"
    path.write_bytes(text.encode().replace(b"brummt", b"bru%smt" % wrong).replace(b"bellt", b"be%slt" % wrong))
    files = read_tree_files([path], ReadSettings(on_error="skip", format=form))
    skipped = files.skipped
    assert files.trees.n_trees == text.count({"tiger": "<s ", "export": "#BOS"}[form]) - 1
    assert len(skipped) == 1 and ("NUL" if wrong == b"\0" else "byte 0xef, which is not utf-8") in skipped[0].problem
