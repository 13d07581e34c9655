"""L-PCFGs written by hand: grammars in the text form of `lpcfg_cli.grammar.rule_text`, and the embedded one.

Right-hand sides of more than two children are left-binarized (C13 §4).  Every prefix of a right-hand side becomes a
state of an intermediate symbol, so that the distribution does not change.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.config import LexiconSettings
from lpcfg_cli.grammar.lexicon import Lexicon
from lpcfg_cli.grammar.model import DENSE, BinaryRules, Grammar, LexicalRules, UnaryRules
from lpcfg_cli.grammar.rule_text import ROOT, Alternative, Block, Place, RuleReader, State
from lpcfg_cli.storage.files import read_shipped_text
from lpcfg_cli.treebank.symbols import Symbol

EMBEDDED = "english"
KNOWN = ("separable", "blurred", "hidden")
"""Small grammars that meet or violate the conditions of learning; the comments of the files tell which."""

UNSEEN_PROBABILITY = 1e-4
"""Probability of a word that a preterminal does not have, so that the grammar can parse any text."""

Key = TypeVar("Key")
Weights = dict[tuple[int, ...], float]
"""Probability of each rule, by the positions of its states (parent first)."""


@dataclass(frozen=True)
class NamedGrammar:
    """A grammar with named states.

    Attributes
    ----------
    grammar : Grammar
        In the basis of its states: the parameters are probabilities (C14 §4.1).
    states : list of tuple of str
        Names of the states of each symbol, in the order of the parameters.
    usage : ndarray of float64, shape (Σ m_a,)
        Expected number of nodes of each state in a tree.
    """

    grammar: Grammar
    states: list[tuple[str, ...]]
    usage: np.ndarray


def embedded_grammar() -> NamedGrammar:
    """The embedded English grammar."""
    return shipped_grammar(EMBEDDED)


def shipped_grammar(name: str) -> NamedGrammar:
    """The grammar in the file ``name.grammar`` beside this module."""
    file = f"{name}.grammar"
    return parse_grammar(read_shipped_text("lpcfg_cli.grammar", file), file)


def parse_grammar(text: str, path: str = "<grammar>") -> NamedGrammar:
    """Read a grammar.

    Parameters
    ----------
    text : str
    path : str
        Name of the text in messages.

    Raises
    ------
    SyntaxProblem
        The text has a syntax error, mentions a state without a block, has a block that no tree uses, or gives trees of
        infinite expected size.
    """
    reader = RuleReader(text, path)
    blocks: dict[State, Block] = {}
    for block in reader.blocks():
        if block.state in blocks:
            hint = f"The first is in line {blocks[block.state].place.line}; join the two."
            raise reader.problem(block.place, f"a second block for {block.state}", "one block a state", hint)
        blocks[block.state] = block
    return _Builder(reader, blocks).named_grammar()


class _Builder:
    """Turns blocks into arrays."""

    def __init__(self, reader: RuleReader, blocks: dict[State, Block]):
        self.reader = reader
        root = blocks.pop(State(ROOT, ""), None)
        if root is None or not root.alternatives:
            raise reader.problem(Place(1, 1), "no block ROOT ->", "one that lists the states of roots", "Add one.")
        self.root, self.blocks = root, blocks
        self.tags = {state.label for state, block in blocks.items() if block.words is not None}
        self._check_blocks()
        self.states: dict[tuple[Symbol, str], int] = {}
        for state in blocks:
            self._position(state)
        self.binary: Weights = {}
        self.unary: defaultdict[tuple[str, ...], Weights] = defaultdict(dict)
        self.roots = np.zeros(0)

    def _check_blocks(self) -> None:
        problem = self.reader.problem
        for state, block in self.blocks.items():
            if block.words is None and state.label in self.tags:
                raise problem(block.place, f"rules for {state}", "words", f"{state.label} is a tag in other blocks.")
            for alternative in block.alternatives:
                self._check_alternative(state, alternative)
        for alternative in self.root.alternatives:
            self._check_alternative(self.root.state, alternative)
            if len(alternative.children) > 1 or alternative.hidden:
                raise problem(alternative.places[0], "several symbols", "one a line in ROOT", "Make them a phrase.")

    def _check_alternative(self, parent: State, alternative: Alternative) -> None:
        for child, place in zip(alternative.children, alternative.places, strict=True):
            if child not in self.blocks:
                hint = "Add the block, or correct the name."
                raise self.reader.problem(place, f"{child} has no block", f"a block {child} -> or {child} =", hint)
        if len(alternative.children) > 1 or parent == self.root.state:
            return
        (child,), (place,) = alternative.children, alternative.places
        hint = "A span has one unary rule: write the phrases between as in (VP) VB."
        if child.label == parent.label:
            raise self.reader.problem(place, f"{child} alone below {parent}", "another symbol", hint)
        if any(len(below.children) == 1 for below in self.blocks[child].alternatives):
            found = f"{child}, which has rules of one child, as only child"
            raise self.reader.problem(place, found, "a state without such rules", hint)

    def _position(self, state: State, is_intermediate: bool = False) -> int:
        symbol = Symbol((state.label,), state.label in self.tags, is_intermediate)
        return self.states.setdefault((symbol, state.name), len(self.states))

    def named_grammar(self) -> NamedGrammar:
        for state, block in self.blocks.items():
            for alternative in block.alternatives:
                self._add(state, alternative)
        n = len(self.states)
        self.roots = np.zeros(n)
        for alternative in self.root.alternatives:
            self.roots[self._position(alternative.children[0])] += alternative.probability
        usage = self._usage()
        layout = _Layout(list(self.states))
        return NamedGrammar(_grammar(self, layout, usage), layout.names, usage[layout.order])

    def _add(self, state: State, alternative: Alternative) -> None:
        parent = self._position(state)
        first, *rest = alternative.children
        position = self._position(first)
        if not rest:
            key: tuple[int, ...] = (parent, position)
            weights = self.unary[alternative.hidden]
            weights[key] = weights.get(key, 0.0) + alternative.probability
            return
        prefix = str(first)
        for child in rest[:-1]:
            prefix += f" {child}"
            whole = self._position(State(state.label, prefix), is_intermediate=True)
            self.binary[whole, position, self._position(child)] = 1.0
            position = whole
        key = (parent, position, self._position(rest[-1]))
        self.binary[key] = self.binary.get(key, 0.0) + alternative.probability

    def _usage(self) -> np.ndarray:
        """Expected number of nodes of each state, (n_states,): u = π + Mᵀu, M_st the expected children t of s."""
        children = np.zeros((len(self.states),) * 2)
        for weights in (self.binary, *self.unary.values()):
            for (parent, *below), probability in weights.items():
                for child in below:
                    children[parent, child] += probability
        if np.abs(np.linalg.eigvals(children)).max() >= 1 - 1e-9:
            hint = "Give recursive rules less weight."
            raise self.reader.problem(self.root.place, "trees of unbounded size", "a finite expected size", hint)
        usage = np.linalg.solve(np.eye(len(children)) - children.T, self.roots)
        for (symbol, name), count in zip(self.states, usage, strict=True):
            state = State(symbol.labels[0], name)
            if count <= 1e-12 and state in self.blocks:
                hint = "Mention it in a rule, or remove its block."
                raise self.reader.problem(self.blocks[state].place, f"{state} in no tree", "a state that is used", hint)
        return np.maximum(usage, 0.0)

    def words(self) -> list[tuple[str, int, float]]:
        """(word, position of the tag's state, probability) for every word of every block."""
        return [
            (word, self._position(state), probability)
            for state, block in self.blocks.items()
            for word, probability in (block.words or {}).items()
        ]


class _Layout:
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


def _grammar(builder: _Builder, layout: _Layout, usage: np.ndarray) -> Grammar:
    n_symbols = len(layout.symbols)
    total = np.bincount(layout.symbol, usage, n_symbols)
    tables = _Tables(layout, usage, total)
    is_tag = np.array([symbol.is_preterminal for symbol in layout.symbols])
    unseen = np.where(is_tag, UNSEEN_PROBABILITY, 0.0)
    hidden_labels = sorted(builder.unary)
    words = builder.words()
    entries = sorted({word for word, _, _ in words})
    return Grammar(
        layout.symbols,
        hidden_labels,
        layout.n_states,
        starts(layout.n_states),
        np.bincount(layout.symbol, builder.roots, n_symbols),
        builder.roots[layout.order],
        unseen,
        np.repeat(unseen, layout.n_states),
        tables.binary(builder.binary),
        tables.unary([builder.unary[hidden] for hidden in hidden_labels]),
        tables.lexical(words, entries),
        Lexicon(tuple(entries), (), LexiconSettings(rare_below=1, lowercase=False, classes="tag")),
        is_probabilistic=True,
    )


class _Tables:
    """Collects the rules of states into tensors of rules of symbols.

    Parameters
    ----------
    layout : _Layout
    usage : ndarray of float64, shape (n_states,)
    total : ndarray of float64, shape (n_symbols,)
        Usage of each symbol: the denominator of the probabilities of the plain PCFG.
    """

    def __init__(self, layout: _Layout, usage: np.ndarray, total: np.ndarray):
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
