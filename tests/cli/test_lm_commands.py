"""``lpcfg lm``: what users see, on small texts."""

from __future__ import annotations

import gzip
import json
import math

import numpy as np
import pytest
from command_line import fail, run_installed, succeed

from lpcfg_cli import lm

WORDS = ["the", "a", "cat", "dog", "bird", "sees", "hears", "likes", "small", "old", ",", "."]


def text_of(seed, n):
    rng = np.random.default_rng(seed)
    return "".join(f"{' '.join(rng.choice(WORDS, rng.integers(2, 8)))}\n" for _ in range(n)) + f"odd{seed}\n"


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    for name, seed, n in (("train", 1, 300), ("dev", 2, 60), ("test", 3, 60)):
        (folder / name).write_text(text_of(seed, n))
    return folder


OPTIONS = ("-m", 3, "--anchor-count", 5)


@pytest.fixture(scope="module")
def model(texts):
    path = texts / "x.lm.npz"
    succeed("lm", "train", texts / "train", "-o", path, "--dev", texts / "dev", *OPTIONS, "--interpolate")
    return path


def test_training_tells_what_it_read_and_chose(texts, tmp_path):
    told = succeed("lm", "train", texts / "train", "-o", tmp_path / "x.lm.npz", "--dev", texts / "dev", *OPTIONS).err
    assert "text: 301 sentences" in told
    assert "1 rare word, 1 time, <unk>" in told
    assert "chosen by the dev text" in told and "3 states" in told


def test_gzipped_text_standard_input_and_two_files_give_the_same_bytes(texts, tmp_path):
    text = (texts / "train").read_text()
    lines = text.splitlines(keepends=True)
    (tmp_path / "packed").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "a").write_text("".join(lines[:100]))
    (tmp_path / "b").write_text("".join(lines[100:]))
    rows = []
    for k, (given, stdin) in enumerate([(("train",), ""), (("packed",), ""), (("-",), text), (("a", "b"), "")]):
        names = [name if name == "-" else (texts if name == "train" else tmp_path) / name for name in given]
        succeed("lm", "train", *names, "-o", tmp_path / f"{k}.lm.npz", *OPTIONS, stdin=stdin)
        rows.append(lm.load(tmp_path / f"{k}.lm.npz").distribution([1]).tobytes())
    assert len(set(rows)) == 1


def test_jobs_change_no_byte(texts, tmp_path):
    for jobs in (1, 2):
        out = tmp_path / f"{jobs}.lm.npz"
        command = ("lm", "train", texts / "train", "-o", out, "--dev", texts / "dev", *OPTIONS, "--jobs", jobs)
        succeed(*command, run=run_installed)
    assert (tmp_path / "1.lm.npz").read_bytes() == (tmp_path / "2.lm.npz").read_bytes()


def test_jobs_change_no_score(model, texts):
    one, two = (succeed("lm", "score", model, texts / "test", "--per-word", "--jobs", k).out for k in (1, 2))
    assert one == two and one.count("\n") > 100


def test_figures_of_words_add_up_to_those_of_the_text(model, texts):
    lines = succeed("lm", "score", model, texts / "test", "--per-word", "--json").out.splitlines()
    rows = [json.loads(line) for line in lines]
    told = json.loads(succeed("lm", "score", model, texts / "test", "--json").out)
    assert told["all"]["events"] == len(rows) == told["words"] + told["sentences"]
    assert told["unknown"] == sum(not row["known"] for row in rows) == 1
    known = [row["bits"] for row in rows if row["known"]]
    assert told["known_and_ends"]["perplexity"] == pytest.approx(2 ** np.mean(known))
    assert told["all"]["bits"] == pytest.approx(np.mean([row["bits"] for row in rows]))
    first = [row for row in rows if row["sentence"] == 1]
    assert [row["position"] for row in first] == list(range(1, len(first) + 1))
    assert first[-1]["word"] == "</s>"
    words = [row["word"] for row in first[:-1]]
    assert words == (texts / "test").read_text().splitlines()[0].split()
    assert lm.load(model).logprob(words) == pytest.approx(-math.log(2) * sum(row["bits"] for row in first))


def test_the_table_of_words_has_the_same_figures(model, texts):
    outcome = succeed("lm", "score", model, texts / "test", "--per-word")
    header, *rows = (line.split("\t") for line in outcome.out.splitlines())
    assert header == ["sentence", "position", "word", "bits", "known"]
    lines = succeed("lm", "score", model, texts / "test", "--per-word", "--json").out.splitlines()
    assert [[r["sentence"], r["position"], r["word"]] for r in map(json.loads, lines)] == [
        [int(sentence), int(position), word] for sentence, position, word, *_ in rows
    ]
    assert "perplexity = 10^" in outcome.err


def test_mixtures_are_better_than_their_parts(model, texts, tmp_path):
    perplexity = {}
    for learner in ("pivot+em", "kneser-ney"):
        path = tmp_path / f"{learner}.lm.npz"
        succeed("lm", "train", texts / "train", "-o", path, "--dev", texts / "dev", *OPTIONS, "--learner", learner)
    mixed = tmp_path / "mixed.lm.npz"
    command = ("lm", "train", texts / "train", "-o", mixed, "--dev", texts / "dev", *OPTIONS)
    succeed(*command, "--mix", tmp_path / "kneser-ney.lm.npz")
    for path in (mixed, model, tmp_path / "pivot+em.lm.npz", tmp_path / "kneser-ney.lm.npz"):
        told = json.loads(succeed("lm", "score", path, texts / "dev", "--json").out)
        perplexity[path.name] = told["known_and_ends"]["perplexity"]
    assert perplexity["mixed.lm.npz"] == pytest.approx(perplexity["x.lm.npz"])
    assert perplexity["mixed.lm.npz"] < min(perplexity["pivot+em.lm.npz"], perplexity["kneser-ney.lm.npz"])


def test_arpa_files_go_out_and_in(texts, tmp_path):
    for name in ("a.arpa.gz", "a.lm.npz"):
        succeed("lm", "train", texts / "train", "-o", tmp_path / name, "--learner", "kneser-ney", "--order", 2)
    scores = [
        json.loads(succeed("lm", "score", tmp_path / name, texts / "test", "--json").out)["all"]["log10"]
        for name in ("a.arpa.gz", "a.lm.npz")
    ]
    assert scores[0] == pytest.approx(scores[1], rel=1e-6)
    assert "n-grams with backoff: 15 1-grams" in succeed("lm", "info", tmp_path / "a.arpa.gz").out


def test_info_shows_states_and_words(model):
    out = succeed("lm", "info", model.name, folder=model.parent).out
    assert "mixture of latent bigrams, n-grams\n" in out and "latent bigrams: 3 states" in out
    assert max(map(len, out.splitlines())) <= 80
    told = json.loads(succeed("lm", "info", model, "--json", "--word", "cat").out)
    latent, ngrams = told["models"]
    assert {state["state"] for state in latent["states"]} == {0, 1, 2}
    assert sum(p for _, p in latent["words"][0]["after"]) == pytest.approx(1)
    assert len(ngrams["ngrams"]) == 3
    assert "the states after 'cat'" in succeed("lm", "info", model, "--word", "cat").out


def test_samples_are_sentences_of_known_words(model):
    one, same, other = (succeed("lm", "sample", model, "-n", 5, "--seed", seed).out for seed in (1, 1, 2))
    assert one == same != other
    assert one.count("\n") == 5 and set(one.split()) <= set(WORDS)
    assert all(len(line.split()) <= 2 for line in succeed("lm", "sample", model, "--max-words", 2).out.splitlines())


@pytest.mark.parametrize(
    ("code", "arguments", "message"),
    [
        (2, ("--interpolate",), "chosen on a dev text. Name one with --dev"),
        (2, ("--learner", "pivit"), "Did you mean pivot?"),
        (2, ("-m", "0"), "lm.states is 0"),
        (2, ("--representation", "pca"), "Did you mean cca?"),
        (3, ("--dev", "none"), "none: cannot be read"),
    ],
)
def test_what_cannot_be_is_refused(texts, tmp_path, code, arguments, message):
    assert message in fail(code, "lm", "train", texts / "train", "-o", tmp_path / "x.lm.npz", *arguments)
    assert not (tmp_path / "x.lm.npz").exists()


def test_a_latent_model_cannot_be_an_arpa_file(texts, tmp_path):
    message = "only Kneser-Ney models can be ARPA files"
    assert message in fail(2, "lm", "train", texts / "train", "-o", tmp_path / "x.arpa", *OPTIONS)
    ngrams = ("lm", "train", texts / "train", "-o", tmp_path / "x.arpa", "--learner", "kneser-ney")
    assert message in fail(2, *ngrams, "--mix", texts / "y.lm.npz", "--dev", texts / "dev")
    succeed(*ngrams, "--interpolate")


def test_other_files_are_no_models(texts):
    assert "is not a file of kind lpcfg-lm" in fail(4, "lm", "score", texts / "train", texts / "test")


EXPERIMENT = ("--states", "2,3", "--orders", "2", "--learners", "em,pivot+em")


def test_an_experiment_is_resumed_and_extended(texts, tmp_path):
    command = ("lm", "experiment", texts / "train", "--dev", texts / "dev", "--test", texts / "test", "-o", tmp_path)
    first = succeed(*command, *EXPERIMENT[:-1], "em", "-f", "json")
    assert "from before" not in first.err
    again = succeed(*command, *EXPERIMENT, "-f", "json")
    told = json.loads(again.out)
    assert again.err.count("(from before)") == 5
    assert [(r["learner"], r["states"], r["order"]) for r in told] == [
        ("kneser-ney", 0, 2),
        *((name, m, order) for m in (2, 3) for name in ("em", "pivot+em") for order in (0, 2)),
    ]
    assert [r for r in told if r["learner"] == "em"] == [r for r in json.loads(first.out) if r["learner"] == "em"]
    alone, mixed = ([r["dev"] for r in told if (r["learner"], r["order"]) == ("em", order)] for order in (0, 2))
    assert all(a != b for a, b in zip(alone, mixed, strict=True))
    lines = (tmp_path / "results.jsonl").read_text().splitlines()
    (tmp_path / "results.jsonl").write_text("\n".join([*lines[:3], lines[3][:20]]))
    assert json.loads(succeed(*command, *EXPERIMENT, "-f", "json").out)[0] == told[0]


def test_tables_and_plot_of_an_experiment(texts, tmp_path):
    plot = tmp_path / "x.svg"
    command = ("lm", "experiment", texts / "train", "--dev", texts / "dev", "-o", tmp_path, "--plot", plot)
    outcome = succeed(*command, *EXPERIMENT)
    results = {
        (r["learner"], r["states"], r["order"]): r for r in json.loads(succeed(*command, *EXPERIMENT, "-f", "json").out)
    }
    rows = [line.split("  ") for line in outcome.out.splitlines()]
    row = next(row for row in rows if row[0] == "em + 2-grams")
    assert [cell.strip() for cell in row if cell][1:] == [f"{results['em', m, 2]['dev']:.1f}" for m in (2, 3)]
    assert "m=2" in outcome.out and "iterations" in outcome.out
    assert plot.read_text().startswith("<?xml") and "pivot+em" in plot.read_text()
    assert max(map(len, outcome.out.splitlines())) <= 80
    assert "| em + 2-grams |" in succeed(*command, *EXPERIMENT, "-f", "markdown").out


def test_wrong_numbers_of_states_are_refused(texts, tmp_path):
    command = ("lm", "experiment", texts / "train", "--dev", texts / "dev", "-o", tmp_path)
    assert "expected whole numbers joined by commas" in fail(2, *command, "--states", "2,x")
