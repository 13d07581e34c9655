"""Treebanks in another format than brackets, from the command line: the same as in brackets."""

from __future__ import annotations

import json

import pytest
from command_line import fail, succeed
from tiny_trees import TINY_TREES

from lpcfg_cli.stages.settings_file import read_settings
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.discbracket import discbracket_strings

NAMES = "auto, brackets, indented, discbracket, export, tiger, json"
FORMAT = ("--tree-format", "discbracket")


@pytest.fixture
def numbered(tmp_path):
    """The tiny treebank in discbracket."""
    folder = tmp_path / "numbered"
    folder.mkdir()
    lines = "".join(f"{line}\n" for line in discbracket_strings(treebank_from_text(TINY_TREES)))
    (folder / "tiny.discbracket").write_text(lines)
    return folder


@pytest.fixture
def odd_name(numbered):
    """The same in a file whose ending tells nothing."""
    return (numbered / "tiny.discbracket").rename(numbered / "tiny.txt")


def test_training_gives_the_same_trees_and_model(numbered, trained, small_settings, tmp_path):
    run = tmp_path / "run"
    outcome = succeed("train", numbered, "-o", run, "-c", small_settings)
    assert "binarize: 1 file, 21 trees" in outcome.err
    assert (run / "trees.bin.mrg").read_bytes() == (trained / "trees.bin.mrg").read_bytes()
    parsed = [succeed("parse", model, stdin="The/DT keeper/NN slept/VBD ./.\n").out for model in (run, trained)]
    assert parsed[0] == parsed[1]


def test_the_format_can_be_named(odd_name, trained, tmp_path):
    run = tmp_path / "run"
    succeed("binarize", odd_name, run, *FORMAT)
    assert (run / "trees.bin.mrg").read_bytes() == (trained / "trees.bin.mrg").read_bytes()
    assert read_settings(run).read.format == "discbracket"
    message = fail(3, "binarize", odd_name.parent, run, *FORMAT)
    assert "looked for *.discbracket, *.dbr; found " in message and "another ending, but looks like trees" in message
    assert fail(2, "train", odd_name, "-o", run, "--tree-format", "disc") == (
        f"lpcfg: options: read.format is 'disc'; expected one of {NAMES}.\n"
    )


def test_the_help_names_the_formats():
    for command in ("train", "binarize", "check", "crossval"):
        page = " ".join(succeed(command, "--help").out.split())
        assert f"Format of the tree files: {NAMES}. [auto]" in page
    assert "--tree-format [auto|brackets|indented|discbracket|export|tiger|json]" in succeed("parse", "--help").out


def test_discontinuous_trees_are_refused_or_skipped(numbered, tmp_path):
    with open(numbered / "tiny.discbracket", "a") as file:
        file.write("(S (VP (VB 0=is)\n (JJ 2=rich)) (NP 1=John) (. 3=?))\n")
    run = tmp_path / "run"
    message = fail(3, "train", numbered, "-o", run)
    assert "tiny.discbracket:22:4: a discontinuous phrase: '(VP (VB 0=is) (JJ" in message
    outcome = succeed("binarize", numbered, run, "--on-error", "skip")
    assert "skipped: 1 part of files that are not trees" in outcome.err
    assert "tiny.discbracket:22:1: skipped '(S (VP" in outcome.err


def test_check_says_the_same_of_both(numbered, tiny_treebank):
    reports = [json.loads(succeed("check", folder, "--json").out) for folder in (numbered, tiny_treebank)]
    longest = reports[0]["figures"]["longest"]["place"]
    for report in reports:
        for figure in ("longest", "widest", "deepest", "longest_chain"):
            del report["figures"][figure]["place"]
    assert reports[0]["figures"] == reports[1]["figures"]
    kinds = [[(finding["kind"], finding["text"], finding["count"]) for finding in r["findings"]] for r in reports]
    assert kinds[0] == kinds[1]
    assert longest == f"{numbered / 'tiny.discbracket'}:3"
    page = succeed("check", numbered, "--against", tiny_treebank).out
    assert "21 of 21 sentences also occur in" in page


@pytest.mark.parametrize("options", [(), FORMAT])
def test_crossval_gives_the_same_parses(numbered, tiny_treebank, small_settings, tmp_path, options):
    source = (numbered / "tiny.discbracket").rename(numbered / "tiny.txt") if options else numbered
    files = {}
    for name, treebank, more in (("brackets", tiny_treebank, ()), ("numbered", source, options)):
        files[name] = [tmp_path / f"{name}.{kind}" for kind in ("parsed", "gold")]
        parsed, gold = files[name]
        succeed("crossval", treebank, "-o", parsed, "--gold", gold, "-c", small_settings, "--folds", 3, *more)
    assert [path.read_text() for path in files["numbered"]] == [path.read_text() for path in files["brackets"]]


def test_crossval_keeps_the_encoding_of_the_treebank(small_settings, tmp_path):
    treebank = tmp_path / "latin.mrg"
    treebank.write_text(TINY_TREES.replace("keeper", "k\u00e9eper"), "latin-1")
    parsed, gold = tmp_path / "parsed", tmp_path / "gold"
    options = ("-c", small_settings, "--folds", 3, "--encoding", "latin-1", "--json")
    report = json.loads(succeed("crossval", treebank, "-o", parsed, "--gold", gold, *options).out)
    assert gold.read_text().count("k\u00e9eper") == parsed.read_text().count("k\u00e9eper") == 3
    assert report["f1"] > 0


@pytest.mark.parametrize("name", ["dev.dbr", "dev.txt"])
def test_em_chooses_its_iteration_on_dev_trees_of_any_format(numbered, small_settings, tmp_path, name):
    dev, plain = (numbered / "tiny.discbracket").rename(numbered / name), tmp_path / "plain.mrg"
    plain.write_text(TINY_TREES)
    options = ("-c", small_settings, "--learner", "em", "--iterations", 10, "--no-tagger", "--json")
    reports = []
    for treebank, more in ((dev, FORMAT if name == "dev.txt" else ()), (plain, ())):
        run = tmp_path / f"run-{treebank.name}"
        outcome = succeed("train", treebank, "-o", run, "--dev", treebank, *options, *more)
        reports.append(json.loads(outcome.out)["estimate"])
    scores = [[record["dev_score"] for record in report["em"]] for report in reports]
    assert scores[0] == scores[1] and any(scores[0])
    assert reports[0]["chosen"] == reports[1]["chosen"]


def test_sentences_are_taken_from_trees_of_any_format(numbered, trained):
    source = numbered / "tiny.discbracket"
    plain = succeed("parse", trained, "-f", "trees", stdin=TINY_TREES).out
    assert succeed("parse", trained, source, "-f", "trees").out == plain
    assert succeed("parse", trained, "-f", "trees", *FORMAT, stdin=source.read_text()).out == plain
    assert fail(2, "parse", trained, "--tree-format", "x", stdin="").startswith("lpcfg: --tree-format is 'x'; expected")


def test_eval_reads_brackets_alone(numbered, tiny_treebank):
    message = fail(3, "eval", numbered, tiny_treebank)
    assert "looked for *.mrg, *.mrg.txt, *.tree, *.ptb, *.psd, *.tbf, *.bracket, *.parse; found " in message


def test_an_experiment_takes_formats_by_their_endings(numbered, tmp_path):
    config = tmp_path / "experiment.toml"
    config.write_text("[experiment]\nlearners = ['pcfg']\nstates = [1]\n[read]\nformat = 'discbracket'\n")
    trees = ("--train", numbered, "--dev", numbered, "-o", tmp_path / "out")
    assert "read.format is 'discbracket', but an experiment also reads files" in fail(2, "experiment", config, *trees)
    config.write_text(config.read_text().replace("discbracket", "auto"))
    assert "pcfg" in succeed("experiment", config, *trees).out
