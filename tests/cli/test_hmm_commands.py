"""``lpcfg hmm``: what users see, on small texts."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from command_line import fail, run_installed, succeed

from lpcfg_cli import hmm
from lpcfg_cli.hmm.known import known_hmm
from lpcfg_cli.hmm.learners import HMM_LEARNERS
from lpcfg_cli.hmm.sampling import sample_sequences
from lpcfg_cli.text.vocabulary import END

FIRST = "z"


def text_of(seed, number, name="separable"):
    """Sequences of the known model, one a line, after a first symbol, as an empty line is no sequence."""
    known = known_hmm(name)
    numbers = sample_sequences(known, number, np.random.default_rng(seed))
    lines = np.split(numbers, np.flatnonzero(numbers == END) + 1)
    return "".join(f"{' '.join([FIRST, *known.vocabulary.spelled(line[:-1])])}\n" for line in lines if len(line))


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    for name, seed, n in (("train", 1, 20_000), ("dev", 2, 400), ("test", 3, 400)):
        (folder / name).write_text(text_of(seed, n))
    return folder


OPTIONS = ("-m", 4, "--anchor-count", 5)


@pytest.fixture(scope="module")
def models(texts):
    """A model of each learner."""
    for learner in HMM_LEARNERS:
        dev = ("--dev", texts / "dev") if "em" in learner else ("--floor", 0)
        told = succeed(
            "hmm", "train", texts / "train", "-o", texts / f"{learner}.hmm.npz", "--learner", learner, *OPTIONS, *dev
        ).err
        assert "9 different words with <unk>, <s> and </s>" in told
        assert ("4 dimensions" in told) == (learner in ("spectral", "full"))
        assert ("chosen by the dev text" in told) == ("em" in learner)
        assert "warning" not in told
    return texts


def scored(models, learner):
    return json.loads(succeed("hmm", "score", models / f"{learner}.hmm.npz", models / "test", "--json").out)


@pytest.mark.parametrize("learner", list(HMM_LEARNERS))
def test_perplexity_is_nearly_that_of_the_true_model(models, learner):
    lines = [line.split() for line in (models / "test").read_text().splitlines()]
    known = known_hmm("separable")
    true = sum(known.logprob(line[1:]) for line in lines)
    found = scored(models, learner)
    assert found["sentences"] == len(lines)
    assert found["all"]["events"] == sum(map(len, lines)) + len(lines)
    best = np.exp(-true / found["all"]["events"])
    most = 1.06 if learner == "em" else 1.02  # which finds a local optimum
    assert 0.998 * best < found["all"]["perplexity"] < most * best
    assert {name: found[name] for name in ("negative", "lost", "vanished")} == dict.fromkeys(
        ("negative", "lost", "vanished"), 0
    )
    own = hmm.load(models / f"{learner}.hmm.npz")
    assert sum(map(own.logprob, lines)) == pytest.approx(found["all"]["log10"] * np.log(10))


def test_words_and_sequences_add_up_to_the_summary(models):
    path = models / "spectral.hmm.npz"
    whole = scored(models, "spectral")["all"]
    words = succeed("hmm", "score", path, models / "test", "--per-word").out.splitlines()
    assert len(words) == 1 + whole["events"]
    assert sum(float(line.split("\t")[3]) for line in words[1:]) == pytest.approx(
        whole["bits"] * whole["events"], rel=1e-4
    )
    lines = succeed("hmm", "score", path, models / "test", "--per-sequence").out.splitlines()[1:]
    rows = [
        json.loads(x)
        for x in succeed("hmm", "score", path, models / "test", "--per-sequence", "--json").out.splitlines()
    ]
    assert [line.split("\t")[:2] for line in lines] == [[str(r["sequence"]), str(r["symbols"])] for r in rows]
    assert sum(r["ln_p"] for r in rows) == pytest.approx(whole["log10"] * np.log(10))
    assert "--per-word and --per-sequence" in fail(2, "hmm", "score", path, "--per-word", "--per-sequence")


def test_the_same_bytes_from_any_number_of_processes_standard_input_and_gzip(texts, tmp_path):
    text = (texts / "train").read_text()
    (tmp_path / "packed").write_bytes(gzip.compress(text.encode()))
    for learner in ("full", "spectral+em"):
        (tmp_path / learner).mkdir()
        given = {"1": (texts / "train", 1), "2": (texts / "train", 2), "3": (tmp_path / "packed", 1)}
        options = (*OPTIONS, "--learner", learner, "--iterations", 3)
        for name, (path, jobs) in given.items():
            output = tmp_path / learner / f"{name}.hmm.npz"
            succeed("hmm", "train", path, "-o", output, *options, "-j", jobs, run=run_installed)
        one, two, packed = ((tmp_path / learner / f"{name}.hmm.npz") for name in given)
        assert one.read_bytes() == two.read_bytes()
        assert hmm.load(one).logprob(["z", "c"]) == hmm.load(packed).logprob(["z", "c"])
    succeed("hmm", "train", "-", "-o", tmp_path / "x.hmm.npz", *OPTIONS, "--learner", "full", stdin=text)
    assert hmm.load(tmp_path / "x.hmm.npz").logprob(["a"]) == hmm.load(tmp_path / "full" / "1.hmm.npz").logprob(["a"])


def test_predictions_after_each_symbol_are_those_of_the_true_model(models):
    known = known_hmm("separable")
    command = ("hmm", "predict", models / "spectral+em.hmm.npz")
    rows = [
        json.loads(x) for x in succeed(*command, "--json", "--each", "--top", 9, stdin="z a c\n\n").out.splitlines()
    ]
    assert [row["after"] for row in rows] == [[], ["z"], ["z", "a"], ["z", "a", "c"], []]
    assert rows[0]["next"][0] == {"symbol": "z", "p": pytest.approx(1, abs=0.01)}
    for row, state in zip(rows[1:4], known.filter(known.numbers_of(["a", "c"])).states, strict=True):
        p = known.distributions(state[None])[0]
        assert sum(one["p"] for one in row["next"]) == pytest.approx(1)
        assert sum(row["state"]) == pytest.approx(1)
        for one in row["next"]:
            number = 2 if one["symbol"] == "</s>" else known.vocabulary.number_of(one["symbol"])
            assert one["p"] == pytest.approx(p[number], abs=0.05)
    best = rows[3]["next"][0]
    assert succeed(*command, "--top", 1, stdin="z a c\n").out == f"c\t{best['symbol']} {best['p']:.4f}\n"
    state = int(np.argmax(rows[3]["state"]))
    shown = succeed(*command, "--states", "--top", 1, stdin="z a c\n").out
    assert shown == f"c\t{state} {rows[3]['state'][state]:.4f}\n"


def test_what_was_learnt_is_shown(models, tmp_path):
    path = models / "spectral+em.hmm.npz"
    out = succeed("hmm", "info", path, "--top", 2).out
    assert "hidden states" in out and max(map(len, out.splitlines()[1:])) < 80
    trees = tmp_path / "tags.mrg"
    trees.write_text("(S (Q z) (X a) (X b) (Y c) (Y d))\n(S (Q z) (Z e) (Z e) (Z e))\n")
    told = succeed("hmm", "info", path, "--tags", trees).out
    assert "many-to-one accuracy: 100.00 % of 9 words of 2 sentences, 0 of them unknown" in told
    trees.write_text(trees.read_text().replace("(Z e)", "(W e)", 1))
    found = json.loads(succeed("hmm", "info", path, "--tags", trees, "--json").out)
    assert found["accuracy"]["correct"] == 8
    assert np.sum(found["transition"], 1) == pytest.approx(1)
    spectral = json.loads(succeed("hmm", "info", models / "spectral.hmm.npz", "--json").out)
    assert len(spectral["singular_values"]) == 4 and min(spectral["singular_values"]) > spectral["chance"]
    assert "a spectral model" in fail(3, "hmm", "info", models / "full.hmm.npz", "--tags", trees)
    assert "a spectral model" in fail(3, "hmm", "predict", models / "full.hmm.npz", "--states")


def test_a_rank_deficient_model_is_warned_of(tmp_path):
    """Two states that emit the same: bigrams show that there is one state less."""
    (tmp_path / "train").write_text(text_of(1, 20_000, "hidden"))
    told = succeed("hmm", "train", tmp_path / "train", "-o", tmp_path / "x.hmm.npz", "-m", 4).err
    assert "warning: 1 of 4 singular values of the bigrams are no larger than chance" in told
    assert max(map(len, told.splitlines()[:-1])) <= 80
    assert "no larger than chance" in succeed("hmm", "info", tmp_path / "x.hmm.npz").out
    fewer = succeed("hmm", "train", tmp_path / "train", "-o", tmp_path / "y.hmm.npz", "-m", 3).err
    assert "warning" not in fewer


@pytest.mark.parametrize(
    ("text", "options", "code", "message"),
    [
        ("", (), 3, "the text has no words: nothing can be learnt"),
        ("one\n", (), 2, "hmm.states is 32, but the text has only 2 different symbols, the end included"),
        ("a a b b\na b\n", ("--learner", "full", "-m", 9), 2, "hmm.states is 9, but the text has only 3"),
        ("one\n", ("--rare-below", 1, "-m", 1), 6, "the moments in 1 dimension give sequences no probability"),
        ("a <s> b\n", (), 3, "no such word amid a line"),
        ("a b\n", ("--learner", "ems"), 2, "hmm.learner is 'ems'; expected one of spectral, full, em"),
        ("a b\n", ("--projection", "pca"), 2, "hmm.projection is 'pca'; expected one of cca, svd. Did you mean cca?"),
        ("a b\n", ("--floor", 2), 2, "hmm.floor is 2.0; expected a share"),
    ],
)
def test_what_cannot_be_learnt_is_told(tmp_path, text, options, code, message):
    (tmp_path / "text").write_text(text)
    assert message in fail(code, "hmm", "train", tmp_path / "text", "-o", tmp_path / "x.hmm.npz", *options)
    assert not (tmp_path / "x.hmm.npz").exists()


def test_files_of_another_kind(models):
    train, model = models / "train", models / "em.hmm.npz"
    assert "is not a file of kind lpcfg-hmm" in fail(4, "hmm", "score", train, train)
    assert "is a lpcfg-hmm file; expected lpcfg-lm" in fail(4, "lm", "score", model, train)
    assert "is also read" in fail(3, "hmm", "train", train, "-o", train)


def test_em_does_not_read_a_pipe():
    assert "reads texts twice" in fail(3, "hmm", "train", "-", "-o", "x.hmm.npz", "--learner", "em", stdin="a b\n")
