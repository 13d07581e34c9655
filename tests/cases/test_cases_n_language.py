"""N: what is no language, tagged input of other tools, running text."""

from __future__ import annotations

import pytest
from case_runs import Run
from command_line import fail, run_here, succeed
from oracles import leaves, read_trees

from lpcfg_cli.treebank.archive import load_binary_trees
from lpcfg_cli.treebank.binarize import unbinarize
from lpcfg_cli.treebank.brackets import bracket_strings


@pytest.fixture
def binarized(case, tmp_path):
    """The trees that are learnt of a case's file, and the message."""

    def run(name, file, *options):
        outcome = succeed("binarize", case(name, file), tmp_path / "run", *options)
        trees = list(bracket_strings(unbinarize(load_binary_trees(tmp_path / "run")[1])))
        return trees, " ".join(outcome.err.split())

    return run


def words_of(trees):
    return [word for line in trees for _, word in leaves(read_trees(line)[0])]


def words_of_parses(outcome):
    assert outcome.code == 0, outcome.err
    return [" ".join(word for _, word in leaves(tree)) for tree in read_trees(outcome.out)]


def report(case, name, file):
    return " ".join(succeed("check", case(name, file)).out.split())


def test_n04_speakers_and_marks_of_switchboard(binarized, case):
    found = report(case, "N04", "swbd.mrg")
    assert "7 words under the tag -DFL- are marks rather than words: E_S 3×" in found
    assert "2 phrases CODE hold marks" in found and found.count("--treebank switchboard leaves them out") == 2
    trees, message = binarized("N04", "swbd.mrg")
    assert (len(trees), len(words_of(trees))) == (6, 27)
    assert "-DFL- 7×, CODE 2×: try --treebank switchboard" in message
    trees, message = binarized("N04", "swbd.mrg", "--treebank", "switchboard")
    assert (len(trees), len(words_of(trees))) == (4, 16)
    assert "left out, in words: 4 CODE, 7 -DFL- skipped:" in message and "try" not in message
    trees, _ = binarized("N04", "swbd.mrg", "--treebank", "switchboard", "--drop-label", "EDITED")
    assert (len(trees), len(words_of(trees))) == (4, 14)


def test_n05_identifiers_of_penn_historical_corpora(binarized, case):
    found = report(case, "N05", "id.psd")
    for name in ("tag ID", "tag CODE", "phrase METADATA holds", "phrase VERSION holds"):
        assert name in found
    trees, _ = binarized("N05", "id.psd", "--treebank", "penn-helsinki")
    assert trees == ["(IP (NP (D^N +de) (N^N mann)) (VBDI slep) (. .))", "(IP (VBDI com) (. .))"]
    trees, message = binarized("N05", "cs.psd.out", "--treebank", "penn-helsinki")
    assert trees == ["(IP (NP (D^N +de) (N^N mann)) (VBDI slep) (. .))"]
    assert "cs.psd.out:1: 31 lines of remarks between trees" in message


@pytest.mark.parametrize(
    ("file", "options", "words"),
    [
        ("under.txt", ["-f", "underscore"], ["the sparrow sang .", "her lamp fell ."]),
        ("hash.txt", ["-f", "hash"], ["the sparrow sang ."]),
        ("pipe.txt", ["-f", "bar"], ["the sparrow sang ."]),
        ("treetagger.txt", ["-f", "tab"], ["the sparrow sang .", "her lamp fell ."]),
        ("ud.conllu", ["-f", "conllu"], ["the sparrow sang ."]),
        ("ud_nocomment.conllu", ["-f", "conllu"], ["the sparrow sang ."]),
        ("bllip.txt", ["--raw"], ["the sparrow sang .", "her lamp fell ."]),
    ],
)
def test_n13_input_of_other_tools_is_read(train, case, file, options, words):
    model = train("_base").folder
    assert words_of_parses(run_here("parse", model, case("N13", file), *options)) == words


@pytest.mark.parametrize(
    ("file", "options", "message"),
    [
        ("under.txt", [], "-f underscore reads"),
        ("hash.txt", [], "-f hash reads"),
        ("ud.conllu", ["-f", "tab"], "-f conllu"),
        ("ud_nocomment.conllu", ["-f", "tab"], "ud_nocomment.conllu:1:1: 10 columns"),
    ],
)
def test_n13_input_in_another_format_is_refused_with_its_name(train, case, file, options, message):
    err = fail(3, "parse", train("_base").folder, case("N13", file), *options)
    assert message in err


def test_n13_columns_and_missing_empty_lines_are_told(train, case):
    model = train("_base").folder
    told = succeed("parse", model, case("N13", "treetagger.txt"), "-f", "tab").err
    assert "treetagger.txt:1: 3 columns: the first is the word, the second its tag." in told
    for name, n in (("treetagger_nosep.txt", "8"), ("tt_long.txt", "600")):
        assert f"no line of {n} is empty" in succeed("parse", model, case("N13", name), "-f", "tab").err
    assert "<s> and </s>" in succeed("parse", model, case("N13", "bllip.txt"), "--raw").err


def test_n13_tags_before_words_are_suspected(train, case):
    told = succeed("parse", train("_base").folder, case("N13", "tagfirst.txt"), "-f", "tab").err
    assert (
        "tag 'the' of 'DT' never occurred in training, so any tag is tried. 'DT' did, as a tag: is it the tag" in told
    )


def test_n16_invisible_characters(binarized, case):
    found = report(case, "N16", "invisible.mrg")
    assert r"4 words with invisible characters, which --normalize removes: 'can\xadción', 'gato\u200b'" in found
    for line in (1, 3, 4, 6):
        assert f"invisible.mrg:{line}" in found.split("invisible characters")[1]
    trees, _ = binarized("N16", "invisible.mrg", "--normalize")
    assert {"canción", "gato", "el", "duerme"} <= set(words_of(trees))
    assert not set("\u00ad\u200b\ufeff\u200e") & set("".join(trees))
    outcome = run_here("eval", case("N16", "a.mrg"), case("N16", "b.mrg"))
    assert r"Words unmatch (canción|can\xadción)" in outcome.out + outcome.err


@pytest.fixture(scope="session")
def french(tmp_path_factory):
    """A model of N24's treebank with directed quotes and no clitics, trained once."""
    return tmp_path_factory.mktemp("N24") / "run"


def test_n24_quotes_and_clitics_of_running_text(train, case, french):
    model = train("_base").folder
    text = [line for line in words_of_parses(run_here("parse", model, "--text", case("N24", "q.txt")))]
    go, fell = "`` Go , '' she said .", "`` The lamp fell . ''"
    assert text == [
        "She said `` go '' and left .", go, go, fell, fell, "` Go , ' she said .", go, "It 's the captain 's lamp .",
    ]  # fmt: skip
    assert words_of_parses(run_here("parse", model, "--text", case("N24", "poss.txt"))) == ["Tamsin 's lamp fell ."]
    if not french.exists():
        Run(succeed("train", case("N24", "ptb.mrg"), "-o", french, "-m", "2"), french)
    for quoted in ("“La lampe tombe.”", '"La lampe tombe."'):
        parsed = run_here("parse", french, "--text", "-", stdin=f"{quoted}\n")
        assert words_of_parses(parsed) == ["`` La lampe tombe . ''"]


def test_tags_with_indices_give_one_parse_in_all_formats(train):
    model = train("_base").folder
    slash = succeed("parse", model, stdin="the/DT-2 lamp/NN fell/VBD=1 ./.\n").out
    tree = succeed("parse", model, "-f", "trees", stdin="(S (DT-2 the) (NN lamp) (VBD=1 fell) (. .))\n").out
    plain = succeed("parse", model, stdin="the/DT lamp/NN fell/VBD ./.\n").out
    assert slash == tree == plain


def test_bare_traces_are_all_told_by_train_and_are_no_words_when_errors_are_skipped(tmp_path):
    tree = "(S (NP-SBJ *T*-{}) (NP (NN boat)) (VP (VBD left)) (. .))\n"
    (tmp_path / "a.mrg").write_text("".join(tree.format(k) for k in range(1, 5)))
    run = Run(succeed("train", tmp_path / "a.mrg", "-o", tmp_path / "run", "-m", "2"), tmp_path / "run")
    assert "traces that are not tagged -NONE-: 4, kept as words (--drop-bare-traces leaves them out)" in run.message
    assert all(f"a.mrg:{line}" in run.message for line in (1, 2, 3, 4))
    assert {"*T*-1", "boat"} <= run.words
    skip = succeed("train", tmp_path / "a.mrg", "-o", tmp_path / "skip", "-m", "2", "--on-error", "skip")
    assert Run(skip, tmp_path / "skip").words == {"boat", "left", "."}
