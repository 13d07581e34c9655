"""Exact prefix probabilities of an L-PCFG: of all sentences that begin with the given words.

Jelinek and Lafferty (1991) and Stolcke (1995) in tensor form.  Let T^{a → b c}, U^{a → b} and q^{a → x} be the
parameters of the rules, α(i, k) the inside vectors of the words i to k, and r the root vector.  A span has a bottom
item (binary or lexical rule) and a top item (at most one unary rule on it), so α_top = (I + U) α_bottom; children are
top items.

Mass.  ρ = Σ over all strings of α_top is the smallest solution of

    ρ = (I + U)(Σ_x q^x + T(ρ, ρ))

and comes from `lpcfg_cli.grammar.sampling.tree_masses`.  M = r · ρ is the probability of all sentences together.  It is
below 1 for most treebank grammars: the symbol below a unary rule takes none itself, so that the probability of its own
unary rules is lost, and some derivations never end.  Prefix probabilities are divided by M, which makes them those of a
grammar that surely gives a sentence.  For spectral parameters, which have no states, ρ_a is the vector with which a
functional of a gives the sum over all strings below a, so that all that follows holds in any basis.

Left corners.  Let P(i, j) be the sum of the α_top of all strings that begin with the words i to j; any string may
follow.  The binary rule of a bottom item either has its split before j, or its left child goes on to j and further, and
its right child is any string.  With L_{ab} = Σ_c T^{a → b c}(·, ·, ρ_c),

    P_bottom(i, j) = D(i, j) + L P_top(i, j),   P_top = (I + U) P_bottom,
    D(i, j)_a = Σ_{b, c} Σ_{i < k < j} T^{a → b c}(α_top(i, k)_b, P_top(k, j)_c),   D(j − 1, j) = q^{w_j},

    so that P_top = R D,   R = (I + U)(I − L (I + U))⁻¹.

The inverse sums the chains of left corners of any length, with at most one unary rule a level; it is computed once for
a grammar, by solving a linear system over all states of all symbols.

Left to right.  Only r · P_top(0, j) is wanted.  P_top(0, j) unfolds to the right along one chain of split points, so
vectors can be carried along it from the left: F(j) says what is expected at j, H(j) = F(j) R what may begin there,

    F(0) = r,   F(j)_c = Σ_{i < j} Σ_{a, b} T^{a → b c}(H(i)_a, α_top(i, j)_b, ·),
    p(w_1 … w_{j+1} …) = H(j) · q^{w_{j+1}} / M.

That costs O(rules · m³) and O((Σ m)²) a word and O(rules · m²) a span, besides the inside pass.  The surprisal of a
word is −log₂ of the ratio of two consecutive prefix probabilities, that of the end of the sentence −log₂ of
p(sentence) = r · α_top(0, n) / M over the last of them.  All of them sum to −log₂ p(sentence).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from lpcfg_cli.errors import InputError
from lpcfg_cli.execution.environment import single_threaded
from lpcfg_cli.grammar.model import DENSE, Grammar
from lpcfg_cli.grammar.sampling import plain_grammar, rule_options, tree_masses
from lpcfg_cli.parsing import coarse_kernels
from lpcfg_cli.parsing.forest import build_forest
from lpcfg_cli.parsing.layout import CoarseInside, Words
from lpcfg_cli.parsing.marginals import inside_vectors, join_forests
from lpcfg_cli.parsing.parser import coarse_rules, plain_words, tensor_rules
from lpcfg_cli.parsing.prefix_items import items_of_chart, items_of_forest, kept_chart, whole_sentence
from lpcfg_cli.parsing.prefix_kernels import prefix_pass
from lpcfg_cli.parsing.prefix_layout import PrefixChart, PrefixRules

MOST_STATES = 12_000
"""Largest number of states of all symbols: matrices over them then take 1.2 GB, and four are held at a time."""

Scaled = tuple[float, int]
"""A number and the exponent of the power of two by which it is to be multiplied."""


@dataclass(frozen=True)
class Prefixes:
    """The prefix probabilities of a sentence of n words.

    Attributes
    ----------
    sign : ndarray of float64, shape (n + 2,)
        1, 0 or -1: the sign of each of the following; never -1 if the parameters are probabilities.
    log2 : ndarray of float64, shape (n + 2,)
        log₂ |p| of the first 0, 1, …, n words, and of the whole sentence; -inf for 0.
    chart : PrefixChart
    ended : list of (float, int)
        Undivided probability of the first 0, 1, …, n words as a sentence, with its exponent; empty if it was not asked
        for.
    """

    sign: np.ndarray
    log2: np.ndarray
    chart: PrefixChart
    ended: Sequence[Scaled] = ()


class PrefixGrammar:
    """A grammar with all that its prefix probabilities need.

    Parameters
    ----------
    grammar : Grammar

    Attributes
    ----------
    grammar : Grammar
    coarse : CoarseRules
    mass : float
        M, the probability of all sentences together.
    is_converged : bool
        Whether the masses count all trees, up to rounding.
    left_corners : ndarray of float64, shape (Σ m_a, Σ m_a)
        L.
    rules : PrefixRules

    Raises
    ------
    InputError
        The symbols have more than `MOST_STATES` states together.
    """

    def __init__(self, grammar: Grammar):
        if grammar.state_start[-1] > MOST_STATES:
            raise InputError(
                f"the grammar has {grammar.state_start[-1]:,} latent states in all; prefix probabilities need a matrix "
                f"over them, so that {MOST_STATES:,} are the most. Train a model with fewer --states."
            )
        self.grammar = grammar
        self.coarse = coarse_rules(grammar)
        masses = tree_masses(rule_options(grammar)[0])
        self.mass = float(grammar.root_vector @ masses.top)
        self.is_converged = masses.is_converged
        self.left_corners = left_corners(grammar, masses.top)
        self.rules = prefix_rules(grammar, exact_zeros(closure(self.left_corners, unary_matrix(grammar)), grammar))

    @cached_property
    def plain(self) -> PrefixGrammar:
        """The plain PCFG of the grammar."""
        return PrefixGrammar(plain_grammar(self.grammar))

    def prefixes(self, words: Words, threshold: float, with_next: bool = False) -> Prefixes:
        """Compute the prefix probabilities of a sentence of at least one word.

        Parameters
        ----------
        words : Words
            Candidates of the words, with probabilities of words rather than of lexical entries.
        threshold : float
            An item is pruned if its share of the prefix probability of the words up to its end, under the plain PCFG,
            is smaller; 0 for no pruning.
        with_next : bool
            Whether what may follow the last word, and `Prefixes.ended`, are computed too.
        """
        n = len(words.start) - 1
        inside, _ = coarse_kernels.coarse_inside(n, self.coarse, words)
        bottom, top = self.plain.shares(words, inside) if threshold > 0 else (inside.bottom, inside.by_start)
        kept = kept_chart(bottom > 0, top > 0) if threshold <= 0 else kept_chart(bottom >= threshold, top >= threshold)
        forest = build_forest(n, self.coarse, inside, kept, 0.0)
        vectors = inside_vectors(join_forests([forest]), [(inside, words)], self.rules.tensors)
        items = items_of_forest(n, forest, vectors, inside)
        chart = prefix_pass(n, n + with_next, self.rules, items, words)
        ended = [(0.0, 0), *(whole_sentence(j, items, self.rules) for j in range(1, n + 1))] if with_next else []
        return replace(self.scaled(chart, whole_sentence(n, items, self.rules)), ended=ended)

    def shares(self, words: Words, inside: CoarseInside) -> tuple[np.ndarray, np.ndarray]:
        """For a plain PCFG, the shares of items in the prefix probability of the words up to their ends.

        Returns
        -------
        bottom : ndarray of float64, shape (n, n + 1, n_symbols)
            As ``bottom[i, j, a]``.
        top : ndarray of float64, shape (n, n_symbols, n + 1)
            As ``top[i, a, j]``.
        """
        n = len(words.start) - 1
        chart = prefix_pass(n, n, self.rules, items_of_chart(n, inside), plain_words(words))
        above_top = chart.expected + chart.predicted @ self.left_corners
        exponent = inside.exponent + chart.exponent[:, None] - chart.total_exponent[None]
        total = np.where(chart.total > 0, chart.total, np.inf)
        scale = np.exp2(exponent) / total
        bottom = inside.bottom * chart.predicted[:, None, :] * scale[:, :, None]
        return bottom, inside.by_start * above_top[:, :, None] * scale[:, None, :]

    def scaled(self, chart: PrefixChart, sentence: Scaled) -> Prefixes:
        """Prefix probabilities divided by M, given the chart and the inside total of the sentence."""
        values = np.concatenate([[self.mass], chart.total[1:], [sentence[0]]]) / self.mass
        exponents = np.concatenate([[0], chart.total_exponent[1:], [sentence[1]]])
        with np.errstate(divide="ignore"):
            return Prefixes(np.sign(values), np.log2(np.abs(values)) + exponents, chart)


def unary_matrix(grammar: Grammar) -> np.ndarray:
    """U, the unary rules as one matrix over the states of all symbols; float64, shape (Σ m_a, Σ m_a)."""
    start, unary = grammar.state_start, grammar.unary
    matrix = np.zeros((start[-1], start[-1]))
    for r, (a, b) in enumerate(zip(unary.parent, unary.child, strict=True)):
        matrix[start[a] : start[a + 1], start[b] : start[b + 1]] += unary.matrix(r, grammar.n_states)
    return matrix


def left_corners(grammar: Grammar, mass: np.ndarray) -> np.ndarray:
    """L, with any string below each right child; float64, shape (Σ m_a, Σ m_a).

    `mass`, float64, (Σ m_a,), is ρ.
    """
    start, binary = grammar.state_start, grammar.binary
    matrix = np.zeros((start[-1], start[-1]))
    for r, (a, b, c) in enumerate(zip(binary.parent, binary.left, binary.right, strict=True)):
        block = matrix[start[a] : start[a + 1], start[b] : start[b + 1]]
        values, below = binary.values[binary.start[r] : binary.start[r + 1]], mass[start[c] : start[c + 1]]
        if binary.rank[r] == DENSE:
            block += (values.reshape(-1, len(below)) @ below).reshape(block.shape)
        else:
            u, v, w = np.split(values, binary.rank[r] * np.cumsum(block.shape))
            rank = binary.rank[r]
            block += u.reshape(rank, -1).T @ (v.reshape(rank, -1) * (w.reshape(rank, -1) @ below)[:, None])
    return matrix


@single_threaded()
def closure(left: np.ndarray, unary: np.ndarray) -> np.ndarray:
    """R = (I + U)(I − L (I + U))⁻¹, from L and U; all float64, shape (Σ m_a, Σ m_a).  O((Σ m_a)³)."""
    above = np.eye(len(unary)) + unary
    return np.linalg.solve((np.eye(len(left)) - left @ above).T, above.T).T.copy()


def exact_zeros(closed: np.ndarray, grammar: Grammar) -> np.ndarray:
    """R without the rounding errors that stand for zeros, by which impossible words would get some probability.

    The blocks of symbols that are no left corner of each other are zero, and so are negative values if all parameters
    are probabilities.  `closed`, float64, (Σ m_a, Σ m_a), is changed.
    """
    n = grammar.n_symbols
    above, left = np.eye(n, dtype=bool), np.zeros((n, n), bool)
    above[grammar.unary.parent, grammar.unary.child] = True
    left[grammar.binary.parent, grammar.binary.left] = True
    step, reached = left @ above, above
    while (more := reached | reached @ step).sum() > reached.sum():
        reached = more
    symbol = np.repeat(np.arange(n), grammar.n_states)
    closed[~reached[np.ix_(symbol, symbol)]] = 0.0
    return np.maximum(closed, 0.0, out=closed) if grammar.is_probabilistic else closed


def prefix_rules(grammar: Grammar, closed: np.ndarray) -> PrefixRules:
    """The rules in the order of the prefix pass, with the closure R of left corners."""
    binary = grammar.binary
    order = np.lexsort([binary.right, binary.parent, binary.left])
    left_start = np.searchsorted(binary.left[order], np.arange(grammar.n_symbols + 1))
    return PrefixRules(tensor_rules(grammar), order.astype(np.int64), left_start.astype(np.int64), closed)
