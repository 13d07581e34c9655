"""Comparison of parameters up to permutations of states: more cannot be identified (CC14 Theorem 1).

The parameters of a rule depend on the permutations of all its nonterminals.  So permutations are found by coordinate
descent: one nonterminal after the other, each by an optimal assignment, until no change brings the parameters closer.
The start does not depend on other nonterminals: it matches each state's distribution over rules, summed over the states
of the children.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np

from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.grammar.tree_values import rule_values
from lpcfg_cli.treebank.symbols import Symbol


@dataclass(frozen=True)
class Recovery:
    """The largest differences between known and learnt parameters, after matching states.

    Attributes
    ----------
    rules : float
        Largest difference of t, of binary and unary rules.
    words : float
        Largest difference of q.
    roots : float
        Largest difference of π.
    """

    rules: float
    words: float
    roots: float


@dataclass(frozen=True)
class _Pair:
    """One tensor of both grammars; `symbols` has the nonterminal of each axis."""

    symbols: tuple[int, ...]
    known: np.ndarray
    learnt: np.ndarray

    def differences(self, order: Mapping[int, np.ndarray]) -> np.ndarray:
        """|known − learnt|, with learnt states in the given order; the shape of the tensor."""
        return np.abs(self.known - self.learnt[np.ix_(*(order[a] for a in self.symbols))])


def recover(known: Grammar, learnt: Grammar) -> Recovery | None:
    """Compare the parameters of a learnt grammar with the known ones, after matching states.

    Parameters
    ----------
    known, learnt : Grammar
        Probabilistic grammars, in the basis of their states.

    Returns
    -------
    Recovery or None
        None if the number of states of any nonterminal differs.
    """
    states = {symbol: int(m) for symbol, m in zip(learnt.symbols, learnt.n_states, strict=True)}
    pairs = zip(known.symbols, known.n_states, strict=True)
    if any(states.get(symbol) != m for symbol, m in pairs):
        return None
    roots, rules = _root_pairs(known, learnt), _rule_pairs(known, learnt)
    order = match_states(known.n_states, roots + rules)

    def largest(tensors: list[_Pair]) -> float:
        return max((float(pair.differences(order).max()) for pair in tensors), default=0.0)

    words = [pair for pair in rules if len(pair.symbols) == 1]
    return Recovery(largest([pair for pair in rules if len(pair.symbols) > 1]), largest(words), largest(roots))


def match_states(n_states: np.ndarray, pairs: Sequence[_Pair]) -> dict[int, np.ndarray]:
    """Match the learnt states of each nonterminal with the known ones, by coordinate descent on Σ |difference|.

    A sweep costs O(Σ_a m_a! · entries of the tensors with a).

    Parameters
    ----------
    n_states : ndarray of int, shape (n_symbols,)
        m_a.
    pairs : sequence of _Pair

    Returns
    -------
    dict of int to ndarray of int, shape (m_a,)
        For each nonterminal, the learnt state that corresponds to each known one.
    """
    order = {a: np.arange(m) for a, m in enumerate(n_states)}
    of_symbol = [[pair for pair in pairs if a in pair.symbols] for a in range(len(n_states))]
    for a, own in enumerate(of_symbol):
        order[a] = _assigned([_summed(pair) for pair in own if pair.symbols[0] == a], order, a)
    before = np.inf
    while (distance := _distance(pairs, order)) < before:
        before = distance
        for a, own in enumerate(of_symbol):
            choices = [order[a], _assigned(own, order, a), *_swapped(own, order, a)]
            order[a] = min(choices, key=partial(_distance_with, own, order, a))
    return order


def _assigned(pairs: Sequence[_Pair], order: Mapping[int, np.ndarray], a: int) -> np.ndarray:
    """Best order of one nonterminal's states for a fixed order of all others.

    It is the best indeed if the nonterminal occurs once in each tensor; where it occurs twice, each of its axes is
    assigned as if the other one stayed.
    """
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    m = len(order[a])
    cost = np.zeros((m, m))
    for pair in pairs:
        for axis in (axis for axis, symbol in enumerate(pair.symbols) if symbol == a):
            others = [np.arange(m) if k == axis else order[symbol] for k, symbol in enumerate(pair.symbols)]
            sides = (pair.known, pair.learnt[np.ix_(*others)])
            cost += cdist(*(np.moveaxis(side, axis, 0).reshape(m, -1) for side in sides), "cityblock")
    return linear_sum_assignment(cost)[1]


def _swapped(pairs: Sequence[_Pair], order: Mapping[int, np.ndarray], a: int) -> Iterator[np.ndarray]:
    """The order with any two states exchanged, for a nonterminal that occurs more than once in some tensor."""
    if any(pair.symbols.count(a) > 1 for pair in pairs):
        for j, k in combinations(range(len(order[a])), 2):
            states = order[a].copy()
            states[[j, k]] = states[[k, j]]
            yield states


def _distance(pairs: Sequence[_Pair], order: Mapping[int, np.ndarray]) -> float:
    return float(sum(pair.differences(order).sum() for pair in pairs))


def _distance_with(pairs: Sequence[_Pair], order: Mapping[int, np.ndarray], a: int, states: np.ndarray) -> float:
    return _distance(pairs, {**order, a: states})


def _summed(pair: _Pair) -> _Pair:
    """The tensor summed over the states of the children."""
    known, learnt = (values.reshape(len(values), -1).sum(1) for values in (pair.known, pair.learnt))
    return _Pair(pair.symbols[:1], known, learnt)


def _root_pairs(known: Grammar, learnt: Grammar) -> list[_Pair]:
    return [
        _Pair((a,), _root_vector(known, symbol), _root_vector(learnt, symbol)) for a, symbol in enumerate(known.symbols)
    ]


def _root_vector(grammar: Grammar, symbol: Symbol) -> np.ndarray:
    a = grammar.symbols.index(symbol)
    return grammar.root_vector[grammar.state_start[a] : grammar.state_start[a + 1]]


def _rule_pairs(known: Grammar, learnt: Grammar) -> list[_Pair]:
    number = {symbol: a for a, symbol in enumerate(known.symbols)}
    found = rule_values(learnt)
    return [
        _Pair(tuple(number[part] for part in key if isinstance(part, Symbol)), t, found.get(key, np.zeros(t.shape)))
        for key, t in rule_values(known).items()
    ]
