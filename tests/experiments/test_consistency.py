"""The consistency experiment on small samples, with fixed seeds, so that all figures are reproducible."""

from __future__ import annotations

import numpy as np
import pytest

from lpcfg_cli.config import ConsistencySettings, Settings
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.experiments.consistency import known_grammar, run_consistency, sizes
from lpcfg_cli.experiments.consistency_curves import LIKELIEST, UNLIKELIEST, curves, em_starts, fit_slope
from lpcfg_cli.grammar.text_grammar import shipped_grammar


def consistency(**wanted):
    return run_consistency(Settings(consistency=ConsistencySettings(**wanted)))


@pytest.mark.parametrize("grammar", ["separable", "blurred"])
def test_the_spectral_error_falls_like_one_by_the_root_of_m_where_rank_is_full(grammar):
    report = consistency(grammars=(grammar,), learners=("spectral", "pcfg"), largest=31_623, seeds=2)
    spectral, plain = curves(report)
    assert -0.6 < spectral.slope < -0.4
    means = list(spectral.mean_errors().values())
    assert means == sorted(means, reverse=True)
    assert means[-1] < 0.05
    assert all(sample.warnings == [] for sample in report.samples)
    assert abs(plain.slope) < 0.01
    assert min(plain.errors) > 0.6


def test_the_spectral_error_stays_where_rank_is_missing_and_the_svd_tells():
    report = consistency(grammars=("hidden",), learners=("spectral", "pcfg"), smallest=31_623, largest=31_623, seeds=2)
    spectral, plain = curves(report)
    assert min(spectral.errors) > 0.4
    assert spectral.errors == pytest.approx(plain.errors, abs=0.01)
    told = [{(w.name, w.rank, w.allowed) for w in sample.warnings} for sample in report.samples]
    assert told[0] == {("A", 1, 2), ("B", 1, 2), ("C", 1, 2)}
    assert {("B", 1, 2), ("C", 1, 2)} <= told[1] <= told[0]  # A's σ₂ is chance, here 1.8 % of σ₁: just not zero yet


def test_richer_features_meet_the_rank_conditions():
    rich = consistency(grammars=("hidden",), learners=("spectral",), largest=10_000, seeds=2, templates="full")
    (curve,) = curves(rich)
    assert -0.7 < curve.slope < -0.4
    assert curve.mean_errors()[10_000] < 0.05
    assert rich.samples[-1].warnings == []


def test_em_comes_near_the_parameters_themselves():
    report = consistency(grammars=("separable",), learners=("em",), largest=10_000, em_largest=3_200, seeds=1, starts=2)
    best, _ = curves(report)
    assert best.learner == LIKELIEST
    assert best.sizes == [1_000, 3_162]
    assert best.errors[1] < 0.05
    recovery = em_starts(report.samples[1])[0].recovery
    assert 0 < max(vars(recovery).values()) < 0.05


def test_pivots_find_the_parameters_themselves_and_lead_em_to_the_best_optimum():
    wanted = {"learners": ("pivot", "pivot+em", "em"), "smallest": 10_000, "largest": 10_000, "em_largest": 10_000}
    report = consistency(grammars=("separable",), seeds=1, starts=1, **wanted)
    pivot, refined, em = report.samples[0].outcomes
    assert max(vars(pivot.recovery).values()) < 0.02
    assert refined.log_likelihood == pytest.approx(em.log_likelihood, abs=1e-4)
    assert refined.error < pivot.error < 0.04


def test_em_ends_in_local_optima():
    # one start in sixteen or so ends in an optimum that is much worse
    one = {"smallest": 10_000, "largest": 10_000, "em_largest": 10_000, "seeds": 1, "starts": 14}
    report = consistency(grammars=("blurred",), learners=("em",), **one)
    likelihoods = [outcome.log_likelihood for outcome in em_starts(report.samples[0])]
    assert likelihoods == sorted(likelihoods, reverse=True)
    assert likelihoods[0] - likelihoods[-1] > 0.01
    likeliest, unlikeliest = curves(report)
    assert (likeliest.learner, unlikeliest.learner) == (LIKELIEST, UNLIKELIEST)
    assert unlikeliest.errors[0] > 1.5 * likeliest.errors[0]
    assert likeliest.slope is None


def pivots(grammar):
    """For each symbol, the states that some inside feature and that some outside feature identify, as two sets."""
    inside, outside = ([set() for _ in grammar.symbols] for _ in range(2))
    rules = grammar.binary

    def note(found, symbol, weights):
        if np.count_nonzero(weights) == 1:
            found[symbol].add(int(np.flatnonzero(weights)[0]))

    for r, (a, b, c) in enumerate(zip(rules.parent, rules.left, rules.right, strict=True)):
        tensor = rules.tensor(r, grammar.n_states)
        note(inside, a, tensor.sum((1, 2)))
        note(outside, b, tensor.sum((0, 2)))
        note(outside, c, tensor.sum((0, 1)))
    lexical = grammar.lexical
    for a, vector in zip(lexical.symbol, np.split(lexical.values, lexical.start[1:-1]), strict=True):
        note(inside, a, vector)
    return list(zip(inside, outside, strict=True))


def test_only_the_separable_grammar_has_pivots_for_every_state():
    assert pivots(shipped_grammar("separable").grammar) == [({0, 1}, {0, 1})] * 3
    assert pivots(shipped_grammar("blurred").grammar) == [(set(), set())] * 3


def test_sizes_are_evenly_spread_decades():
    settings = Settings(consistency=ConsistencySettings())
    assert sizes(settings) == [1_000, 3_162, 10_000, 31_623, 100_000, 316_228, 1_000_000]
    assert sizes(Settings(consistency=ConsistencySettings(smallest=10, largest=10))) == [10]


def test_the_slope_of_a_power_is_its_exponent():
    sizes = [10, 10, 100, 1000, 1000]
    slope, error = fit_slope(sizes, [3 * m**-0.5 for m in sizes])
    assert (slope, error) == pytest.approx((-0.5, 0.0), abs=1e-7)
    x, y = np.log([10, 100, 1000]), np.array([0.0, -1.0, -3.0])
    (by_numpy, _), covariance = np.polyfit(x, y, 1, cov=True)
    assert fit_slope([10, 100, 1000], np.exp(y).tolist()) == pytest.approx((by_numpy, covariance[0, 0] ** 0.5))
    assert fit_slope([10, 10], [0.1, 0.2]) == (None, None)


def test_unknown_grammars_and_learners_are_told():
    with pytest.raises(ConfigError, match=r"unknown 'seperable'. Known: separable"):
        known_grammar("seperable", 3)
    with pytest.raises(ConfigError, match=r"consistency.learners: markov has other symbols"):
        run_consistency(Settings(consistency=ConsistencySettings(learners=("markov",))))
    with pytest.raises(ConfigError, match=r"consistency.learners is 'spectrl'.*Did you mean spectral"):
        ConsistencySettings(learners=("spectrl",))
    with pytest.raises(ConfigError, match=r"at least 1000"):
        ConsistencySettings(largest=10)
