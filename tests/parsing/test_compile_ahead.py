"""Kernels that run as Python while others are compiled ahead of them."""

from __future__ import annotations

import numpy as np
import pytest
from grammars import random_grammar, words_of

from lpcfg_cli.parsing import coarse_kernels
from lpcfg_cli.parsing.compile_ahead import interpreted
from lpcfg_cli.parsing.inside_kernels import inside_pass
from lpcfg_cli.parsing.kernel_rules import coarse_rules


def test_python_does_what_kernels_do():
    grammar = random_grammar(np.random.default_rng(3))
    words = words_of(grammar, ["x", "y", "x", "y"])
    rules = coarse_rules(grammar)
    expected, has_items = coarse_kernels.coarse_inside(4, rules, words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coarse_kernels, "fill_inside", interpreted(coarse_kernels.fill_inside))
        assert not hasattr(coarse_kernels.fill_inside, "py_func")
        found, has_found = coarse_kernels.coarse_inside(4, rules, words)
    np.testing.assert_allclose(found.by_start, expected.by_start, rtol=1e-6)
    np.testing.assert_array_equal(has_found, has_items)


def test_copies_call_copies_and_kernels_call_kernels():
    copy = interpreted(inside_pass)
    called = {name: copy.__globals__[name] for name in ("contract_inside", "unary_inside")}
    assert not any(hasattr(function, "py_func") for function in called.values())
    assert hasattr(inside_pass.py_func.__globals__["contract_inside"], "py_func")
