"""Compiled sums and products of vectors and matrices that are parts of longer arrays.

A matrix is stored row by row from a place in an array on, a vector from a place in another.  Four rows are read
together, so that a vector is read once for four rows and the processor has independent sums to work on: this reaches
half of its peak, where a row at a time reaches a tenth.  The order of sums depends on the shape alone.

Loop indexes: row, column: of a matrix; k: entries of an array.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import BORROWING, REORDERED_SUMS, njit

ROWS = 4
"""Number of rows that are read together."""

CACHED = 4096
"""Number of entries of a matrix that stay in the fastest cache while they are multiplied by many vectors."""


@njit(**BORROWING)
def rows_in_cache(columns: int) -> int:
    """Number of rows to be multiplied by many vectors before the next ones are: a multiple of `ROWS`."""
    return max(ROWS, CACHED // columns // ROWS * ROWS)


@njit(**BORROWING, **REORDERED_SUMS)
def dot(one: np.ndarray, two: np.ndarray) -> float:
    """Scalar product of two vectors of equal length and type."""
    total = one.dtype.type(0)
    for k in range(one.shape[0]):
        total += one[k] * two[k]
    return total


@njit(**BORROWING, **REORDERED_SUMS)
def add_scaled(factor: float, vector: np.ndarray, out: np.ndarray) -> None:
    """out += factor · vector, in the type of `vector`."""
    same = vector.dtype.type(factor)
    for k in range(vector.shape[0]):
        out[k] += same * vector[k]


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


@njit(**BORROWING, **REORDERED_SUMS)
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
    rows, columns = shape
    x = vector[first : first + columns]
    zero = matrix.dtype.type(0)
    row = 0
    while row + ROWS <= rows:
        at = start + row * columns
        row_0, row_1 = matrix[at : at + columns], matrix[at + columns : at + 2 * columns]
        row_2, row_3 = matrix[at + 2 * columns : at + 3 * columns], matrix[at + 3 * columns : at + 4 * columns]
        sum_0, sum_1, sum_2, sum_3 = zero, zero, zero, zero
        for column in range(x.shape[0]):
            sum_0 += row_0[column] * x[column]
            sum_1 += row_1[column] * x[column]
            sum_2 += row_2[column] * x[column]
            sum_3 += row_3[column] * x[column]
        out[out_start + row] += sum_0
        out[out_start + row + 1] += sum_1
        out[out_start + row + 2] += sum_2
        out[out_start + row + 3] += sum_3
        row += ROWS
    while row < rows:
        out[out_start + row] += dot(matrix[start + row * columns : start + (row + 1) * columns], x)
        row += 1


@njit(**BORROWING, **REORDERED_SUMS)
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
    rows, columns = shape
    result = out[out_start : out_start + columns]
    row = 0
    while row + ROWS <= rows:
        at, x = start + row * columns, first + row
        row_0, row_1 = matrix[at : at + columns], matrix[at + columns : at + 2 * columns]
        row_2, row_3 = matrix[at + 2 * columns : at + 3 * columns], matrix[at + 3 * columns : at + 4 * columns]
        x_0, x_1, x_2, x_3 = vector[x], vector[x + 1], vector[x + 2], vector[x + 3]
        for column in range(result.shape[0]):
            pair = x_0 * row_0[column] + x_1 * row_1[column]
            result[column] += pair + (x_2 * row_2[column] + x_3 * row_3[column])
        row += ROWS
    while row < rows:
        add_scaled(vector[first + row], matrix[start + row * columns : start + (row + 1) * columns], result)
        row += 1
