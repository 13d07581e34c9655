"""Maps over processes: order, bounded memory, errors, killed workers, start methods, values read from files."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import worker_tasks

from lpcfg_cli.errors import ConfigError, SyntaxProblem, WorkerError
from lpcfg_cli.execution.workers import (
    START_METHOD_VARIABLE,
    FileValue,
    choose_start_method,
    count_cores,
    local_workers,
    map_in_order,
)


@pytest.fixture(params=["fork", "spawn"])
def pool(request):
    with local_workers(2, request.param) as mapper:
        yield mapper


def test_one_job_is_plain_map():
    with local_workers(1) as mapper:
        assert mapper is map


def test_zero_jobs_are_one_a_core():
    with local_workers(0, "fork") as mapper:
        assert len(set(mapper(worker_tasks.name_of_process, range(30)))) <= count_cores()


def test_results_come_in_order(pool):
    assert list(pool(worker_tasks.slowly_if_even, range(20))) == list(range(20))


def test_an_error_in_a_task_arrives_whole(pool):
    results = iter(pool(worker_tasks.failing_at_three, range(40)))
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(SyntaxProblem) as caught:
        next(results)
    assert (caught.value.line, caught.value.found) == (1, "this")


@pytest.mark.parametrize("start_method", ["fork", "spawn"])
def test_a_killed_worker_is_an_error_and_no_hang(start_method):
    with pytest.raises(WorkerError, match="--jobs"), local_workers(2, start_method) as mapper:
        list(mapper(worker_tasks.killed_at_three, range(40)))


def test_errors_keep_their_parts_when_pickled():
    problem = SyntaxProblem("text", 1, 2, "this", "that", "Do so.")
    assert str(pickle.loads(pickle.dumps(problem))) == str(problem)


class Eager:
    """A future whose work is done immediately."""

    def __init__(self, function, item):
        self.value = function(item)
        self.is_cancelled = False

    def result(self):
        return self.value

    def cancel(self):
        self.is_cancelled = True


def test_only_a_window_of_items_is_taken_at_a_time():
    taken = []
    items = (taken.append(k) or k for k in range(100))
    results = map_in_order(Eager, 4, worker_tasks.squared, items)
    assert taken == []
    for k in range(10):
        assert next(results) == k * k
        assert len(taken) <= k + 4


def test_what_nobody_waits_for_is_cancelled():
    futures = []

    def submit(function, item):
        futures.append(Eager(function, item))
        return futures[-1]

    results = map_in_order(submit, 4, worker_tasks.squared, range(100))
    next(results)
    results.close()
    assert [future.is_cancelled for future in futures] == [False, True, True, True]


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text"
    path.write_text("some text")
    return path


def test_forked_workers_have_what_the_main_process_read(text, tmp_path):
    value = FileValue.load(worker_tasks.read_with_trace, text, str(tmp_path))
    with local_workers(2, "fork") as mapper:
        assert list(mapper(worker_tasks.length_of, [value] * 6)) == [9] * 6
    assert {path.name for path in tmp_path.glob("read-by-*")} == {f"read-by-{os.getpid()}"}
    value.forget()


def test_spawned_workers_read_once_each(text, tmp_path):
    value = FileValue.load(worker_tasks.read_with_trace, text, str(tmp_path))
    value.forget()
    with local_workers(2, "spawn") as mapper:
        assert list(mapper(worker_tasks.length_of, [value] * 6)) == [9] * 6
    assert 2 <= len(list(tmp_path.glob("read-by-*"))) <= 3


def test_a_file_that_has_changed_is_not_taken_for_the_one_read_first(text, tmp_path):
    value = FileValue.load(worker_tasks.read_with_trace, text, str(tmp_path))
    value.forget()
    text.write_text("another")
    with pytest.raises(WorkerError, match="has changed"):
        value.get()


def test_a_file_beside_that_has_changed_makes_another_value(text, tmp_path):
    beside = tmp_path / "beside"
    beside.write_text("first")
    value = FileValue.load(worker_tasks.read_with_trace, text, str(tmp_path), beside=[beside])
    value.forget()
    beside.write_text("second")
    with pytest.raises(WorkerError, match=r"text.* or .*beside: has changed"):
        value.get()
    assert FileValue.load(worker_tasks.read_with_trace, text, str(tmp_path), beside=[beside]) != value


def test_only_the_last_value_of_a_kind_is_kept(text, tmp_path):
    first = FileValue.load(worker_tasks.read_with_trace, text, str(tmp_path))
    other = tmp_path / "other"
    other.write_text("longer text")
    FileValue.load(worker_tasks.read_with_trace, other, str(tmp_path)).get()
    text.unlink()
    with pytest.raises(Exception, match="text"):
        first.get()


def test_start_method_is_as_asked(monkeypatch):
    monkeypatch.setenv(START_METHOD_VARIABLE, "spawn")
    assert choose_start_method() == "spawn"
    monkeypatch.setenv(START_METHOD_VARIABLE, "spoon")
    with pytest.raises(ConfigError, match="fork"):
        choose_start_method()


@pytest.mark.parametrize(
    ("platform", "threads", "method"), [("linux", 1, "fork"), ("linux", 2, "spawn"), ("win32", 1, "spawn")]
)
def test_forks_only_where_that_is_safe(monkeypatch, platform, threads, method):
    monkeypatch.delenv(START_METHOD_VARIABLE, raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr("threading.active_count", lambda: threads)
    monkeypatch.setattr(multiprocessing, "get_start_method", lambda allow_none: None)
    assert choose_start_method() == method


ORPHANS = """
import sys, time
import worker_tasks
from lpcfg_cli.execution.workers import local_workers
with local_workers(2, "fork") as mapper:
    print(*set(mapper(worker_tasks.name_of_process, range(20))), flush=True)
    time.sleep(60)
"""


def test_workers_end_with_a_main_process_that_was_killed():
    with subprocess.Popen(
        [sys.executable, "-c", ORPHANS], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent
    ) as main:
        workers = [int(name) for name in main.stdout.readline().split()]
        main.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 10
    while any(map(is_running, workers)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert workers
    assert not any(map(is_running, workers))


def is_running(process):
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
