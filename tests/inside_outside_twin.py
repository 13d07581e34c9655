"""A readable numpy inside-outside over all items of a sentence; the kernels must give the same results.

O(n³ · rules · m³), without pruning, scaling and reordering of sums; for tests and for reading.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.parsing.layout import Words

Item = tuple[int, int, int]
"""(start, stop, symbol)."""


@dataclass(frozen=True)
class ReferenceMarginals:
    """All marginals of a sentence.

    Attributes
    ----------
    total : float
        Z.
    binary : dict of (rule, i, k, j) to float
        µ(a → b c, i, k, j) (C13 footnote 3).
    unary : dict of (rule, i, j) to float
        µ(a → b, i, j).
    lexical : dict of (symbol, i) to float
        µ(a, i, i + 1) of the bottom items over single words.
    identity : dict of Item to float
        µ of top items that are their symbol's bottom item.
    top : dict of Item to float
        µ(a, i, j) of top items (C14 Fig. 5).
    """

    total: float
    binary: dict[tuple[int, int, int, int], float]
    unary: dict[tuple[int, int, int], float]
    lexical: dict[tuple[int, int], float]
    identity: dict[Item, float]
    top: dict[Item, float]


def inside_outside(grammar: Grammar, words: Words) -> ReferenceMarginals:
    """Tensor inside-outside with a unary rule a span (C14 Fig. 5, DESIGN §3).

    Parameters
    ----------
    grammar : Grammar
    words : Words
        Lexical candidates of a sentence of at least one word.
    """
    tensors = [grammar.binary.tensor(rule, grammar.n_states) for rule in range(len(grammar.binary))]
    matrices = [grammar.unary.matrix(rule, grammar.n_states) for rule in range(len(grammar.unary))]
    bottom, top = inside(grammar, words, tensors, matrices)
    return outside(grammar, words, tensors, matrices, bottom, top)


def inside(
    grammar: Grammar, words: Words, tensors: list[np.ndarray], matrices: list[np.ndarray]
) -> tuple[dict[Item, np.ndarray], dict[Item, np.ndarray]]:
    """α of bottom and of top items: α_top[a] = α_bottom[a] + Σ E^{a→b} α_bottom[b]."""
    n = len(words.start) - 1
    bottom: dict[Item, np.ndarray] = {}
    top: dict[Item, np.ndarray] = {}
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            j = i + width
            if width == 1:
                for x in range(words.start[i], words.start[i + 1]):
                    vector = words.vector[words.vector_start[x] : words.vector_start[x + 1]]
                    _add(bottom, (i, j, int(words.symbol[x])), vector)
            for rule, tensor in enumerate(tensors):
                a, b, c = (
                    int(part[rule]) for part in (grammar.binary.parent, grammar.binary.left, grammar.binary.right)
                )
                for k in range(i + 1, j):
                    if (i, k, b) in top and (k, j, c) in top:
                        _add(bottom, (i, j, a), np.einsum("abc,b,c->a", tensor, top[i, k, b], top[k, j, c]))
            for symbol in range(grammar.n_symbols):
                if (i, j, symbol) in bottom:
                    _add(top, (i, j, symbol), bottom[i, j, symbol])
            for rule, matrix in enumerate(matrices):
                below = (i, j, int(grammar.unary.child[rule]))
                if below in bottom:
                    _add(top, (i, j, int(grammar.unary.parent[rule])), matrix @ bottom[below])
    return bottom, top


def outside(
    grammar: Grammar,
    words: Words,
    tensors: list[np.ndarray],
    matrices: list[np.ndarray],
    bottom: dict[Item, np.ndarray],
    top: dict[Item, np.ndarray],
) -> ReferenceMarginals:
    """β of all items, β_bottom[b] = β_top[b] + Σ (E^{a→b})ᵀ β_top[a], and the marginals."""
    n = len(words.start) - 1
    out_top: dict[Item, np.ndarray] = {item: np.zeros_like(vector) for item, vector in top.items()}
    out_bottom: dict[Item, np.ndarray] = {item: np.zeros_like(vector) for item, vector in bottom.items()}
    binary: dict[tuple[int, int, int, int], float] = defaultdict(float)
    unary: dict[tuple[int, int, int], float] = {}
    total = 0.0
    for symbol in range(grammar.n_symbols):
        if (0, n, symbol) in top:
            root = grammar.root_vector[grammar.state_start[symbol] : grammar.state_start[symbol + 1]]
            out_top[0, n, symbol] += root
            total += float(root @ top[0, n, symbol])
    for i, j in sorted({(i, j) for i, j, _ in top}, key=lambda span: span[0] - span[1]):
        for symbol in range(grammar.n_symbols):
            if (i, j, symbol) in bottom:
                out_bottom[i, j, symbol] += out_top[i, j, symbol]
        for rule, matrix in enumerate(matrices):
            above, below = (i, j, int(grammar.unary.parent[rule])), (i, j, int(grammar.unary.child[rule]))
            if above in top and below in bottom:
                out_bottom[below] += matrix.T @ out_top[above]
                unary[rule, i, j] = float(out_top[above] @ matrix @ bottom[below])
        for rule, tensor in enumerate(tensors):
            a, b, c = (int(part[rule]) for part in (grammar.binary.parent, grammar.binary.left, grammar.binary.right))
            for k in range(i + 1, j):
                if (i, k, b) in top and (k, j, c) in top:
                    beta, left, right = out_bottom[i, j, a], top[i, k, b], top[k, j, c]
                    out_top[i, k, b] += np.einsum("abc,a,c->b", tensor, beta, right)
                    out_top[k, j, c] += np.einsum("abc,a,b->c", tensor, beta, left)
                    binary[rule, i, k, j] = float(np.einsum("abc,a,b,c->", tensor, beta, left, right))
    lexical = {(a, i): float(bottom[i, j, a] @ out_bottom[i, j, a]) for i, j, a in bottom if j == i + 1}
    identity = {item: float(bottom[item] @ out_top[item]) for item in bottom}
    marginal = {item: float(top[item] @ out_top[item]) for item in top}
    return ReferenceMarginals(total, dict(binary), unary, lexical, identity, marginal)


def _add(table: dict[Item, np.ndarray], item: Item, vector: np.ndarray) -> None:
    table[item] = table[item] + vector if item in table else vector.copy()
