"""Decoding for expected F1, and what it is made of, against all derivations one by one."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

import forest_posteriors_twin
import numpy as np
import pytest
from charts import applications_of
from derivations import applications, brackets, derivations, identities, value_of, written_tree
from forests import forest_of, marginals_of, named, posteriors_of, roots_of
from grammars import random_grammar, words_of

from lpcfg_cli.config import ParseSettings
from lpcfg_cli.parsing.decoders import DECODERS
from lpcfg_cli.parsing.expected_brackets import bracket_labels, bracket_posteriors, expected_gains, rule_shares
from lpcfg_cli.parsing.forest_posteriors import forest_posteriors, log_total
from lpcfg_cli.parsing.layout import Marginals
from lpcfg_cli.parsing.parse import Status
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.parsing.pruning import probable, surviving_forest
from lpcfg_cli.tagging.tagger import OPEN_TAG

FLOOR, SIGNED_POWER, LEAN, TREE_WEIGHT, LEAST_SHARE = 1e-6, 0.3, 0.003, 0.03, 1e-4
"""As chosen by cross-validation; by values of its own, the oracle notices that the program's have changed."""

SENTENCES = ["x", "x y", "x x y", "x y x y", "y y z x y", "x x y y x"]


def steps(grammar, tree):
    return [*applications(tree), *identities(grammar, tree)]


def genuine(seed):
    return random_grammar(np.random.default_rng(seed), signed=False)


def distribution(grammar, words):
    """Derivations and their probabilities given the words: by the grammar's values, or by signed marginals' powers."""
    trees = list(derivations(grammar, words))
    values = np.array([value_of(grammar, words, *tree) for tree in trees])
    if not grammar.is_probabilistic:
        marginals = defaultdict(float)
        for (_, tree), value in zip(trees, values, strict=True):
            for key in steps(grammar, tree):
                marginals[key] += value
        size = max(abs(values.sum()), *(abs(v) for key, v in marginals.items() if key[0] != "identity"))
        logs = {key: np.log(max(abs(value) / size, FLOOR)) for key, value in marginals.items()}
        values = np.exp([SIGNED_POWER * sum(logs[key] for key in steps(grammar, tree)) for _, tree in trees])
    return [tree for _, tree in trees], values / values.sum()


def step_posteriors(grammar, trees, probability):
    found = defaultdict(float)
    for tree, p in zip(trees, probability, strict=True):
        for key in steps(grammar, tree):
            found[key] += p
    return found


def assert_same(found, expected, tolerance=1e-5):  # single precision
    assert found.keys() >= expected.keys()
    for key, value in found.items():
        assert value == pytest.approx(expected.get(key, 0.0), abs=tolerance), key


@pytest.mark.parametrize("threshold", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("text", SENTENCES)
def test_forest_posteriors_of_what_pruning_leaves(text, threshold):
    """Dead ends among what is left, items without a tree below, take part in nothing."""
    for seed in range(6):
        grammar = random_grammar(np.random.default_rng(seed))
        words = words_of(grammar, text.split())
        forest, inside = forest_of(grammar, words)
        marginals = marginals_of(grammar, words, forest, inside)
        kept = probable(forest, posteriors_of(grammar, words, forest, inside), threshold)
        smaller, scores = surviving_forest(forest, kept), kept.of(marginals)
        of_step = named(smaller, scores)
        found = forest_posteriors(smaller, scores, roots_of(grammar, smaller))
        trees = [tree for _, tree in derivations(grammar, words) if of_step.keys() >= set(steps(grammar, tree))]
        of_tree = np.exp([sum(of_step[key] for key in steps(grammar, tree)) for tree in trees])
        assert found.total == (len(trees) > 0)
        assert_same(named(smaller, found), step_posteriors(grammar, trees, of_tree / of_tree.sum()), 1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("text", SENTENCES)
def test_forest_posteriors_are_those_of_all_trees_by_their_scores(text, seed):
    grammar, rng = random_grammar(np.random.default_rng(seed)), np.random.default_rng(seed)
    words = words_of(grammar, text.split())
    forest, _ = forest_of(grammar, words)
    sizes = (len(forest.edge_left), len(forest.unary_rule), len(forest.bottom_symbol), len(forest.top_symbol))
    scores = Marginals(0, 1.0, *(rng.normal(size=size) for size in sizes))
    of_step = named(forest, scores)
    trees = [tree for _, tree in derivations(grammar, words)]
    of_tree = np.exp([sum(of_step[key] for key in steps(grammar, tree)) for tree in trees])
    expected = step_posteriors(grammar, trees, of_tree / of_tree.sum())
    found = forest_posteriors(forest, scores, roots_of(grammar, forest))
    assert found.total == 1
    assert_same(named(forest, found), expected, 1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("spread", [0.1, 3.0, 300.0])
def test_forest_posteriors_equal_those_of_their_twin(spread, seed):
    """Also of scores so far apart that some trees' share of the whole is zero, and of forests with dead ends."""
    grammar, rng = random_grammar(np.random.default_rng(seed)), np.random.default_rng(seed)
    words = words_of(grammar, ["x", "y", "z", "x", "y", "y", "x"] * 2)
    forest, inside = forest_of(grammar, words)
    kept = probable(forest, posteriors_of(grammar, words, forest, inside), 0.02)
    for one in (forest, surviving_forest(forest, kept)):
        sizes = (len(one.edge_left), len(one.unary_rule), len(one.bottom_symbol), len(one.top_symbol))
        scores, is_root = Marginals(0, 1.0, *(spread * rng.normal(size=n) for n in sizes)), roots_of(grammar, one)
        assert log_total(one, scores, is_root) == pytest.approx(forest_posteriors_twin.log_total(one, scores, is_root))
        found, expected = (
            f(one, scores, is_root) for f in (forest_posteriors, forest_posteriors_twin.forest_posteriors)
        )
        assert found[:2] == expected[:2]
        for ours, theirs in zip(found[2:], expected[2:], strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("more", [-1e4, 1e4])
def test_forest_posteriors_do_not_depend_on_the_size_of_scores(more):
    """Every tree over 40 words has 39 binary steps: products of exponentials are beyond what numbers can hold."""
    grammar = genuine(1)
    words = words_of(grammar, ["x", "y"] * 20)
    forest, inside = forest_of(grammar, words)
    scores, is_root = marginals_of(grammar, words, forest, inside), roots_of(grammar, forest)
    usual = forest_posteriors(forest, scores, is_root)
    shifted = forest_posteriors(forest, scores._replace(edge=scores.edge + more), is_root)
    for ours, theirs in zip(shifted[2:], usual[2:], strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)
    by_word = np.add.reduceat(usual.lexical, forest.cell_bottom[: forest.level_cell[1]])[:40]
    np.testing.assert_allclose(by_word, 1.0)  # each word has some tag


def test_forest_without_a_root_has_no_posteriors():
    grammar = genuine(0)
    words = words_of(grammar, ["x", "y"])
    forest, inside = forest_of(grammar, words)
    marginals = marginals_of(grammar, words, forest, inside)
    found = forest_posteriors(forest, marginals, np.zeros(len(forest.top_symbol), bool))
    assert found.total == 0 and not any(part.any() for part in found[2:])


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("text", SENTENCES)
def test_tree_posteriors_are_a_distribution_over_trees(text, seed, signed):
    grammar = random_grammar(np.random.default_rng(seed), signed=signed)
    words = words_of(grammar, text.split())
    forest, inside = forest_of(grammar, words)
    found = named(forest, posteriors_of(grammar, words, forest, inside))
    assert_same(found, step_posteriors(grammar, *distribution(grammar, words)))


def shares_of_steps(grammar, posterior):
    """The share of each step in the posterior of the item that it makes."""
    of_item = defaultdict(float)
    for key, p in posterior.items():
        of_item[item_of(grammar, key)] += p
    return {key: p / of_item[item_of(grammar, key)] for key, p in posterior.items()}


def item_of(grammar, key):
    """The bottom or top item that a step makes: its symbol and span."""
    kind, number, i = key[:3]
    if kind == "lexical":
        return "bottom", number, i, i + 1
    if kind == "identity":
        return "top", number, *key[2:]
    rules = getattr(grammar, kind)
    return "bottom" if kind == "binary" else "top", int(rules.parent[number]), i, key[-1]


def expected_gain(grammar, trees, probability, threshold, tree_weight=TREE_WEIGHT):
    """Of each tree: Σ over its brackets of p(bracket) − threshold, over its words of p(tag), and the weighted ln p."""
    own = [Counter(brackets(grammar, tree)) for tree in trees]
    tags = [Counter(tags_of(grammar, tree)) for tree in trees]
    share = shares_of_steps(grammar, step_posteriors(grammar, trees, probability))
    gains = []
    for tree, mine, written in zip(trees, own, tags, strict=True):
        # Σ over brackets, or tags, of p = Σ over trees of what they have in common
        in_common = sum(p * (mine & other).total() for p, other in zip(probability, own, strict=True))
        right_tags = sum(p * (written & other).total() for p, other in zip(probability, tags, strict=True))
        log = sum(np.log(max(share[key], LEAST_SHARE)) for key in steps(grammar, tree))
        gains.append(in_common - threshold * mine.total() + right_tags + (LEAN + tree_weight) * log)
    return gains


@pytest.mark.parametrize("text", SENTENCES)
def test_shares_make_a_grammar_of_the_forest_with_the_same_posteriors(text):
    for seed in range(3):
        grammar = genuine(seed)
        words = words_of(grammar, text.split())
        forest, inside = forest_of(grammar, words)
        posteriors = posteriors_of(grammar, words, forest, inside)
        share = named(forest, rule_shares(forest, posteriors))
        roots = step_posteriors(grammar, *distribution(grammar, words))
        of_item = defaultdict(float)
        for key, p in roots.items():
            of_item[item_of(grammar, key)] += p
        trees = list(derivations(grammar, words))
        whole = [of_item["top", symbol, 0, len(text.split())] for symbol, _ in trees]
        found = [
            p * np.prod([share[key] for key in steps(grammar, tree)]) for p, (_, tree) in zip(whole, trees, strict=True)
        ]
        assert sum(found) == pytest.approx(1.0, abs=1e-5)
        assert_same(step_posteriors(grammar, [tree for _, tree in trees], found), roots)


def tags_of(grammar, tree):
    """The tags of a derivation with their words."""
    return [(grammar.symbols[key[1]].tag, key[2]) for key in applications(tree) if key[0] == "lexical"]


def with_chains(grammar):
    """The grammar with labels between the two of a unary rule, one of them the parent's own."""
    unary = grammar.unary
    hidden = (np.arange(len(unary)) % 3).astype(np.int32)
    return replace(grammar, hidden_labels=[(), ("B",), ("S", "A")], unary=replace(unary, hidden=hidden))


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize(("threshold", "tree_weight"), [(0.0, 0.0), (0.45, 0.0), (0.45, 0.3), (0.9, 0.05)])
@pytest.mark.parametrize("text", SENTENCES)
def test_parser_finds_the_tree_with_the_largest_expected_gain(text, threshold, tree_weight, signed):
    for seed in range(4):
        grammar = with_chains(random_grammar(np.random.default_rng(seed), signed=signed))
        words = words_of(grammar, text.split())
        weights = {"bracket_threshold": threshold, "tree_weight": tree_weight}
        settings = ParseSettings(threshold=0, rule_threshold=0, decoder="expected-f1", nbest=100, **weights)
        parser = Parser(grammar, settings)
        parser.candidates.with_tags = lambda sentence, tags, words=words: words
        parse = parser.parse([(word, OPEN_TAG) for word in text.split()])
        trees, probability = distribution(grammar, words)
        gains = expected_gain(grammar, trees, probability, threshold, tree_weight)
        found = sorted(applications_of(parse.derivations[0], grammar))
        gain = next(g for g, tree in zip(gains, trees, strict=True) if sorted(applications(tree)) == found)
        assert gain == pytest.approx(max(gains), abs=1e-3)  # the parser computes in single precision
        ranked = [score for score, _ in parse.ranked]
        best = defaultdict(lambda: -np.inf)  # of the derivations of each tree
        for tree, one in zip(trees, gains, strict=True):
            best[written_tree(grammar, tree)] = max(one, best[written_tree(grammar, tree)])
        assert ranked == pytest.approx(sorted(best.values(), reverse=True)[:100], abs=1e-3)


def test_of_two_ways_to_the_same_bracket_the_likelier_scores_higher():
    grammar = genuine(1)
    words = words_of(grammar, ["x", "x", "y", "y", "x"])
    forest, inside = forest_of(grammar, words)
    posteriors = posteriors_of(grammar, words, forest, inside)
    labels = bracket_labels(grammar)
    gains = expected_gains(forest, posteriors, bracket_posteriors(forest, posteriors, 1, labels), labels, 0.45)
    ways = [np.flatnonzero(forest.edge_bottom == item) for item in range(len(forest.bottom_symbol))]
    several = [edges for edges in ways if len(edges) > 1 and (posteriors.edge[edges] > FLOOR).all()]
    assert several
    for edges in several:
        by_posterior = edges[np.argsort(posteriors.edge[edges])]
        assert (np.diff(gains.edge[by_posterior]) > 0).all()


def test_preterminals_of_one_tag_share_its_probability():
    """With `--unaries collapse` t and B|t write the same tag; a bracket B over a word pays above the threshold."""
    grammar = genuine(2)
    symbols = [*grammar.symbols]
    symbols[4] = replace(symbols[4], labels=("B", "t"))  # u
    grammar = replace(grammar, symbols=symbols)
    text = ["x", "y", "x", "x"]
    for threshold in (0.0, 0.3, 0.6):
        settings = ParseSettings(threshold=0, rule_threshold=0, decoder="expected-f1", bracket_threshold=threshold)
        parser = Parser(grammar, settings)
        words = words_of(grammar, text)
        parser.candidates.with_tags = lambda sentence, tags, words=words: words
        found = sorted(applications_of(parser.parse([(word, "any") for word in text]).derivations[0], grammar))
        trees, probability = distribution(grammar, words)
        gains = expected_gain(grammar, trees, probability, threshold)
        gain = next(g for g, tree in zip(gains, trees, strict=True) if sorted(applications(tree)) == found)
        assert gain == pytest.approx(max(gains), abs=1e-3)


def test_a_label_twice_over_one_span_is_another_label():
    grammar = with_chains(genuine(0))
    labels = bracket_labels(grammar)
    rule = int(np.flatnonzero(grammar.unary.hidden == 2)[0])  # writes its parent, S and A
    parent, child = grammar.unary.parent[rule], grammar.unary.child[rule]
    own = labels.unary.label[labels.unary.start[rule] : labels.unary.start[rule + 1]].tolist()
    names = [*grammar.symbols[parent].phrase_labels, "S", "A"]
    assert len(own) == len(set(own)) == len(names)
    plain = {grammar.symbols[a].phrase_labels[0]: labels.symbol.label[labels.symbol.start[a]] for a in range(2)}
    below = grammar.symbols[child].phrase_labels
    for k, name in enumerate(names):
        assert (own[k] == plain[name]) == (name not in names[:k] and name not in below)


def test_a_higher_threshold_gives_fewer_brackets():
    grammar = genuine(3)
    sentence = [(word, "any") for word in ["x", "y", "x", "x", "y", "z", "y", "x", "y", "x", "y", "x"]]
    counts = []
    for threshold in (0.0, 0.3, 0.6, 0.9, 1.0):
        parser = Parser(grammar, ParseSettings(decoder="expected-f1", bracket_threshold=threshold))
        (derivation,) = parser.parse(sentence).derivations
        counts.append(sum(len(grammar.symbols[a].phrase_labels) for a in derivation.symbol))
    assert counts == sorted(counts, reverse=True) and counts[0] > counts[-1]


def test_several_grammars_posteriors_are_averaged():
    grammars = [random_grammar(np.random.default_rng(seed), signed=seed == 2) for seed in range(3)]
    text = ["x", "x", "y", "y", "x"]
    settings = ParseSettings(threshold=0, rule_threshold=0, fine_threshold=0, decoder="expected-f1")
    parse = Parser(grammars, settings).parse([(word, "any") for word in text])
    trees, _ = distribution(grammars[0], words_of(grammars[0], text))
    each = [distribution(grammar, words_of(grammar, text)) for grammar in grammars]
    assert all(part == trees for part, _ in each)
    gains = expected_gain(grammars[0], trees, np.mean([p for _, p in each], 0), settings.bracket_threshold)
    found = sorted(applications_of(parse.derivations[0], grammars[0]))
    gain = next(g for g, tree in zip(gains, trees, strict=True) if sorted(applications(tree)) == found)
    assert gain == pytest.approx(max(gains), abs=1e-3)
    assert parse.status is Status.PARSED


def without_last_rule(grammar):
    """The grammar without its last binary rule; the numbers of the others stay."""
    binary = grammar.binary
    parts = {name: getattr(binary, name)[:-1] for name in ("parent", "left", "right", "probability", "rank", "start")}
    return replace(grammar, binary=replace(binary, **parts, values=binary.values[: binary.start[-2]]))


@pytest.mark.parametrize("seed", range(6))
def test_grammars_of_other_rules_add_their_brackets(seed):
    """The third grammar cannot make all trees, so that it has a forest of its own."""
    grammars = [random_grammar(np.random.default_rng([seed, k]), signed=k == 1) for k in range(3)]
    grammars[2] = without_last_rule(grammars[2])
    text = ["x", "x", "y", "y", "x"]
    settings = ParseSettings(threshold=0, rule_threshold=0, fine_threshold=0, decoder="expected-f1")
    parser = Parser(grammars, settings)
    assert len(parser.others) == len(parser.companions) == 1
    parse = parser.parse([(word, "any") for word in text], with_confidence=True)
    trees, _ = distribution(grammars[0], words_of(grammars[0], text))
    probability = np.zeros(len(trees))
    for grammar in grammars:
        own, p = distribution(grammar, words_of(grammar, text))
        assert (len(own) < len(trees)) == (grammar is grammars[2])
        probability[[trees.index(tree) for tree in own]] += p / 3
    gains = expected_gain(grammars[0], trees, probability, settings.bracket_threshold)
    found = sorted(applications_of(parse.derivations[0], grammars[0]))
    gain = next(g for g, tree in zip(gains, trees, strict=True) if sorted(applications(tree)) == found)
    assert gain == pytest.approx(max(gains), abs=1e-3)
    same = [written_tree(grammars[0], tree)[0] for tree in trees]  # tags are given
    own = next(k for k, tree in enumerate(trees) if sorted(applications(tree)) == found)
    share = sum(p for tree, p in zip(same, probability, strict=True) if tree == same[own])
    assert parse.confidences[0].posterior == pytest.approx(share, abs=1e-4)
    # each bracket's posterior is the sum over the trees of all grammars that have it
    (confidence,) = parse.confidences
    for bracket in confidence.brackets:
        key = (bracket.label, bracket.start, bracket.stop)
        has = [key in {(label, i, j) for label, i, j, *_ in brackets(grammars[0], tree)} for tree in trees]
        assert bracket.posterior == pytest.approx(probability[has].sum(), abs=1e-4)


def test_grammars_of_other_rules_parse_only_for_decoders_that_average_brackets():
    grammars = [random_grammar(np.random.default_rng([1, k])) for k in range(3)]
    grammars[2] = without_last_rule(grammars[2])
    sentence = [(word, "any") for word in ["x", "x", "y", "y", "x"]]

    def not_wanted(request):
        raise AssertionError("this grammar's brackets are not asked for")

    for name, decoder in DECODERS.items():
        settings = ParseSettings(threshold=0, rule_threshold=0, fine_threshold=0, decoder=name)
        parser = Parser(grammars, settings)
        parser.companions[0]._coarse_chart = not_wanted
        if decoder.averages_brackets:
            with pytest.raises(AssertionError, match="not asked for"):
                parser.parse(sentence)
        else:
            (found,), (alone,) = (
                parser.parse(sentence).derivations,
                Parser(grammars[:2], settings).parse(sentence).derivations,
            )
            np.testing.assert_array_equal(found.symbol, alone.symbol)
    assert [name for name, decoder in DECODERS.items() if decoder.averages_brackets] == ["expected-f1"]
