"""The lock of a run directory."""

from __future__ import annotations

import errno
import json
import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

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


@pytest.fixture
def without_locks(monkeypatch):
    """Simulate a file system without locks."""

    def refuse(descriptor, blocking):
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr("filelock.lock_descriptor", refuse)


def test_without_locks_the_file_counts(tmp_path, holder, without_locks):
    with pytest.raises(DirectoryInUseError, match=f"process {holder.pid} on"), sole_writer(tmp_path):
        pass
    holder.kill()
    holder.wait()
    for content in ('{"pid": 1, "host": "another"}', json.dumps({"pid": os.getpid(), "host": platform.node()}), ""):
        (tmp_path / LOCK_FILE).write_text(f" {content}")
        if "another" in content:
            with pytest.raises(DirectoryInUseError, match="process 1 on another"), sole_writer(tmp_path):
                pass
        else:
            with sole_writer(tmp_path):
                assert json.loads((tmp_path / LOCK_FILE).read_text())["pid"] == os.getpid()
    assert list(tmp_path.iterdir()) == []


def test_without_locks_the_last_of_two_who_sign_at_once_has_it(tmp_path, without_locks, monkeypatch):
    with subprocess.Popen(["sleep", "60"]) as other:
        entry = json.dumps({"pid": other.pid, "host": platform.node()})
        monkeypatch.setattr("time.sleep", lambda _: (tmp_path / LOCK_FILE).write_text(f" {entry}"))
        with pytest.raises(DirectoryInUseError, match=f"process {other.pid} on"), sole_writer(tmp_path):
            pass
        other.kill()


def test_a_lock_that_cannot_be_had_for_another_reason_is_told(tmp_path, monkeypatch):
    def fail(descriptor, blocking):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr("filelock.lock_descriptor", fail)
    with pytest.raises(InputError, match=r"\.lock: cannot be locked: Input/output error\. Name"), sole_writer(tmp_path):
        pass


def test_a_file_that_is_open_elsewhere_may_be_kept_by_the_system(tmp_path, monkeypatch):
    """Windows does not remove open files: the lock file is removed once it is closed, or remains."""
    unlink = Path.unlink
    refusals = iter([1])

    def reluctant(path, missing_ok=False):
        if path.name == LOCK_FILE and next(refusals, 0):
            raise PermissionError(errno.EACCES, "in use")
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", reluctant)
    with sole_writer(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_lock_file_with_anything_in_it_does_no_harm(tmp_path):
    for content in ("", "{", "[1]", '{"pid": null}', ' {"pid": -1, "host": "a"}'):
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
