"""``lpcfg sts``: what users see, on pairs whose similarity is known; and the figures on SemEval-2012's."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from command_line import fail, run_installed, succeed

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "sts"))

from toy_pairs import toy_embeddings, toy_pairs, write_pairs

from lpcfg_cli.embeddings.archive import save_embeddings

NO_WORDNET = ("--metrics", "surface,vectors")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two training sets, three test sets, one of which is of no kind that was trained on, and vectors."""
    root = tmp_path_factory.mktemp("sts")
    for part, names in (("train", ("news", "video")), ("test", ("news", "video", "other"))):
        (root / part).mkdir()
        for k, name in enumerate(names):
            write_pairs(root / part / f"{name}.tsv", toy_pairs(100 * len(part) + k, 60))
    save_embeddings(toy_embeddings(), root / "x.embed.npz", {}, 0, {})
    return root


@pytest.fixture(scope="module")
def model(folder):
    path = folder / "x.sts.npz"
    succeed("sts", "train", folder / "train", "-o", path, "--embeddings", folder / "x.embed.npz", *NO_WORDNET)
    return path


def test_training_tells_what_it_found(folder, tmp_path):
    done = succeed("sts", "train", folder / "train", "-o", tmp_path / "m", *NO_WORDNET, "--terms", "squares")
    assert done.out == ""
    lines = done.err.splitlines()
    assert lines[:2] == [
        "no --embeddings: metrics from vectors of words are left out", "model: 21 metrics, 63 terms",
    ]  # fmt: skip
    assert [line.split()[:2] for line in lines[4:7]] == [["news", "60"], ["video", "60"], ["all", "120"]]
    again = succeed(
        "sts", "train", folder / "train" / "video.tsv", "-o", tmp_path / "m", "--embeddings", folder / "x.embed.npz",
        *NO_WORDNET,
    )  # fmt: skip
    assert "negative cosines count as" in again.err


def test_the_same_pairs_give_the_same_bytes_in_other_processes(folder, model, tmp_path):
    options = ("--embeddings", folder / "x.embed.npz", *NO_WORDNET)
    succeed("sts", "train", folder / "train", "-o", tmp_path / "again", *options, run=run_installed)
    assert (tmp_path / "again").read_bytes() == model.read_bytes()


def test_similarities_are_a_line_each_in_order(folder, model, tmp_path):
    judged = toy_pairs(77, 30)
    plain = write_pairs(tmp_path / "plain.tsv", judged, with_scores=False)
    done = succeed("sts", "score", model, plain)
    found = np.array(done.out.split(), float)
    assert len(found) == 30 and "30 pairs scored by the regression of all sets" in done.err
    assert np.corrcoef(found, judged.score)[0, 1] > 0.97
    scored = succeed("sts", "score", model, write_pairs(tmp_path / "news.tsv", judged))
    assert "by the regression of the set news" in scored.err and scored.out != done.out
    r = np.corrcoef(np.array(scored.out.split(), float), judged.score)[0, 1]
    assert float(scored.err.split()[-1]) == pytest.approx(r, abs=2e-4)
    assert succeed("sts", "score", model, "-", stdin=plain.read_text()).out == done.out
    told = json.loads(succeed("sts", "score", model, tmp_path / "news.tsv", "--set", "all", "--json").out)
    assert (told["set"], told["pairs"]) == ("all", 30)
    assert told["similarity"] == pytest.approx(found, abs=1e-4) and 0.97 < told["r"] < 1
    assert "Did you mean video?" in fail(2, "sts", "score", model, plain, "--set", "vidoe")


def test_one_pair_is_scored_without_a_correlation(model, tmp_path):
    (tmp_path / "one.tsv").write_text("3.5\tabab mnmn\tabab mnmn baba\n")
    done = succeed("sts", "score", model, tmp_path / "one.tsv")
    assert len(done.out.split()) == 1 and "Pearson's r is not defined" in done.err
    assert json.loads(succeed("sts", "score", model, tmp_path / "one.tsv", "--json").out)["r"] is None


def test_vectors_of_synonyms_help_and_the_tables_say_so(folder):
    arguments = ("--train", folder / "train", "--test", folder / "test", "--embeddings", folder / "x.embed.npz")
    done = succeed("sts", "experiment", *arguments, *NO_WORDNET)
    assert max(map(len, done.out.splitlines())) <= 80
    rows = {line[:9].strip(): line.split() for line in done.out.splitlines()}
    assert rows["pairs"][1:] == ["60", "60", "60", "180", "180", "180"]
    told = json.loads(succeed("sts", "experiment", *arguments, *NO_WORDNET, "--json").out)
    surface, vectors = told["systems"]
    assert rows["surface"][1:4] == [f"{surface['r'][name]:.4f}" for name in ("news", "other", "video")]
    assert surface["r"].keys() == vectors["r"].keys() == {"news", "video", "other"}
    assert all(vectors["r"][name] > surface["r"][name] for name in surface["r"])
    assert surface["mean"] == pytest.approx(np.mean(list(surface["r"].values())))
    assert vectors["mean"] > 0.97 > 0.9 > surface["mean"]
    (difference,) = told["differences"]
    assert (difference["first"], difference["second"]) == ("surface", "+ vectors")
    assert difference["mean"]["low"] > 0 and difference["mean"]["p_value"] < 0.001 > max(difference["p"].values())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "x.tsv: has no pairs of sentences"),
        ("1\ta b\tc\nonly one\n", "x.tsv:2:1: 'only one'; expected two sentences"),
        ("1\ta b\tc\n2\ta\n", "x.tsv:2:1: '2\\ta'; expected a score and two sentences as on line 1"),
        ("1\ta b\tc\n\n", "x.tsv:2:1: ''; expected two sentences"),
        ("1\ta b\t \n", "x.tsv:1:1: '1\\ta b\\t '; expected two sentences"),
        ("a b\tc\n1\ta\tb\n", "x.tsv:2:1: '1\\ta\\tb'; expected two sentences without a score as on line 1"),
        ("good\ta b\tc\n", "x.tsv:1:1: 'good'; expected a finite number as the score"),
        ("nan\ta b\tc\n", "x.tsv:1:1: 'nan'; expected a finite number"),
        ("a b\tc d\n" * 20, "x.tsv: has no scores"),
        ("1\ta b\tc\n", "the set x has 1 pair; at least 10 are needed"),
        ("(TOP (S (NN x)))\n", "x.tsv:1:1: '(TOP (S (NN x)))'; expected two sentences"),
    ],
)
def test_files_that_are_no_judged_pairs_are_refused(content, message, tmp_path):
    (tmp_path / "x.tsv").write_text(content)
    failed = fail(3, "sts", "train", tmp_path / "x.tsv", "-o", tmp_path / "m", *NO_WORDNET)
    assert message in failed
    assert not (tmp_path / "m").exists()


def test_folders_names_and_settings_that_fit_nothing_are_refused(folder, model, tmp_path):
    news = folder / "train" / "news.tsv"
    assert "has no *.tsv files" in fail(3, "sts", "train", tmp_path, "-o", tmp_path / "m")
    (tmp_path / "news.more.tsv").write_bytes(news.read_bytes())
    assert "is another set called 'news'" in fail(
        3, "sts", "train", news, tmp_path / "news.more.tsv", "-o", tmp_path / "m"
    )
    (tmp_path / "all.tsv").write_bytes(news.read_bytes())
    assert "a set is called 'all'" in fail(3, "sts", "train", tmp_path / "all.tsv", "-o", tmp_path / "m", *NO_WORDNET)
    failed = fail(2, "sts", "train", news, "-o", tmp_path / "m", "--metrics", "vectors")
    assert "there is nothing to measure with. Give --embeddings" in failed
    assert "Did you mean surface?" in fail(2, "sts", "train", news, "-o", tmp_path / "m", "--metrics", "surfaces")
    assert "sts.terms is 'cubes'" in fail(2, "sts", "train", news, "-o", tmp_path / "m", "--terms", "cubes")
    assert "no such file" in fail(3, "sts", "score", tmp_path / "none", news)
    assert "is not a file of kind lpcfg-similarity" in fail(4, "sts", "score", news, news)
    assert "expected lpcfg-similarity" in fail(4, "sts", "score", folder / "x.embed.npz", news)
    assert "expected lpcfg-embeddings" in fail(
        4, "sts", "train", news, "-o", tmp_path / "m", "--embeddings", model, *NO_WORDNET
    )


def test_semeval_2012_is_scored_better_than_by_the_papers_baseline(shared):
    """J12's surface and knowledge-based metrics reach a mean of .5343, its best system .5684."""
    data = shared / "data" / "sts2012"
    done = succeed(
        "sts", "experiment", "--train", data / "train", "--test", data / "test", "--metrics", "surface",
        "--terms", "squares", "--json",
    )  # fmt: skip
    told = json.loads(done.out)
    assert told["pairs"] == {"MSRpar": 750, "MSRvid": 750, "OnWN": 750, "SMTeuroparl": 459, "SMTnews": 399}
    (system,) = told["systems"]
    assert system["mean"] > 0.67 and system["all"] > 0.79 and system["all_fitted"] > 0.84
