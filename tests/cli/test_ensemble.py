"""Ensembles from the command line: members in run directories of their own, one model file."""

from __future__ import annotations

import json

import numpy as np
import pytest
from command_line import fail, succeed

from lpcfg_cli.config import load_settings, member_settings
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.grammar.archive import load_members, load_model
from lpcfg_cli.learning.learner import LearningContext
from lpcfg_cli.learning.learners import LEARNERS, learn
from lpcfg_cli.parsing.corpora import parse_all
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.stages.estimate import load_training_data

VARY = """
[ensemble]
members = 3
vary = [
  { lexicon.rare_below = 1 },
  { lexicon.rare_below = 3, estimate.learner = "cluster" },
  { lexicon.classes = "tag", svd.states = 2, estimate.learner = "em" },
]
"""
SENTENCE = "The/DT keeper/NN lit/VBD the/DT lamp/NN ./.\n"


@pytest.fixture
def train(tiny_treebank, small_settings, tmp_path):
    """Train into a directory of this test; returns the JSON report."""

    def run(*options, into="run", config=small_settings):
        outcome = succeed("train", tiny_treebank, "-o", tmp_path / into, "-c", config, "--json", *options)
        return json.loads(outcome.out)

    return run


@pytest.fixture
def varied(small_settings, tmp_path):
    path = tmp_path / "varied.toml"
    path.write_text(small_settings.read_text() + VARY)
    return path


def model_bytes(folder):
    return (folder / "model.lpcfg.npz").read_bytes()


def test_members_differ_and_each_is_a_model_by_itself(train, tmp_path):
    train("--ensemble", "3", "--dropout", "0.3")
    _, grammars = load_members(tmp_path / "run")
    assert len(grammars) == 3
    for number, grammar in enumerate(grammars):
        _, alone = load_model(tmp_path / "run" / f"member-{number}")
        assert grammar.binary.values.dtype == np.float32
        assert np.array_equal(alone.binary.values.astype(np.float32), grammar.binary.values)
        assert np.array_equal(alone.root_vector, grammar.root_vector)
    assert not np.array_equal(grammars[0].root_vector, grammars[1].root_vector)
    own = succeed("parse", tmp_path / "run" / "member-1", stdin=SENTENCE)
    assert own.out.startswith("(")


def test_members_keep_the_bits_to_which_each_was_rounded(train, tmp_path, small_settings):
    config = tmp_path / "few.toml"
    vary = "[ensemble]\nmembers = 2\nvary = [{ estimate.bits = 8 }, { estimate.bits = 12 }]\n"
    config.write_text(small_settings.read_text() + vary)
    train(config=config)
    for bits, grammar in zip((8, 12), load_members(tmp_path / "run")[1], strict=True):
        lowest = np.bitwise_or.reduce(grammar.binary.values.view(np.uint32))
        assert lowest & (2 ** (25 - bits) - 1) == 2 ** (24 - bits)  # the last bit that is kept is in use, none below it


def test_parses_with_all_members(train, tmp_path, varied):
    train(config=varied)
    header, grammars = load_members(tmp_path / "run")
    settings = load_settings(varied)
    sentence = [tuple(token.rsplit("/", 1)) for token in SENTENCE.split()]
    lines, _ = parse_all(grammars, settings.parse, [sentence])
    assert succeed("parse", tmp_path / "run", stdin=SENTENCE).out == f"{lines[0]}\n"
    assert len(Parser(grammars, settings.parse).others) == 2
    assert [member["estimate"]["learner"] for member in header.settings["members"]] == ["spectral", "cluster", "em"]


def test_members_have_the_settings_that_vary(train, tmp_path, varied):
    train(config=varied)
    _, (first, second, third) = load_members(tmp_path / "run")
    assert len(first.lexicon.entries) > len(second.lexicon.entries)
    assert third.lexicon.settings.classes == "tag"
    assert third.n_states.max() == 2 < second.n_states.max()


def test_model_is_the_same_however_many_workers(train, tmp_path, varied):
    train(config=varied, into="one")
    train("-j", "2", config=varied, into="two")
    assert model_bytes(tmp_path / "one") == model_bytes(tmp_path / "two")


def test_only_what_changed_is_done_again(train, tmp_path, varied):
    first = train(config=varied)
    assert [len(stages) for stages in first["ensemble"]["members"]] == [3, 3, 2]
    assert train(config=varied) == {"binarize": None, "tagger": None, "ensemble": None}
    (tmp_path / "run" / "member-1" / "model.lpcfg.npz").unlink()
    again = train(config=varied)["ensemble"]["members"]
    assert [[stage["stage"] for stage in stages if stage["report"]] for stages in again] == [[], ["estimate"], []]


BINARIZATIONS = """
[ensemble]
members = 3
vary = [
  { lexicon.rare_below = 1 },
  { binarize.direction = "right", estimate.learner = "cluster" },
  { binarize.unaries = "collapse", binarize.horizontal = 1 },
]
"""


@pytest.fixture
def binarized(small_settings, tmp_path):
    path = tmp_path / "binarized.toml"
    path.write_text(small_settings.read_text() + BINARIZATIONS)
    return path


def test_members_may_binarize_in_other_ways(train, tmp_path, binarized, small_settings):
    """Each is the model that training alone gives: the binarization of the ensemble's trees is undone exactly."""
    report = train(config=binarized)
    assert [stages[0]["stage"] for stages in report["ensemble"]["members"]] == ["features", "rebinarize", "rebinarize"]
    _, grammars = load_members(tmp_path / "run")
    names = [{symbol.name for symbol in grammar.symbols} for grammar in grammars]
    assert names[0] == names[1] != names[2]
    assert [any("|" in name for name in of_member) for of_member in names] == [False, False, True]
    alone = tmp_path / "alone.toml"
    settings = member_settings(load_settings(binarized), 1)
    alone.write_text(f"{small_settings.read_text()}\n[tagger]\nepochs = 0\n")
    options = ("--direction", "right", "--learner", "cluster", "--seed", settings.seed)
    train(*map(str, options), into="alone", config=alone)
    for name in ("trees.bin.mrg", "features.npz"):
        member, single = (tmp_path / folder / name for folder in ("run/member-1", "alone"))
        if name.endswith("mrg"):
            assert member.read_bytes() == single.read_bytes()
    _, single = load_model(tmp_path / "alone")
    assert np.array_equal(single.binary.values.astype(np.float32), grammars[1].binary.values)
    sentence = [tuple(token.rsplit("/", 1)) for token in SENTENCE.split()]
    lines, _ = parse_all(grammars, load_settings(binarized).parse, [sentence])
    assert succeed("parse", tmp_path / "run", stdin=SENTENCE).out == f"{lines[0]}\n"
    assert len(Parser(grammars, load_settings(binarized).parse).companions) == 2
    raw = succeed(
        "parse", tmp_path / "run", "--raw", "--to", "jsonl", "--nbest", "3", stdin="The keeper lit the lamp ."
    )
    assert json.loads(raw.out)["status"] == "parsed"


def test_other_binarizations_are_done_again_only_when_they_change(train, tmp_path, binarized):
    train(config=binarized)
    assert train(config=binarized)["ensemble"] is None
    binarized.write_text(binarized.read_text().replace("horizontal = 1", "horizontal = 2"))
    again = train(config=binarized)["ensemble"]["members"]
    done = [[stage["stage"] for stage in stages if stage["report"]] for stages in again]
    assert done == [[], [], ["rebinarize", "features", "svd", "estimate"]]
    one = model_bytes(tmp_path / "run")
    train("-j", "2", config=binarized, into="two")
    assert model_bytes(tmp_path / "two") == one


def test_other_trees_are_other_members(tiny_treebank, small_settings, tmp_path):
    """Also without a tagger, whose own record would show that the trees have changed."""
    trees = tmp_path / "trees.mrg"
    options = (
        trees,
        "-o",
        tmp_path / "run",
        "-c",
        small_settings,
        "--ensemble",
        "2",
        "--dropout",
        "0.3",
        "--no-tagger",
    )
    text = "".join(path.read_text() for path in sorted(tiny_treebank.iterdir()))
    models = []
    for more in ("", "(S (NP (PRP She)) (VP (VBD slept)))\n", "(S (NP (PRP She)) (VP (VBD slept)))\n"):
        trees.write_text(text + more)
        succeed("train", *options)
        models.append(model_bytes(tmp_path / "run"))
    assert models[0] != models[1] == models[2]


def test_other_dev_trees_are_other_members(train, tmp_path):
    dev = tmp_path / "dev.mrg"
    dev.write_text("(S (NP (PRP It)) (VP (VBD burned)))\n")
    options = ("--ensemble", "2", "--learner", "cluster", "--dev", dev)
    train(*options)
    assert train(*options)["ensemble"] is None
    dev.write_text("(S (NP (PRP She)) (VP (VBD slept)))\n(S (NP (PRP It)) (VP (VBD burned)))\n")
    assert train(*options)["ensemble"] is not None


def test_members_that_would_not_differ_are_refused(tiny_treebank, tmp_path):
    err = fail(2, "train", tiny_treebank, "-o", tmp_path / "run", "--ensemble", "2")
    assert "all 2 members of the learner spectral would be equal" in err
    assert "--dropout" in err


def test_settings_of_the_common_trees_cannot_vary(tmp_path):
    path = tmp_path / "wrong.toml"
    path.write_text("[ensemble]\nvary = [{ clean.lowercase = true }]\n")
    with pytest.raises(ConfigError, match=r"ensemble.vary names clean; members may differ in binarize, lexicon"):
        load_settings(path)
    path.write_text("[ensemble]\nvary = [{ lexicon.rare_bellow = 2 }]\n")
    with pytest.raises(ConfigError, match=r"ensemble.vary: unknown setting lexicon.rare_bellow. Did you mean"):
        load_settings(path)


def test_member_settings_go_round_and_each_member_has_its_own_seed():
    settings = load_settings(None, seed=5, ensemble__vary=[{"svd": {"states": 3}}, {"svd": {"states": 4}}])
    found = [member_settings(settings, k) for k in range(3)]
    assert [member.svd.states for member in found] == [3, 4, 3]
    assert found[0].seed == 5
    assert [member.seed for member in found[1:]] == [member_settings(settings, k).seed for k in (1, 2)]
    assert all(member.ensemble.members == 1 for member in found)


def test_ensembles_of_consecutive_seeds_have_no_member_in_common():
    seeds = [member_settings(load_settings(None, seed=seed), member).seed for seed in range(20) for member in range(20)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**53 for seed in seeds)


@pytest.mark.parametrize("learner", ["cluster", "spectral"])
def test_only_clusters_see_nodes_without_what_was_dropped(train, small_settings, tmp_path, learner):
    train("--dropout", "0.5", "--learner", learner)
    whole, decomposed = (
        load_training_data(tmp_path / "run", LEARNERS[name]).projected for name in ("spectral", "cluster")
    )
    assert not np.array_equal(whole.inside, decomposed.inside)
    _, grammar = load_model(tmp_path / "run")
    data = load_training_data(tmp_path / "run", LEARNERS[learner])
    settings = load_settings(small_settings, estimate__learner=learner, svd__dropout=0.5)
    again = learn(data, settings, LearningContext()).grammar
    assert np.array_equal(again.binary.values, grammar.binary.values)


def test_an_ensemble_parses_raw_text(train, tmp_path, varied):
    train(config=varied)
    lines = succeed("parse", tmp_path / "run", "--raw", stdin="The keeper slept .\n").out.splitlines()
    assert lines == ["(TOP (S (NP (DT The) (NN keeper)) (VP (VBD slept)) (. .)))"]
    assert [path.name for path in (tmp_path / "run").rglob("tagger.npz")] == ["tagger.npz"]


def test_a_setting_that_all_members_have_for_themselves_is_told(tiny_treebank, small_settings, tmp_path):
    (tmp_path / "vary.toml").write_text(
        small_settings.read_text()
        + "[ensemble]\nmembers = 2\nvary = [{ lexicon.rare_below = 1 }, { lexicon.rare_below = 3, svd.states = 2 }]\n"
    )
    arguments = ("binarize", tiny_treebank, tmp_path / "run", "-c", tmp_path / "vary.toml")
    assert "changes nothing" not in succeed(*arguments).err
    outcome = succeed("train", tiny_treebank, "-o", tmp_path / "run", *arguments[3:], "--rare-below", 2, "-m", 3)
    assert "note: lexicon.rare_below = 2 changes nothing: ensemble.vary names it for each member" in outcome.err
    assert outcome.err.count("changes nothing") == 1
