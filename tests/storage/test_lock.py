"""One writer a run directory."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys

import pytest

from lpcfg_cli.errors import DirectoryInUseError, InputError
from lpcfg_cli.storage.lock import LOCK_FILE, sole_writer

HOLD = """
import sys, time
from pathlib import Path
from lpcfg_cli.storage.lock import sole_writer
with sole_writer(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that has locked the folder."""
    with subprocess.Popen([sys.executable, "-c", HOLD, tmp_path], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def test_a_second_process_is_told_who_holds_the_folder(tmp_path, holder):
    message = rf"{tmp_path}: in use by process {holder.pid} on {platform.node()} .*Wait for it to end, or name another"
    with pytest.raises(DirectoryInUseError, match=message), sole_writer(tmp_path):
        pass


def test_the_lock_of_a_killed_process_is_free(tmp_path, holder):
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert (tmp_path / LOCK_FILE).exists()
    with sole_writer(tmp_path):
        assert json.loads((tmp_path / LOCK_FILE).read_text())["pid"] == os.getpid()
    assert not (tmp_path / LOCK_FILE).exists()


def test_one_process_may_lock_again_inside(tmp_path):
    with sole_writer(tmp_path):
        with sole_writer(tmp_path):
            pass
        assert (tmp_path / LOCK_FILE).exists()
    assert list(tmp_path.iterdir()) == []


def test_a_lock_file_with_anything_in_it_does_no_harm(tmp_path):
    for content in ("", "{", "[1]", '{"pid": null}'):
        (tmp_path / LOCK_FILE).write_text(content)
        with sole_writer(tmp_path):
            pass


def test_an_error_inside_gives_the_lock_back(tmp_path):
    for _ in range(2):
        with pytest.raises(KeyError), sole_writer(tmp_path):
            raise KeyError


def test_what_a_killed_writer_left_is_cleared_away_and_nothing_else(tmp_path):
    for name in (".model.lpcfg.npz.123.partial", "model.lpcfg.npz", ".model.partial", "x.12.partial"):
        (tmp_path / name).write_text("")
    with sole_writer(tmp_path):
        assert {path.name for path in tmp_path.iterdir()} == {
            "model.lpcfg.npz", ".model.partial", "x.12.partial", LOCK_FILE,
        }  # fmt: skip


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / LOCK_FILE).mkdir()
    with pytest.raises(InputError, match=r"cannot be written: Is a directory\. Name another"), sole_writer(tmp_path):
        pass
    with pytest.raises(InputError, match="cannot be written"), sole_writer(tmp_path / "absent"):
        pass
