"""What the compiled passes of tensor inside-outside over a pruned forest share (C14 Fig. 5, with unary rules).

The passes are in `lpcfg_cli.parsing.inside_kernels` and `lpcfg_cli.parsing.outside_kernels`.

For each span and rule the outer products over all split points are summed first, and the tensor is applied once.  All
spans of one width that use a rule are processed together, those of all sentences of a batch, so that its parameters
stay in the cache: reading them takes longer than using them once.  Each pass has them in its own order, so that it
reads them from first to last and sums whole rows (`lpcfg_cli.arrays.lanes.add_sums`).

Loop indexes: width: number of words of a span; sentence: of the batch; level: the spans of one width of a sentence,
numbered through the batch; cell: spans of a level; group: binary rules over one span; place: in an order of groups;
edge: split points of a group; application: unary rule applications; item: bottom or top items (`above`, `below`: the
items of a unary application); a: states of the parent, some at a time; b, c: states of the left and the right child;
h: states of any item; r: components of a factored tensor; x: candidates of a word; k: entries of an array.  Named
tuples of arrays are described in `lpcfg_cli.parsing.layout`.

Vectors are float32 or float64, as the rules are; edge weights and marginals are float64.  Each group is computed by
itself, in the same order of sums whatever other groups there are.  An edge costs O(m_b m_c) with
a dense tensor and O(R (m_b + m_c)) with a factored one of rank R; a group O(m_a m_b m_c) or O(R m_a) in addition.
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import BORROWING, njit
from lpcfg_cli.parsing.product_kernels import add_transposed_products

PANEL = 128
"""Number of columns, if so many are possible, of the parts of a dense tensor that the outside pass reads together."""

BATCH = 32
"""Number of spans whose sums of outer products are held at a time while a dense tensor is applied."""


@njit(**BORROWING)
def largest(values: np.ndarray) -> int:
    """The largest of some non-negative integers; 0 for an empty array."""
    found = 0
    for value in values:
        found = max(found, value)
    return found


def panel_columns(m_b: int, m_c: int) -> int:
    """Number of columns of a panel of a dense tensor in ``TensorRules.outside_values``: a multiple of m_c."""
    return m_c * max(1, min(m_b, PANEL // m_c))


columns_of_panel = njit(**BORROWING)(panel_columns)
"""The same for kernels."""


@njit(**BORROWING)
def run_stop(group_rule: np.ndarray, order: np.ndarray, first: int, last: int) -> int:
    """End of the run of groups with one rule that starts at place `first` of an order of groups; at most `last`."""
    stop = first + 1
    while stop < last and group_rule[order[stop]] == group_rule[order[first]]:
        stop += 1
    return stop


@njit(**BORROWING)
def project_edges(
    groups: np.ndarray,
    group_edge: np.ndarray,
    child: np.ndarray,
    begin: tuple[np.ndarray, np.ndarray],
    places: tuple[np.ndarray, np.ndarray],
    values: np.ndarray,
    first: int,
    shape: tuple[int, int],
    source: np.ndarray,
    source_at: np.ndarray,
    target: np.ndarray,
    target_at: np.ndarray,
    is_new: bool,
) -> None:
    """Multiply the vectors of one child of the edges of some groups, or what is there for it, by a matrix.

    Parameters
    ----------
    groups, group_edge
        Numbers of groups, int64, that share a rule, and as in a `Forest`.
    child : ndarray of int32, shape (n_edges,)
        Left or right top item of each edge.
    begin : (ndarray, ndarray)
        `top_start` and `part_start` of the vectors.
    places : (ndarray, ndarray)
        Two buffers, int64, (`BATCH`,): where vectors of children begin, and where parts of edges do.
    values : ndarray
    first : int
        Where the matrix begins in `values`.
    shape : (int, int)
        Of the matrix: entries of a source, and of a target.
    source, target : ndarray
        What is multiplied, and what is set, or added to, by the result.
    source_at, target_at : ndarray
        The buffers of `places`: one is where each source begins, the other is where each target does.
    is_new : bool
        Whether targets are set.
    """
    of_children, of_parts = places
    top_start, part_start = begin
    n = 0
    for group in groups:
        for edge in range(group_edge[group], group_edge[group + 1]):
            of_children[n], of_parts[n] = top_start[child[edge]], part_start[edge]
            n += 1
            if n == BATCH:
                add_transposed_products(values, first, shape, source, source_at, target, target_at, is_new)
                n = 0
    add_transposed_products(values, first, shape, source, source_at[:n], target, target_at[:n], is_new)
