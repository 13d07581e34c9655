"""Compiled sums and products of vectors and matrices that are parts of longer arrays.

A matrix is stored row by row from a place in an array on, a vector from a place in another.  What takes time is in
`lpcfg_cli.arrays.lanes`.  The order of sums depends on the shape alone.

Loop indexes: row, column: of a matrix; g: vectors; k: entries of an array.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import BORROWING, njit
from lpcfg_cli.arrays.lanes import add_dots, add_sums

CACHED = 4096
"""Number of entries of a matrix that stay in the fastest cache while they are multiplied by many vectors."""

FEWEST = 8
"""Number of rows that stay there anyway: as many as may begin a multiple of 4096 bytes apart."""


@njit(**BORROWING)
def rows_in_cache(columns: int) -> int:
    """Number of rows to be multiplied by many vectors before the next ones are: a multiple of `FEWEST`."""
    return max(FEWEST, CACHED // columns // FEWEST * FEWEST)


@njit(**BORROWING)
def set_zero(array: np.ndarray, first: int, last: int) -> None:
    """array[first:last] = 0, written as a loop, because that compiles much faster."""
    for k in range(first, last):
        array[k] = 0.0


@njit(**BORROWING)
def copy_part(source: np.ndarray, first: int, last: int, target: np.ndarray, start: int) -> None:
    """target[start : start + last − first] = source[first:last]."""
    for k in range(last - first):
        target[start + k] = source[first + k]


@njit(**BORROWING)
def add_product(
    matrix: np.ndarray,
    start: int,
    shape: tuple[int, int],
    vector: np.ndarray,
    first: int,
    out: np.ndarray,
    out_start: int,
) -> None:
    """out += A x; O(rows · columns).

    Parameters
    ----------
    matrix : ndarray
    start : int
        Where A begins in `matrix`.
    shape : (int, int)
        Rows and columns of A.
    vector : ndarray
    first : int
        Where x, (columns,), begins in `vector`.
    out : ndarray
    out_start : int
        Where the result, (rows,), is added in `out`.
    """
    add_dots(out, out_start, matrix, start, shape, vector, first, (0, shape[0]))


@njit(**BORROWING)
def add_transposed_product(
    matrix: np.ndarray,
    start: int,
    shape: tuple[int, int],
    vector: np.ndarray,
    first: int,
    out: np.ndarray,
    out_start: int,
) -> None:
    """out += Aᵀ x, with x of shape (rows,) and the result of shape (columns,); else as `add_product`."""
    add_sums(out, out_start, matrix, start, shape, vector, first, (0, shape[0]), False)


@njit(**BORROWING)
def add_products(
    matrix: np.ndarray,
    start: int,
    shape: tuple[int, int],
    vectors: np.ndarray,
    at: np.ndarray,
    out: np.ndarray,
    out_at: np.ndarray,
) -> None:
    """``out += A x`` for several vectors, as `add_product`: each has in `at` and `out_at`, int64, its two places."""
    rows, columns = shape
    step = rows_in_cache(columns)
    for first in range(0, rows, step):
        add_dots(out, out_at, matrix, start, shape, vectors, at, (first, min(rows, first + step)))


@njit(**BORROWING)
def add_transposed_products(
    matrix: np.ndarray,
    start: int,
    shape: tuple[int, int],
    vectors: np.ndarray,
    at: np.ndarray,
    out: np.ndarray,
    out_at: np.ndarray,
    is_new: bool,
) -> None:
    """``out += Aᵀ x`` for several vectors; if `is_new`, what is there already does not count; else as `add_products`.

    This needs fewer instructions than `add_products`, unless A has few columns.
    """
    rows, columns = shape
    step = rows_in_cache(columns)
    for first in range(0, rows, step):
        part = first, min(rows, first + step)
        add_sums(out, out_at, matrix, start, shape, vectors, at, part, is_new and first == 0)
