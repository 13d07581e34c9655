"""The latent-variable PCFG (L-PCFG) in its tensor form (C14 §6).

Parameters are signed, and known only up to an invertible linear map a nonterminal (C14 Theorem 6); what is
computed from them (inside totals, marginals) does not depend on the map.  Each parameter is a moment times
the rule's relative frequency, so that a model contains the plain PCFG of the same trees.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lpcfg_cli.grammar.lexicon import Lexicon
from lpcfg_cli.treebank.symbols import Symbol

DENSE = 0
"""The rank that marks a rule whose tensor is stored densely."""


@dataclass(frozen=True)
class BinaryRules:
    """Rules a → b c, sorted by (b, c, a).

    A tensor T of shape (m_a, m_b, m_c) is stored in `values` either densely, in row-major order, or, when
    that is smaller, as R components: U (R, m_a), V (R, m_b), W (R, m_c) with T = Σ_r u_r ⊗ v_r ⊗ w_r.  A
    rule seen q times has at most q components and two more for smoothing.

    Attributes
    ----------
    parent, left, right : ndarray of int32, shape (n_rules,)
    probability : ndarray of float64, shape (n_rules,)
        count(a → b c) / count(a).
    rank : ndarray of int32, shape (n_rules,)
        R, or `DENSE`.
    start : ndarray of int64, shape (n_rules + 1,)
        Rule r has ``values[start[r]:start[r + 1]]``.
    values : ndarray of float64, or of float32 in an ensemble
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
        `hidden` is a position in `Grammar.hidden_labels`: the labels of the chain that the rule hides.
    probability : ndarray of float64, shape (n_rules,)
    start : ndarray of int64, shape (n_rules + 1,)
    values : ndarray of float64, or of float32 in an ensemble
        Row-major matrices of shape (m_a, m_b).
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
    probability : ndarray of float64, shape (n_rules,)
    entry_start : ndarray of int64, shape (n_entries + 1,)
        Lexical entry x has the rules ``entry_start[x]:entry_start[x + 1]``.
    start : ndarray of int64, shape (n_rules + 1,)
    values : ndarray of float64, or of float32 in an ensemble
        Vectors of shape (m_a,), relative frequency included.
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
    """An L-PCFG with its lexicon: all that parsing needs.

    Attributes
    ----------
    symbols : list of Symbol
    hidden_labels : list of tuple of str
    n_states : ndarray of int32, shape (n_symbols,)
        m_a.
    state_start : ndarray of int64, shape (n_symbols + 1,)
        Symbol ``a`` has the entries ``state_start[a]:state_start[a + 1]`` of the vectors below.
    root_probability : ndarray of float64, shape (n_symbols,)
    root_vector : ndarray of float64, shape (Σ m_a,)
        E[Y at the root] of each symbol, times its frequency as a root.
    unseen_probability : ndarray of float64, shape (n_symbols,)
        For preterminals the probability given to words never seen with them, else 0.
    unseen_vector : ndarray of float64, shape (Σ m_a,)
        For preterminals E[Z], times `unseen_probability`.
    binary, unary, lexical
        The rules.
    lexicon : Lexicon
    is_probabilistic : bool
        Whether the parameters are probabilities in the basis of the states; else they are moments, known up to a
        linear map and perhaps negative.
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
        """How many numbers the rules and root vectors are made of."""
        return sum(len(part) for part in (self.binary.values, self.unary.values, self.lexical.values, self.root_vector))


def in_single_precision(grammar: Grammar) -> Grammar:
    """The same grammar with the numbers of its rules as the parser takes them, in half the room."""
    rules = {name: getattr(grammar, name) for name in ("binary", "unary", "lexical")}
    parts: dict[str, Any] = {name: replace(part, values=part.values.astype(np.float32)) for name, part in rules.items()}
    return replace(grammar, **parts)
