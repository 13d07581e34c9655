"""``lpcfg synth``, as a user runs it, and the properties of the treebank that it samples."""

from __future__ import annotations

import itertools
import json
import re

import pytest
from command_line import fail, run_here, run_installed, succeed
from oracles import leaves, phrases, read_trees

N = 1500

SINGULAR_PRONOUNS = {"he", "she", "it"}
NEVER_SUBJECT = {"him", "them", "us", "me"}
NEVER_OBJECT = {"he", "she", "they", "we", "I"}
SINGULAR_BE, PLURAL_BE = {"is", "was"}, {"are", "were"}


@pytest.fixture(scope="module")
def treebank(tmp_path_factory):
    """A file of sampled trees."""
    path = tmp_path_factory.mktemp("synth") / "trees.mrg"
    succeed("synth", "-n", N, "--seed", 7, "-o", path, run=run_installed)
    return path


@pytest.fixture(scope="module")
def trees(treebank):
    return read_trees(treebank.read_text("utf-8"))


def number(noun_phrase):
    """The number, sg or pl, shown by the tags."""
    _, children = noun_phrase
    labels = [label for label, _ in children]
    if "CC" in labels:
        return "pl"
    if labels[0] == "NP":
        return number(children[0])
    tag, word = children[-1]
    if tag == "PRP":
        return "sg" if word.lower() in SINGULAR_PRONOUNS else "pl"
    return "pl" if tag == "NNS" else "sg"


def finite_verbs(verb_phrase):
    """(tag, word) of the verbs that must agree with the subject."""
    for label, below in verb_phrase[1]:
        if label in ("VBZ", "VBP", "VBD"):
            yield label, below
        elif label == "VP":
            yield from finite_verbs((label, below))


def assert_agreement(subject, verb_phrase):
    for tag, word in finite_verbs(verb_phrase):
        if number(subject) == "sg":
            assert tag != "VBP" and word not in PLURAL_BE, (subject, verb_phrase)
        else:
            assert tag != "VBZ" and word not in SINGULAR_BE, (subject, verb_phrase)


def test_same_seed_same_bytes(tmp_path):
    """In two processes, and in a file as on standard output."""
    runs = [succeed("synth", "-n", 200, "--seed", 3, run=run) for run in (run_installed, run_here)]
    assert runs[0].out == runs[1].out != succeed("synth", "-n", 200, "--seed", 4).out
    succeed("synth", "-n", 200, "--seed", 3, "-o", tmp_path / "trees.mrg")
    assert (tmp_path / "trees.mrg").read_bytes() == runs[0].out.encode()


def test_one_tree_a_line_with_a_root(treebank):
    lines = treebank.read_text("utf-8").splitlines()
    assert len(lines) == N
    assert all(re.fullmatch(r"\(TOP \(S .*\)\)", line) for line in lines)
    assert not any("@" in line for line in lines)


def test_tagged_lines_are_those_of_the_trees():
    trees = read_trees(succeed("synth", "-n", 30, "--seed", 5).out)
    tagged = succeed("synth", "-n", 30, "--seed", 5, "--tagged").out.splitlines()
    assert tagged == [" ".join(f"{word}/{tag}" for tag, word in leaves(tree)) for tree in trees]


def test_report(tmp_path):
    outcome = succeed("synth", "-n", 40, "-o", tmp_path / "trees.mrg", "--json")
    report = json.loads(outcome.out)
    text = (tmp_path / "trees.mrg").read_text()
    assert report["trees"] == 40
    assert report["words"] == sum(len(leaves(tree)) for tree in read_trees(text))
    assert f"sampled 40 trees, {report['words']} words" in outcome.err
    assert "--json" in fail(2, "synth", "--json")


def test_sentences_begin_with_a_capital_and_end_with_a_full_stop(trees):
    for tree in trees:
        tags, words = zip(*leaves(tree), strict=True)
        assert words[0][0].isupper()
        assert words[-1] == "." and "." not in words[:-1]
        assert all(
            tag == "NNP" or word == "I" or word.islower() or word == ","
            for tag, word in zip(tags[1:-1], words[1:-1], strict=True)
        )
        assert not any(a.lower() == "a" and b[0] in "aeiou" for a, b in itertools.pairwise(words))


def test_verbs_agree_with_their_subjects(trees):
    n_checked = 0
    for tree in trees:
        for label, children in phrases(tree):
            if label == "S" and [child[0] for child in children].count("NP") == 1:
                (subject,) = (child for child in children if child[0] == "NP")
                (verb_phrase,) = (child for child in children if child[0] == "VP")
                assert_agreement(subject, verb_phrase)
                n_checked += 1
    assert n_checked > N / 2


def test_relative_clauses_agree_with_their_noun(trees):
    n_checked = 0
    for tree in trees:
        for label, children in phrases(tree):
            if label == "NP" and children[-1][0] == "SBAR" and children[-1][1][-1][1][0][0] == "VP":
                assert_agreement(children[0], children[-1][1][-1][1][0])
                n_checked += 1
    assert n_checked > 50


def test_pronouns_have_case(trees):
    for tree in trees:
        for label, children in phrases(tree):
            for k, (child, below) in enumerate(children):
                if child == "NP" and len(below) == 1 and below[0][0] == "PRP":
                    word = below[0][1] if below[0][1] == "I" else below[0][1].lower()
                    is_subject = label == "S" and "VP" in [name for name, _ in children[k:]]
                    assert word not in (NEVER_SUBJECT if is_subject else NEVER_OBJECT), children


def test_a_grammar_of_ones_own(tmp_path):
    path = tmp_path / "my.grammar"
    path.write_text("ROOT ->\n  1 X\nX ->\n  1 A B A\nA = a\nB = b\n")
    assert succeed("synth", "-n", 2, "--model", path).out == "(TOP (X (A a) (B b) (A a)))\n" * 2
    path.write_text("ROOT ->\n  1 X\nX ->\n  1 A C\nA = a\n")
    assert f"{path}:4:7: C has no block" in fail(3, "synth", "--model", path)


def test_a_length_that_no_sentence_has(tmp_path):
    path = tmp_path / "my.grammar"
    path.write_text("ROOT ->\n  1 X\nX ->\n  1 A A A\nA = a\n")
    assert "no tree of at most 2 words" in fail(3, "synth", "--model", path, "--max-words", 2)


def test_a_missing_model_is_an_error(tmp_path):
    assert "no such file" in fail(3, "synth", "--model", tmp_path).lower()


def test_a_trained_model_can_be_sampled(trained):
    outcomes = [succeed("synth", "-n", 20, "--seed", seed, "--model", trained) for seed in (1, 1)]
    assert outcomes[0].out == outcomes[1].out
    assert len(read_trees(outcomes[0].out)) == 20
    assert "<" in outcomes[0].out, "rare words are written as their classes"


def test_latent_states_matter(treebank, tmp_path):
    """The plain PCFG parses held-out sentences clearly worse, and neither parser is perfect on them."""
    gold = tmp_path / "gold.mrg"
    succeed("synth", "-n", 200, "--seed", 8, "-o", gold)
    f1 = {}
    for name, options in {"plain": ("-m", 1, "--templates", "constant"), "latent": ("-m", 8)}.items():
        succeed("train", treebank, "-o", tmp_path / name, *options, run=run_here)
        succeed("parse", tmp_path / name, gold, "-f", "trees", "-o", tmp_path / f"{name}.mrg")
        f1[name] = json.loads(succeed("eval", gold, tmp_path / f"{name}.mrg", "--json").out)["all"]["f1"]
    assert 70 < f1["plain"] < f1["latent"] - 5
    assert 90 < f1["latent"] < 100
