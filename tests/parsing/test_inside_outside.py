"""The tensor inside-outside: brute force = numpy reference = kernels, and the identities of C14."""

from __future__ import annotations

import numpy as np
import pytest
from charts import KernelChart, TwinChart, by_kernels
from grammars import in_another_basis, random_grammar, words_of
from harness import assert_same, check
from inside_outside_twin import inside_outside

from lpcfg_cli.parsing import coarse_kernels
from lpcfg_cli.parsing.forest import build_forest
from lpcfg_cli.parsing.kernel_rules import coarse_rules, plain_tensor_rules, tensor_rules
from lpcfg_cli.parsing.marginals import rule_marginals
from lpcfg_cli.parsing.parser import plain_words

SENTENCES = ["x", "y", "x y", "y x", "x x y", "y y z", "x y x y", "x y z x", "x x y y x"]
EXACT = 1e-10


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("text", SENTENCES)
def test_reference_equals_sum_over_all_derivations(text, seed):
    check(TwinChart(random_grammar(np.random.default_rng(seed)), text))


@pytest.mark.parametrize("factored", [False, True])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("text", SENTENCES)
def test_kernels_equal_sum_over_all_derivations(text, seed, factored):
    check(KernelChart(random_grammar(np.random.default_rng(seed), factored=factored), text))


@pytest.mark.parametrize("factored", [False, True])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("text", [*SENTENCES, "x y x z y x y", "y x y x x z y y x"])
def test_kernels_equal_reference_with_signed_parameters(text, seed, factored):
    grammar = random_grammar(np.random.default_rng(seed), factored=factored)
    twin, kernels = TwinChart(grammar, text), KernelChart(grammar, text)
    assert kernels.total() == pytest.approx(twin.total(), rel=1e-9, abs=1e-12)
    assert_same(kernels.marginals(), twin.marginals(), rtol=1e-9)


@pytest.mark.parametrize("factored", [False, True])
@pytest.mark.parametrize("text", ["x y z x", "x y x z y x y"])
def test_kernels_equal_reference_with_more_states_than_registers_and_panels_hold(text, factored):
    grammar = random_grammar(np.random.default_rng(9), (18, 24, 20, 7, 21, 17), factored=factored)
    twin, kernels = TwinChart(grammar, text), KernelChart(grammar, text)
    assert kernels.total() == pytest.approx(twin.total(), rel=1e-9)
    assert_same(kernels.marginals(), twin.marginals(), rtol=1e-7)


@pytest.mark.parametrize("text", SENTENCES)
def test_coarse_pass_equals_reference_of_one_state(text):
    grammar = random_grammar(np.random.default_rng(5), n_states=(1,) * 6, signed=False)
    twin, words = TwinChart(grammar, text), words_of(grammar, text.split())
    total, marginals, coarse_total = by_kernels(grammar, plain_words(words), rules=plain_tensor_rules(grammar))
    assert coarse_total == pytest.approx(twin.total(), rel=EXACT)
    assert total == pytest.approx(twin.total(), rel=EXACT)
    assert_same(marginals, twin.marginals(), rtol=EXACT)


@pytest.mark.parametrize("text", ["x y x y", "x x y y x", "x y x z y x y"])
def test_marginals_of_words_sum_to_z_and_of_splits_to_n_minus_one_z(text):
    grammar = random_grammar(np.random.default_rng(8))
    words = words_of(grammar, text.split())
    n = len(text.split())
    total, marginals, _ = by_kernels(grammar, words)
    for i in range(n):
        at_word = sum(value for key, value in marginals.items() if key[0] == "lexical" and key[2] == i)
        assert at_word == pytest.approx(total, rel=1e-9)
    splits = sum(value for key, value in marginals.items() if key[0] == "binary")
    assert splits == pytest.approx((n - 1) * total, rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_change_of_basis_changes_no_total_and_no_marginal(seed):
    rng = np.random.default_rng(seed)
    grammar = random_grammar(rng)
    changed = in_another_basis(grammar, rng)
    assert not np.allclose(changed.binary.values, grammar.binary.values)
    for text in ("x y x", "x x y y x"):
        before = by_kernels(grammar, words_of(grammar, text.split()))
        words = words_of(changed, text.split())._replace(probability=words_of(grammar, text.split()).probability)
        after = by_kernels(changed, words)
        assert after[0] == pytest.approx(before[0], rel=1e-8)
        assert_same(after[1], before[1], rtol=1e-8)


def test_pruning_keeps_what_is_probable_and_drops_what_is_not():
    grammar = random_grammar(np.random.default_rng(3), n_states=(1,) * 6, signed=False)
    words = words_of(grammar, ["x", "y", "x", "z", "y", "x", "y"])
    posterior = {
        key: value / inside_outside(grammar, words).total for key, value in inside_outside(grammar, words).top.items()
    }
    n, coarse, threshold = 7, coarse_rules(grammar), 0.02
    inside, has_items = coarse_kernels.coarse_inside(n, coarse, words)
    kept = coarse_kernels.coarse_outside(n, coarse, inside, has_items, threshold)
    found = {(i, j, a) for i, j, a in np.argwhere(kept.top)}
    assert found, "something must survive"
    assert all(posterior[item] >= threshold for item in found)
    # what pruning above took away can only lower the posterior of what lies below it
    missing = [value for item, value in posterior.items() if item not in found]
    assert max(missing) < 2 * threshold


@pytest.mark.parametrize("length", [150, 400])
def test_long_sentences_neither_underflow_nor_overflow(length):
    grammar = random_grammar(np.random.default_rng(1), n_states=(1,) * 6, signed=False)
    small = 1e-30
    words = words_of(grammar, ["x", "y"] * (length // 2))
    tiny = words._replace(probability=words.probability * small, vector=words.vector * small)
    n, coarse = length, coarse_rules(grammar)
    logs = []
    for these in (words, tiny):
        inside, has_items = coarse_kernels.coarse_inside(n, coarse, these)
        kept = coarse_kernels.coarse_outside(n, coarse, inside, has_items, 1e-4)
        forest = build_forest(n, coarse, inside, kept, 0.0)
        result = rule_marginals(forest, inside, these, tensor_rules(grammar))
        assert np.isfinite(result.edge).all()
        assert 0.9 < result.total * 2.0**result.exponent / kept.total <= 1 + 1e-9, "pruning loses little"
        logs.append(np.log(kept.total) + inside.exponent[0, n] * np.log(2))
    assert logs[1] - logs[0] == pytest.approx(length * np.log(small), rel=1e-9)


@pytest.mark.parametrize("threshold", [0.0, 1e-3, 0.05])
def test_rule_applications_below_the_threshold_are_left_out_and_no_others(threshold):
    grammar = random_grammar(np.random.default_rng(4), n_states=(1,) * 6, signed=False)
    words = words_of(grammar, ["x", "y", "x", "z", "y", "x", "y"])
    reference = inside_outside(grammar, words)
    _, kept, _ = by_kernels(grammar, plain_words(words), rule_threshold=threshold, rules=plain_tensor_rules(grammar))
    expected = {key for key, value in reference.binary.items() if value > 0 and value / reference.total >= threshold}
    assert {key[1:] for key in kept if key[0] == "binary"} == expected
    assert len(expected) < len(reference.binary) or threshold == 0


@pytest.mark.parametrize("factor", [1e-2, 30.0])
def test_vectors_that_drift_from_the_plain_pcfg_by_a_factor_a_word_stay_in_single_precision(factor):
    grammar = random_grammar(np.random.default_rng(1), n_states=(1,) * 6, signed=False)
    n, coarse = 200, coarse_rules(grammar)
    words = words_of(grammar, ["x", "y"] * (n // 2))
    inside, has_items = coarse_kernels.coarse_inside(n, coarse, words)
    kept = coarse_kernels.coarse_outside(n, coarse, inside, has_items, 1e-4)
    forest = build_forest(n, coarse, inside, kept, 1e-6)
    results = [
        rule_marginals(forest, inside, words._replace(vector=words.vector * f), tensor_rules(grammar, np.float32))
        for f in (1.0, factor)
    ]
    logs = [np.log(result.total) + result.exponent * np.log(2) for result in results]
    assert logs[1] - logs[0] == pytest.approx(n * np.log(factor), rel=1e-4)
    shares = [result.edge / result.total for result in results]
    np.testing.assert_allclose(shares[1], shares[0], atol=1e-4)
