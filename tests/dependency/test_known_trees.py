"""Known models of dependency trees: all their trees, and samples; and that spectral learning is consistent."""

from __future__ import annotations

import numpy as np
import pytest

from lpcfg_cli.config import ConsistencySettings, Settings
from lpcfg_cli.dependency.latent.known import all_trees, known_tree_model, projective_heads, sample_trees
from lpcfg_cli.dependency.latent.tree_arrays import TreeArrays
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.experiments.consistency_curves import curves
from lpcfg_cli.experiments.dependency_consistency import probabilities, run_dependency_consistency


def is_projective(heads):
    arcs = [(min(i, h), max(i, h)) for i, h in enumerate(heads, 1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


def test_projective_trees_are_all_of_them():
    """1, 2, 7, 30, 143: the numbers of projective trees with one root."""
    for n, number in enumerate((1, 2, 7, 30, 143), 1):
        found = list(projective_heads(n))
        assert len(found) == len(set(found)) == number
        assert all(heads.count(0) == 1 and is_projective(heads) for heads in found)
        flat = TreeArrays(np.zeros(n * number, np.int32), np.array(found, np.int32).ravel(), n * np.arange(number + 1))
        assert len(flat.order) == n * number


@pytest.mark.parametrize("name", ["separable", "blurred", "hidden"])
def test_the_probabilities_of_all_trees_sum_to_one(name):
    model = known_tree_model(name)
    every = all_trees(model, 3)
    assert len(every.trees) == 5 + 2 * 25 + 7 * 125
    assert probabilities(model, every).sum() == pytest.approx(1)


def test_samples_have_the_probabilities_of_their_model():
    model = known_tree_model("blurred")
    every = all_trees(model, 3)
    data = sample_trees(model, every, 1_000_000, np.random.default_rng(5))
    assert data.weights.sum() == 1_000_000
    p = dict(zip(map(str_of(every.trees), range(len(every.trees))), probabilities(model, every), strict=True))
    for k, name in enumerate(map(str_of(data.trees), range(len(data.trees)))):
        assert data.weights[k] / 1e6 == pytest.approx(p[name], abs=6 * np.sqrt(p[name] / 1e6))


def str_of(trees):
    def name(k):
        own = trees.tree(k)
        return f"{own.symbols.tolist()} {own.heads.tolist()}"

    return name


def test_spectral_learning_approaches_known_models_like_the_root_of_the_sample():
    """D12, Theorem 3.1: slope −1/2 where emissions have full rank; where not, the error stays, and a warning tells."""
    wanted = ConsistencySettings(smallest=3_000, largest=1_000_000, steps=1, words=4, dependency_learners=("spectral",))
    report = run_dependency_consistency(Settings(consistency=wanted))
    found = {curve.grammar: curve for curve in curves(report)}
    for name in ("separable", "blurred"):
        assert abs(found[name].slope + 0.5) < 0.1, name
        assert max(found[name].errors[-3:]) < 0.02
    assert min(found["hidden"].errors) > 0.05
    warned = {sample.grammar for sample in report.samples if sample.warnings and sample.size > 100_000}
    assert warned == {"hidden"}


def test_em_comes_near_too():
    wanted = ConsistencySettings(
        grammars=("separable",), smallest=3_000, largest=3_000, words=3, seeds=1, starts=2, dependency_learners=("em",)
    )
    report = run_dependency_consistency(Settings(consistency=wanted))
    assert [outcome.learner for outcome in report.samples[0].outcomes] == ["em", "em"]
    assert min(outcome.error for outcome in report.samples[0].outcomes) < 0.08
    assert run_dependency_consistency(Settings(consistency=wanted)) == report


def test_unknown_models_and_learners():
    with pytest.raises(ConfigError, match=r"unknown tree model 'english'\. Known: separable, blurred, hidden"):
        run_dependency_consistency(Settings(consistency=ConsistencySettings(grammars=("english",))))
    with pytest.raises(ConfigError, match=r"consistency\.dependency_learners is 'full'"):
        ConsistencySettings(dependency_learners=("full",))
