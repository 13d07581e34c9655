"""Words and tags that are no language are found, with what to do about them; language is left alone."""

from __future__ import annotations

import shlex

import pytest

from lpcfg_cli.config import CleanSettings
from lpcfg_cli.treebank.anomalies import find_anomalies, no_language
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.checked_nodes import CheckedNodes
from lpcfg_cli.treebank.marks import Marks


def found(text, **options):
    """Kind → texts."""
    kinds = {}
    for anomaly in find_anomalies(CheckedNodes(treebank_from_text(text)), CleanSettings(**options)):
        kinds.setdefault(anomaly.kind, []).append(anomaly.text)
    return kinds


def suggested(text, **options):
    return Marks(CheckedNodes(treebank_from_text(text)), CleanSettings(**options)).suggestion()


REPEATED = "(S (NP (DT the) (NN boat)) (VP (VBD left)) (. .))\n" * 3

CASES = [
    (
        "(S (UH oh) (-DFL- E_S))",
        "mark",
        "1 word under the tag -DFL- is a mark rather than a word: E_S 1×. --treebank switchboard leaves them out",
    ),
    (
        "(S (UH oh) (-XYZ- E_S))",
        "mark",
        "1 word under the tag -XYZ- is a mark rather than a word: E_S 1×. --drop-tag -XYZ- leaves them out",
    ),
    (
        "(S (CODE (SYM A) (. .)))(UH oh)",
        "mark",
        "1 phrase CODE holds marks rather than words. --treebank code leaves them out",
    ),
    (
        "(S (N a) (ID X.1))",
        "mark",
        "1 word under the tag ID is a mark rather than a word: X.1 1×. --treebank penn-helsinki leaves them out",
    ),
    ("(S (X <s>) (N a) (X </s>))", "mark-up", "2 words are mark-up: <s> 1×, </s> 1×. --drop-mark-up leaves them out"),
    ("(S (N {COM:sic}) (N a))", "mark-up", "1 word is mark-up: {COM:sic} 1×. --drop-mark-up leaves them out"),
    (
        "(S (N a) (REF b1))(S (N a) (REF b2))(S (N a) (REF b3))",
        "identifier",
        "REF has another word in each of 3 trees, as identifiers do: "
        "b1 1×, b2 1×, b3 1×. "
        "--drop-tag REF leaves them out",
    ),
    (
        "(S (DT 0=The) (NN 1=boat))",
        "numbered-word",
        "2 words stand behind numbers, as in disco-dop's trees: "
        "0=The 1×, 1=boat 1×. "
        "--tree-format discbracket reads them",
    ),
    (
        "(S (DT the-the) (NN boats-boat) (VB a-b) (. .-.))",
        "lemma",
        "4 of 4 words have lemmas behind them: the-the 1×, boats-boat 1×, a-b 1×, .-. 1×. --drop-lemmas cuts them",
    ),
    (
        "(S (NN-SBJ a) (NN b) (-LRB- c))",
        "attached-feature",
        "1 tags look like tags with functions or features after '-': NN-SBJ. --cut-tags - makes 2 tags of 3",
    ),
    (
        "(S (N.NOM.SG a) (V.PRS b) (. .))",
        "attached-feature",
        "1 tags look like tags with functions or features after '.': N.NOM.SG. --cut-tags . makes 3 tags of 3",
    ),
    (
        "(S (NN[acc] a) (V b))",
        "attached-feature",
        "1 tags look like tags with functions or features after '[': NN[acc]. --cut-tags '[' makes 2 tags of 2",
    ),
    (
        "(S (NN##x=1## a) (V##y=2## b))",
        "attached-feature",
        "2 tags look like tags with functions or features after '#': NN##x=1##, V##y=2##. "
        "--cut-tags '#' makes 2 tags of 2",
    ),
    (
        "(S (NN a\u00adb) (N \ufeffc))",
        "invisible-character",
        "2 words with invisible characters, which --normalize removes: 'a\\xadb', '\\ufeffc'",
    ),
    (
        "(S (NN e\u0301) (N \u00e9))",
        "decomposed-letter",
        "1 word has letters and accents apart, others as one: 'e\\u0301'. --normalize joins them",
    ),
]


@pytest.mark.parametrize(("text", "kind", "told"), CASES)
def test_it_is_found_and_told_what_to_do(text, kind, told):
    assert found(text)[kind] == [told]


FLAGS = {
    "--treebank": "treebank", "--drop-tag": "drop_tags", "--cut-tags": "cut_tags_at", "--normalize": "normalize",
    "--drop-lemmas": "drop_lemmas", "--drop-mark-up": "drop_mark_up",
}  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "told"), [case for case in CASES if any(flag in case[2] for flag in FLAGS)])
def test_what_is_told_to_do_helps(text, kind, told):
    """The setting that the message names makes the finding go away."""
    words = shlex.split(told.replace(",", "").replace("'[':", "").replace("'#':", ""))
    flag = next(word for word in words if word in FLAGS)
    value = words[words.index(flag) + 1]
    settings = {"drop_tags": (value,), "normalize": True, "drop_lemmas": True, "drop_mark_up": True}.get(
        FLAGS[flag], value
    )
    assert kind not in found(text, **{FLAGS[flag]: settings})


@pytest.mark.parametrize(
    "text",
    [
        REPEATED,
        "(S (NN well-known) (NN a-b) (DT the) (. .) (CD 1=2))",
        "(S (-LRB- -LRB-) (-RSB- x) (PRP$ my) ($ $) (`` ``) (: --) (NNP < ) (SYM >) (X <)) (S (NN|VB a))",
        "(S (LS 1) (N a))(S (LS 2) (N b))(S (N c) (LS 3))",
        "(S (X a1) (N b))(S (X a2) (N b))",
        "(S (X a) (N b))(S (X b) (N b))(S (X c) (N b))",
        "(S (NP-SBJ (NN e\u0301)) (VP-A (VB e)))",
        "(S (NN É) (VB é))",
    ],
)
def test_language_is_left_alone(text):
    assert found(text) == {}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (REPEATED, ""),
        ("(S (UH oh) (-DFL- E_S) (CODE x))", "-DFL- 1×, CODE 1×: try --treebank switchboard"),
        ("( (IP (N a)) (ID X.1))", "ID 1×: try --treebank penn-helsinki"),
        ("( (IP (N a-a) (V b-c) (X d-e) (Y f-g)) (ID X-1))", "ID 1×: try --treebank icepahc"),
        ("(S (CODE <T>) (N a))", "CODE 1×: try --treebank code"),
        ("(IP (NN-SHORT a) (NR b))", "NN-SHORT 1×: try --treebank ctb"),
        ("(VROOT (S (NN-SB a) (VV b)))", "VROOT 1×: try --treebank negra"),
        ("(SENT (CLS-SUJ a) (V b))", "CLS-SUJ 1×: try --treebank french"),
        ("(S (N##a=b## a))", "N##a=b## 1×: try --treebank spmrl"),
        ("(S (sn (grup.nom (n a))) (sn-SUJ *0*))", "grup.nom 1×: try --treebank cess"),
        ("(S (sn (grup.nom (n a))))", ""),
    ],
)
def test_treebanks_are_known_by_their_signs(text, line):
    assert suggested(text) == line
    if line:
        assert suggested(text, treebank=line.split()[-1]) == ""


def test_what_is_dropped_is_not_found():
    text = "( (IP (CODE <P>) (N a) (NP *pro*)) (ID X.1))"
    kinds = found(text)
    assert kinds.keys() >= {"mark", "mark-up", "untagged-trace"}
    assert found(text, treebank="penn-helsinki") == {}
    table = CheckedNodes(treebank_from_text(text))
    assert [anomaly.kind for anomaly in no_language(table, Marks(table, CleanSettings(drop_tags=("CODE",))))] == [
        "mark"
    ]
