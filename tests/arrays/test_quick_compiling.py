"""Quick compilation: what it changes, for how long, and that results stay the same."""

from __future__ import annotations

import copy
import gc
from types import SimpleNamespace

import numba
import numpy as np
import pytest
from numba.core import codegen, ir
from numba.core.types.functions import BaseFunction
from numba.extending import overload
from quick_kernels import quickly_compiled

from lpcfg_cli.arrays import kernel_options, quick_compiling
from lpcfg_cli.arrays.quick_compiling import LEVEL
from lpcfg_cli.arrays.standing_in import standing_in


def state():
    return (
        int(numba.config.OPT),
        gc.isenabled(),
        BaseFunction.get_call_type,
        vars(ir.Loc).get("__deepcopy__"),
        codegen.create_pass_builder,
        codegen.CPUCodeLibrary._optimize_functions,
    )


def test_changes_of_numba_end_with_the_context():
    before = state()
    assert before[0] > LEVEL
    assert gc.isenabled()
    with quick_compiling.quick_compiling():
        level, collects, *changed = state()
        assert level == LEVEL
        assert not collects
        assert not any(new is old for new, old in zip(changed, before[2:], strict=True))
        with quick_compiling.quick_compiling():
            pass
        assert not gc.isenabled()
    assert state() == before


def test_garbage_is_not_collected_afterwards_if_it_was_not_before():
    gc.disable()
    try:
        with quick_compiling.quick_compiling():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_changes_of_numba_end_with_an_error():
    before = state()
    with pytest.raises(ZeroDivisionError), quick_compiling.quick_compiling():
        raise ZeroDivisionError
    assert state() == before


def test_a_lower_level_of_optimization_stays():
    none = type(numba.config.OPT)(0)
    with standing_in(numba.config, "OPT", none), quick_compiling.quick_compiling():
        assert int(numba.config.OPT) == 0


def test_neither_places_in_the_source_nor_what_is_known_of_variables_are_copied():
    place = ir.Loc("file.py", 3)
    for value in (place, ir.Scope(None, place)):
        with quick_compiling.quick_compiling():
            assert copy.deepcopy([value])[0] is value
        assert copy.deepcopy([value])[0] is not value


def sums(a):
    total = 0.0
    for k in range(len(a)):
        total += a[k] + a[k] * a[k] + a[k] * 2.0 + a[k] * 3.0
    return total


def test_the_type_of_a_call_is_found_once(monkeypatch):
    asked = []

    def find(self, context, args, kws):
        asked.append((self.typing_key, args))
        return original(self, context, args, kws)

    original = BaseFunction.get_call_type
    monkeypatch.setattr(quick_compiling, "_find", find)
    monkeypatch.setattr(quick_compiling, "_found", {})
    values = np.random.default_rng(0).random(50)
    assert quickly_compiled(sums)(values) == pytest.approx(sums(values), rel=1e-12)
    assert len(asked) == len(set(asked)) > 3
    seen = len(asked)
    assert quickly_compiled(sums)(values) == pytest.approx(sums(values), rel=1e-12)
    assert len(asked) == seen  # types of one kernel are known in the next


def test_loops_are_unrolled_but_for_those_of_one_package(monkeypatch):
    values, products = np.random.default_rng(0).random(50), []
    monkeypatch.setattr(sums, "__module__", "a.b.c")
    for package in ("a", "a.b"):
        monkeypatch.setattr(kernel_options, "NOT_UNROLLED", package)
        kernel = quickly_compiled(sums)
        assert kernel(values) == pytest.approx(sums(values), rel=1e-12)
        products.append(sum(code.count("fmul double") for code in kernel.inspect_llvm().values()))
    assert products[0] > products[1] == 3


def test_a_kernel_that_is_compiled_while_another_is_unrolls_all_the_same():
    own = codegen.create_pass_builder
    with quick_compiling.quick_compiling(unrolls=False):
        outer = codegen.create_pass_builder
        with quick_compiling.quick_compiling(unrolls=True):
            assert codegen.create_pass_builder is own
        assert codegen.create_pass_builder is outer is not own


def test_numba_with_other_passes_keeps_them(monkeypatch):
    """Before 0.62."""
    monkeypatch.delattr(codegen, "create_pass_builder")
    before = codegen.CPUCodeLibrary._optimize_functions
    with quick_compiling.quick_compiling():
        assert not hasattr(codegen, "create_pass_builder")
        assert codegen.CPUCodeLibrary._optimize_functions is before


def third_of_three(arrays):
    return arrays[2][0]


def test_of_a_named_tuple_only_what_is_used_is_read(monkeypatch):
    seen = []

    def optimize(self, module):
        original(self, module)
        seen.extend(str(function) for function in module.functions if not function.is_declaration)

    original = quick_compiling._optimize_functions
    monkeypatch.setattr(quick_compiling, "_optimize_functions", optimize)
    kernel = quickly_compiled(third_of_three, _nrt=False)
    assert kernel((np.zeros(1), np.zeros(1), np.array([7.0]))) == 7.0
    body = next(code for code in seen if "third_of_three" in code and "cpython" not in code)
    assert "alloca" not in body
    assert body.count(" load ") == 1


def ratio(a, b):
    raise NotImplementedError


@overload(ratio)
def _ratio(a, b):
    return lambda a, b: a / b


@pytest.mark.parametrize("models", [("python", "numpy"), ("numpy", "python")])
def test_functions_keep_the_options_of_the_kernel_that_calls_them(models):
    for model in models:
        kernel = quickly_compiled(lambda a, b: ratio(a, b) + 1.0, error_model=model)
        assert kernel(3.0, 2.0) == 2.5
        if model == "numpy":
            assert kernel(1.0, 0.0) == np.inf
        else:
            with pytest.raises(ZeroDivisionError):
                kernel(1.0, 0.0)


def test_kernels_are_compiled_quickly(monkeypatch):
    levels, waited = [], []
    monkeypatch.setattr(kernel_options.HELPER, "wait_for", waited.append)

    class Recorded:
        py_func = staticmethod(sums)

        def compile(self, signature):
            levels.append(int(numba.config.OPT))
            return signature

    assert kernel_options._compiled_quickly(Recorded()).compile("signature") == "signature"
    assert levels == [LEVEL]
    assert waited == [__name__]
    kernel = kernel_options.njit(**kernel_options.ENTRY)(sums)
    assert kernel.compile.__name__ == "quickly"


def test_a_later_numba_than_was_tried_compiles_in_its_own_way(monkeypatch):
    levels = []

    class Recorded:
        py_func = staticmethod(sums)

        def compile(self, signature):
            levels.append(int(numba.config.OPT))

    later = SimpleNamespace(short=(kernel_options.TRIED[0], kernel_options.TRIED[1] + 1))
    for version in (numba.version_info, later):
        monkeypatch.setattr(numba, "version_info", version)
        kernel_options._compiled_quickly(Recorded()).compile("signature")
    assert levels == [LEVEL, int(numba.config.OPT)]
    assert numba.config.OPT > LEVEL


def test_what_is_not_compiled_stays_as_it_is():
    assert kernel_options._compiled_quickly(sums) is sums
