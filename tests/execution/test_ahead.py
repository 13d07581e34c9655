"""Kernels compiled by another process: when it is started, waited for and ended."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import psutil
import pytest

from lpcfg_cli.arrays import compiling
from lpcfg_cli.arrays.compiling import COMPILING, HELPER
from lpcfg_cli.execution import ahead
from lpcfg_cli.execution.ahead import compiled_ahead, needs_compiling


def sleeping(seconds, jobs=1):
    """A program that sleeps, in place of one that compiles."""
    arguments = ["-n", "1", "-r", "1", f"import time; time.sleep({seconds})"]
    return compiled_ahead("timeit", arguments, ["late_kernels"], "late_kernels.last", jobs)


@pytest.fixture(autouse=True)
def cold(monkeypatch, tmp_path):
    """An empty cache, and two processors."""
    monkeypatch.setattr(ahead, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(ahead, "count_cores", lambda: 2)
    return tmp_path


def test_it_is_ended_with_the_work():
    with sleeping(60):
        process = HELPER.process
        assert process.poll() is None
    assert process.returncode is not None
    assert HELPER.process is None
    with pytest.raises(ZeroDivisionError), sleeping(60):
        process = HELPER.process
        raise ZeroDivisionError
    assert process.returncode is not None


CALLER = """
import os, sys, time
from lpcfg_cli.execution import ahead
ahead.needs_compiling, ahead.count_cores = lambda kernel: True, lambda: 2
with ahead.compiled_ahead("sleeper", [], [], ""):
    print(ahead.HELPER.process.pid, flush=True)
    time.sleep(60)
"""

SLEEPER = """
import time
from lpcfg_cli.execution.ahead import end_with_caller
end_with_caller()
time.sleep(60)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
def test_it_ends_when_the_work_is_killed(tmp_path):
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    with subprocess.Popen([sys.executable, "-c", CALLER], stdout=subprocess.PIPE, env=environment) as caller:
        helper = psutil.Process(int(caller.stdout.readline()))
        time.sleep(2)
        assert helper.is_running()
        caller.kill()
    psutil.wait_procs([helper], timeout=20)
    assert not helper.is_running() or helper.status() == psutil.STATUS_ZOMBIE


def test_only_its_own_kernels_are_waited_for():
    with sleeping(2):
        HELPER.wait_for("lpcfg_cli.parsing.early_kernels")
        assert HELPER.process.poll() is None
        before = COMPILING.seconds
        HELPER.wait_for("lpcfg_cli.parsing.late_kernels")
        assert HELPER.process.returncode == 0
        assert COMPILING.seconds > before
        HELPER.wait_for("lpcfg_cli.parsing.late_kernels")


def test_patience_ends(monkeypatch):
    monkeypatch.setattr(compiling, "PATIENCE", 0.2)
    with sleeping(60):
        HELPER.wait_for("late_kernels")
        began = time.perf_counter()
        monkeypatch.setattr(compiling, "PATIENCE", 60)
        HELPER.wait_for("late_kernels")
        assert HELPER.process.poll() is None and time.perf_counter() - began < 10


def test_it_is_not_started_without_need_or_processor(monkeypatch, cold):
    for cores, jobs in ((1, 1), (2, 2), (2, 0), (2, 3)):
        monkeypatch.setattr(ahead, "count_cores", lambda cores=cores: cores)
        with sleeping(60, jobs):
            assert HELPER.process is None
            HELPER.wait_for("late_kernels")
    monkeypatch.setattr(ahead, "count_cores", lambda: 3)
    with sleeping(60, 2):
        assert HELPER.process.poll() is None
    (cold / "some" / "folder").mkdir(parents=True)
    (cold / "some" / "folder" / "late_kernels.last-12.py311.nbi").touch()
    assert not needs_compiling("late_kernels.last") and needs_compiling("late_kernels.first")
    with sleeping(60):
        assert HELPER.process is None
    monkeypatch.setattr(ahead, "cache_folder", lambda: None)
    assert not needs_compiling("late_kernels.first")


def test_work_goes_on_without_it(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with sleeping(60):
        assert HELPER.process is None
    monkeypatch.undo()
    with compiled_ahead("no.such.module", [], ("late_kernels",), "late_kernels.last"):
        HELPER.wait_for("late_kernels")
