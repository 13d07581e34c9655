"""Features against their definition, and what learning promises."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from dependency_files import conll, sentences_of
from parser_twin import all_trees, random_rows, sibling_of, total, tree_features
from small_treebank import TREES, treebank

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.config import DependencyParserSettings, TaggerSettings
from lpcfg_cli.dependency.parser.encoding import coarse_tags, learn_coarse_tags, sentence_rows
from lpcfg_cli.dependency.parser.feature_kernels import part_scores
from lpcfg_cli.dependency.parser.learning_kernels import learn_pass, siblings
from lpcfg_cli.dependency.parser.training import train_parser
from lpcfg_cli.dependency.parser.weights import TEMPLATES, gold_trees
from lpcfg_cli.dependency.trees.sentence import DependencySentence
from lpcfg_cli.errors import InputError
from lpcfg_cli.execution.workers import local_workers

BITS = 18
SMALL = DependencyParserSettings(order="first", bits=BITS, epochs=4, relation_count=1)


def random_weight(seed, bits=BITS):
    return np.random.default_rng(seed).normal(size=1 << bits).astype(np.float32)


@pytest.mark.parametrize("is_second", [False, True])
def test_scores_of_trees_are_sums_over_the_features_of_the_definition(is_second):
    """All trees of several sentences: their scores are linear in the counts of their features, and of nothing less."""
    counts, totals = [], []
    for seed in range(6):
        rows = random_rows(4, seed)
        scores = part_scores(rows, random_weight(0), TEMPLATES, is_second)
        for heads in all_trees(4, True):
            counts.append(Counter(tree_features(rows, heads, is_second)))
            totals.append(total(heads, scores, is_second))
    names = sorted({name for count in counts for name in count}, key=repr)
    matrix = np.array([[count[name] for name in names] for count in counts], float)
    fitted, *_ = np.linalg.lstsq(matrix, np.array(totals), rcond=None)
    np.testing.assert_allclose(matrix @ fitted, totals, atol=1e-6)


@pytest.mark.parametrize("is_second", [False, True])
def test_features_have_weights_of_their_own(is_second):
    """With random weights, the variance of the score of a tree tells how many different ones it adds."""
    rows, heads = random_rows(4, 3, n_values=1000), (2, 0, 2, 3)
    features = Counter(tree_features(rows, heads, is_second))
    # each adds the square of how often it is added
    expected = sum(count**2 for count in features.values())
    many = [total(heads, part_scores(rows, random_weight(k), TEMPLATES, is_second), is_second) for k in range(400)]
    assert np.var(many) == pytest.approx(expected, rel=0.25)


def test_siblings_are_those_of_the_definition():
    for heads in all_trees(5, False):
        found = siblings(np.array(heads, np.int32))
        assert found.tolist() == [sibling_of(heads, m) for m in range(1, 6)]


def one_step(rows, gold, weight, is_second, is_mira, cost=1.0, largest=10.0):
    trees = gold_trees([rows], [np.array(gold, np.int32)])
    new, lag = weight.copy(), np.zeros(len(weight))
    wrong, words = learn_pass(np.array([0]), *trees, TEMPLATES, is_second, True, is_mira, cost, largest, new, lag)
    assert words == len(gold)
    assert not lag.any(), "the first turn has no sentence before it"
    return new, wrong


@pytest.mark.parametrize("is_second", [False, True])
def test_a_step_of_mira_makes_up_for_the_loss_exactly(is_second):
    rows, gold = random_rows(4, 1, n_values=50), (2, 0, 4, 2)
    weight = random_weight(5, bits=22)  # so that no two features share a weight
    trees = list(all_trees(4, True))

    def margins(scores):
        own = total(gold, scores, is_second)
        return [own - total(heads, scores, is_second) - wrong_heads(heads) for heads in trees]

    def wrong_heads(heads):
        return sum(a != b for a, b in zip(heads, gold, strict=True))

    before = margins(part_scores(rows, weight, TEMPLATES, is_second))
    worst = int(np.argmin(before))
    assert before[worst] < 0, "otherwise there is nothing to learn"
    new, wrong = one_step(rows, gold, weight, is_second, is_mira=True)
    assert wrong == wrong_heads(trees[worst])
    after = margins(part_scores(rows, new, TEMPLATES, is_second))
    assert after[worst] == pytest.approx(0, abs=1e-4)
    features = [Counter(tree_features(rows, heads, is_second)) for heads in (gold, trees[worst])]
    features[0].subtract(features[1])
    square = sum(count**2 for count in features[0].values())
    assert np.sum((new - weight) ** 2) == pytest.approx(before[worst] ** 2 / square, rel=1e-3)


@pytest.mark.parametrize("is_second", [False, True])
def test_a_step_of_the_perceptron_adds_the_difference_of_the_features(is_second):
    rows, gold = random_rows(4, 1, n_values=50), (2, 0, 4, 2)
    weight = random_weight(5)
    new, wrong = one_step(rows, gold, weight, is_second, is_mira=False)
    assert wrong > 0
    step = np.round(new - weight, 4)
    assert set(np.abs(step[step != 0])) <= {1.0, 2.0, 3.0, 4.0}
    again, _ = one_step(rows, gold, weight, is_second, is_mira=True, largest=1e-3)
    np.testing.assert_allclose(again - weight, 1e-3 * step, atol=1e-6)


def test_nothing_changes_when_the_tree_is_the_best_by_the_cost():
    rows, gold = random_rows(4, 1, n_values=50), (2, 0, 4, 2)
    weight = np.zeros(1 << BITS, np.float32)
    for _ in range(50):
        weight, _ = one_step(rows, gold, weight, True, is_mira=True, largest=0.1)
    again, wrong = one_step(rows, gold, weight, True, is_mira=True)
    assert wrong == 0
    assert (again == weight).all()


@pytest.mark.parametrize("order", ["first", "second"])
@pytest.mark.parametrize("learner", ["mira", "perceptron"])
def test_a_treebank_that_can_be_learnt_is_learnt(order, learner):
    settings = DependencyParserSettings(order=order, learner=learner, bits=BITS, epochs=8, relation_count=1)
    parser = train_parser(treebank(), settings, tagger=TaggerSettings())
    for sentence in treebank():
        found = parser.parse(sentence)
        assert found.heads.tolist() == sentence.heads.tolist()
        assert found.relations == sentence.relations
        assert parser.tagged(sentence).tags == sentence.tags
        (best, _), *_ = parser.k_best(sentence, 5)
        assert best.tolist() == sentence.heads.tolist()


def test_the_mean_of_the_weights_is_that_over_all_turns():
    """With one shard, one pass and no cut, the result is the mean of the weights after each sentence."""
    settings = DependencyParserSettings(order="first", bits=BITS, epochs=1, least_weight=0.0)
    used = treebank()
    parser = train_parser(used, settings, seed=3)
    rows = [sentence_rows(sentence, learn_coarse_tags(used)) for sentence in used]
    order = stream(3, Purpose.DEPENDENCY_ORDER, 0, 0).permutation(len(used))
    weight, total_of = np.zeros(1 << BITS, np.float32), np.zeros(1 << BITS)
    for k in order:
        weight, _ = one_step(rows[k], used[k].heads, weight, False, is_mira=True, largest=settings.largest_step)
        total_of += weight
    np.testing.assert_allclose(parser.weight, total_of / len(used), atol=1e-6)


def test_shards_shape_the_result_and_workers_do_not():
    two = replace(SMALL, shards=2)

    def trained(settings, seed, workers=map):
        return train_parser(treebank(), settings, seed=seed, workers=workers).weight.tobytes()

    with local_workers(2) as workers:
        assert trained(two, 1, workers) == trained(two, 1)
        assert trained(SMALL, 1, workers) == trained(SMALL, 1)
    assert len({trained(SMALL, 1), trained(SMALL, 2), trained(two, 1)}) == 3


def test_what_cannot_be_learnt_is_told():
    told = []
    crossing = [("a", "A", 3, "x"), ("b", "B", 4, "y"), ("c", "C", 0, "root"), ("d", "D", 3, "z")]
    several = [("a", "A", 0, "root"), ("b", "B", 0, "root")]
    long = [("w", "W", max(0, k - 1), "x") for k in range(1, 8)]
    settings = replace(SMALL, longest=6)
    parser = train_parser(treebank([*TREES, crossing, several, long]), settings, tell=told.append)
    assert [message.partition(":")[0] for message in told[:2]] == ["left out", "crossing arcs"]
    assert "1 sentence has several roots" in told[2]
    assert len(told) == 3
    both = train_parser(treebank([several] * 3), replace(settings, roots="several", epochs=6))
    assert both.parse(treebank([several])[0]).heads.tolist() == [0, 0]
    assert parser.parse(treebank([several])[0]).heads.tolist().count(0) == 1
    with pytest.raises(InputError, match="no sentence to learn from"):
        train_parser(treebank([long]), settings)


def test_relations_of_the_root_are_its_own():
    parser = train_parser(treebank(), SMALL)
    for sentence in treebank():
        for heads, _ in parser.k_best(sentence, 20):
            labelled = parser.labelled(sentence, heads)
            assert [r == "root" for r in labelled.relations] == [h == 0 for h in heads]


def test_a_sentence_without_words_has_a_tree_without_words():
    parser = train_parser(treebank(), SMALL)
    nothing = DependencySentence((), (), np.zeros(0, np.int32), ())
    assert len(parser.parse(nothing)) == 0
    assert [len(heads) for heads, _ in parser.k_best(nothing, 3)] == [0]


def test_coarse_tags_are_used_where_the_treebank_has_them():
    text = "".join(
        f"{k}\t{form}\t_\t{coarse}\t{fine}\t_\t{head}\tx\t_\t_\n"
        for k, (form, coarse, fine, head) in enumerate([("Tom", "PROPN", "NNP", 2), ("ran", "VERB", "VBD", 0)], 1)
    )
    both = sentences_of(text + "\n")
    assert learn_coarse_tags(both) == {"NNP": "PROPN", "VBD": "VERB"}
    assert learn_coarse_tags(treebank()) == {}
    known = learn_coarse_tags(both)
    without = sentences_of(conll([("Tom", "NNP", 2, "x"), ("ran", "VBZ", 0, "x")]))[0]
    assert coarse_tags(both[0], known) == ("PROPN", "VERB")
    assert coarse_tags(both[0], {}) == ("NN", "VB")
    assert coarse_tags(replace(without, columns={}), known) == ("PROPN", "VB")
    parser = train_parser(both, SMALL, tagger=TaggerSettings())
    tagged = parser.tagged(both[0])
    assert (tagged.tags, tagged.columns["upos"]) == (("NNP", "VBD"), ("PROPN", "VERB"))
