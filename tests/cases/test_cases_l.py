"""L: language models.  The texts are so small that they are here too; those of ../shared/cases are the same."""

from __future__ import annotations

import pytest
from command_line import fail, run_here, succeed

TEXTS = {
    "L01": ("red fox\nred hen\n", "red fox\nred hen\n"),
    "L03": ("\nred fox\n\nred hen\n\n", "red fox\n\n\nred hen\n"),
}

EXACT = ("--learner", "em", "-m", 3, "--prior", 0, "--rare-below", 1)


def files(tmp_path, name):
    paths = tmp_path / "train.txt", tmp_path / "test.txt"
    for path, text in zip(paths, TEXTS[name], strict=True):
        path.write_text(text)
    return paths


@pytest.mark.parametrize("name", TEXTS)
def test_the_cases_are_those_of_the_collection(case, name):
    assert tuple(case(name, f"{part}.txt").read_text() for part in ("train", "test")) == TEXTS[name]


@pytest.mark.parametrize("name", TEXTS)
def test_l01_l03_ends_are_counted_starts_and_blank_lines_are_not(tmp_path, name):
    train, test = files(tmp_path, name)
    model = tmp_path / "x.lm.npz"
    told = succeed("lm", "train", train, "-o", model, *EXACT).err
    assert "text: 2 sentences, 4 words" in told
    outcome = succeed("lm", "score", model, test)
    assert "2 sentences, 4 words, 0 of them unknown" in outcome.out
    assert "6 events" in outcome.out
    (row,) = [line.split() for line in outcome.out.splitlines() if line.startswith("known words and ends")]
    assert row[-4:] == ["6", "-0.6021", "0.3333", "1.2599"]
    assert ("left out: 2 lines without words" in outcome.err) == (name == "L03")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("states", [1, 2, 3, 4])
def test_l01_perplexity_is_never_below_the_best_possible(tmp_path, states, seed):
    train, test = files(tmp_path, "L01")
    model = tmp_path / "x.lm.npz"
    succeed("lm", "train", train, "-o", model, *EXACT[:2], "-m", states, *EXACT[4:], "--seed", seed)
    row = succeed("lm", "score", model, test).out.split("known words and ends")[1].split()
    assert float(row[3]) >= 1.2599
    assert (float(row[3]) > 1.26) == (states < 3)


@pytest.mark.parametrize("learner", ["em", "pivot", "pivot+em", "cluster", "kneser-ney"])
def test_unseen_words_single_words_and_empty_lines_are_scored(tmp_path, learner):
    train, _ = files(tmp_path, "L01")
    model = tmp_path / "x.lm.npz"
    succeed("lm", "train", train, "-o", model, "--learner", learner, "-m", 2)
    outcome = succeed("lm", "score", model, stdin="\nfox\nblue\n\nred red red\n")
    assert "3 sentences, 5 words" in outcome.out
    assert "inf" not in outcome.out and "nan" not in outcome.out
    assert "left out: 2 lines without words" in outcome.err


def test_an_empty_text_has_no_perplexity(tmp_path):
    train, _ = files(tmp_path, "L01")
    model = tmp_path / "x.lm.npz"
    succeed("lm", "train", train, "-o", model)
    outcome = succeed("lm", "score", model, stdin="")
    assert "0 sentences, 0 words" in outcome.out
    assert "there is nothing to score" in outcome.err
    assert "nothing can be learnt from it" in fail(3, "lm", "train", "-", "-o", model, stdin="\n\n")


def test_a_model_of_another_vocabulary_says_so(tmp_path):
    train, _ = files(tmp_path, "L01")
    model = tmp_path / "x.lm.npz"
    succeed("lm", "train", train, "-o", model, "--rare-below", 1)
    outcome = run_here("lm", "score", model, stdin="der rote Fuchs\n")
    assert outcome.code == 0
    assert "1 sentence, 3 words, 3 of them unknown" in outcome.out
    assert "the model does not know 3 of 3 words" in outcome.err
