"""``lpcfg dep train``, ``score`` and ``info``: what users see, on small treebanks."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from command_line import fail, run_installed, succeed

from lpcfg_cli.dependency.latent.archive import load_tree_model
from lpcfg_cli.dependency.latent.known import all_trees, known_tree_model, sample_trees
from lpcfg_cli.dependency.latent.learners import TREE_LEARNERS
from lpcfg_cli.dependency.latent.scoring import tree_log_probabilities
from lpcfg_cli.dependency.trees.files import read_dependency_files

OPTIONS = ("-m", 3, "--kappa", 1, "--ridge", 1e-5, "--floor", 0, "--anchor-count", 5, "--rare-below", 1)


def treebank_of(seed, number, name="separable"):
    """Trees of at most four words of the known model, in CoNLL-X."""
    known = known_tree_model(name)
    data = sample_trees(known, all_trees(known, 4), number, np.random.default_rng(seed))
    blocks = []
    for k, times in enumerate(data.weights.astype(int).tolist()):
        own = data.trees.tree(k)
        words = zip(known.vocabulary.spelled(own.symbols), own.heads.tolist(), strict=True)
        rows = (f"{i}\t{word}\t_\tX\tX\t_\t{head}\tdep\t_\t_\n" for i, (word, head) in enumerate(words, 1))
        blocks += ["".join(rows) + "\n"] * times
    return "".join(blocks[k] for k in np.random.default_rng(seed).permutation(len(blocks)))


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A model of each learner, and treebanks."""
    folder = tmp_path_factory.mktemp("trees")
    for name, seed, n in (("train", 1, 20_000), ("dev", 2, 400), ("test", 3, 400)):
        (folder / f"{name}.conll").write_text(treebank_of(seed, n))
    for learner in TREE_LEARNERS:
        dev = ("--dev", folder / "dev.conll") if "em" in learner else ()
        path = folder / f"{learner}.dep.npz"
        told = succeed("dep", "train", folder / "train.conll", "-o", path, "--learner", learner, *OPTIONS, *dev).err
        assert "treebank: 20,000 sentences" in told and "5 different symbols\n" in told
        assert ("model: 3 dimensions" in told) == (learner == "spectral")
        assert ("chosen by the dev text" in told) == ("em" in learner)
        assert "warning" not in told
    return folder


@pytest.mark.parametrize("learner", list(TREE_LEARNERS))
def test_perplexity_is_nearly_that_of_the_true_model(models, learner):
    test, known = models / "test.conll", known_tree_model("separable")
    found = json.loads(succeed("dep", "score", models / f"{learner}.dep.npz", test, "--json").out)
    trees = known.arrays(read_dependency_files([test]))
    best = np.exp(-known.values(trees).logs.sum() / len(trees.symbols))
    assert (found["sentences"], found["unknown"], found["vanished"]) == (400, 0, 0)
    assert found["words"] == len(trees.symbols)
    assert found["model"]["perplexity"] == pytest.approx(best, rel=0.02)
    assert found["independent"]["perplexity"] > 1.3 * best


def test_trees_one_by_one_and_the_summary(models):
    command = ("dep", "score", models / "spectral.dep.npz", models / "test.conll")
    ran = succeed(*command, "--per-sentence")
    rows = [line.split("\t") for line in ran.out.splitlines()]
    assert rows[0] == ["sentence", "words", "ln_p", "independent", "sign"]
    expected = tree_log_probabilities(
        load_tree_model(models / "spectral.dep.npz"), read_dependency_files([models / "test.conll"])
    )
    np.testing.assert_allclose([float(row[2]) for row in rows[1:]], expected, atol=1e-4)
    as_json = [json.loads(line) for line in succeed(*command, "--per-sentence", "--json").out.splitlines()]
    np.testing.assert_allclose([row["ln_p"] for row in as_json], expected, rtol=1e-12)
    negative = sum(row["sign"] < 0 for row in as_json)
    assert ("the estimate is negative: its absolute value counts" in ran.err) == (negative > 0)
    summary = succeed(*command).out
    assert summary in ran.err
    assert summary.splitlines()[0].startswith("400 sentences, ")
    figures = dict(zip(("ln_p", "bits", "perplexity"), map(float, summary.splitlines()[4].split()[1:]), strict=True))
    assert figures["ln_p"] == pytest.approx(expected.sum(), abs=1e-3)
    assert figures["perplexity"] == pytest.approx(2 ** figures["bits"], rel=1e-3)


def test_negative_and_vanishing_estimates_are_told(models, tmp_path):
    """One dimension more than the states of which there is little text, and a word that was never seen."""
    (tmp_path / "few.conll").write_text(treebank_of(4, 60))
    few, options = tmp_path / "few.conll", (*OPTIONS[4:], "--ridge", 0, "--kappa", 0)
    succeed("dep", "train", few, "-o", tmp_path / "x.dep.npz", "-m", 5, *options)
    (tmp_path / "new.conll").write_text("1\tnew\t_\tX\tX\t_\t0\tdep\t_\t_\n\n")
    ran = succeed("dep", "score", tmp_path / "x.dep.npz", models / "test.conll", tmp_path / "new.conll", "--json")
    found = json.loads(ran.out)
    assert found["negative"] > 0
    assert f"of {found['negative']:,} trees the estimate is negative: its absolute value counts" in ran.err
    assert found["vanished"] == 1 and "of 1 tree the estimate vanishes: its words count as independent" in ran.err


def test_what_was_learnt_is_shown(models):
    out = succeed("dep", "info", models / "em.dep.npz", "--top", 2).out
    assert "3 hidden states" in out and max(map(len, out.splitlines()[1:])) < 80
    shown = json.loads(succeed("dep", "info", models / "em.dep.npz", "--json").out)
    assert np.sum(shown["transitions"], 2) == pytest.approx(1)
    assert sorted(word for state in shown["states"] for word, p in state["words"] if p > 0.5) == ["a", "c", "e"]
    spectral = json.loads(succeed("dep", "info", models / "spectral.dep.npz", "--json").out)
    assert len(spectral["singular_values"]) == 2 and min(spectral["singular_values"]) > spectral["chance"]
    text = succeed("dep", "info", models / "spectral.dep.npz").out
    assert "3 dimensions, the constant and these singular values" in text


def test_a_rank_deficient_model_is_warned_of(tmp_path):
    """Two states that emit the same: neighbours show that there is one state less."""
    (tmp_path / "train.conll").write_text(treebank_of(1, 20_000, "hidden"))
    told = succeed("dep", "train", tmp_path / "train.conll", "-o", tmp_path / "x.dep.npz", *OPTIONS).err
    assert "warning: 1 of 2 singular values of the neighbours are no larger than chance" in told
    assert max(map(len, told.splitlines()[:-1])) <= 80
    assert "no larger than chance" in succeed("dep", "info", tmp_path / "x.dep.npz").out


def test_models_are_the_same_in_another_process_and_from_packed_files(models, tmp_path):
    packed = tmp_path / "train.conll"
    packed.write_bytes(gzip.compress((models / "train.conll").read_bytes()))
    for learner in ("spectral", "em"):
        output, plain = tmp_path / f"{learner}.dep.npz", tmp_path / f"{learner}-plain.dep.npz"
        options = ("--learner", learner, *OPTIONS, "--iterations", 3)
        succeed("dep", "train", models / "train.conll", "-o", plain, *options, run=run_installed)
        succeed("dep", "train", packed, "-o", output, *options)
        one, two = load_tree_model(plain), load_tree_model(output)
        trees = one.arrays(read_dependency_files([models / "test.conll"]))
        assert one.values(trees).logs.tobytes() == two.values(trees).logs.tobytes()


@pytest.mark.parametrize(
    ("text", "options", "code", "message"),
    [
        ("", (), 3, "the treebank has no words: nothing can be learnt"),
        ("1\ta\t_\tX\tX\t_\t0\tdep\t_\t_\n\n", (), 2, "dependency.states is 20, but the trees have only"),
        ("1\ta\t_\tX\tX\t_\t0\tdep\t_\t_\n\n", ("--learner", "ems"), 2, "dependency.learner is 'ems'; expected one of"),
        ("1\ta\t_\tX\tX\t_\t0\tdep\t_\t_\n\n", ("--contexts", "x"), 2, "expected one of neighbours, siblings"),
        ("1\ta\t_\tX\tX\t_\t0\tdep\t_\t_\n\n", ("--symbols", "x"), 2, "expected one of forms, tags"),
    ],
)
def test_what_cannot_be_learnt_is_told(tmp_path, text, options, code, message):
    (tmp_path / "x.conll").write_text(text)
    assert message in fail(code, "dep", "train", tmp_path / "x.conll", "-o", tmp_path / "x.dep.npz", *options)
    assert not (tmp_path / "x.dep.npz").exists()


def test_files_of_another_kind(models):
    train = models / "train.conll"
    assert "is not a file of kind lpcfg-dependency-model" in fail(4, "dep", "score", train, train)
    assert "is also read" in fail(3, "dep", "train", train, "-o", train)
