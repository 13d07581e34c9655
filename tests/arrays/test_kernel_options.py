"""Options of kernels: what a function has does not depend on the kernel that calls it first."""

from __future__ import annotations

import numpy as np
import pytest

from lpcfg_cli.arrays.kernel_options import BORROWING, ENTRY, FILLING, INNER, REORDERED_SUMS, njit


@njit(**BORROWING)
def rest(number, large):
    return (number + large) - large


@njit(**BORROWING, **REORDERED_SUMS)
def reordered_rest(number, large):
    return (number + large) - large


@njit(**FILLING, **REORDERED_SUMS)
def rests(number, large, out):
    out[0], out[1] = rest(number, large), reordered_rest(number, large)


@njit(**INNER)
def share(part, whole):
    return part / whole


@njit(**ENTRY, error_model="numpy")
def shares(part, whole):
    return part / whole, share(part, whole)


def test_only_a_function_that_says_so_reorders_its_sums():
    """Although the kernel that compiles both does."""
    out = np.empty(2)
    rests(1.0, 1e300, out)
    assert out.tolist() == [0.0, 1.0]


def test_only_a_function_that_says_so_divides_by_zero():
    assert shares(1.0, 2.0) == (0.5, 0.5)
    with pytest.raises(ZeroDivisionError):
        shares(1.0, 0.0)
