"""Rules of named states, such as a text has them, turned into a grammar."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.config import LexiconSettings
from lpcfg_cli.grammar.lexicon import Lexicon
from lpcfg_cli.grammar.model import DENSE, BinaryRules, Grammar, LexicalRules, UnaryRules
from lpcfg_cli.treebank.symbols import Symbol

UNSEEN_PROBABILITY = 1e-4
"""Probability of a word that a preterminal does not have, so that the grammar can parse any text."""

Key = TypeVar("Key")
Weights = dict[tuple[int, ...], float]
"""Probability of each rule, by the positions of its states (parent first)."""


@dataclass
class StateRules:
    """The rules of the states of a grammar, which are numbered in order of definition.

    Attributes
    ----------
    states : dict of (Symbol, str) to int
        Symbol and name of each state, and its number.
    binary : Weights
    unary : dict of tuple of str to Weights
        By the labels that the rules hide.
    roots : ndarray of float64, shape (n_states,)
        Probability of each state at the root.
    words : list of (str, int, float)
        Lexical entry, state of a preterminal and probability.
    unseen : dict of int to float
        Probability of a word that the preterminal does not have, for each of its states.
    """

    states: dict[tuple[Symbol, str], int] = field(default_factory=dict)
    binary: Weights = field(default_factory=dict)
    unary: defaultdict[tuple[str, ...], Weights] = field(default_factory=lambda: defaultdict(dict))
    roots: np.ndarray = field(default_factory=lambda: np.zeros(0))
    words: list[tuple[str, int, float]] = field(default_factory=list)
    unseen: dict[int, float] = field(default_factory=dict)

    def position(self, symbol: Symbol, name: str) -> int:
        """The number of a state, which is defined if it was not."""
        return self.states.setdefault((symbol, name), len(self.states))

    def add_binary(self, parent: int, left: int, right: int, probability: float) -> None:
        """Add to the probability of a rule."""
        key = (parent, left, right)
        self.binary[key] = self.binary.get(key, 0.0) + probability

    def add_unary(self, parent: int, hidden: tuple[str, ...], child: int, probability: float) -> None:
        """Add to the probability of a rule with one child."""
        weights, key = self.unary[hidden], (parent, child)
        weights[key] = weights.get(key, 0.0) + probability

    def set_unseen(self) -> None:
        """Give each preterminal `UNSEEN_PROBABILITY` for other words."""
        self.unseen = {k: UNSEEN_PROBABILITY for (symbol, _), k in self.states.items() if symbol.is_preterminal}


class Layout:
    """States sorted by symbol.

    Attributes
    ----------
    symbols : list of Symbol
    names : list of tuple of str
        State names of each symbol.
    symbol, index : ndarray of int64
        For each state, in order of definition, its symbol and its number within the symbol.
    order : ndarray of int64
        States sorted by symbol.
    """

    def __init__(self, states: list[tuple[Symbol, str]]):
        numbers: dict[Symbol, int] = {}
        members: list[list[str]] = []
        self.symbol, self.index = np.zeros((2, len(states)), np.int64)
        for k, (symbol, name) in enumerate(states):
            a = numbers.setdefault(symbol, len(numbers))
            if a == len(members):
                members.append([])
            self.symbol[k], self.index[k] = a, len(members[a])
            members[a].append(name)
        self.symbols = list(numbers)
        self.names = [tuple(names) for names in members]
        self.n_states = np.array([len(names) for names in members], np.int32)
        self.order = np.argsort(self.symbol, kind="stable")


def grammar_of(rules: StateRules, usage: np.ndarray, lexicon: Lexicon | None = None) -> tuple[Grammar, Layout]:
    """Turn the rules of states into a grammar, and tell where each state stands in it.

    Parameters
    ----------
    rules : StateRules
    usage : ndarray of float64, shape (n_states,)
        Expected number of nodes of each state in a tree, in order of definition.
    lexicon : Lexicon, optional
        With the words of the rules as entries; default one without word classes.

    Returns
    -------
    Grammar
        In the basis of its states: the parameters are probabilities (C14 §4.1).
    Layout
    """
    layout = Layout(list(rules.states))
    n_symbols = len(layout.symbols)
    total = np.bincount(layout.symbol, usage, n_symbols)
    tables = _Tables(layout, usage, total)
    unseen = np.array([rules.unseen.get(k, 0.0) for k in range(len(rules.states))])
    hidden_labels = sorted(rules.unary)
    entries = sorted({word for word, _, _ in rules.words})
    grammar = Grammar(
        layout.symbols,
        hidden_labels,
        layout.n_states,
        starts(layout.n_states),
        np.bincount(layout.symbol, rules.roots, n_symbols),
        rules.roots[layout.order],
        np.bincount(layout.symbol, unseen * usage, n_symbols) / total,
        unseen[layout.order],
        tables.binary(rules.binary),
        tables.unary([rules.unary[hidden] for hidden in hidden_labels]),
        tables.lexical(rules.words, entries),
        lexicon or Lexicon(tuple(entries), (), LexiconSettings(rare_below=1, lowercase=False, classes="tag")),
        is_probabilistic=True,
    )
    return grammar, layout


class _Tables:
    """Collects the rules of states into tensors of rules of symbols.

    Parameters
    ----------
    layout : Layout
    usage : ndarray of float64, shape (n_states,)
    total : ndarray of float64, shape (n_symbols,)
        Usage of each symbol: the denominator of the probabilities of the plain PCFG.
    """

    def __init__(self, layout: Layout, usage: np.ndarray, total: np.ndarray):
        self.layout, self.usage, self.total = layout, usage, total

    def _add(self, tables: dict[Key, np.ndarray], key: Key, states: tuple[int, ...], value: float) -> None:
        shape = self.layout.n_states[self.layout.symbol[list(states)]]
        table = tables.setdefault(key, np.zeros(shape))
        table[tuple(self.layout.index[list(states)])] += value

    def _frequency(self, parent: int, table: np.ndarray) -> float:
        """Expected count(rule) / count(a) in trees of the grammar."""
        counts = self.usage[self.layout.symbol == parent]
        return float(counts @ table.reshape(len(counts), -1).sum(1) / self.total[parent])

    def binary(self, weights: Weights) -> BinaryRules:
        tables: dict[tuple[int, int, int], np.ndarray] = {}
        for states, probability in weights.items():
            a, b, c = self.layout.symbol[list(states)]
            self._add(tables, (int(b), int(c), int(a)), states, probability)
        keys = sorted(tables)
        left, right, parent = np.array(keys, np.int32).reshape(-1, 3).T.copy()
        frequency = [self._frequency(a, tables[b, c, a]) for b, c, a in keys]
        rank = np.full(len(keys), DENSE, np.int32)
        return BinaryRules(parent, left, right, np.array(frequency), rank, *_flat([tables[key] for key in keys]))

    def unary(self, by_hidden: list[Weights]) -> UnaryRules:
        tables: dict[tuple[int, int, int], np.ndarray] = {}
        for hidden, weights in enumerate(by_hidden):
            for states, probability in weights.items():
                a, b = self.layout.symbol[list(states)]
                self._add(tables, (int(b), int(a), hidden), states, probability)
        keys = sorted(tables)
        child, parent, between_number = np.array(keys, np.int32).reshape(-1, 3).T.copy()
        frequency = [self._frequency(a, tables[b, a, hidden]) for b, a, hidden in keys]
        return UnaryRules(parent, child, between_number, np.array(frequency), *_flat([tables[key] for key in keys]))

    def lexical(self, words: list[tuple[str, int, float]], entries: list[str]) -> LexicalRules:
        tables: dict[tuple[int, int], np.ndarray] = {}
        number = {entry: k for k, entry in enumerate(entries)}
        for word, state, probability in words:
            self._add(tables, (number[word], int(self.layout.symbol[state])), (state,), probability)
        keys = sorted(tables)
        entry, symbol = np.array(keys, np.int32).reshape(-1, 2).T.copy()
        frequency = [self._frequency(a, tables[x, a]) for x, a in keys]
        entry_start = np.searchsorted(entry, np.arange(len(entries) + 1)).astype(np.int64)
        return LexicalRules(symbol, np.array(frequency), entry_start, *_flat([tables[key] for key in keys]))


def _flat(tables: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Offsets, int64, (n + 1,), and the concatenated entries of n tables, float64."""
    offsets = starts([table.size for table in tables])
    return offsets, np.concatenate([np.zeros(0), *(table.ravel() for table in tables)])
