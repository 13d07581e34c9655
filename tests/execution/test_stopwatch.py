"""Time and memory."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import psutil
import pytest

from lpcfg_cli.execution import stopwatch
from lpcfg_cli.execution.stopwatch import Stopwatch, peak_megabytes


def test_laps_follow_each_other():
    watch = Stopwatch()
    np.linalg.svd(np.ones((300, 300)))
    first, second = watch.lap(), watch.lap()
    assert 0 <= second.seconds < first.seconds
    assert 0 <= second.cpu_seconds < first.cpu_seconds


def test_the_peak_is_at_least_what_was_once_needed():
    before = peak_megabytes()
    block = np.ones(30_000_000)
    with_block = peak_megabytes()
    del block
    assert peak_megabytes() == pytest.approx(with_block, rel=0.02)
    assert with_block >= 240
    assert with_block >= before


@pytest.fixture
def without_proc(monkeypatch, tmp_path):
    """A system other than Linux."""
    monkeypatch.setattr(stopwatch, "STATUS", tmp_path / "absent")


def test_without_the_file_of_linux_the_peak_is_about_the_same(monkeypatch, tmp_path):
    known = peak_megabytes()
    monkeypatch.setattr(stopwatch, "STATUS", tmp_path / "absent")
    assert peak_megabytes() >= 0.9 * known


@pytest.mark.parametrize(("memory", "megabytes"), [({"rss": 5, "peak_wset": 7}, 7), ({"rss": 5}, 5)])
def test_the_peak_without_resource_is_what_psutil_knows(monkeypatch, without_proc, memory, megabytes):
    memory = SimpleNamespace(**{name: value * 10**6 for name, value in memory.items()})
    monkeypatch.setattr(psutil.Process, "memory_info", lambda self: memory)
    monkeypatch.setitem(sys.modules, "resource", None)
    assert peak_megabytes() == megabytes


def test_macs_count_in_bytes(monkeypatch, without_proc):
    elsewhere = peak_megabytes()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert peak_megabytes() <= elsewhere // 1000
