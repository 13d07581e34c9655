"""One thread of linear algebra, whoever calls and whatever was imported before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading

import pytest
import scipy.linalg  # noqa: F401  so that there is a BLAS to limit
import worker_tasks
from threadpoolctl import threadpool_limits

from lpcfg_cli.config import Settings
from lpcfg_cli.execution.environment import THREAD_VARIABLES, single_threaded
from lpcfg_cli.execution.workers import local_workers
from lpcfg_cli.learning import learners, preparation
from lpcfg_cli.learning.learner import LearningContext


@pytest.fixture
def two_threads():
    """A program whose linear algebra has two threads."""
    with threadpool_limits(2):
        if worker_tasks.threads() != [2]:
            pytest.skip("linear algebra cannot have two threads here")
        yield


def test_the_limit_holds_inside_and_is_lifted_after_it(two_threads):
    with pytest.raises(KeyError), single_threaded():
        assert worker_tasks.threads() == [1]
        with single_threaded():
            pass
        assert worker_tasks.threads() == [1]
        raise KeyError
    assert worker_tasks.threads() == [2]


def test_the_limit_holds_until_the_last_thread_leaves(two_threads):
    may_leave, has_entered = threading.Event(), threading.Event()

    def enter():
        with single_threaded():
            has_entered.set()
            may_leave.wait()

    other = threading.Thread(target=enter)
    with single_threaded():
        other.start()
        has_entered.wait()
    assert worker_tasks.threads() == [1]
    may_leave.set()
    other.join()
    assert worker_tasks.threads() == [2]


def test_any_thread_may_enter(two_threads):
    seen = []

    def enter():
        with single_threaded():
            seen.append(worker_tasks.threads())
        seen.append(worker_tasks.threads())

    for _ in range(2):
        other = threading.Thread(target=enter)
        other.start()
        other.join()
    assert seen == [[1], [2]] * 2


@pytest.mark.parametrize("start_method", ["fork", "spawn"])
def test_workers_have_one_thread(two_threads, monkeypatch, start_method):
    for name in THREAD_VARIABLES:
        monkeypatch.setenv(name, "2")
    with local_workers(2, start_method) as mapper:
        assert list(mapper(worker_tasks.threads, range(4))) == [[1]] * 4


LIBRARY = """
import json, sys
import numpy as np
import worker_tasks
from pathlib import Path
from lpcfg_cli.config import load_settings
from lpcfg_cli.learning.learner import LearningContext
from lpcfg_cli.stages.chain import train
from lpcfg_cli.stages.stage import StageContext

seen = [worker_tasks.threads()]

def progress(items, description, total=None, unit="it"):
    seen.append(worker_tasks.threads())
    return items

treebank, settings, run = map(Path, sys.argv[1:])
train(StageContext(run, load_settings(settings), [treebank], progress=progress))
seen.append(worker_tasks.threads())
print(json.dumps(seen))
"""


def test_a_program_that_imported_numpy_with_threads_gets_the_models_of_the_command_line(
    trained, tiny_treebank, small_settings, tmp_path
):
    run = tmp_path / "run"
    done = subprocess.run(
        [sys.executable, "-c", LIBRARY, tiny_treebank, small_settings, run],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "OPENBLAS_NUM_THREADS": "2",
            "OMP_NUM_THREADS": "2",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    before, *inside, after = json.loads(done.stdout)
    if before != [2]:
        pytest.skip("linear algebra cannot have two threads here")
    assert after == before
    assert inside and all(threads == [1] for threads in inside)
    assert (run / "model.lpcfg.npz").read_bytes() == (trained / "model.lpcfg.npz").read_bytes()


def test_learning_in_memory_has_one_thread(two_threads, monkeypatch):
    seen = []

    def spy(*_, **__):
        seen.append(worker_tasks.threads())
        raise KeyError

    monkeypatch.setattr(preparation, "describe", spy)
    monkeypatch.setattr(learners, "learner_of", spy)
    for enter in (
        lambda: preparation.prepare(None, Settings()),
        lambda: learners.learn(None, Settings(), LearningContext()),
    ):
        with pytest.raises(KeyError):
            enter()
    assert seen == [[1], [1]]
    assert worker_tasks.threads() == [2]
