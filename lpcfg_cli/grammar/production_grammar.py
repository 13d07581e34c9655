"""From productions to a grammar, the inverse of `lpcfg_cli.grammar.plain_text`.

A node of a model's name, ``N/NP``, has at most one unary rule over a span, as in the model.  Names without prefix may
follow each other in chains, as in any PCFG: each chain X → Y → Z becomes one unary rule from X to Z that hides Y.
Chains that have a label twice are left out: no best tree has one.  Right-hand sides of more than two children are
left-binarized, so that no probability changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from lpcfg_cli.config import settings_from_dict
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.grammar.lexicon import Lexicon
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.grammar.production_text import Production, ProductionText, read_productions
from lpcfg_cli.grammar.state_rules import StateRules, grammar_of
from lpcfg_cli.grammar.text_names import HIDDEN, PHRASE, TAG, entry_of, name_of, node_of
from lpcfg_cli.treebank.symbols import Symbol

START = "ROOT"
LEXICON, UNSEEN, MODEL_SETTINGS = "lexicon", "unseen", "settings"
"""Names of the settings of a text."""

LEAST_CHAIN = 1e-9
"""Smallest probability of a chain of rules with one child; there may be very many of less."""

MOST_STEPS = 200
"""Largest depth of trees that is looked at for the usage of states."""


class Chain(NamedTuple):
    """A unary rule.

    Attributes
    ----------
    hidden : tuple of str
        The labels between parent and child.
    child : str
        Its name.
    probability : float
    """

    hidden: tuple[str, ...]
    child: str
    probability: float


def parse_productions(text: str, path: str = "<grammar>") -> tuple[Grammar, dict[str, Any]]:
    """Read a grammar.

    Parameters
    ----------
    text : str
    path : str
        Name of the text in messages.

    Returns
    -------
    Grammar
        In the basis of its states: the parameters are probabilities.
    dict
        Settings of the model that was written.

    Raises
    ------
    SyntaxProblem
        The text has a syntax error, or the rules make no grammar.
    """
    read = read_productions(text, path)
    stored = read.settings.get(MODEL_SETTINGS, {})
    if not isinstance(stored, dict):
        raise read.problem_of_setting(MODEL_SETTINGS, "an object in braces")
    return _Builder(read).grammar(), stored


class _Builder:
    """Turns productions into the rules of states."""

    def __init__(self, text: ProductionText):
        self.text, self.rules = text, StateRules()
        self.nodes = {name: node_of(name) for name in self._names()}
        self.tags = {name for name, rules in text.rules.items() if rules[0].is_word}
        self.tags |= {name for name, node in self.nodes.items() if node.prefix == TAG}
        first, *_ = text.rules
        is_above = all(len(rule.right) == 1 and not rule.is_word for rule in text.rules[first])
        self.start = first if first == START and is_above else None
        for rules in text.rules.values():
            for rule in rules:
                self._check(rule)

    def _names(self) -> Iterator[str]:
        for left, rules in self.text.rules.items():
            yield left
            for rule in rules:
                yield from () if rule.is_word else rule.right

    def _check(self, rule: Production) -> None:
        problem, node = self.text.problem, self.nodes[rule.left]
        if rule.is_word != (rule.left in self.tags):
            found = f"a word below {rule.left}, which has phrases" if rule.is_word else f"a phrase below {rule.left}"
            hint = 'Give the word a tag of its own: NN -> "dog".'
            raise problem(rule.places[1], found, "words below tags only, and only words", hint)
        if rule.is_word:
            return
        for name, place in zip(rule.right, rule.places[1:], strict=True):
            if name == self.start or (name not in self.text.rules and self.nodes[name].prefix != TAG):
                hint = "Add some, correct the name, or put a word into quotes."
                raise problem(place, f"{name}, which has no rules", "a symbol with rules", hint)
        if node.prefix == HIDDEN and rule.right != (node.below,):
            found, hint = " ".join(rule.right), "Such names are for the labels that rules of one child hide."
            raise problem(rule.places[1], f"{found} below {rule.left}", f"only {node.below}", hint)
        if len(rule.right) > 1 or rule.left == self.start:
            self._check_no_hidden(rule)
        elif node.prefix != HIDDEN and self._symbol_of(rule.right[0]) == self._symbol_of(rule.left):
            found = f"{rule.right[0]} alone below {rule.left}"
            raise problem(rule.places[1], found, "another symbol", "Remove the rule.")

    def _check_no_hidden(self, rule: Production) -> None:
        for name, place in zip(rule.right, rule.places[1:], strict=True):
            if self.nodes[name].prefix == HIDDEN:
                hint = "Such names are for the labels that rules of one child hide."
                raise self.text.problem(place, name, f"a name that does not begin with {HIDDEN}", hint)

    def _symbol_of(self, name: str) -> Symbol | None:
        """The symbol of a name; None for a label that a rule hides."""
        node = self.nodes[name]
        if node.prefix == HIDDEN:
            return None
        if node.prefix:
            return Symbol.from_name(node.label, node.prefix == TAG)
        return Symbol((node.label,), name in self.tags)

    def _position(self, name: str) -> int:
        symbol = self._symbol_of(name)
        assert symbol is not None, "hidden labels have no state"
        return self.rules.position(symbol, self.nodes[name].state)

    def grammar(self) -> Grammar:
        rules, text = self.rules, self.text
        for left, productions in text.rules.items():
            if left != self.start and self.nodes[left].prefix != HIDDEN:
                self._add(left, productions)
        roots = text.rules[self.start] if self.start is not None else []
        at_root = [(self._position(rule.right[0]), rule.probability) for rule in roots]
        rules.roots = np.zeros(len(rules.states))
        for position, probability in at_root or [(0, 1.0)]:
            rules.roots[position] += probability
        rules.set_unseen()
        if UNSEEN in text.settings:
            rules.unseen = self._unseen(text.settings[UNSEEN])
        return grammar_of(rules, usage_of(rules), self._lexicon())[0]

    def _add(self, left: str, productions: list[Production]) -> None:
        parent = self._position(left)
        for rule in productions:
            if rule.is_word:
                self.rules.words.append((entry_of(rule.right[0]), parent, rule.probability))
            elif len(rule.right) > 1:
                self._add_binary(parent, left, rule)
        for chain in self._chains(left):
            self.rules.add_unary(parent, chain.hidden, self._position(chain.child), chain.probability)

    def _add_binary(self, parent: int, left: str, rule: Production) -> None:
        first, *between, last = rule.right
        position = self._position(first)
        label, before = self._symbol_of(left), [first]
        assert label is not None, "hidden labels have no such rules"
        for child in between:
            before.append(child)
            symbol = Symbol(label.labels, is_intermediate=True, siblings=tuple(before))
            whole = self.rules.position(symbol, "")
            self.rules.binary[whole, position, self._position(child)] = 1.0
            position = whole
        self.rules.add_binary(parent, position, self._position(last), rule.probability)

    def _chains(self, left: str) -> Iterator[Chain]:
        """The unary rules of a nonterminal, each with the labels that it hides."""
        waiting = [(Chain((), left, 1.0), frozenset([self.nodes[left].label]))]
        while waiting:
            above, labels = waiting.pop()
            for rule in self.text.rules.get(above.child, []):
                if rule.is_word or len(rule.right) > 1:
                    continue
                (child,) = rule.right
                node, hidden = self.nodes[child], above.hidden
                if above.child != left:
                    hidden = (*hidden, self.nodes[above.child].label)
                chain = Chain(hidden, child, above.probability * rule.probability)
                if not node.prefix and (node.label in labels or chain.probability < LEAST_CHAIN):
                    continue
                if node.prefix != HIDDEN:
                    yield chain
                if child not in self.tags and node.prefix != PHRASE:
                    waiting.append((chain, labels | {node.label}))

    def _unseen(self, stored: Any) -> dict[int, float]:
        place = {self._written(symbol, name): k for (symbol, name), k in self.rules.states.items()}
        try:
            found = {place[name]: float(value) for name, value in stored.items() if name in place}
        except (AttributeError, TypeError, ValueError) as error:
            raise self.text.problem_of_setting(UNSEEN, "probabilities of tags") from error
        if any(not 0 <= value <= 1 for value in found.values()):
            raise self.text.problem_of_setting(UNSEEN, "probabilities of tags, from 0 to 1")
        return found

    @staticmethod
    def _written(symbol: Symbol, state: str) -> str:
        return name_of(symbol, int(state) if state else None)

    def _lexicon(self) -> Lexicon | None:
        stored = self.text.settings.get(LEXICON)
        if stored is None:
            return None
        entries = tuple(sorted({word for word, _, _ in self.rules.words}))
        try:
            suffixes = tuple(map(str, stored.pop("suffixes", ())))
            settings = settings_from_dict({LEXICON: stored}, self.text.path).lexicon
        except (AttributeError, TypeError, ConfigError) as error:
            raise self.text.problem_of_setting(LEXICON, "settings of a lexicon") from error
        return Lexicon(entries, suffixes, settings)


def usage_of(rules: StateRules) -> np.ndarray:
    """Expected number of nodes of each state in trees of limited depth, at least a small number; (n_states,)."""
    steps = [
        (parent, child, probability)
        for weights in (rules.binary, *rules.unary.values())
        for (parent, *below), probability in weights.items()
        for child in below
    ]
    ends = np.array([step[:2] for step in steps], np.int64).reshape(-1, 2)
    values = np.array([step[2] for step in steps], np.float64)
    level, total = rules.roots.copy(), rules.roots.copy()
    for _ in range(MOST_STEPS):
        level = np.bincount(ends[:, 1], values * level[ends[:, 0]], len(level))
        if level.sum() <= 1e-12 * total.sum() or total.sum() > 1e9:
            break
        total += level
    return np.maximum(total, 1e-9)
