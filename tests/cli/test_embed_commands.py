"""``lpcfg embed``: what users see, on small texts."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest
from command_line import fail, succeed

from lpcfg_cli import embeddings
from lpcfg_cli.grammar.archive import load_model
from lpcfg_cli.grammar.lexicon import CLUSTER_MARK
from lpcfg_cli.learning.learners import LEARNERS

NOUNS, VERBS = ("cat", "dog", "bird", "horse"), ("sees", "hears", "likes", "finds")


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    rng = np.random.default_rng(1)
    lines = (f"The {rng.choice(NOUNS)} {rng.choice(VERBS)} a {rng.choice(NOUNS)} ." for _ in range(200))
    path = tmp_path_factory.mktemp("texts") / "a.txt"
    path.write_text("".join(f"{line}\n" for line in lines) + "odd ones\n", "utf-8")
    return path


OPTIONS = ("-k", 4, "--window", 2)


@pytest.fixture(scope="module")
def vectors(text):
    path = text.parent / "a.embed.npz"
    succeed("embed", "train", text, "-o", path, *OPTIONS)
    return path


def test_training_tells_what_it_read(text, tmp_path):
    done = succeed("embed", "train", text, "-o", tmp_path / "a.npz", *OPTIONS, "--json")
    assert "text: 1,202 words, 13 different ones\n      11 of them get vectors, 99.8% of the text" in done.err
    found = json.loads(done.out)
    assert (found["words"], found["different_words"], found["vectors"], found["dimensions"]) == (1202, 13, 11, 4)
    assert all(1 >= a >= b >= 0 for a, b in zip(found["correlations"], found["correlations"][1:], strict=False))


def test_gzipped_text_standard_input_two_files_and_two_jobs_give_the_same_vectors(text, vectors, tmp_path):
    content = text.read_text()
    lines = content.splitlines(keepends=True)
    (tmp_path / "packed").write_bytes(gzip.compress(content.encode()))
    (tmp_path / "a").write_text("".join(lines[:100]))
    (tmp_path / "b").write_text("".join(lines[100:]))
    expected = embeddings.load(vectors).vectors.tobytes()
    for names, stdin in ((("packed",), ""), (("-",), content), (("a", "b"), ""), (("packed", "-j", "2"), "")):
        given = [tmp_path / name if len(name) > 2 or name in "ab" else name for name in names]
        succeed("embed", "train", *given, "-o", tmp_path / "x.npz", *OPTIONS, stdin=stdin)
        assert embeddings.load(tmp_path / "x.npz").vectors.tobytes() == expected


def test_neighbours_are_listed_best_first(vectors):
    out = succeed("embed", "similar", vectors, "cat", "--top", 3).out
    assert {line.split()[1] for line in out.splitlines()} == set(NOUNS) - {"cat"}
    done = succeed("embed", "similar", vectors, "CAT", "zebra", "sees", "--top", 3, "--json")
    assert "zebra: no vector." in done.err
    first, second = json.loads(done.out)
    assert (first["word"], second["word"]) == ("CAT", "sees")
    cosines = [entry["cosine"] for entry in first["similar"]]
    assert cosines == sorted(cosines, reverse=True)
    assert {entry["word"] for entry in second["similar"]} == set(VERBS) - {"sees"}


def test_misspelt_words_get_a_suggestion(vectors):
    assert "has no vectors of these words" in fail(3, "embed", "similar", vectors, "hore")
    assert "hore: no vector. Did you mean horse?" in fail(3, "embed", "similar", vectors, "hore")


def test_analogies_are_an_option_of_three_words_beside_words(vectors):
    out = succeed("embed", "similar", vectors, "--analogy", "cat", "dog", "bird", "--top", 2).out
    assert len(out.splitlines()) == 2
    found = embeddings.load(vectors)
    assert [line.split()[1] for line in out.splitlines()] == [w for w, _ in found.analogy("cat", "dog", "bird", 2)]
    both = succeed("embed", "similar", vectors, "cat", "--analogy", "cat", "dog", "bird", "--top", 1).out
    assert [line for line in both.splitlines() if line[0] != " "] == ["cat", "cat : dog = bird : ?"]
    assert "requires 3 arguments" in fail(2, "embed", "similar", vectors, "--analogy", "cat")
    assert "name words, or --analogy A B C" in fail(2, "embed", "similar", vectors)
    assert "hore: no vector. Did you" in fail(3, "embed", "similar", vectors, "--analogy", "cat", "dog", "hore")


def test_sets_of_pairs_are_scored(vectors, tmp_path):
    (tmp_path / "set.txt").write_text("cat dog 9\ncat sees 1\nsees hears 8\ndog a 0\nzebra cat 4\n")
    (tmp_path / "questions").write_text("cat dog sees hears\n")
    done = succeed("embed", "eval", vectors, tmp_path, "--analogies", tmp_path / "questions", "--missed")
    cells = done.out.splitlines()[2].split()
    assert (cells[0], cells[2:]) == ("set", ["4", "1", "1"])
    assert done.out.splitlines()[-1].split()[::3] == ["questions", "1"]
    assert "set: no vectors of zebra" in done.err
    found = json.loads(succeed("embed", "eval", vectors, tmp_path / "set.txt", "--json").out)["similarity"][0]
    assert (found["found"], found["missed"], found["missed_words"]) == (4, 1, ["zebra"])
    assert found["rho"] > 0.5


def test_vectors_are_exported_and_read_again(vectors, tmp_path):
    for name in ("a.vec", "a.bin", "a.txt.gz", "a.npz"):
        succeed("embed", "export", vectors, tmp_path / name)
        np.testing.assert_array_equal(embeddings.load(tmp_path / name).vectors, embeddings.load(vectors).vectors)
        assert (
            succeed("embed", "similar", tmp_path / name, "cat").out == succeed("embed", "similar", vectors, "cat").out
        )
    assert "no form of vectors has this ending" in fail(3, "embed", "export", vectors, tmp_path / "a.doc")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the text has no words"),
        ("\n\n", "the text has no words"),
        ("word\n", "1 word, 1 of them different"),
        ("one " * 20, "20 words, 1 of them different"),
        ("a <s> b\n", "no such word amid a line"),
    ],
)
def test_texts_with_too_little_are_refused(content, message, tmp_path):
    (tmp_path / "a.txt").write_text(content)
    failed = fail(3, "embed", "train", tmp_path / "a.txt", "-o", tmp_path / "a.npz")
    assert message in failed
    assert not (tmp_path / "a.npz").exists()


def test_more_dimensions_than_the_text_has_are_limited_with_a_note(tmp_path):
    (tmp_path / "text.txt").write_text("the cat sat\nthe dog sat\na cat ran\na dog ran\n" * 3)
    done = succeed("embed", "train", tmp_path / "text.txt", "-o", tmp_path / "a.npz", "-k", 50, "--rare-below", 1)
    assert "fewer than the 50 asked for" in done.err
    found = embeddings.load(tmp_path / "a.npz")
    assert found.vectors.shape[1] == len(found.correlations) < 7
    assert np.isfinite(found.vectors).all() and (np.diff(found.correlations) <= 0).all()
    assert found.correlations[-1] >= 0 and found.correlations[0] <= 1


def test_files_of_another_kind_are_refused(text, vectors, tmp_path):
    assert "a.txt:" in fail(3, "embed", "similar", text, "cat")
    (tmp_path / "a.npz").write_text("no archive")
    assert "is not a file of kind lpcfg-embeddings" in fail(4, "embed", "similar", tmp_path / "a.npz", "cat")
    assert "no such file" in fail(3, "embed", "similar", tmp_path / "none.npz", "cat")
    assert "ends in .npz" in fail(3, "embed", "train", text, "-o", tmp_path / "a.vec")
    assert "Did you mean one-step" in fail(2, "embed", "train", text, "-o", tmp_path / "a.npz", "--method", "onestep")


@pytest.fixture(scope="module")
def trees(tmp_path_factory):
    path = tmp_path_factory.mktemp("trees") / "trees.mrg"
    lines = "".join(
        f"(S (NP (DT the) (NN {noun})) (VP (VBZ {verb}) (NP (DT a) (NN cat))))\n"
        for noun in NOUNS[:3]
        for verb in VERBS
    )
    path.write_text(lines * 3)
    return path


@pytest.mark.parametrize(("kind", "rare_below"), [("clusters", 100), ("nearest", 2)])
@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_uses_embeddings_for_unknown_words(vectors, trees, tmp_path, learner, kind, rare_below):
    """Trees of words that the embeddings know: an unseen one parses as those that it is like."""
    options = ("--classes", "eigenwords", "--embeddings", vectors, "--eigenwords", kind, "--rare-below", rare_below)
    few = ("--word-clusters", 4, "--no-tagger", "-m", 2, "--learner", learner)
    succeed("train", trees, "-o", tmp_path, *options, *few)
    found = succeed("parse", tmp_path, stdin="the/DT horse/NN sees/VBZ a/DT cat/NN\n").out
    assert found.strip() == "(TOP (S (NP (DT the) (NN horse)) (VP (VBZ sees) (NP (DT a) (NN cat)))))"
    lexicon = load_model(tmp_path)[1].lexicon
    entry = lexicon.entries[lexicon.entry("horse")]
    assert entry.startswith(CLUSTER_MARK) if kind == "clusters" else entry in NOUNS[:3]


def test_eigenwords_without_embeddings_are_refused(trees, tmp_path):
    failed = fail(2, "train", trees, "-o", tmp_path / "run", "--classes", "eigenwords")
    assert "there are no embeddings" in failed
    failed = fail(2, "train", trees, "-o", tmp_path / "run", "--eigenwords", "near")
    assert "expected one of clusters, nearest. Did you mean nearest?" in failed


def test_new_embeddings_under_the_same_name_make_features_stale(text, vectors, tmp_path):
    trees = "(S (NP (DT the) (NN cat)) (VP (VBZ sees) (NP (DT a) (NN dog))))\n"
    (tmp_path / "trees.mrg").write_text(trees * 30)
    used, features = tmp_path / "x.npz", tmp_path / "run" / "features.npz"
    options = ("--classes", "eigenwords", "--embeddings", used, "--rare-below", 100, "--no-tagger", "-m", 2)
    times = []
    for content in (vectors.read_bytes(), vectors.read_bytes(), None):
        if content is None:
            succeed("embed", "train", text, "-o", used, "-k", 2)
        else:
            used.write_bytes(content)
        succeed("train", tmp_path / "trees.mrg", "-o", tmp_path / "run", *options)
        times.append(features.stat().st_mtime_ns)
    assert times[0] == times[1] < times[2]
