"""What the compiled passes of tensor inside-outside over a pruned forest share (C14 Fig. 5, with unary rules).

The passes are in `lpcfg_cli.parsing.inside_kernels` and `lpcfg_cli.parsing.outside_kernels`.

For each span and rule the outer products over all split points are summed first, and the tensor is applied once.  All
spans of one width that use a rule are processed together, those of all sentences of a batch, so that its parameters
stay in the cache: reading them takes longer than using them once.  Each pass has them in its own order, so that it
reads them from first to last and sums whole rows (`lpcfg_cli.arrays.lanes.add_sums`).

Groups of a rule are everywhere in a batch, so that each first asks for the vectors of the next one's first edge
(`lpcfg_cli.arrays.entrywise.prefetch`); of further edges the processor knows soon enough by itself.

A factored rule multiplies the vector of a child by V or W once for all its edges with that child
(`lpcfg_cli.parsing.layout.Parts`).  This departs from C14 Fig. 5, which does it for each edge.

Loop indexes: width: number of words of a span; sentence: of the batch; level: the spans of one width of a sentence,
numbered through the batch; cell: spans of a level; group: binary rules over one span; place: in an order of groups;
edge: split points of a group; part: children of factored rules; application: unary rule applications; item: bottom or
top items (`above`, `below`: the items of a unary application); a: states of the parent, some at a time; b, c: states
of the left and the right child; h: states of any item; r: components of a factored tensor; x: candidates of a word;
k: entries of an array.  Named tuples of arrays are described in `lpcfg_cli.parsing.layout`.

Vectors are float32 or float64, as the rules are; edge weights and marginals are float64.  Each group is computed by
itself, in the same order of sums whatever other groups there are.  An edge costs O(m_b m_c) with a dense tensor and
O(R) with a factored one of rank R; a group O(m_a m_b m_c) or O(R m_a) in addition, and a part O(R m).
"""

import numpy as np

from lpcfg_cli.arrays.kernel_options import BORROWING, njit
from lpcfg_cli.parsing.layout import Parts
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
def multiply_parts(
    parts: Parts,
    width: int,
    top_start: np.ndarray,
    values: np.ndarray,
    source: np.ndarray,
    target: np.ndarray,
    makes_parts: bool,
    places: tuple[np.ndarray, np.ndarray],
) -> None:
    """Make the parts of the children of one width, or add what comes back through them to β of these children.

    Parameters
    ----------
    parts : Parts
    width : int
    top_start : ndarray of int64, shape (n_top + 1,)
    values : ndarray
        `inside_values` or `outside_values` of the rules.
    source, target : ndarray
        α of the top items and the parts, or what is laid out like the parts and β of the top items.
    makes_parts : bool
        Whether parts are made.
    places : (ndarray, ndarray)
        Buffers, int64, (`BATCH`,).
    """
    of_children, of_parts = places
    part, last = parts.level_part[width - 1], parts.level_part[width]
    while part < last:
        matrix, item, n = parts.matrix[part], parts.item[part], 0
        m, rank = top_start[item + 1] - top_start[item], parts.start[part + 1] - parts.start[part]
        while n < BATCH and part < last and parts.matrix[part] == matrix:
            of_children[n], of_parts[n] = top_start[parts.item[part]], parts.start[part]
            n, part = n + 1, part + 1
        children, rows = of_children[:n], of_parts[:n]
        if makes_parts:
            add_transposed_products(values, matrix, (m, rank), source, children, target, rows, True)
        else:
            add_transposed_products(values, matrix, (rank, m), source, rows, target, children, False)
