"""Outputs of all commands: none destroys an input, and none is written by half."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import LPCFG, all_commands, fail, run_installed, succeed

from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile, OutputFolder

TEXT = "The/DT keeper/NN slept/VBD ./.\n"
TREE = "(TOP (S (NP (DT The) (NN keeper)) (VP (VBD slept)) (. .)))\n"


WRITING = {"output", "-o", "--html", "--gold", "--plot", "--output"}


def test_every_command_with_an_output_is_checked():
    outputs = {}
    for name, command in all_commands():
        kinds = {param.opts[0]: param.type for param in command.params}
        outputs |= {(name, option): kind for option, kind in kinds.items() if option in WRITING}
        assert isinstance(command, CheckedCommand) or not outputs.keys() & {(name, option) for option in kinds}
    del outputs["dep experiment", "--gold"]  # it reads these trees
    assert set(outputs) == {
        ("train", "-o"), ("parse", "-o"), ("parse", "--html"), ("eval", "--html"),
        ("inspect", "--html"), ("surprisal", "-o"),
        ("combine", "-o"), ("convert", "-o"), ("draw", "-o"), ("grammar", "-o"), ("synth", "-o"),
        ("crossval", "-o"), ("crossval", "--gold"), ("crossval", "--plot"), ("consistency", "--plot"),
        ("experiment", "-o"), ("experiment", "--plot"),
        ("lm train", "-o"), ("lm experiment", "-o"), ("lm experiment", "--plot"), ("hmm train", "-o"),
        ("embed train", "-o"), ("embed export", "output"), ("sts train", "-o"),
        ("dep from-trees", "-o"), ("dep train", "-o"), ("dep parse", "-o"), ("dep draw", "-o"),
        ("dep train-parser", "-o"), ("dep train-reranker", "-o"), ("dep rerank", "-o"),
    }  # fmt: skip
    assert all(isinstance(kind, OutputFile | OutputFolder) for kind in outputs.values())


@pytest.fixture
def folder(tmp_path):
    """Inputs of all kinds, and other names of them."""
    (tmp_path / "in.txt").write_text(TEXT)
    (tmp_path / "in.mrg").write_text(TREE * 4)
    (tmp_path / "rules.prm").write_text("LABELED 1\n")
    (tmp_path / "own.toml").write_text("seed = 3\n")
    (tmp_path / "dev.toml").write_text('[em]\ndev = "in.mrg"\n')
    os.link(tmp_path / "in.txt", tmp_path / "hard.txt")
    os.symlink("in.mrg", tmp_path / "soft.mrg")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "parse RUN in.txt -o in.txt",
        "parse RUN in.txt -o hard.txt",
        "parse RUN ./in.txt -o ../FOLDER/in.txt",
        "parse RUN -f trees in.mrg -o soft.mrg",
        "parse RUN -f trees soft.mrg -o in.mrg",
        "eval in.mrg in.mrg --html in.mrg",
        "eval in.mrg in.mrg in.mrg --html soft.mrg",
        "eval -p rules.prm in.mrg in.mrg --html rules.prm",
        "crossval in.mrg -o in.mrg --gold gold",
        "crossval in.mrg -o out --gold soft.mrg",
        "crossval in.mrg -o out --gold out",
        "crossval in.mrg -o out --gold out.partial",
        "crossval . -o in.mrg --gold gold",
        "crossval hard.txt -o out -c own.toml --gold own.toml",
        "crossval hard.txt -o out --dev in.mrg --gold in.mrg",
        "crossval hard.txt -o out -c dev.toml --gold in.mrg",
        "synth --model in.mrg -o soft.mrg",
        "lm train in.txt -o hard.txt",
        "lm train in.txt --mix in.mrg -o soft.mrg",
        "train . -o .",
        "binarize . .",
        "experiment own.toml --train . --dev in.mrg -o results",
        "experiment own.toml --train in.mrg --dev in.mrg -o . --plot own.toml",
    ],
)
def test_an_output_that_is_an_input_is_refused_and_nothing_is_changed(trained, folder, command):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    words = [str(trained) if word == "RUN" else word.replace("FOLDER", folder.name) for word in command.split()]
    message = fail(3, *words, folder=folder)
    assert message.startswith("lpcfg: ")
    assert message.count("\n") == 1
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_model_is_no_output(trained, folder):
    model = trained / "model.lpcfg.npz"
    before = model.read_bytes()
    for run in (trained, model):
        assert "is also read" in fail(3, "parse", run, folder / "in.txt", "-o", model)
    assert model.read_bytes() == before
    succeed("parse", trained, folder / "in.txt", "-o", trained / "parsed.txt")
    assert (trained / "parsed.txt").read_text() == TREE
    (trained / "parsed.txt").unlink()


def test_redirected_streams_are_no_input_either(trained, folder):
    script = f"lpcfg parse {trained} in.txt >> in.txt; lpcfg parse {trained} - -o in.txt < in.txt"
    outcome = run_shell(script, folder)
    assert outcome.count("also read") == 2
    assert (folder / "in.txt").read_text() == TEXT


def run_shell(script, folder):
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, check=False
    )
    return done.stdout.decode() + done.stderr.decode()


def test_devices_and_pipes_are_outputs(trained, folder):
    script = (
        f"lpcfg parse {trained} in.txt -o /dev/null; lpcfg parse {trained} in.txt -o /dev/stdout | cat; "
        f"lpcfg parse {trained} in.txt -o >(cat); sleep 1; lpcfg synth -n 1 -o /dev/full"
    )
    out = run_shell(script, folder)
    assert out.count(TREE) == 2
    assert out.endswith("lpcfg: /dev/full: No space left on device\n")


def test_an_error_in_the_input_leaves_the_old_output_and_names_the_new_lines(trained, folder):
    (folder / "bad.txt").write_text(f"{TEXT}wrong\n")
    (folder / "out").write_text("old")
    outcome = run_installed("parse", trained, "bad.txt", "-o", "out", folder=folder)
    assert outcome.code == 3
    assert "out: not complete, so not written; the finished lines are in out.partial\n" in outcome.err
    assert (folder / "out").read_text() == "old"
    assert (folder / "out.partial").read_text() == TREE


def test_an_interrupted_crossval_leaves_no_whole_output(folder):
    (folder / "many.mrg").write_text(TREE * 40)
    command = [LPCFG, "crossval", "many.mrg", "-o", "out", "--gold", "gold", "--folds", "40", "-m", "2"]
    part = folder / "out.partial"
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder) as process:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (part.exists() and part.stat().st_size):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b"")
    assert err.decode().splitlines()[-3:] == [
        "lpcfg: gold: not complete, so not written; the finished lines are in gold.partial",
        "lpcfg: out: not complete, so not written; the finished lines are in out.partial",
        "lpcfg: interrupted",
    ]
    assert not (folder / "out").exists()
    assert 0 < part.read_text().count("\n") <= (folder / "gold.partial").read_text().count("\n") < 40


def test_missing_folders_are_told_at_once_and_made_within_the_output_folder(folder):
    pytest.importorskip("matplotlib")
    message = fail(3, "consistency", "--plot", "no/plot.svg", folder=folder)
    assert "no/plot.svg: there is no folder" in message
    (folder / "small.toml").write_text('seed = 5\n[svd]\nstates = 2\n[experiment]\nlearners = ["pcfg"]\nstates = [2]\n')
    options = ("--train", "in.mrg", "--dev", "in.mrg", "-o", "made", "--plot", "made/plots/plot.svg")
    succeed("experiment", "small.toml", *options, folder=folder)
    assert (folder / "made" / "plots" / "plot.svg").read_text().startswith("<?xml")


def test_a_training_that_fails_leaves_no_directory(folder):
    (folder / "bad.mrg").write_text("(TOP (NN a)")
    for command in (("train", "bad.mrg", "-o", "a/b/run"), ("binarize", "bad.mrg", "a/b/run")):
        fail(3, *command, folder=folder)
        assert not (folder / "a").exists()
    (folder / "a").mkdir()
    fail(3, "train", "bad.mrg", "-o", "a", folder=folder)
    assert (folder / "a").is_dir()


def test_parsing_a_folder_that_fails_leaves_no_directory(trained, folder):
    (folder / "texts").mkdir()
    (folder / "texts" / "a").write_text("wrong")
    fail(3, "parse", trained, "texts", "-o", "out/trees", folder=folder)
    assert not (folder / "out").exists()
