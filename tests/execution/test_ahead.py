"""Kernels compiled by another process: when it is started, waited for and ended."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import click
import psutil
import pytest

from lpcfg_cli.arrays import compiling
from lpcfg_cli.arrays.compiling import COMPILING, HELPER
from lpcfg_cli.execution import ahead
from lpcfg_cli.execution.ahead import compiled_ahead, needs_compiling


def sleeping(seconds, jobs=1):
    """A process that sleeps, in place of one that compiles."""
    return compiled_ahead(time.sleep, [seconds], ["late_kernels"], "late_kernels.last", jobs)


@pytest.fixture(autouse=True)
def cold(monkeypatch, tmp_path):
    """An empty cache, two processors, and nobody who is told of compiling by a command of another test."""
    COMPILING.stay_silent()
    monkeypatch.setattr(ahead, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(ahead, "count_cores", lambda: 2)
    return tmp_path


def test_it_is_ended_with_the_work():
    with sleeping(60):
        process = HELPER.process
        assert process.is_alive()
    assert process.exitcode is not None
    assert HELPER.process is None
    with pytest.raises(ZeroDivisionError), sleeping(60):
        process = HELPER.process
        raise ZeroDivisionError
    assert process.exitcode is not None


CALLER = """
import time
from lpcfg_cli.execution import ahead
if __name__ == "__main__":
    ahead.needs_compiling, ahead.count_cores = lambda kernel: True, lambda: 2
    with ahead.compiled_ahead(time.sleep, [60], [], ""):
        print(ahead.HELPER.process.pid, flush=True)
        time.sleep(60)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
def test_it_ends_when_the_work_is_killed():
    with subprocess.Popen([sys.executable, "-c", CALLER], stdout=subprocess.PIPE) as caller:
        helper = psutil.Process(int(caller.stdout.readline()))
        time.sleep(2)
        assert helper.is_running()
        caller.kill()
    psutil.wait_procs([helper], timeout=20)
    assert not helper.is_running() or helper.status() == psutil.STATUS_ZOMBIE


def test_only_its_own_kernels_are_waited_for():
    with sleeping(2):
        HELPER.wait_for("lpcfg_cli.parsing.early_kernels")
        assert HELPER.process.is_alive()
        before = COMPILING.seconds
        HELPER.wait_for("lpcfg_cli.parsing.late_kernels")
        assert HELPER.process.exitcode == 0
        assert COMPILING.seconds > before
        HELPER.wait_for("lpcfg_cli.parsing.late_kernels")


def test_patience_ends(monkeypatch):
    monkeypatch.setattr(compiling, "PATIENCE", 0.2)
    with sleeping(60):
        HELPER.wait_for("late_kernels")
        began = time.perf_counter()
        monkeypatch.setattr(compiling, "PATIENCE", 60)
        HELPER.wait_for("late_kernels")
        assert HELPER.process.is_alive() and time.perf_counter() - began < 10


def test_it_is_not_started_without_need_or_processor(monkeypatch, cold):
    for cores, jobs in ((1, 1), (2, 2), (2, 0), (2, 3)):
        monkeypatch.setattr(ahead, "count_cores", lambda cores=cores: cores)
        with sleeping(60, jobs):
            assert HELPER.process is None
            HELPER.wait_for("late_kernels")
    monkeypatch.setattr(ahead, "count_cores", lambda: 3)
    with sleeping(60, 2):
        assert HELPER.process.is_alive()
    (cold / "some" / "folder").mkdir(parents=True)
    (cold / "some" / "folder" / "late_kernels.last-12.py311.nbi").touch()
    assert not needs_compiling("late_kernels.last") and needs_compiling("late_kernels.first")
    with sleeping(60):
        assert HELPER.process is None
    monkeypatch.setattr(ahead, "cache_folder", lambda: None)
    assert not needs_compiling("late_kernels.first")


def fail():
    raise ZeroDivisionError("of the helper")


def refuse(self):
    raise BlockingIOError


def test_work_goes_on_without_it(monkeypatch, capfd):
    context = ahead.multiprocessing.get_context(ahead.choose_start_method())
    with monkeypatch.context() as patch:
        patch.setattr(context.Process, "start", refuse)
        with sleeping(60):
            assert HELPER.process is None
    with compiled_ahead(fail, [], ("late_kernels",), "late_kernels.last"):
        HELPER.wait_for("late_kernels")
        assert HELPER.process.exitcode == 1
    assert capfd.readouterr() == ("", "")


def speak():
    """Say something in all ways, and end well only if Ctrl-C does nothing here and a compilation is not told."""
    click.echo("from the helper")
    click.echo("from the helper", err=True)
    os.write(1, b"from the helper")
    os.write(2, b"from the helper")
    os.kill(os.getpid(), 2)
    COMPILING.begin()
    COMPILING.end()


def test_nothing_is_seen_of_it_and_the_message_is_told_by_this_process(capfd):
    told = []
    COMPILING.tell_by(told.append)
    try:
        with compiled_ahead(speak, [], ("late_kernels",), "late_kernels.last"):
            HELPER.process.join(60)
            assert HELPER.process.exitcode == 0
            assert told == []
            HELPER.wait_for("late_kernels")
    finally:
        COMPILING.stay_silent()
    assert told == [compiling.BEGIN]
    assert capfd.readouterr() == ("", "")
