"""Training that is killed, or run twice at once: files are whole or absent, and the final result is the same."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest
from command_line import LPCFG, fail, run_here, run_installed, succeed

from lpcfg_cli.errors import LpcfgError
from lpcfg_cli.features.archive import FEATURES
from lpcfg_cli.grammar.archive import MODEL
from lpcfg_cli.spectral.archive import PROJECTIONS
from lpcfg_cli.storage.artefacts import Array, read_arrays, read_json, write_arrays
from lpcfg_cli.tagging.archive import TAGGER
from lpcfg_cli.treebank.archive import SYMBOLS

KILLS = int(os.environ.get("LPCFG_KILLS", "8"))
"""How often the real process is killed; set the variable for a longer test."""

ARTEFACTS = {"features.npz", "model.lpcfg.npz", "projections.npz", "symbols.json", "tagger.npz", "trees.bin.mrg"}


def contents(run):
    return {name: (run / name).read_bytes() for name in sorted(ARTEFACTS)}


def start(treebank, run, settings):
    return subprocess.Popen([LPCFG, "train", treebank, "-o", run, "-c", settings], stderr=subprocess.DEVNULL)


def assert_whole(run):
    """Every artefact that exists can be read; an interrupted one does not exist under its name."""
    kinds = {"features.npz": FEATURES, "projections.npz": PROJECTIONS, "tagger.npz": TAGGER, "model.lpcfg.npz": MODEL}
    for name, kind in kinds.items():
        if (run / name).exists():
            read_arrays(run / name, kind)
    if (run / "symbols.json").exists():
        read_json(run / "symbols.json", SYMBOLS)


def test_killed_at_any_moment_training_ends_the_same(trained, tiny_treebank, small_settings, tmp_path):
    moments = random.Random(4)
    began = time.monotonic()
    with start(tiny_treebank, tmp_path / "timed", small_settings) as process:
        process.wait()
    duration = time.monotonic() - began
    run = tmp_path / "run"
    for kill in range(KILLS):
        if kill % 4 == 0:  # from nothing every now and then, else from what the last one left
            shutil.rmtree(run, ignore_errors=True)
        with start(tiny_treebank, run, small_settings) as process:
            time.sleep(moments.uniform(0.2, 1.0) * duration)
            process.send_signal(signal.SIGKILL)
        assert_whole(run)
    succeed("train", tiny_treebank, "-o", run, "-c", small_settings)
    assert contents(run) == contents(trained)
    assert {path.name for path in run.iterdir()} == {*ARTEFACTS, "log.json", "settings.json"}


def test_killed_between_any_two_files_training_ends_the_same(trained, tiny_treebank, small_settings, tmp_path):
    order = ["trees.bin.mrg", "symbols.json", "features.npz", "projections.npz", "tagger.npz", "model.lpcfg.npz"]
    old = tmp_path / "old"
    succeed("train", tiny_treebank, "-o", old, "-c", small_settings, "-m", 2, "--unaries", "collapse")
    for n_new in range(len(order) + 1):
        run = shutil.copytree(old, tmp_path / f"run{n_new}")
        for name in order[:n_new]:
            shutil.copy(trained / name, run)
        (run / ".features.npz.1.partial").write_bytes(b"half")
        succeed("train", tiny_treebank, "-o", run, "-c", small_settings)
        assert contents(run) == contents(trained)
        assert not list(run.glob(".*"))


def test_an_interrupt_leaves_no_half_file(tiny_treebank, small_settings, tmp_path):
    run = tmp_path / "run"
    with subprocess.Popen(
        [LPCFG, "train", tiny_treebank, "-o", run, "-c", small_settings], stderr=subprocess.PIPE
    ) as process:
        while not (run / "symbols.json").exists():
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert (process.returncode, err.decode()) in [(130, "lpcfg: interrupted\n"), (0, err.decode())]
    assert_whole(run)


def test_two_trainings_at_once_do_not_mix(trained, tiny_treebank, small_settings, tmp_path):
    run = tmp_path / "run"
    processes = [
        subprocess.Popen(
            [LPCFG, "train", tiny_treebank, "-o", run, "-c", small_settings], stderr=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    messages = [process.communicate()[1] for process in processes]
    codes = [process.returncode for process in processes]
    assert 0 in codes
    assert set(codes) <= {0, 4}
    for code, message in zip(codes, messages, strict=True):
        assert (code == 4) == ("in use by process" in message)
        assert "Traceback" not in message
    assert contents(run) == contents(trained)


def test_what_cannot_be_written_is_told(tiny_treebank, tmp_path, trained):
    assert "the directory cannot be created" in fail(3, "train", tiny_treebank, "-o", "/proc/run", run=run_installed)
    run = shutil.copytree(trained, tmp_path / "run")
    (run / "projections.npz").unlink()
    (run / "projections.npz").mkdir()
    outcome = run_here("svd", run)
    assert (outcome.code, outcome.err.startswith("lpcfg: ")) == (74, True)
    assert "projections.npz: Is a directory" in outcome.err
    assert not list(run.glob(".*"))


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_no_number_that_is_none_leaves_a_stage(tmp_path, wrong):
    values = np.array([[1.0, 2.0], [wrong, 3.0]])
    message = r"lpcfg svd: 1 of 4 numbers of inside are NaN or infinite, the first at position 2; nothing was written\."
    with pytest.raises(LpcfgError, match=message):
        write_arrays(tmp_path / "a.npz", PROJECTIONS, {"inside": Array(values, ("x", "y"))}, {}, 0, {})
    assert list(tmp_path.iterdir()) == []
