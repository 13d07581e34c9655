"""The latent-variable PCFG (L-PCFG) in its tensor form (C14 §6).

Parameters are signed, and known only up to an invertible linear map for each nonterminal (C14 Theorem 6).  Inside
totals and marginals do not depend on the map.  Each parameter is a moment times the relative frequency of its rule, and
relative frequencies are stored too, so that a model contains the plain PCFG of the same trees.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lpcfg_cli.grammar.lexicon import Lexicon
from lpcfg_cli.treebank.symbols import Symbol

DENSE = 0
"""The rank that marks a rule whose tensor is stored densely."""

SINGLE_BITS = 24
"""Significant bits of a float32."""


@dataclass(frozen=True)
class BinaryRules:
    """Rules a → b c, sorted by (b, c, a).

    A tensor T of shape (m_a, m_b, m_c) is stored in `values` densely, in row-major order, or, if that is smaller, as
    R components: U (R, m_a), V (R, m_b), W (R, m_c), with T = Σ_r u_r ⊗ v_r ⊗ w_r.  A rule that occurs q times has at
    most q components, and two more for smoothing.

    Attributes
    ----------
    parent, left, right : ndarray of int32, shape (n_rules,)
    probability : ndarray of float64, shape (n_rules,)
        count(a → b c) / count(a).
    rank : ndarray of int32, shape (n_rules,)
        R, or `DENSE`.
    start : ndarray of int64, shape (n_rules + 1,)
        Rule r has ``values[start[r]:start[r + 1]]``.
    values : ndarray of float64 or float32, shape (start[n_rules],)
        Tensors, multiplied by `probability`.
    """

    parent: np.ndarray
    left: np.ndarray
    right: np.ndarray
    probability: np.ndarray
    rank: np.ndarray
    start: np.ndarray
    values: np.ndarray

    def __len__(self) -> int:
        return len(self.parent)

    def tensor(self, rule: int, n_states: np.ndarray) -> np.ndarray:
        """The dense tensor of one rule, shape (m_a, m_b, m_c); for inspection and tests."""
        m_a, m_b, m_c = n_states[[self.parent[rule], self.left[rule], self.right[rule]]]
        values = self.values[self.start[rule] : self.start[rule + 1]]
        rank = self.rank[rule]
        if rank == DENSE:
            return values.reshape(m_a, m_b, m_c)
        u, v, w = np.split(values, [rank * m_a, rank * (m_a + m_b)])
        return np.einsum("ri,rj,rk->ijk", u.reshape(rank, m_a), v.reshape(rank, m_b), w.reshape(rank, m_c))


@dataclass(frozen=True)
class UnaryRules:
    """Rules a → b over one span, sorted by (b, a, hidden).

    Attributes
    ----------
    parent, child, hidden : ndarray of int32, shape (n_rules,)
        `hidden` is a position in `Grammar.hidden_labels`: the labels between parent and child in the treebank's unary
        chain.
    probability : ndarray of float64, shape (n_rules,)
        count(rule) / count(a).
    start : ndarray of int64, shape (n_rules + 1,)
        Rule r has ``values[start[r]:start[r + 1]]``.
    values : ndarray of float64 or float32, shape (start[n_rules],)
        Row-major matrices of shape (m_a, m_b), multiplied by `probability`.
    """

    parent: np.ndarray
    child: np.ndarray
    hidden: np.ndarray
    probability: np.ndarray
    start: np.ndarray
    values: np.ndarray

    def __len__(self) -> int:
        return len(self.parent)

    def matrix(self, rule: int, n_states: np.ndarray) -> np.ndarray:
        """The matrix of one rule, shape (m_a, m_b)."""
        values = self.values[self.start[rule] : self.start[rule + 1]]
        return values.reshape(n_states[self.parent[rule]], n_states[self.child[rule]])


@dataclass(frozen=True)
class LexicalRules:
    """Rules a → x, sorted by (x, a).

    Attributes
    ----------
    symbol : ndarray of int32, shape (n_rules,)
        a.
    probability : ndarray of float64, shape (n_rules,)
        count(a → x) / count(a).
    entry_start : ndarray of int64, shape (n_entries + 1,)
        Lexical entry x has the rules ``entry_start[x]:entry_start[x + 1]``.
    start : ndarray of int64, shape (n_rules + 1,)
        Rule r has ``values[start[r]:start[r + 1]]``.
    values : ndarray of float64 or float32, shape (start[n_rules],)
        Vectors of shape (m_a,), multiplied by `probability`.
    """

    symbol: np.ndarray
    probability: np.ndarray
    entry_start: np.ndarray
    start: np.ndarray
    values: np.ndarray

    def __len__(self) -> int:
        return len(self.symbol)


@dataclass(frozen=True)
class Grammar:
    """An L-PCFG with its lexicon: everything that parsing of tagged words needs.

    Attributes
    ----------
    symbols : list of Symbol
    hidden_labels : list of tuple of str
        Chains of labels that unary rules hide; see `UnaryRules`.
    n_states : ndarray of int32, shape (n_symbols,)
        m_a.
    state_start : ndarray of int64, shape (n_symbols + 1,)
        Symbol a has the entries ``state_start[a]:state_start[a + 1]`` of the vectors below.
    root_probability : ndarray of float64, shape (n_symbols,)
        Share of the trees whose root has each symbol.
    root_vector : ndarray of float64, shape (Σ m_a,)
        E[Y at the root] of each symbol, multiplied by `root_probability`.
    unseen_probability : ndarray of float64, shape (n_symbols,)
        Probability of an unknown word given each preterminal; 0 for phrases.
    unseen_vector : ndarray of float64, shape (Σ m_a,)
        E[Z] of each preterminal, multiplied by `unseen_probability`.
    binary, unary, lexical
        The rules.
    lexicon : Lexicon
    is_probabilistic : bool
        Whether the parameters are probabilities in the basis of the states; otherwise they are moments, known up to a
        linear map, which may be negative.
    """

    symbols: list[Symbol]
    hidden_labels: list[tuple[str, ...]]
    n_states: np.ndarray
    state_start: np.ndarray
    root_probability: np.ndarray
    root_vector: np.ndarray
    unseen_probability: np.ndarray
    unseen_vector: np.ndarray
    binary: BinaryRules
    unary: UnaryRules
    lexical: LexicalRules
    lexicon: Lexicon
    is_probabilistic: bool

    @property
    def n_symbols(self) -> int:
        """Number of nonterminals."""
        return len(self.symbols)

    @property
    def n_parameters(self) -> int:
        """Number of parameters of the rules and root vectors."""
        return sum(len(part) for part in (self.binary.values, self.unary.values, self.lexical.values, self.root_vector))


def in_single_precision(grammar: Grammar) -> Grammar:
    """The same grammar with float32 parameters of rules, as the parser uses them: half the memory."""
    rules = {name: getattr(grammar, name) for name in ("binary", "unary", "lexical")}
    parts: dict[str, Any] = {name: replace(part, values=part.values.astype(np.float32)) for name, part in rules.items()}
    return replace(grammar, **parts)


def with_significant_bits(grammar: Grammar, bits: int) -> Grammar:
    """The same grammar with parameters of rules rounded to few significant bits, so that its file packs well.

    Parameters
    ----------
    grammar : Grammar
    bits : int
        From 2 to 24: parameters become float32 that differ by at most a share of 2^−bits from the given ones.  0
        changes nothing.
    """
    if not bits:
        return grammar
    rules = {name: getattr(grammar, name) for name in ("binary", "unary", "lexical")}
    parts: dict[str, Any] = {name: replace(part, values=round_bits(part.values, bits)) for name, part in rules.items()}
    return replace(grammar, **parts)


def round_bits(values: np.ndarray, bits: int) -> np.ndarray:
    """Floating-point numbers as float32, rounded to the nearest with so many significant bits, ties to even.

    Parameters
    ----------
    values : ndarray of float64 or float32
        Finite numbers.
    bits : int
        From 2 to `SINGLE_BITS`.
    """
    dropped = SINGLE_BITS - bits
    rounded = values.astype(np.float32)
    if dropped:
        # The bits of a float32, taken as an integer, rise with its absolute value, also from one exponent to the next.
        integers = rounded.view(np.uint32)
        last = integers >> np.uint32(dropped) & np.uint32(1)
        integers += last + np.uint32((1 << (dropped - 1)) - 1)
        integers &= np.uint32(0xFFFFFFFF << dropped & 0xFFFFFFFF)
    return rounded
