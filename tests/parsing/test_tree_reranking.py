"""Reranking: features of a hand-made tree, the order of lists, what is learnt, and files from strangers."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from command_line import run_here, succeed

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.config import RerankSettings
from lpcfg_cli.errors import ArtefactError, NotAnArtefactError, TruncatedArtefactError, WrongParentError
from lpcfg_cli.parsing.confidence import _ratio
from lpcfg_cli.parsing.corpora import open_parser, read_parser
from lpcfg_cli.parsing.layout import Marginals
from lpcfg_cli.parsing.reranking.archive import (
    LISTS,
    RERANKER,
    lists_arrays,
    load_lists,
    load_reranker,
    reranker_arrays,
    reranker_file,
    reranker_settings,
)
from lpcfg_cli.parsing.reranking.features import UNKNOWN, code, list_features, mixed, names_of
from lpcfg_cli.parsing.reranking.learning import common_features, learn_reranker
from lpcfg_cli.parsing.reranking.lists import TreeLists, bracket_counts, join_lists
from lpcfg_cli.parsing.reranking.reranker import TreeReranker, by_weight, places, view_of
from lpcfg_cli.parsing.reranking.templates import TREE_TEMPLATES
from lpcfg_cli.storage.artefacts import read_arrays, write_arrays
from lpcfg_cli.treebank.heads import load_head_rules

ENGLISH = load_head_rules("english")

HIGH = "(TOP (S (NP (PRP He)) (VP (VBD saw) (NP (NN rope)) (PP (IN with) (NP (NN tar)))) (. .)))"
LOW = "(TOP (S (NP (PRP He)) (VP (VBD saw) (NP (NP (NN rope)) (PP (IN with) (NP (NN tar))))) (. .)))"
PAIR = "(TOP (S (NP (NP (NN oil)) (CC and) (NP (JJ old) (NN rope))) (VP (VBD fell)) (. .)))"


def names_of_tree(tree, template):
    """The names of all features of one template in a tree, each as often as it has it, sorted."""
    view = view_of([tree], ENGLISH)
    nodes, columns = TREE_TEMPLATES[template].rows(view)
    return sorted(" | ".join(view.text(int(column[k])) for column in columns) for k in range(len(nodes)))


EXPECTED = {
    "rule": ["NP | NN", "NP | NN", "NP | PRP", "PP | IN NP", "S | NP VP .", "TOP | S", "VP | VBD NP PP"],
    "rule-and-parent": [
        "NP | NN | PP", "NP | NN | VP", "NP | PRP | S", "PP | IN NP | VP", "S | NP VP . | TOP", "TOP | S | -",
        "VP | VBD NP PP | S",
    ],
    "head": [
        "NP | PP | tar", "NP | S | He", "NP | VP | rope", "PP | VP | with", "S | TOP | saw", "TOP | - | saw",
        "VP | S | saw",
    ],
    "head-pair": [
        "PP | NP | 1 | with | tar", "S | . | 1 | saw | .", "S | NP | 0 | saw | He", "VP | NP | 1 | saw | rope",
        "VP | PP | 1 | saw | with",
    ],
    "tag-pair": [
        "PP | NP | 1 | IN | NN | 1", "S | . | 1 | VBD | . | 4", "S | NP | 0 | VBD | PRP | 1",
        "VP | NP | 1 | VBD | NN | 1", "VP | PP | 1 | VBD | IN | 2",
    ],
    "head-preposition-object": [
        "PP | NP | 1 | with | tar | tar", "S | . | 1 | saw | . | -", "S | NP | 0 | saw | He | He",
        "VP | NP | 1 | saw | rope | rope", "VP | PP | 1 | saw | with | tar",
    ],
    "neighbours": [
        "NP | - | NN", "NP | - | NN", "NP | - | PRP", "PP | - | IN", "PP | IN | NP", "S | - | NP", "S | NP | VP",
        "S | VP | .", "TOP | - | S", "VP | - | VBD", "VP | NP | PP", "VP | VBD | NP",
    ],
    "heavy": [
        "NP | 1 | 1 | NN | .", "NP | 1 | 3 | NN | IN", "NP | 1 | 5 | PRP | VBD", "PP | 2 | 1 | NN | .",
        "S | 6 | 0 | . | -", "TOP | 6 | 0 | . | -", "VP | 4 | 1 | NN | .",
    ],
    "left-edge": [
        "NP | - | He", "NP | saw | rope", "NP | with | tar", "PP | rope | with", "S | - | He", "TOP | - | He",
        "VP | He | saw",
    ],
    "right-edge": [
        "NP | He | saw", "NP | rope | with", "NP | tar | .", "PP | tar | .", "S | . | -", "TOP | . | -", "VP | tar | .",
    ],
    "right-branch": ["0", "0", "1", "1", "1", "1", "1"],
    "split": [
        "S | . | tar | .", "S | VP | He | saw", "PP | NP | with | tar", "VP | NP | saw | rope", "VP | PP | rope | with",
    ],
    "projection": [
        ". | . | S", "He | NP | S", "rope | NP | VP", "tar | NP | PP", "with | PP | VP",
    ],
    "conjuncts": [],
}  # fmt: skip


@pytest.mark.parametrize("template", EXPECTED)
def test_the_features_of_a_hand_made_tree(template):
    assert names_of_tree(HIGH, template) == sorted(EXPECTED[template])


def test_the_features_of_conjuncts_and_ancestors():
    assert names_of_tree(PAIR, "conjuncts") == ["NP | NP | 1 | -1"]  # equal labels, other children, the left shorter
    assert names_of_tree(PAIR, "conjunct-heads") == ["NP | NP | NN | NP | NN"]
    assert "old | JJ | NP | NP" in names_of_tree(PAIR, "ancestors")
    assert "NP | CC | NP | NP" in names_of_tree(PAIR, "three-neighbours")


def test_every_template_gives_rows_of_nodes():
    view = view_of([HIGH, LOW, PAIR], ENGLISH)
    for name, template in TREE_TEMPLATES.items():
        nodes, columns = template.rows(view)
        assert all(len(column) == len(nodes) for column in columns), name
        assert nodes.min(initial=0) >= 0 and nodes.max(initial=0) < view.trees.n_nodes
        assert template.summary.endswith("."), name


def test_features_are_counted_beyond_the_first_tree_of_a_list():
    view = view_of([HIGH, LOW, LOW], ENGLISH)
    found = list_features(view)
    names = names_of([view], found.feature)
    second = {n: v for c, n, v in zip(found.candidate, names, found.value, strict=True) if c == 1}
    third = {n: v for c, n, v in zip(found.candidate, names, found.value, strict=True) if c == 2}
    assert second == third and set(found.candidate.tolist()) == {1, 2}
    rules = {name: value for name, value in second.items() if name.startswith("rule | ")}
    assert rules == {"rule | NP | NP PP": 1, "rule | VP | VBD NP": 1, "rule | VP | VBD NP PP": -1}
    assert second["head-pair | NP | PP | 1 | rope | with"] == 1 == -second["head-pair | VP | PP | 1 | saw | with"]
    assert len(list_features(view_of([HIGH, HIGH], ENGLISH)).value) == 0


def test_numbers_of_features_are_the_same_in_every_process():
    """Model files have them: another number for a text would make every reranker useless."""
    assert code("NP") == 16017368997884872184 and mixed(np.array([1], np.uint64)).tolist() == [6238072747940578789]
    view = view_of([HIGH, LOW], ENGLISH)
    again = view_of([LOW, HIGH], ENGLISH)  # other numbers of texts
    assert set(list_features(view).feature.tolist()) == set(list_features(again).feature.tolist())


def test_names_of_features_that_no_tree_has():
    view = view_of([HIGH, LOW], ENGLISH)
    known = list_features(view).feature[:1]
    name, unknown = names_of([view], np.append(known, np.uint64(7)))
    assert name != UNKNOWN and unknown == UNKNOWN


def test_places_of_known_features():
    known = np.array([3, 5, 2**63 + 1], np.uint64)
    place, is_known = places(known, np.array([2**63 + 1, 4, 3, 2**64 - 1], np.uint64))
    assert place.tolist() == [2, 0] and is_known.tolist() == [True, False, True, False]
    assert common_features([np.array([5, 5, 3], np.uint64), np.array([3], np.uint64)], 2).tolist() == [3]
    assert by_weight(np.array([0.1, -2.0, 2.0])).tolist() == [1, 2, 0]


def reranker_for(name, weight, numbers=(1.0, 0.0)):
    """A reranker that knows one feature of `HIGH` and `LOW`."""
    view = view_of([HIGH, LOW], ENGLISH)
    features = np.unique(list_features(view).feature)
    one = features[[own == name for own in names_of([view], features)]]
    return TreeReranker(ENGLISH, 2, np.array(numbers), one, np.array([weight]), (name,))


def test_scores_are_weighted_sums_beyond_the_first_tree():
    reranker = reranker_for("rule | NP | NP PP", 0.75, (2.0, 0.5))
    numbers = np.array([[1.0, -1.0], [0.8, -3.0], [0.5, 0.0]])
    assert reranker.scores([HIGH, LOW, PAIR], numbers) == pytest.approx([0, -0.4 - 1.0 + 0.75, -1.0 + 0.5])


GOLD = ["(TOP (S (NP (NN a)) (VP (V b) (NP (NN c)))))", "(TOP (S (NP (NN a)) (VP (V b)) (NP (NN c))))"]


def made_lists(n, right, rng):
    """n lists of two trees that only their second rule tells apart; the tree `right` of `GOLD` is always right."""
    trees = GOLD * n
    counts = bracket_counts([GOLD[right]] * (2 * n), trees)
    numbers = np.stack([np.tile([0.0, -1.0], n), rng.normal(size=2 * n)], 1)
    return TreeLists(starts([2] * n), trees, numbers, *counts.T)


@pytest.mark.parametrize("right", [0, 1])
def test_a_reranker_learns_which_tree_is_right(right):
    rng = np.random.default_rng(1)
    parts = [made_lists(12, right, rng) for _ in range(3)]
    reranker, report = learn_reranker(parts, RerankSettings(use=True, trees=2), ENGLISH)
    scores = reranker.scores(GOLD, np.array([[0.0, 0.0], [-1.0, 0.0]]))
    assert np.argmax(scores) == right
    assert (report.after, report.best, report.correct_after) == (100, 100, 100)
    assert report.correct_before == (100 if right == 0 else 0) and (report.before < 100) == bool(right)
    assert len(reranker.features) and "rule | VP | V NP" in reranker.names
    assert np.abs(reranker.weights[reranker.heaviest][0]) == np.abs(reranker.weights).max()


def test_features_of_too_few_lists_are_not_learnt():
    parts = [made_lists(2, 1, np.random.default_rng(1)) for _ in range(3)]
    reranker, _ = learn_reranker(parts, RerankSettings(use=True, trees=2, least=7), ENGLISH)
    assert len(reranker.features) == 0 == len(reranker.names)


def test_counts_of_brackets_are_evalbs():
    counts = bracket_counts([GOLD[0], GOLD[0], GOLD[0]], [GOLD[0], GOLD[1], "(TOP (S (NN x)))"])
    assert counts.tolist() == [[4, 4, 4], [3, 4, 4], [0, 0, 0]]  # the last one has other words
    lists = join_lists([TreeLists(starts([2]), GOLD, np.zeros((2, 2)), *counts[:2].T)] * 2)
    assert lists.first.tolist() == [0, 2, 4] and lists.counts(np.array([0, 3])).tolist() == [7, 8, 8, 1, 2]
    assert len(join_lists([])) == 0


def test_a_tree_that_a_grammar_does_not_have_has_no_share_whatever_its_exponent():
    """Found in a sentence of 249 words: the exponent of a total of 0 may be anything, and 2 to its power infinite."""
    empty = np.zeros(0)
    whole = Marginals(99, 0.002, empty, empty, empty, empty)
    for total in (0.0, float("nan")):
        assert _ratio(Marginals(1126, total, empty, empty, empty, empty), whole) == 0
    assert _ratio(Marginals(98, 0.002, empty, empty, empty, empty), whole) == pytest.approx(0.5)


@pytest.fixture
def model(trained, tmp_path):
    """A copy of a model file, with a reranker that likes nothing but one rule."""
    path = tmp_path / "own.lpcfg.npz"
    path.write_bytes((trained / "model.lpcfg.npz").read_bytes())
    save(path, reranker_for("rule | NP | NP PP", 50.0))
    return path


def save(path, reranker, decoder="expected-f1", **changed):
    own = {**reranker_settings(reranker, path), **changed}
    settings = {"reranker": own, "decoder": decoder}
    write_arrays(reranker_file(path), RERANKER, reranker_arrays(reranker), settings, 0, {})


WORDS = "the/DT keeper/NN sold/VBD oil/NN in/IN the/DT boat/NN"
SENTENCE = [tuple(token.split("/")) for token in WORDS.split()]


def test_the_chosen_tree_is_the_first_of_the_list_in_the_order_of_scores(model):
    plain, reranked = read_parser(model, ("rerank", False)), read_parser(model)
    assert plain.reranker is None
    before, after = plain.parse(SENTENCE, 2, with_confidence=True), reranked.parse(SENTENCE, 2, with_confidence=True)
    assert len(after.ranked) == len(after.confidences) == 2
    scores = [score for score, _ in after.ranked]
    assert scores == sorted(scores, reverse=True)
    assert {one.posterior for one in after.confidences} == {one.posterior for one in before.confidences}
    first = reranked.parse(SENTENCE)
    assert np.array_equal(first.derivations[0].symbol, after.ranked[0][1].symbol)
    assert len(first.ranked) == 1 and not first.confidences
    assert reranked.parse([]).derivations == []


def test_a_reranker_that_must_pick_a_known_tree(model):
    trees = {}
    for weight in (50.0, -50.0):
        save(model, replace(reranker_for("rule | NP | NP PP", weight), n_trees=20))
        trees[weight] = succeed("parse", model, stdin=WORDS).out
    assert "(NP (NP (NN oil)) (PP " in trees[50.0] and "(NP (NN oil)) (PP " in trees[-50.0]
    plain = succeed("parse", model, "--no-rerank", stdin=WORDS).out
    assert plain in trees.values() and trees[50.0] != trees[-50.0]
    ranked = succeed("parse", model, "--nbest", 3, stdin=WORDS).out.splitlines()
    assert ranked[0].split("\t")[1] == trees[-50.0].strip()


def test_another_decoder_has_other_lists_so_nothing_is_reranked(model):
    assert read_parser(model, ("decoder", "max-rule")).reranker is None
    outcome = run_here("parse", model, "--rerank", "--decoder", "max-rule", stdin="a/DT")
    assert outcome.code == 3 and "no reranker" in outcome.err
    save(model, reranker_for("rule | NP | NP PP", 1.0), "max-rule")
    assert read_parser(model).reranker is None and read_parser(model, ("decoder", "max-rule")).reranker is not None


def test_parsers_with_other_rerankers_are_other_values(model):
    first = open_parser(model, {})
    save(model, reranker_for("rule | NP | NP PP", 2.0))
    assert open_parser(model, {}) != first and open_parser(model, {"rerank": False}) != first
    reranker_file(model).unlink()
    assert open_parser(model, {}).get().reranker is None


def test_a_reranker_comes_back_from_its_file(model):
    reranker = reranker_for("rule | NP | NP PP", 0.3)
    save(model, reranker)
    _, found = load_reranker(model)
    assert found.names == reranker.names and found.n_trees == 2 and found.rules.clauses == ENGLISH.clauses
    for name in ("numbers", "features", "weights"):
        assert np.array_equal(getattr(found, name), getattr(reranker, name))
    assert load_reranker(model.with_name("none.lpcfg.npz")) is None


def test_lists_come_back_from_their_file(tmp_path):
    lists, path = made_lists(3, 1, np.random.default_rng(2)), tmp_path / "lists.npz"
    write_arrays(path, LISTS, lists_arrays(lists), {}, 0, {})
    found = load_lists(path)
    assert found.trees == lists.trees
    for name in ("first", "numbers", "matched", "gold", "written"):
        assert np.array_equal(getattr(found, name), getattr(lists, name))
    arrays = lists_arrays(lists)
    for first in ([0, 2, 2, 6], [0, 2, 4, 5], [1, 2, 4, 6]):
        arrays["first"] = replace(arrays["first"], values=np.array(first, np.int64))
        write_arrays(path, LISTS, arrays, {}, 0, {})
        with pytest.raises(NotAnArtefactError, match="do not fit together"):
            load_lists(path)


BROKEN = {
    "weights": np.zeros(3),
    "features": np.array([1], np.int64),
    "numbers": np.zeros(5),
    "names": np.array([255], np.uint8),
}


@pytest.mark.parametrize("name", BROKEN)
def test_arrays_that_do_not_fit_are_an_error_that_says_so(model, name):
    path = reranker_file(model)
    header, _ = read_arrays(path, RERANKER)
    arrays = reranker_arrays(reranker_for("rule | NP | NP PP", 1.0))
    arrays[name] = replace(arrays[name], values=BROKEN[name])
    write_arrays(path, RERANKER, arrays, header.settings, 0, {})
    with pytest.raises(NotAnArtefactError, match=r"own\.reranker\.npz: its parts do not fit together"):
        load_reranker(model)


@pytest.mark.parametrize(
    "changed",
    [
        {"trees": 0},
        {"trees": "many"},
        {"numbers": ["score"]},
        {"heads": {"NP": [["left"]]}},
        {"heads": {"NP": 3}},
        {"held_out": {"f": "x"}},
    ],
)
def test_a_header_that_does_not_fit_is_an_error_that_says_so(model, changed):
    save(model, reranker_for("rule | NP | NP PP", 1.0), **changed)
    outcome = run_here("parse", model, stdin="a/DT")
    assert outcome.code == 4 and "own.reranker.npz: its parts do not fit together" in outcome.err


def test_features_that_do_not_rise_are_an_error(model):
    reranker = TreeReranker(ENGLISH, 2, np.zeros(2), np.array([5, 5], np.uint64), np.zeros(2))
    save(model, reranker)
    with pytest.raises(NotAnArtefactError, match="do not rise"):
        load_reranker(model)


def test_a_reranker_of_another_model_is_an_error(model):
    save(model, reranker_for("rule | NP | NP PP", 1.0), model="0" * 64)
    with pytest.raises(WrongParentError, match="another model"):
        load_reranker(model)


def test_a_damaged_file_is_an_error_wherever_the_damage_is(model):
    path = reranker_file(model)
    whole = path.read_bytes()
    for size in (0, 1, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(ArtefactError):
            load_reranker(model)
    with zipfile.ZipFile(reranker_file(model.with_name("other.lpcfg.npz")), "w") as archive:
        archive.writestr("header.json", json.dumps({"format": "lpcfg-model"}))
    with pytest.raises(NotAnArtefactError):
        load_reranker(model.with_name("other.lpcfg.npz"))
    path.write_bytes(whole + b"x")
    with pytest.raises(TruncatedArtefactError):
        load_reranker(model)
