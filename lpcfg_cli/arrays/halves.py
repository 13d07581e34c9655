"""Numbers of few significant bits in half of the memory: the upper halves of float32.

Reading large parameters takes longer than computing with them; with 8 significant bits the lower halves are zero.
"""

from __future__ import annotations

import numpy as np

LINE = 64
"""Bytes of a line of the processor's cache."""


def aligned_zeros(size: int, dtype: type | np.dtype) -> np.ndarray:
    """Zeros, (size,), that begin a line of the cache, and after which a line may be read."""
    per_line = LINE // np.dtype(dtype).itemsize
    zeros = np.zeros(size + 2 * per_line, dtype)
    first = -(zeros.ctypes.data // zeros.itemsize) % per_line
    return zeros[first : first + size]


def have_upper_halves(numbers: np.ndarray) -> bool:
    """Whether numbers are float32 whose lower halves are zero: those of at most 8 significant bits."""
    return numbers.dtype == np.float32 and not np.bitwise_or.reduce(numbers.view(np.uint32)) & 0xFFFF


def upper_halves(numbers: np.ndarray) -> np.ndarray:
    """The upper halves of float32, (n,), as uint16, (n,), which begin a line of the cache; O(n)."""
    halves = aligned_zeros(len(numbers), np.uint16)
    halves[:] = numbers.view(np.uint32) >> 16
    return halves


def whole_numbers(halves: np.ndarray) -> np.ndarray:
    """The float32 whose upper halves these are and whose lower halves are zero; of the same shape."""
    return (halves.astype(np.uint32) << 16).view(np.float32)
