"""Reranking parsers: ``lpcfg dep train-reranker``, ``rerank`` and ``experiment``, and the files."""

from __future__ import annotations

import json

import numpy as np
import pytest
from command_line import fail, succeed
from dependency_files import conll, sentences_of

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.dependency.latent.scoring import tree_log_probabilities
from lpcfg_cli.dependency.reranking.archive import RERANKER, load_reranking_parser
from lpcfg_cli.dependency.reranking.jackknife import candidate_logs
from lpcfg_cli.dependency.reranking.lists import candidate_trees
from lpcfg_cli.errors import NotAnArtefactError, WrongParentError
from lpcfg_cli.storage.artefacts import Array, read_arrays, write_arrays

SMALL = {"dependency_parser": {"bits": 12, "epochs": 2}, "dependency": {"states": 2}, "tagger": {"epochs": 2}}


def text_of(seed, count):
    """Sentences whose prepositional phrases hang on the verb or the noun: the last noun tells which."""
    rng = np.random.default_rng(seed)
    text = ""
    for _ in range(count):
        tool, verb = rng.random() < 0.5, str(rng.choice(["saw", "hit"]))
        noun, other = (str(rng.choice(["stick", "hammer"] if tool else ["hat", "beard"])) for _ in range(2))
        words = [
            ("she", "PR", 2, "subj"),
            (verb, "V", 0, "root"),
            ("men", "N", 2, "obj"),
            ("with", "P", 2 if tool else 3, "mod"),
        ]
        words += [("a", "D", 6, "det"), (noun, "N", 4, "obj")]
        if rng.random() < 0.3:
            words += [("and", "C", 6, "cc"), (other, "N", 6, "conj")]
        text += conll([*words, (".", ".", 2, "punct")])
    return text


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Training and gold files, settings, and a trained folder ``rr``."""
    folder = tmp_path_factory.mktemp("reranker")
    (folder / "train.conll").write_text(text_of(0, 60))
    (folder / "gold.conll").write_text(text_of(1, 25))
    lines = (f"[{name}]\n" + "".join(f"{k} = {v}\n" for k, v in own.items()) for name, own in SMALL.items())
    (folder / "small.toml").write_text("".join(lines))
    train(folder, "rr")
    return folder


def train(folder, name, *options):
    arguments = ("-c", folder / "small.toml", "--order", "first", "--candidates", "6", "--bins", "4")
    return succeed("dep", "train-reranker", folder / "train.conll", "-o", folder / name, *arguments, *options)


def test_the_command_says_what_it_learnt_and_writes_three_files(folder):
    told = train(folder, "again").err
    assert "trees: 60 sentences" in told and "triples of tags, 5 bins of ln p; weights" in told
    assert {path.name for path in (folder / "again").iterdir()} == {
        "parser.depparser.npz", "model.dep.npz", "reranker.npz",
    }  # fmt: skip


def test_the_bytes_do_not_depend_on_the_number_of_processes(folder):
    train(folder, "jobs", "--jobs", "2")
    for path in (folder / "rr").iterdir():
        assert (folder / "jobs" / path.name).read_bytes() == path.read_bytes(), path.name


def test_reranked_trees_are_of_the_parsers_list_and_in_the_rerankers_order(folder):
    printed = succeed("dep", "rerank", folder / "rr", folder / "gold.conll", "--nbest", "6").out
    best = sentences_of(succeed("dep", "rerank", folder / "rr", folder / "gold.conll").out)
    ranked = sentences_of(printed)
    by_score = [float(one.comments[-1].split()[-1]) for one in ranked]
    begins = [k for k, one in enumerate(ranked) if "# tree = 1" in one.comments]
    assert len(begins) == len(best) == 25 and any(a != b for a, b in zip(begins[1:], begins, strict=False))
    parser = load_reranking_parser(folder / "rr" / "reranker.npz")
    for begin, end, one in zip(begins, [*begins[1:], len(ranked)], best, strict=True):
        assert by_score[begin:end] == sorted(by_score[begin:end], reverse=True)
        assert np.array_equal(ranked[begin].heads, one.heads) and ranked[begin].relations == one.relations
        listed = {tuple(heads.tolist()) for heads, _ in parser.maker.parser.k_best(one, 6)}
        assert {tuple(tree.heads.tolist()) for tree in ranked[begin:end]} == listed


def test_raw_words_are_tagged_and_empty_lines_stay(folder):
    outcome = succeed("dep", "rerank", folder / "rr", "--raw", stdin="she saw men .\n\nshe hit men .\n")
    assert [sentence.tags for sentence in sentences_of(outcome.out)] == [("PR", "V", "N", ".")] * 2
    assert "1 empty" in outcome.err


def test_the_score_is_that_of_the_definition(folder):
    parser = load_reranking_parser(folder / "rr" / "reranker.npz")
    sentences = sentences_of((folder / "gold.conll").read_text())
    lists = parser.maker.lists(sentences)
    first, features = parser.linear.space.features(lists)
    scores = parser.linear.scores(lists)
    for c in range(len(scores)):
        learnt = parser.linear.weights[features[first[c] : first[c + 1]]].sum()
        dense = parser.linear.score_weight * lists.scores[c] + parser.linear.log_weight * lists.log_probabilities[c]
        assert scores[c] == pytest.approx(dense + learnt)
    assert np.array_equal(
        parser.linear.choose(lists),
        [max(range(a, b), key=lambda c: (scores[c], -c)) for a, b in zip(lists.first, lists.first[1:], strict=False)],
    )


def test_log_probabilities_of_candidates_are_those_of_their_trees(folder):
    parser = load_reranking_parser(folder / "rr" / "reranker.npz")
    sentences = sentences_of((folder / "gold.conll").read_text())
    found = [parser.maker.parser.k_best(sentence, 6) for sentence in sentences]
    lists = parser.maker.lists(sentences)
    assert np.array_equal(lists.first, starts([len(own) for own in found]))
    wanted = tree_log_probabilities(parser.maker.model, list(candidate_trees(sentences, found)))
    assert np.array_equal(candidate_logs(parser.maker.model, sentences, lists), wanted)
    assert np.array_equal(lists.log_probabilities, wanted) and len(set(wanted.tolist())) > 25


def test_the_experiment_compares_systems_line_by_line(folder):
    other = succeed("dep", "rerank", folder / "rr", folder / "gold.conll").out
    (folder / "other.conll").write_text(other)
    arguments = (
        folder / "train.conll",
        "--gold",
        folder / "gold.conll",
        "-c",
        folder / "small.toml",
        "--order",
        "first",
    )
    options = ("--candidates", "6", "--bins", "4", "--other", f"mine={folder / 'other.conll'}")
    results = json.loads(succeed("dep", "experiment", *arguments, *options, "--json").out)
    names = ["mine", "no reranking", "baseline features", "baseline features + log p", "oracle of the list"]
    assert [result["system"] for result in results] == names
    uas = [result["counts"]["uas"] for result in results]
    assert uas[0] == uas[3], "the same seed makes the same reranker"
    assert uas[4] == max(uas) and uas[4] > uas[1]
    for before, after in ((1, 2), (2, 3)):
        assert results[after]["compared"]["f1_b"] - results[after]["compared"]["f1_a"] == pytest.approx(
            uas[after] - uas[before]
        )
    parsed = succeed("dep", "parse", folder / "rr" / "parser.depparser.npz", folder / "gold.conll").out
    (folder / "parsed.conll").write_text(parsed)
    scores = json.loads(succeed("dep", "eval", folder / "gold.conll", folder / "parsed.conll", "--json").out)
    assert scores["without_punctuation"]["uas"] == uas[1]
    rows = [line.split() for line in succeed("dep", "experiment", *arguments, *options).out.splitlines()]
    assert rows[0][:3] == ["system", "order", "accuracy"] and rows[2][:2] == ["mine", f"{uas[0]:.2f}"]


def test_files_of_different_trainings_are_not_mixed(folder, tmp_path):
    for path in (folder / "rr").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    train(folder, "seeded", "--seed", "5")
    (tmp_path / "parser.depparser.npz").write_bytes((folder / "seeded" / "parser.depparser.npz").read_bytes())
    with pytest.raises(WrongParentError, match=r"another parser\.depparser\.npz"):
        load_reranking_parser(tmp_path / "reranker.npz")
    assert "lpcfg dep train-reranker" in fail(4, "dep", "rerank", tmp_path, stdin="")


@pytest.mark.parametrize("name", ["triples", "edges", "weights", "numbers", "reranker"])
def test_damaged_files_are_refused(folder, tmp_path, name):
    for path in (folder / "rr").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    path = tmp_path / "reranker.npz"
    header, arrays = read_arrays(path, RERANKER)
    kept = {key: Array(value, (key,)) for key, value in arrays.items()}
    settings = dict(header.settings)
    if name == "reranker":
        settings["reranker"] = {"candidates": 0, "punctuation": "unicode"}
    else:
        kept[name] = Array(np.ascontiguousarray(arrays[name][:-1]), (name,))
    write_arrays(path, RERANKER, kept, settings, 0, header.inputs)
    with pytest.raises(NotAnArtefactError, match="do not fit together"):
        load_reranking_parser(path)


def test_too_few_sentences_are_refused(folder, tmp_path):
    (tmp_path / "two.conll").write_text(text_of(2, 2))
    err = fail(3, "dep", "train-reranker", tmp_path / "two.conll", "-o", tmp_path / "x")
    assert "2 sentences for 3 parts (--folds)" in err
