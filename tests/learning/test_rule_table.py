"""The M-step and its prior against SciPy's Dirichlet distribution and the gradient of what they maximise."""

from __future__ import annotations

import numpy as np
import pytest
from em_trees import TREES, binarized, tabulate
from scipy import stats

from lpcfg_cli.learning import rule_table
from lpcfg_cli.learning.random_em import random_split
from lpcfg_cli.learning.rule_table import RuleParameters, log_prior, maximise


@pytest.fixture
def table():
    trees = binarized(TREES)
    table, _ = tabulate(trees, [1 + k % 3 for k in range(len(trees.symbols))])
    return table


def base_of(table):
    """The evenly split PCFG: q(a → b c) / (m_b m_c) for each entry."""
    return [np.full(shape, q / (shape[1] * shape[2])) for shape, q in zip(table.shape, table.frequency, strict=True)]


def by_state(table, blocks):
    """The entries of all rules of each parent state, one after the other."""
    entries = {}
    for a, block in zip(table.parent, blocks, strict=True):
        for h, part in enumerate(block):
            entries.setdefault((int(a), h), []).append(part.ravel())
    return {state: np.concatenate(parts) for state, parts in entries.items()}


def dirichlet(table, parameters, prior):
    """Log-density of all states' rules, each with the concentration 1 + κ of the evenly split PCFG."""
    base = by_state(table, base_of(table))
    found = by_state(table, table.blocks(parameters.rules))
    return sum(stats.dirichlet.logpdf(found[state] / found[state].sum(), 1 + prior * base[state]) for state in base)


@pytest.mark.parametrize("prior", [0.5, 3.0])
@pytest.mark.parametrize("at_a_time", [1, 7, 1 << 17])
def test_the_prior_is_dirichlet_up_to_its_constant(table, prior, at_a_time, monkeypatch):
    monkeypatch.setattr(rule_table, "LOGARITHMS", at_a_time)
    draws = [random_split(table, 5.0, np.random.default_rng(seed)) for seed in range(4)]
    ours = np.array([log_prior(table, draw, prior) for draw in draws])
    theirs = np.array([dirichlet(table, draw, prior) for draw in draws])
    assert np.ptp(ours) > 0.1
    np.testing.assert_allclose(ours - ours[0], theirs - theirs[0], rtol=1e-9)


@pytest.mark.parametrize("prior", [0.0, 0.5, 20.0])
def test_maximised_parameters_are_where_the_gradient_is_that_of_the_constraint(table, prior):
    """d/dt [count · log t + κ base · log t] is the same for all entries of a state."""
    rng = np.random.default_rng(0)
    counts = RuleParameters(rng.uniform(1, 9, table.state_start[-1]), rng.uniform(1, 9, table.start[-1]))
    found = maximise(table, counts, prior)
    np.testing.assert_allclose(found.root, counts.root / counts.root.sum())
    base, value = by_state(table, base_of(table)), by_state(table, table.blocks(found.rules))
    for state, count in by_state(table, table.blocks(counts.rules)).items():
        gradient = (count + prior * base[state]) / value[state]
        np.testing.assert_allclose(gradient, gradient[0], rtol=1e-9)
        assert value[state].sum() == pytest.approx(1)


def test_a_state_without_counts_takes_the_plain_pcfg(table):
    counts = RuleParameters(np.ones(table.state_start[-1]), np.ones(table.start[-1]))
    a = int(np.flatnonzero(table.n_states == 3)[0])
    for parent, block in zip(table.parent, table.blocks(counts.rules), strict=True):
        if parent == a:
            block[1] = 0
    found = by_state(table, table.blocks(maximise(table, counts, 0.0).rules))
    np.testing.assert_allclose(found[a, 1], by_state(table, base_of(table))[a, 1])
    np.testing.assert_allclose(found[a, 0], 1 / len(found[a, 0]))
