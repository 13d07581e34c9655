"""L-PCFGs written by hand: grammars in the text form of `lpcfg_cli.grammar.rule_text`, and the embedded one.

Right-hand sides of more than two children are left-binarized (C13 §4).  Every prefix of a right-hand side becomes a
state of an intermediate symbol, so that the distribution does not change.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.grammar.rule_text import ROOT, Alternative, Block, Place, RuleReader, State
from lpcfg_cli.grammar.state_rules import StateRules, grammar_of
from lpcfg_cli.storage.files import read_shipped_text
from lpcfg_cli.treebank.symbols import Symbol

EMBEDDED = "english"
KNOWN = ("separable", "blurred", "hidden")
"""Small grammars that meet or violate the conditions of learning; the comments of the files tell which."""


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
        self.rules = StateRules()
        for state in blocks:
            self._position(state)

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
        return self.rules.position(Symbol((state.label,), state.label in self.tags, is_intermediate), state.name)

    def named_grammar(self) -> NamedGrammar:
        rules = self.rules
        for state, block in self.blocks.items():
            for alternative in block.alternatives:
                self._add(state, alternative)
            for word, probability in (block.words or {}).items():
                rules.words.append((word, self._position(state), probability))
        rules.set_unseen()
        rules.roots = np.zeros(len(rules.states))
        for alternative in self.root.alternatives:
            rules.roots[self._position(alternative.children[0])] += alternative.probability
        usage = self._usage()
        grammar, layout = grammar_of(rules, usage)
        return NamedGrammar(grammar, layout.names, usage[layout.order])

    def _add(self, state: State, alternative: Alternative) -> None:
        parent = self._position(state)
        first, *rest = alternative.children
        position = self._position(first)
        if not rest:
            self.rules.add_unary(parent, alternative.hidden, position, alternative.probability)
            return
        prefix = str(first)
        for child in rest[:-1]:
            prefix += f" {child}"
            whole = self._position(State(state.label, prefix), is_intermediate=True)
            self.rules.binary[whole, position, self._position(child)] = 1.0
            position = whole
        self.rules.add_binary(parent, position, self._position(rest[-1]), alternative.probability)

    def _usage(self) -> np.ndarray:
        """Expected number of nodes of each state, (n_states,): u = π + Mᵀu, M_st the expected children t of s."""
        states = self.rules.states
        children = np.zeros((len(states),) * 2)
        for weights in (self.rules.binary, *self.rules.unary.values()):
            for (parent, *below), probability in weights.items():
                for child in below:
                    children[parent, child] += probability
        if np.abs(np.linalg.eigvals(children)).max() >= 1 - 1e-9:
            hint = "Give recursive rules less weight."
            raise self.reader.problem(self.root.place, "trees of unbounded size", "a finite expected size", hint)
        usage = np.linalg.solve(np.eye(len(children)) - children.T, self.rules.roots)
        for (symbol, name), count in zip(states, usage, strict=True):
            state = State(symbol.labels[0], name)
            if count <= 1e-12 and state in self.blocks:
                hint = "Mention it in a rule, or remove its block."
                raise self.reader.problem(self.blocks[state].place, f"{state} in no tree", "a state that is used", hint)
        return np.maximum(usage, 0.0)
