"""Mixing of states with their mean: computed by hand, at both extremes, and its effect on a parser."""

from __future__ import annotations

import numpy as np
import pytest
from em_trees import TREES, binarized, tabulate

from lpcfg_cli.config import ParseSettings
from lpcfg_cli.learning.mixing import mix_states
from lpcfg_cli.learning.random_em import random_split
from lpcfg_cli.learning.rule_table import RuleParameters, to_grammar
from lpcfg_cli.parsing.parser import Parser

SENTENCE = [("the", "DT"), ("dog", "NN"), ("sees", "VBZ"), ("a", "DT"), ("cat", "NN")]
UNPRUNED = ParseSettings(threshold=0.0, rule_threshold=0.0)


@pytest.fixture(scope="module")
def trees():
    return binarized(TREES)


def random_parameters(trees, n_states):
    table, lexicon = tabulate(trees, n_states)
    return table, lexicon, random_split(table, 5.0, np.random.default_rng(8))


def test_three_states_by_hand():
    trees = binarized(["(X (A a) (B b))", "(X (B b) (A a))"])
    table, _ = tabulate(trees, [3, 1, 2])
    assert table.shape.tolist() == [[3, 1, 2], [3, 2, 1], [1, 1, 1], [2, 1, 1]]
    first, second = [[0.2, 0.0], [0.5, 0.0], [0.5, 0.3]], [[0.4, 0.4], [0.5, 0.0], [0.0, 0.2]]  # X → A B and X → B A
    words = [1.0], [0.5, 0.9]
    values = np.concatenate([np.ravel(rule) for rule in (first, second, *words)])
    mixed = mix_states(table, RuleParameters(np.ones(6) / 6, values), 0.1, 1.0)
    expected = [[0.22, 0.01, 0.49, 0.01, 0.49, 0.28], [0.39, 0.38, 0.48, 0.02, 0.03, 0.2], [1.0], [0.7, 0.7]]
    np.testing.assert_allclose(mixed.rules, np.concatenate(expected), rtol=1e-14)


@pytest.mark.parametrize("shares", [(0.05, 0.0), (0.0, 0.2), (0.3, 1.0)])
def test_rules_and_words_have_shares_of_their_own_and_still_sum_to_one(trees, shares):
    table, _, parameters = random_parameters(trees, [1 + k % 4 for k in range(len(trees.symbols))])
    before = parameters.rules.copy()
    mixed = mix_states(table, parameters, *shares)
    assert np.array_equal(parameters.rules, before)
    assert mixed.root is parameters.root
    sums = np.zeros(len(parameters.root))
    pairs = zip(table.blocks(before), table.blocks(mixed.rules), strict=True)
    for rule, (old, new) in enumerate(pairs):
        share = shares[int(table.left[rule] == table.right[rule] == -1)]
        np.testing.assert_allclose(new, (1 - share) * old + share * old.mean(0), rtol=1e-14)
        assert np.array_equal(new, old) or (share > 0 and len(old) > 1)
        start = table.state_start[table.parent[rule]]
        sums[start : start + len(new)] += new.sum((1, 2))
    np.testing.assert_allclose(sums, 1)


def test_nothing_to_mix_changes_no_byte(trees):
    table, _, parameters = random_parameters(trees, 3)
    assert mix_states(table, parameters, 0.0, 0.0) is parameters


def test_states_that_are_alike_parse_as_the_plain_pcfg(trees):
    """With identical states, those of children sum out: the model is a PCFG with the mean over states for each rule."""
    table, lexicon, parameters = random_parameters(trees, 3)
    mixed = mix_states(table, parameters, 1.0, 1.0)
    for tensor in table.blocks(mixed.rules):
        assert (tensor == tensor[0]).all()
    plain, _ = tabulate(trees, 1)
    root = np.add.reduceat(parameters.root, table.state_start[:-1])
    rules = np.array([tensor.sum((1, 2)).mean() for tensor in table.blocks(parameters.rules)])
    totals = [
        Parser(to_grammar(trees, *model, lexicon), UNPRUNED).parse(SENTENCE).log_probability
        for model in ((table, mixed), (plain, RuleParameters(root, rules)), (table, parameters))
    ]
    assert totals[0] == pytest.approx(totals[1], abs=1e-6)  # parsed in single precision
    assert abs(totals[2] - totals[1]) > 1e-3
