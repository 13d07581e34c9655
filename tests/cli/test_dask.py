"""A real dask cluster of two worker processes on this machine."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import pytest
from command_line import fail, run_here, run_installed, succeed

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
pytestmark = pytest.mark.filterwarnings("default")  # of a library that warns about its own parts

SENTENCE = "the/DT dog/NN sees/VBZ a/DT cat/NN"


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes of one thread; a killed one is started anew."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    ) as started:
        yield started


@pytest.fixture
def folder(tmp_path):
    source = tmp_path / "in"
    source.mkdir()
    for k in range(12):
        (source / f"part-{k:02}.txt").write_text(f"{SENTENCE}\n" * (40 + k))
    return source


def kill_a_worker_when(condition, cluster, killed):
    deadline = time.monotonic() + 60
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.002)
    finished = condition()
    os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
    killed.append(finished)


def test_shards_are_whole_though_a_worker_is_killed(cluster, trained, folder, tmp_path):
    succeed("parse", trained, folder, "-o", tmp_path / "one")
    out, killed = tmp_path / "two", []
    killer = threading.Thread(
        target=kill_a_worker_when, args=(lambda: len(list(out.glob("*.mrg"))), cluster, killed), daemon=True
    )
    killer.start()
    done = succeed("parse", trained, folder, "-o", out, "--dask", cluster.scheduler_address, run=run_installed)
    killer.join()
    assert 0 < killed[0] < 12, "the worker was not killed in mid-run"
    assert "12 files" in done.err
    first, second = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("one", "two"))
    assert first == second


def test_one_file_gives_the_same_trees_in_order(cluster, trained, tmp_path):
    source = tmp_path / "text"
    source.write_text("".join(f"{SENTENCE} {' '.join(['the/DT', 'dog/NN'] * (k % 3))}\n" for k in range(50)))
    alone = succeed("parse", trained, source)
    assert succeed("parse", trained, source, "--dask", cluster.scheduler_address).out == alone.out


def test_training_gives_the_same_files(cluster, tiny_treebank, small_settings, trained, tmp_path):
    succeed("train", tiny_treebank, "-o", tmp_path / "run", "-c", small_settings, "--dask", cluster.scheduler_address)
    for name in ("projections.npz", "model.lpcfg.npz"):
        assert (tmp_path / "run" / name).read_bytes() == (trained / name).read_bytes()


def test_counting_and_scoring_of_language_models_give_the_same(cluster, tmp_path, monkeypatch):
    text = tmp_path / "text"
    text.write_text("".join(f"the dog sees {'a cat' * (k % 3)}\n" for k in range(200)))
    shards = "lpcfg_cli.treebank.lines.BLOCK"
    monkeypatch.setattr(shards, 500)
    found = []
    for name, options in (("one", ()), ("two", ("--dask", cluster.scheduler_address))):
        model = tmp_path / f"{name}.lm.npz"
        succeed("lm", "train", text, "-o", model, "-m", 2, *options)
        found.append((model.read_bytes(), succeed("lm", "score", model, text, *options).out))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("group", "options"), [("hmm", ("-m", 3)), ("embed", ("-k", 3, "--window", 3, "--rare-below", 2))]
)
def test_learning_from_text_gives_the_same_bytes(cluster, tmp_path, monkeypatch, group, options):
    text = tmp_path / "text"
    text.write_text("".join(f"{('the', 'a')[k % 2]} dog sees {'a cat' * (k % 3)}\n" for k in range(200)))
    monkeypatch.setattr("lpcfg_cli.treebank.lines.BLOCK", 500)
    found = []
    for name, workers in (("one", ()), ("two", ("--dask", cluster.scheduler_address))):
        succeed(group, "train", text, "-o", tmp_path / f"{name}.npz", *options, *workers)
        found.append((tmp_path / f"{name}.npz").read_bytes())
    assert found[0] == found[1]


def test_a_task_error_arrives_as_it_is(cluster, trained, tmp_path):
    source = tmp_path / "in"
    source.mkdir()
    (source / "bad").write_text("no tag\n")
    message = fail(3, "parse", trained, source, "-o", tmp_path / "out", "--dask", cluster.scheduler_address)
    assert f"{source / 'bad'}:1:1" in message


def test_no_scheduler_is_a_message(trained, monkeypatch):
    monkeypatch.setattr("lpcfg_cli.execution.dask_workers.CONNECT_SECONDS", 0.2)
    assert "no dask scheduler answers" in fail(5, "parse", trained, "--dask", "tcp://127.0.0.1:9")


def test_without_dask_the_message_says_how_to_install_it(trained, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert "pip install" in fail(3, "parse", trained, "--dask", "tcp://127.0.0.1:9")


def test_a_scheduler_without_workers_is_a_message(trained, tmp_path, monkeypatch):
    monkeypatch.setattr("lpcfg_cli.execution.dask_workers.WAITING_SECONDS", 0.2)
    (tmp_path / "text").write_text(f"{SENTENCE}\n")
    with distributed.LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=50) as idle:
        message = fail(5, "parse", trained, tmp_path / "text", "--dask", idle.scheduler_address)
    assert "has no workers" in message


def test_a_scheduler_that_ends_is_a_message(trained, tmp_path):
    (tmp_path / "text").write_text(f"{SENTENCE}\n" * 20000)
    with distributed.LocalCluster(n_workers=1, dashboard_address=":0", silence_logs=50) as doomed:
        ender = threading.Timer(0.7, doomed.close)
        ender.start()
        message = fail_with_output(5, "parse", trained, tmp_path / "text", "--dask", doomed.scheduler_address)
        ender.join()
    assert "was lost" in message


def fail_with_output(code, *arguments):
    outcome = run_here(*arguments)
    assert outcome.code == code, outcome.err
    return outcome.err
