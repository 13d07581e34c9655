"""A model as plain text: the plain PCFG, as NLTK reads it, or the rules of its latent states.

`lpcfg_cli.grammar.production_grammar` reads it back.  Names are those of `lpcfg_cli.grammar.text_names`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from lpcfg_cli.config import Table
from lpcfg_cli.errors import InputError
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.grammar.production_grammar import LEXICON, MODEL_SETTINGS, START, UNSEEN
from lpcfg_cli.grammar.production_text import SETTING
from lpcfg_cli.grammar.text_names import hidden_name, name_of, quoted
from lpcfg_cli.grammar.tree_values import rule_values
from lpcfg_cli.treebank.symbols import Symbol

KEPT_SETTINGS = ("parse", "clean")
"""Settings of a model that are written with its grammar: how sentences are prepared and parsed."""

Productions = dict[str, dict[str, float]]
"""Left-hand side → right-hand side → probability."""


class GrammarForm:
    """A form of grammars as text.

    Attributes
    ----------
    name, summary : str
    """

    def __init__(self, name: str, summary: str, has_states: bool):
        self.name, self.summary, self.has_states = name, summary, has_states

    def lines(self, grammar: Grammar, settings: Mapping[str, Any] | None = None) -> Iterator[str]:
        """The grammar, a rule on each line, the rules of the roots first, and then lines with settings.

        Parameters
        ----------
        grammar : Grammar
        settings : mapping, optional
            Settings of the model.

        Raises
        ------
        InputError
            States are wanted, and the parameters are no probabilities.
        """
        if self.has_states and not grammar.is_probabilistic:
            hint = "Write its plain PCFG: --form pcfg."
            raise InputError(f"the parameters of a spectral model are no probabilities of states. {hint}")
        rules = state_productions(grammar) if self.has_states else plain_productions(grammar)
        for left, options in rules.items():
            for right, probability in sorted(options.items(), key=lambda rule: (-rule[1], rule[0])):
                # NLTK reads no exponents
                yield f"{left} -> {right} [{np.format_float_positional(probability, trim='0')}]"
        for name, value in text_settings(grammar, settings or {}, self.has_states).items():
            yield f"{SETTING} {name} {json.dumps(value, ensure_ascii=False)}"


def text_settings(grammar: Grammar, settings: Mapping[str, Any], has_states: bool) -> dict[str, Any]:
    """What parsing with the grammar needs besides its rules, JSON-ready."""
    unseen = dict[str, float]()
    for a in np.flatnonzero(grammar.unseen_probability).tolist():
        vector = grammar.unseen_vector[grammar.state_start[a] : grammar.state_start[a + 1]].tolist()
        by_state = {name_of(grammar.symbols[a], state): p for state, p in enumerate(vector)}
        unseen |= by_state if has_states else {name_of(grammar.symbols[a]): float(grammar.unseen_probability[a])}
    lexicon = {**asdict(grammar.lexicon.settings), "suffixes": list(grammar.lexicon.suffixes)}
    kept = {name: settings[name] for name in KEPT_SETTINGS if name in settings}
    return {MODEL_SETTINGS: kept, LEXICON: lexicon, UNSEEN: unseen}


def plain_productions(grammar: Grammar) -> Productions:
    """The rules with their relative frequencies."""
    rules: Productions = defaultdict(lambda: defaultdict(float))
    names = [name_of(symbol) for symbol in grammar.symbols]
    for a, probability in enumerate(grammar.root_probability.tolist()):
        _add(rules, START, names[a], probability)
    binary, unary, lexical = grammar.binary, grammar.unary, grammar.lexical
    for a, b, c, p in zip(binary.parent, binary.left, binary.right, binary.probability.tolist(), strict=True):
        _add(rules, names[a], f"{names[b]} {names[c]}", p)
    for a, b, hidden, p in zip(unary.parent, unary.child, unary.hidden, unary.probability.tolist(), strict=True):
        _add(rules, names[a], _below_hidden(rules, grammar.hidden_labels[hidden], names[b]), p)
    words = np.array([quoted(entry) for entry in grammar.lexicon.entries], object)
    entries = np.repeat(words, np.diff(lexical.entry_start))
    for a, word, p in zip(lexical.symbol, entries, lexical.probability.tolist(), strict=True):
        _add(rules, names[a], word, p)
    return rules


def state_productions(grammar: Grammar) -> Productions:
    """The rules of all states, such as ``NP-0 -> DT-3 NN-1``; those of probability 0 are left out."""
    rules: Productions = defaultdict(lambda: defaultdict(float))
    for a, symbol in enumerate(grammar.symbols):
        for state, p in enumerate(grammar.root_vector[grammar.state_start[a] : grammar.state_start[a + 1]].tolist()):
            _add(rules, START, name_of(symbol, state), p)
    for key, values in rule_values(grammar).items():
        for states in np.argwhere(values > 0).tolist():
            left, probability = name_of(key[0], states[0]), float(values[tuple(states)])
            if len(key) == 2:
                right = quoted(key[1])
            elif isinstance(key[1], Symbol):
                right = " ".join(name_of(child, state) for child, state in zip(key[1:], states[1:], strict=True))
            else:
                right = _below_hidden(rules, key[1], name_of(key[2], states[1]))
            _add(rules, left, right, probability)
    return rules


def _below_hidden(rules: Productions, hidden: tuple[str, ...], child: str) -> str:
    """The name of the only child that a rule has above hidden labels, whose own rules are added."""
    for label in reversed(hidden):
        name = hidden_name(label, child)
        rules[name] = defaultdict(float, {child: 1.0})
        child = name
    return child


def _add(rules: Productions, left: str, right: str, probability: float) -> None:
    if probability > 0:
        rules[left][right] += probability


GRAMMAR_FORMS: Table[GrammarForm] = Table(
    "form of grammars",
    GrammarForm("pcfg", "the plain PCFG of any model, which NLTK reads", False),
    GrammarForm("states", "the rules of the latent states, if the parameters are probabilities", True),
)
