"""Raw text from the command line: one model file, any number of jobs, errors that say what to do."""

from __future__ import annotations

import shutil

import pytest
from command_line import fail, run_installed, succeed
from oracles import leaves, read_trees

from lpcfg_cli.grammar.archive import MODEL
from lpcfg_cli.tagging.archive import TAGGER, load_tagger

RAW = ["The keeper lit the lamp .", "", "Zebras slept ( again ) .", "Hush", " ".join(["ships"] * 12)]
TEXT = "The keeper lit the\nlamp. Her boat is (very) small.\n\nHush!\n"


@pytest.fixture(scope="module")
def model(trained, tmp_path_factory):
    """The model file alone."""
    return shutil.copy(trained / "model.lpcfg.npz", tmp_path_factory.mktemp("alone") / "model.npz")


def words_of(line):
    return [word for tree in read_trees(line) for _, word in leaves(tree)]


def test_the_model_has_the_very_tagger_that_was_trained(trained, model):
    tagger, conventions = load_tagger(trained / "tagger.npz", TAGGER)
    copy, same = load_tagger(model, MODEL)
    assert conventions == same
    words = RAW[2].split()
    assert (tagger.posteriors(words) == copy.posteriors(words)).all()
    assert tagger.tags == copy.tags


def test_raw_lines_give_one_tree_each_with_their_words(model):
    outcome = succeed("parse", model, "--raw", stdin="\n".join(RAW) + "\n", run=run_installed)
    lines = outcome.out.splitlines()
    assert [words_of(line) for line in lines] == [
        line.replace("(", "-LRB-").replace(")", "-RRB-").split() for line in RAW
    ]
    assert lines[1] == "(())"
    assert lines[0] == "(TOP (S (NP (DT The) (NN keeper)) (VP (VBD lit) (NP (DT the) (NN lamp))) (. .)))"
    assert "never occurred" not in outcome.err


def test_running_text_is_cut_into_sentences_and_words(model):
    lines = succeed("parse", model, "--text", stdin=TEXT, run=run_installed).out.splitlines()
    assert [" ".join(words_of(line)) for line in lines] == [
        "The keeper lit the lamp .",
        "Her boat is -LRB- very -RRB- small .",
        "Hush !",
    ]
    assert succeed("parse", model, "-f", "text", stdin=TEXT).out.splitlines() == lines


def test_jobs_change_nothing(model, tmp_path):
    source = tmp_path / "raw.txt"
    source.write_text("\n".join(RAW * 8) + "\n")
    one, two = (succeed("parse", model, source, "--raw", "--jobs", n, run=run_installed).out for n in (1, 2))
    assert one == two
    assert one.count("\n") == len(RAW) * 8


def test_several_trees_have_tags_of_their_own(model):
    out = succeed("parse", model, "--raw", "--nbest", 3, stdin="ships light rope .\n").out
    ranked = [line.split("\t") for line in out.splitlines() if line]
    assert len(ranked) == 3
    assert len({tree for _, tree in ranked}) == 3
    assert all(words_of(tree) == ["ships", "light", "rope", "."] for _, tree in ranked)
    scores = [float(score) for score, _ in ranked]
    assert scores == sorted(scores, reverse=True)


def test_a_long_sentence_is_flat_and_tagged(model):
    out = succeed("parse", model, "--raw", "--max-length", 3, stdin="the keeper slept .\n").out
    assert out == "(TOP (DT the) (NN keeper) (VBD slept) (. .))\n"


def test_a_folder_of_texts(model, tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text(TEXT)
    succeed("parse", model, folder, "--text", "-o", tmp_path / "trees")
    assert (tmp_path / "trees" / "a.txt.mrg").read_text() == succeed("parse", model, "--text", stdin=TEXT).out
    again = succeed("parse", model, folder, "--raw", "-o", tmp_path / "trees")
    assert "0 were finished before" in again.err


@pytest.fixture(scope="module")
def untagged(tiny_treebank, small_settings, tmp_path_factory):
    """A run directory without a tagger."""
    run = tmp_path_factory.mktemp("untagged") / "run"
    succeed("train", tiny_treebank, "-o", run, "-c", small_settings, "--no-tagger")
    return run


def test_a_model_without_tagger_says_how_to_get_one(untagged, tmp_path):
    assert not (untagged / "tagger.npz").exists()
    assert succeed("parse", untagged, stdin="Hush/UH\n").out == "(TOP (INTJ (UH Hush)))\n"
    message = fail(3, "parse", untagged, "--raw", stdin="Hush\n")
    assert "has no tagger" in message
    assert "without --no-tagger" in message
    run = shutil.copytree(untagged, tmp_path / "run")
    assert "tags" in succeed("tagger", run).err
    succeed("estimate", run)
    assert succeed("parse", run, "--raw", stdin="Hush\n").out == "(TOP (INTJ (UH Hush)))\n"


def test_a_tagger_of_other_trees_is_not_taken(untagged, trained, tmp_path):
    run = shutil.copytree(untagged, tmp_path / "run")
    shutil.copy(trained / "tagger.npz", run)
    (run / "trees.bin.mrg").write_text((run / "trees.bin.mrg").read_text() + "\n")
    message = fail(4, "estimate", run)
    assert "Run `lpcfg" in message


def test_no_epochs_is_no_tagger(untagged, tmp_path):
    settings = tmp_path / "none.toml"
    settings.write_text("[tagger]\nepochs = 0\n")
    assert "tagger.epochs is 0" in fail(2, "tagger", untagged, "-c", settings)


def test_abbreviations_of_a_file_end_no_sentence(model, tmp_path):
    (tmp_path / "own").write_text("# titles\nkpr.\n")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("The kpr. Hill lit the lamp. Ships slept.\n")
    own = ("--text", "--abbreviations", tmp_path / "own")
    sentences = [
        [
            " ".join(words_of(line))
            for line in succeed("parse", model, tmp_path / "in" / "a.txt", *options).out.splitlines()
        ]
        for options in (("--text",), own)
    ]
    assert sentences[0] == ["The kpr .", "Hill lit the lamp .", "Ships slept ."]
    assert sentences[1] == ["The kpr. Hill lit the lamp .", "Ships slept ."]
    for options, n in ((("--text",), 3), (own, 2), (own, 2)):  # a folder is parsed again if they change
        succeed("parse", model, tmp_path / "in", "-o", tmp_path / "out", *options)
        assert len((tmp_path / "out" / "a.txt.mrg").read_text().splitlines()) == n
    assert "--abbreviations is for running text, so it needs --text" in fail(2, "parse", model, *own[1:])
    assert "no such file" in fail(3, "parse", model, *own[:2], tmp_path / "none").lower()
