"""Numbers for combinations of integers: the vectorised counterpart of a dictionary of tuples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lpcfg_cli.arrays.numbering_kernels import number_keys


def number_rows(columns: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Give equal rows equal numbers, 0, 1, … in order of first appearance.

    Parameters
    ----------
    columns : sequence of ndarray of int, shape (n,) each
        Any integers whose range, column by column, fits 31 bits.

    Returns
    -------
    number : ndarray of int32, shape (n,)
    first : ndarray of int64, shape (n_different,)
        Where each number appears first.
    """
    number, first = number_keys(np.asarray(columns[0], np.int64))
    for column in columns[1:]:
        values = np.asarray(column, np.int64)
        low = int(values.min(initial=0))
        width = int(values.max(initial=0)) - low + 1
        number, first = number_keys(number.astype(np.int64) * width + (values - low))
    return number, first
