"""Parsing and scoring from the command line."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest
from command_line import LPCFG, fail, run_installed, succeed
from oracles import clean_tree, leaves, phrases, read_trees, write_tree
from tiny_trees import TINY_TREES

LABELS = {label for tree in read_trees(TINY_TREES) for label, _ in phrases(clean_tree(tree))} | {"TOP"}


def parse(trained, text, *options):
    """The trees of tagged lines given on standard input."""
    lines = succeed("parse", trained, *options, stdin=text).out.split("\n")
    assert lines.pop() == ""
    return [read_trees(line) for line in lines]


def tagged(line):
    return [(tag, word) for word, _, tag in (token.rpartition("/") for token in line.split())]


SENTENCES = [
    "The/DT keeper/NN lit/VBD the/DT lamp/NN ./.",
    "",
    "Hush/UH",
    "\t Ships/NNS   passed/VBD\t./.  ",
    "Zebras/NNS bleated/VBD at/IN the/DT xylophone/NN ./.",  # words never seen
    "the/GW keeper/QQ slept/ZZ",  # tags never seen
    "and/or/CC 1\\/2/CD http://x/y/NN",  # slashes in words
    "?/. ?/. !/. ,/, ,/,",
    "lamp/VBD slept/NN",  # tags are forced
    " ".join(["very/RB"] * 60),
    "rope/NN",
]


def test_every_line_gets_one_tree_in_order_with_its_own_words_and_tags(trained):
    trees = parse(trained, "\n".join(SENTENCES) + "\n")
    assert len(trees) == len(SENTENCES)
    for sentence, (*more, tree) in zip(SENTENCES, trees, strict=True):
        assert not more
        assert leaves(tree) == tagged(sentence)
        assert {label for label, _ in phrases(tree)} <= LABELS
        assert tree is None or tree[0] == "TOP"


def test_a_training_sentence_gets_its_own_tree(trained):
    expected = "(TOP (S (NP (DT The) (NN keeper)) (VP (VBD lit) (NP (DT the) (NN lamp))) (. .)))\n"
    outcome = succeed("parse", trained / "model.lpcfg.npz", stdin=SENTENCES[0], run=run_installed)
    assert outcome.out == expected
    assert outcome.err.startswith("parsed 1 sentence, 6 words in ")
    assert "fallbacks: 0" in outcome.err


def test_brackets_and_blanks_come_out_as_a_tree_can_hold_them(trained):
    text = (
        "(/-LRB- the/DT rope/NN )/-RRB-\r\n-LRB-/-LRB- the/DT rope/NN -RRB-/-RRB-\r\nt(est)/NN Xpd\u200aTTD/NN a\\/NN\n"
    )
    first, second, third = parse(trained, text)
    assert first == second
    assert leaves(first[0])[0] == ("-LRB-", "-LRB-")
    assert leaves(third[0]) == [("NN", "t-LRB-est-RRB-"), ("NN", "Xpd\u200aTTD"), ("NN", "a\\")]


def test_all_formats_give_the_same_trees(trained, tmp_path):
    slash = tmp_path / "a.txt"
    slash.write_text("The/DT lamp/NN burned/VBD\nHush/UH\n")
    columns = "The\tDT\nlamp\tNN\nburned\tVBD\n\n\nHush\tUH"
    trees = "(TOP (X (DT The) (NN lamp)\n(NP (-NONE- *)) (VBD burned)))\n(UH Hush)"
    out = succeed("parse", trained, slash).out
    assert out.count("\n") == 2
    assert succeed("parse", trained, "-", "-f", "tab", stdin=columns).out == out
    assert succeed("parse", trained, "-f", "trees", stdin=trees).out == out
    outcome = succeed("parse", trained, slash, "-o", tmp_path / "out.mrg", "--json")
    assert (tmp_path / "out.mrg").read_text() == out
    report = json.loads(outcome.out)
    assert (report["sentences"], report["words"], sum(report["statuses"].values())) == (2, 4, 2)


def test_nothing_in_gives_nothing_out(trained):
    assert succeed("parse", trained, stdin="").out == ""
    assert parse(trained, "\n\n") == [[None], [None]]


def test_parses_do_not_depend_on_the_hash_seed(trained):
    text = "\n".join(SENTENCES)
    outs = {succeed("parse", trained, stdin=text, run=run_installed, PYTHONHASHSEED=seed).out for seed in ("1", "2")}
    assert len(outs) == 1


@pytest.mark.parametrize("decoder", ["expected-f1", "max-rule", "sum", "signed"])
def test_the_tiny_treebank_is_learnt_by_heart(trained, tiny_treebank, tmp_path, decoder):
    gold = tmp_path / "gold.mrg"
    gold.write_text("".join(f"(TOP {write_tree(clean_tree(tree))})\n" for tree in read_trees(TINY_TREES)))
    succeed("parse", trained, gold, "-f", "trees", "-o", tmp_path / "out.mrg", "--decoder", decoder)
    scores = json.loads(succeed("eval", gold, tmp_path / "out.mrg", "--json").out)
    assert scores["trees"]["gold"] == scores["trees"]["test"] == 21
    assert scores["all"]["f1"] > 80
    assert scores["all"]["tagging_accuracy"] == 100


def test_a_bracket_threshold_wins_over_the_trained_one(trained):
    text = "the/DT keeper/NN lit/VBD the/DT lamp/NN ./.\n"
    # with --nbest the score is shown: each bracket costs the threshold
    outs = [succeed("parse", trained, "--nbest", "2", "--bracket-threshold", t, stdin=text).out for t in ("1", "0.1")]
    dear, cheap = (float(out.split("\t")[0]) for out in outs)
    assert 0 < dear < cheap - 2
    for name in ("--bracket-threshold", "--threshold"):
        for value in ("-1", "7", "nan", "inf"):
            message = fail(2, "parse", trained, name, value, stdin=text)
            assert "threshold is " in message
            assert "expected a share between 0 and 1." in message


def test_one_best_tree_has_its_score_if_it_is_asked_for(trained):
    text = "the/DT keeper/NN lit/VBD the/DT lamp/NN ./.\n\n"
    first, rest = succeed("parse", trained, "--nbest", "2", stdin=text).out.split("\n", 1)
    one = succeed("parse", trained, "--nbest", "1", stdin=text).out
    assert rest
    assert one == f"{first}\n\n0\t(())\n\n"


def test_what_cannot_be_read_as_tagged_text_is_told_with_its_place(trained, tmp_path):
    (tmp_path / "a.txt").write_text("the/DT ship vanished/VBD\n")
    assert "a.txt:1:8: 'ship' has no tag; expected word/TAG." in fail(3, "parse", trained, "a.txt", folder=tmp_path)
    assert "<stdin>:1:1: 'lamp/' has no tag" in fail(3, "parse", trained, stdin="lamp/")
    assert "<stdin>:1:5: '/NN' has no word" in fail(3, "parse", trained, stdin="a/N /NN")
    assert "<stdin>:1: byte 0xe9 at offset 0 is not utf-8" in fail(3, "parse", trained, stdin=b"\xe9/NN")
    assert "absent.txt: cannot be read: No such file" in fail(3, "parse", trained, "absent.txt")
    assert "<stdin>:1:1: 'lamp NN'" in fail(3, "parse", trained, "-f", "tab", stdin="lamp NN")
    assert "name a file for the trees with -o" in fail(2, "parse", trained, "--json", stdin="")


def test_files_that_are_no_models_are_told_from_each_other(trained, tmp_path):
    model = (trained / "model.lpcfg.npz").read_bytes()
    (tmp_path / "text").write_text("once upon a time")
    (tmp_path / "cut").write_bytes(model[: len(model) // 2])
    (tmp_path / "run").mkdir()
    assert "text: is not a file of kind lpcfg-model. Run `lpcfg train`" in fail(4, "parse", tmp_path / "text")
    assert "cut: damaged or cut off. Run `lpcfg train` again." in fail(4, "parse", tmp_path / "cut")
    other = trained / "features.npz"
    assert "features.npz: is a lpcfg-features file; expected lpcfg-model." in fail(4, "parse", other)
    assert "model.lpcfg.npz: no such file. Run `lpcfg train`" in fail(3, "parse", tmp_path / "run")
    assert "absent: no such file. Run `lpcfg train` to make it." in fail(3, "parse", tmp_path / "absent")


def test_a_model_file_works_anywhere(trained, tmp_path):
    shutil.copy(trained / "model.lpcfg.npz", tmp_path / "mödel")
    text = "\n".join(SENTENCES)
    assert succeed("parse", "mödel", stdin=text, folder=tmp_path).out == succeed("parse", trained, stdin=text).out


def test_a_full_disk_is_told(trained, tmp_path):
    (tmp_path / "a.txt").write_text("Hush/UH\n" * 20_000)
    outcome = run_installed("parse", trained, tmp_path / "a.txt", "-o", "/dev/full")
    assert outcome.code == 74
    assert outcome.err.startswith("lpcfg: ")
    assert "Traceback" not in outcome.err


def test_a_reader_that_goes_away_ends_parsing_without_a_word(trained, tmp_path):
    (tmp_path / "a.txt").write_text("Hush/UH\n" * 20_000)
    command = [LPCFG, "parse", trained, tmp_path / "a.txt"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout.readline() == b"(TOP (INTJ (UH Hush)))\n"
        running.stdout.close()
        assert running.wait() == 141
        assert running.stderr.read() == b""
