"""Training with --rerank: files, currency, resumption after a kill, results that do not depend on --jobs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time

import pytest
from command_line import LPCFG, fail, succeed

from lpcfg_cli import load
from lpcfg_cli.parsing.reranking.archive import RERANKER, load_lists
from lpcfg_cli.storage.artefacts import read_header

FOLDS = 3
SETTINGS = f"""
seed = 3
[svd]
states = 3
[lexicon]
rare_below = 3
[tagger]
epochs = 1
[rerank]
folds = {FOLDS}
trees = 5
least = 2
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A treebank of 90 trees, 20 others, and settings."""
    folder = tmp_path_factory.mktemp("rerank")
    lines = succeed("synth", "-n", 110, "--seed", 6, "--max-words", 14).out.splitlines()
    for name, part in (("gold.mrg", lines[:90]), ("other.mrg", lines[90:])):
        (folder / name).write_text("".join(f"{line}\n" for line in part))
    (folder / "small.toml").write_text(SETTINGS)
    return folder


def arguments(files, run, *options):
    return "train", files / "gold.mrg", "-o", run, "-c", files / "small.toml", *options


@pytest.fixture(scope="module")
def reranked(files, tmp_path_factory):
    """A run directory with a reranker, and what the command said."""
    run = tmp_path_factory.mktemp("reranked") / "run"
    outcome = succeed(*arguments(files, run, "--rerank", "--json"))
    return run, json.loads(outcome.out), outcome.err


@pytest.fixture
def copy(reranked, tmp_path):
    return shutil.copytree(reranked[0], tmp_path / "run")


def lists_of(run):
    return {fold: (run / f"reranking/part-{fold}/lists.npz") for fold in range(FOLDS)}


def test_the_lists_are_of_all_parts_and_by_models_of_the_others(reranked, files):
    run, report, told = reranked
    held_out = [(run / f"reranking/part-{fold}/held-out.mrg").read_text().splitlines() for fold in range(FOLDS)]
    trained_on = [(run / f"reranking/part-{fold}/train.mrg").read_text().splitlines() for fold in range(FOLDS)]
    assert [len(lines) for lines in held_out] == [30, 30, 30]
    for fold in range(FOLDS):
        assert trained_on[fold] == [line for k in range(FOLDS) if k != fold for line in held_out[k]]
    lists = [load_lists(path) for path in lists_of(run).values()]
    assert report["rerank"]["lists"] == sum(map(len, lists)) > 80
    assert report["rerank"]["trees"] == sum(len(one.trees) for one in lists)
    assert all(1 < max(end - begin for begin, end in zip(one.first, one.first[1:], strict=False)) <= 5 for one in lists)
    gold = [line.replace("(TOP ", "").count("(") for line in held_out[0]]
    assert lists[0].gold[0] <= gold[0]
    assert "held-out lists: F1" in told and "trees all correct" in told
    assert not list(run.glob("reranking/*/model")), "models of parts are removed"


def test_parse_inspect_and_the_api_use_the_reranker(reranked, files):
    run, other = reranked[0], files / "other.mrg"
    by_default = succeed("parse", run, other, "-f", "trees").out
    assert by_default == succeed("parse", run, other, "-f", "trees", "--rerank", "--jobs", 2).out
    without = succeed("parse", run, other, "-f", "trees", "--no-rerank").out
    trees = succeed("parse", run, other, "-f", "trees", "--nbest", 5).out.split("\n\n")
    first = [block.splitlines()[0].split("\t")[1] for block in trees if block.strip()]
    assert first == by_default.splitlines()
    assert all(
        [float(line.split("\t")[0]) for line in block.splitlines()]
        == sorted((float(line.split("\t")[0]) for line in block.splitlines()), reverse=True)
        for block in trees
    )
    assert "reranks 5 trees" in succeed("inspect", run).out
    assert "ln-posterior" in succeed("inspect", run, "--reranker").out
    sentence = [("she", "PRP"), ("saw", "VBD"), ("them", "PRP")]
    assert str(load(run).parse(sentence)) == str(load(run).parse(sentence).nbest(3)[0])
    assert load(run, rerank=False).parser.reranker is None
    assert len(without.splitlines()) == len(first)


def test_a_saved_model_keeps_its_reranker(reranked, tmp_path):
    load(reranked[0]).save(tmp_path / "mine.lpcfg.npz")
    assert load(tmp_path / "mine.lpcfg.npz").parser.reranker is not None
    load(reranked[0], rerank=False).save(tmp_path / "plain.lpcfg.npz")
    assert load(tmp_path / "plain.lpcfg.npz").parser.reranker is None


def test_a_stored_correction_of_posteriors_leaves_the_reranker_valid(copy, files):
    succeed("calibrate", copy, files / "other.mrg", "--save")
    assert load(copy).parser.reranker is not None


def test_the_reranker_does_not_depend_on_jobs(reranked, files, tmp_path):
    succeed(*arguments(files, tmp_path / "run", "--rerank", "--jobs", 2))
    for fold, path in lists_of(tmp_path / "run").items():
        assert path.read_bytes() == lists_of(reranked[0])[fold].read_bytes()
    name = "model.reranker.npz"
    assert (tmp_path / "run" / name).read_bytes() == (reranked[0] / name).read_bytes()


def test_a_killed_run_goes_on_with_the_lists_that_it_has(reranked, files, tmp_path):
    run = tmp_path / "run"
    paths = lists_of(run)
    command = [LPCFG, *map(str, arguments(files, run, "--rerank"))]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        until = time.monotonic() + 300
        while not paths[0].exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    assert paths[0].exists() and not (run / "model.reranker.npz").exists()
    made = os.stat(paths[0]).st_mtime_ns
    succeed(*arguments(files, run, "--rerank"))
    assert os.stat(paths[0]).st_mtime_ns == made
    for name in ("model.lpcfg.npz", "model.reranker.npz"):
        assert (run / name).read_bytes() == (reranked[0] / name).read_bytes()


@pytest.mark.parametrize(
    ("options", "n_kept"),
    [((), FOLDS), (("--rerank-trees", 4), 0), (("--rare-below", 2), 0), (("--seed", 4), 0)],
)
def test_lists_are_made_again_only_if_their_settings_or_trees_differ(copy, files, options, n_kept):
    before = {fold: os.stat(path).st_mtime_ns for fold, path in lists_of(copy).items()}
    report = json.loads(succeed(*arguments(files, copy, "--rerank", "--json", *options)).out)
    kept = [fold for fold, path in lists_of(copy).items() if os.stat(path).st_mtime_ns == before[fold]]
    assert len(kept) == n_kept
    assert (report["rerank"] is None) == (not options)


def test_a_smaller_least_count_learns_anew_from_the_same_lists(copy, files, tmp_path):
    before = {fold: os.stat(path).st_mtime_ns for fold, path in lists_of(copy).items()}
    (tmp_path / "more.toml").write_text(SETTINGS.replace("least = 2", "least = 1"))
    succeed("train", files / "gold.mrg", "-o", copy, "-c", tmp_path / "more.toml", "--rerank")
    assert before == {fold: os.stat(path).st_mtime_ns for fold, path in lists_of(copy).items()}
    assert read_header(copy / "model.reranker.npz", RERANKER).settings["rerank"]["least"] == 1


def test_training_without_a_reranker_removes_that_of_an_earlier_run(copy, files):
    succeed(*arguments(files, copy))
    assert not (copy / "model.reranker.npz").exists() and lists_of(copy)[0].exists()


def test_damaged_lists_are_made_again(copy, files):
    path = lists_of(copy)[1]
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    (copy / "model.reranker.npz").unlink()
    succeed(*arguments(files, copy, "--rerank"))
    assert path.read_bytes() == whole


def test_crossval_reranks(files, tmp_path):
    paths = {name: tmp_path / f"{name}.mrg" for name in ("parsed", "gold")}
    options = ("-o", paths["parsed"], "--gold", paths["gold"], "--folds", 2, "--only", 0, "--rerank", "--json")
    found = json.loads(succeed("crossval", files / "gold.mrg", "-c", files / "small.toml", *options).out)
    assert found["valid"] == 45 == len(paths["parsed"].read_text().splitlines())


def test_errors_say_what_does_not_fit(files, tmp_path):
    (tmp_path / "two.mrg").write_text("(S (NP (NN a)) (VP (V b)))\n(S (NP (NN b)) (VP (V b)))\n")
    told = fail(2, "train", tmp_path / "two.mrg", "-o", tmp_path / "run", "--rerank", "-m", 1)
    assert "2 trees are too few for 5 parts" in told
    (tmp_path / "text.txt").write_text("a b\n")
    told = fail(2, *arguments(files, tmp_path / "other", "--rerank", "--text", tmp_path / "text.txt"))
    assert "Leave out --rerank or --text" in told
    assert "rerank.folds is 1" in fail(2, *arguments(files, tmp_path / "other", "--rerank", "--rerank-folds", 1))
