"""n-best trees against all derivations, scored one by one."""

from __future__ import annotations

import numpy as np
import pytest
from charts import DecodedSentence
from grammars import random_grammar
from harness import check_k_best


@pytest.mark.parametrize("decoder", ["sum", "max-rule", "signed"])
@pytest.mark.parametrize("text", ["x y", "x x y", "x y x y", "y y z x y", "x x y y x"])
@pytest.mark.parametrize("n", [2, 7, 1000])
def test_are_the_best_of_all_derivations_in_order(text, decoder, n):
    check_k_best(DecodedSentence(random_grammar(np.random.default_rng(2)), text, decoder), n)


def test_first_is_the_one_best_tree():
    grammar = random_grammar(np.random.default_rng(6))
    for text in ("x x y y x", "x y x z y x y", "y x y x x z y y x"):
        parse = DecodedSentence(grammar, text, "max-rule").parse(5)
        (best,) = parse.derivations
        _, first = parse.ranked[0]
        for part in ("symbol", "kind", "hidden", "parent"):
            np.testing.assert_array_equal(getattr(first, part), getattr(best, part))
