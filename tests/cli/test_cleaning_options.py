"""Options that leave out what is no language, from the command to the model, the sentences and the gold trees."""

from __future__ import annotations

import json

import pytest
from command_line import fail, succeed
from oracles import leaves, read_trees

from lpcfg_cli.stages.settings_file import read_settings

TREE = "( (S (INTJ (UH well)) (NP-SBJ (N.NOM {0})) (VP (V.PST {1}) (NP (N.ACC {0}))) (. .) (-DFL- E_S)))\n"
SPEAKER = "( (CODE (SYM SpeakerA{0}) (. .)))\n"
WORDS = [("dogs", "ate"), ("cats", "saw"), ("birds", "saw"), ("dogs", "saw"), ("cats", "ate"), ("birds", "ate")]
OPTIONS = ("--treebank", "switchboard", "--cut-tags", ".", "--keep-functions")


@pytest.fixture(scope="module")
def treebank(tmp_path_factory):
    path = tmp_path_factory.mktemp("speech") / "a.mrg"
    path.write_text("".join(SPEAKER.format(k) + TREE.format(*pair) for k, pair in enumerate(WORDS)))
    return path


@pytest.fixture(scope="module")
def model(treebank, tmp_path_factory):
    run = tmp_path_factory.mktemp("model") / "run"
    succeed("train", treebank, "-o", run, "-m", 2, *OPTIONS)
    return run


def test_what_is_left_out_is_counted_and_kept_with_the_run(treebank, tmp_path):
    outcome = succeed(
        "binarize", treebank, tmp_path / "run", *OPTIONS, "--drop-tag", "XX", "--drop-tag", "UH", "--json"
    )
    cleaning = json.loads(outcome.out)["cleaning"]
    assert cleaning["dropped"] == {"CODE": 12, "XX": 0, "UH": 6, "-DFL-": 6}
    assert "left out, in words: 12 CODE, 0 XX, 6 UH, 6 -DFL-" in outcome.err
    settings = read_settings(tmp_path / "run").clean
    assert (settings.treebank, settings.drop_tags, settings.cut_tags_at) == ("switchboard", ("XX", "UH"), ".")
    header = json.loads((tmp_path / "run" / "symbols.json").read_text())["header"]
    assert header["settings"]["clean"]["drop_tags"] == ["XX", "UH", "-DFL-", "CODE"]
    again = succeed("binarize", treebank, tmp_path / "run", "--drop-label", "INTJ")
    assert "binarize: clean.drop_labels: () → INTJ" in again.err.replace("('INTJ',)", "INTJ")
    assert "6 INTJ" in again.err and "0 UH" in again.err


def test_functions_are_learnt_if_they_are_kept(model):
    parsed = succeed("parse", model, stdin="well/UH dogs/N saw/V cats/N ./.\n").out
    assert "(NP-SBJ (N dogs))" in parsed


def test_sentences_are_treated_like_the_trees_in_all_formats(model, treebank, tmp_path):
    slash = "well/UH dogs/N.NOM-1 ate/V.PST dogs/N.ACC ./. E_S/-DFL-\n"
    parses = [
        succeed("parse", model, stdin=slash).out,
        succeed("parse", model, "-f", "trees", stdin=TREE.format("dogs", "ate").replace("N.NOM", "N.NOM-1")).out,
        succeed("parse", model, "-f", "tab", stdin=slash.strip().replace("/", "\t").replace(" ", "\n")).out,
    ]
    assert parses[0] == parses[1] == parses[2]
    words = [word for _, word in leaves(read_trees(parses[0])[0])]
    assert words == ["well", "dogs", "ate", "dogs", "."]
    assert succeed("parse", model, "-f", "trees", stdin=SPEAKER.format(1)).out == "(())\n"
    succeed("parse", model, treebank.parent, "-f", "trees", "-o", tmp_path / "out")
    lines = (tmp_path / "out" / "a.mrg.mrg").read_text().splitlines()
    assert lines[0::2] == ["(())"] * 6 and lines[1] == parses[0].strip()


def test_members_of_ensembles_share_the_cleaning(treebank, tmp_path):
    run = tmp_path / "run"
    succeed("train", treebank, "-o", run, "-m", 2, *OPTIONS, "--ensemble", 2, "--dropout", 0.3, "--no-tagger")
    parsed = succeed("parse", run, stdin="well/UH dogs/N.NOM ate/V.PST dogs/N.ACC ./. E_S/-DFL-\n")
    assert "never occurred" not in parsed.err and "E_S" not in parsed.out


def test_folds_and_dev_trees_are_scored_without_what_was_left_out(treebank, tmp_path):
    parsed, gold = tmp_path / "parsed.mrg", tmp_path / "gold.mrg"
    outcome = succeed(
        "crossval", treebank, "--folds", 3, "-m", 2, *OPTIONS, "--drop-label", "INTJ", "-o", parsed, "--gold", gold
    )
    assert "F1 100.00" in outcome.out + outcome.err
    assert "E_S" not in gold.read_text() and "well" not in gold.read_text() and "NP-SBJ" in gold.read_text()
    run = tmp_path / "run"
    settings = tmp_path / "em.toml"
    settings.write_text(f'[em]\niterations = 2\nevery = 1\ndev = "{treebank}"\n')
    told = succeed(
        "train", treebank, "-o", run, "-c", settings, "--learner", "em", "-m", 2, *OPTIONS, "--no-tagger"
    ).err
    assert "dev F1 100.00" in told


def test_experiments_score_gold_trees_without_what_was_left_out(treebank, tmp_path):
    settings = tmp_path / "grid.toml"
    settings.write_text(
        '[clean]\ntreebank = "switchboard"\ncut_tags_at = "."\n[experiment]\nlearners = ["pcfg"]\nstates = [1]\n'
    )
    arguments = ("experiment", settings, "--train", treebank, "--dev", treebank, "-o", tmp_path / "out")
    succeed(*arguments)
    (result,) = (json.loads(line) for line in (tmp_path / "out" / "results.jsonl").read_text().splitlines())
    assert (result["f1"], result["sentences"]) == (100.0, 2 * len(WORDS))  # speakers are null trees


def test_check_counts_what_is_left_out_and_nothing_left_is_an_error(treebank, tmp_path):
    page = succeed("check", treebank, "--treebank", "switchboard", "--drop-tag", "XX").out
    for line in ("       12  words to be left out: CODE", "        0  words to be left out: XX"):
        assert line in page.splitlines()
    assert "marks rather than words" not in page
    message = fail(3, "binarize", treebank, tmp_path / "run", "--drop-label", "S", "--drop-label", "CODE")
    assert "no tree with words in" in message and "All words were left out: 36 S, 12 CODE." in message


def test_wrong_names_are_refused(treebank, tmp_path):
    message = fail(2, "train", treebank, "-o", tmp_path / "run", "--treebank", "switchbord")
    assert "clean.treebank is 'switchbord'; expected one of ptb, switchboard" in message
    assert "Did you mean switchboard?" in message
    settings = tmp_path / "a.toml"
    settings.write_text('[clean]\ndrop_tags = "ID"\n')
    assert "clean.drop_tags is 'ID'; expected a value like []" in fail(
        2, "train", treebank, "-o", tmp_path / "run", "-c", settings
    )


def test_help_has_the_options_and_the_treebanks():
    for command in ("train", "binarize", "check", "crossval"):
        page = " ".join(succeed(command, "--help").out.split())
        assert "--treebank TEXT Leave out and cut what this treebank needs: ptb, switchboard," in page
        assert "--drop-tag TAG" in page and "--strip-functions / --keep-functions" in page
