"""Numbers of few significant bits in half of the memory: the upper halves of float32.

Reading large parameters takes longer than computing with them; with 8 significant bits the lower halves are zero.
"""

from __future__ import annotations

import sys

import numpy as np

LINE = 64
"""Bytes of a line of the processor's cache."""

BLOCK = 16
"""Number of entries of a row whose halves are stored together: those of a vector of float32."""

UPPER = np.uint32(0xFFFF0000)
"""The bits of the upper half of a number."""

LOWER_FIRST = 1 if sys.byteorder == "little" else -1
"""Step from the lower to the upper half of a word in memory."""


def aligned_zeros(size: int, dtype: type | np.dtype) -> np.ndarray:
    """Zeros, (size,), that begin a line of the cache, and after which a line may be read."""
    per_line = LINE // np.dtype(dtype).itemsize
    zeros = np.zeros(size + 2 * per_line, dtype)
    first = -(zeros.ctypes.data // zeros.itemsize) % per_line
    return zeros[first : first + size]


def have_upper_halves(numbers: np.ndarray) -> bool:
    """Whether numbers are float32 whose lower halves are zero: those of at most 8 significant bits."""
    return numbers.dtype == np.float32 and not np.bitwise_or.reduce(numbers.view(np.uint32)) & ~UPPER


def upper_halves(numbers: np.ndarray) -> np.ndarray:
    """The upper halves of float32, as uint16 of the same shape."""
    return (numbers.view(np.uint32) >> 16).astype(np.uint16)


def stored_rows(rows: np.ndarray) -> np.ndarray:
    """A copy of matrices, (…, n, columns), row by row; upper halves are in the order of vector code.

    The two halves of each `BLOCK` of a row share words of 32 bits: word k has entry k in its lower half and entry
    k + 8 in its upper half, so that a shift gives eight numbers and a mask eight more.  Entries that do not fill a
    block are in order.
    """
    stored, n_blocks = np.array(rows, order="C"), rows.shape[-1] // BLOCK
    if rows.dtype == np.uint16 and n_blocks > 0:
        in_blocks(stored)[:] = rows[..., : n_blocks * BLOCK].reshape(*rows.shape[:-1], n_blocks, 2, BLOCK // 2)
    return stored


def in_blocks(stored: np.ndarray) -> np.ndarray:
    """A view of the blocks of stored halves, (…, n, columns), in which block, half of it and entry number them."""
    n_blocks = stored.shape[-1] // BLOCK
    parts = stored[..., : n_blocks * BLOCK].reshape(*stored.shape[:-1], n_blocks, BLOCK // 2, 2)
    return parts[..., ::LOWER_FIRST].swapaxes(-1, -2)


def whole_numbers(stored: np.ndarray) -> np.ndarray:
    """The matrix of float32, (n, columns), whose upper halves are stored, and whose lower ones are zero."""
    halves, blocks = stored.copy(), in_blocks(stored)
    halves[:, : blocks.shape[1] * BLOCK] = blocks.reshape(len(stored), blocks.shape[1] * BLOCK)
    return (halves.astype(np.uint32) << 16).view(np.float32)
