"""A model as plain text: the plain PCFG, as NLTK reads it, or the rules of its latent states.

Names of nonterminals have letters, digits and ``/ ^ < > -`` only, as NLTK wants them; other characters are written as
``_`` and two or more hexadecimal digits and ``_``.  A word class is a word such as ``<C~ing>``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from lpcfg_cli.config import Table
from lpcfg_cli.errors import InputError
from lpcfg_cli.grammar.lexicon import CLASS_MARK
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.grammar.tree_values import RuleKey, rule_values
from lpcfg_cli.treebank.symbols import Symbol

START = "ROOT"
_OTHER = re.compile(r"[^A-Za-z0-9/^<>-]")

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

    def lines(self, grammar: Grammar) -> Iterator[str]:
        """The grammar, a rule on each line, the rules of the roots first.

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


def plain_productions(grammar: Grammar) -> Productions:
    """The rules with their relative frequencies; unary rules that hide other labels are added up."""
    rules: Productions = defaultdict(lambda: defaultdict(float))
    names = [name_of(symbol) for symbol in grammar.symbols]
    for a, probability in enumerate(grammar.root_probability.tolist()):
        _add(rules, START, names[a], probability)
    binary, unary, lexical = grammar.binary, grammar.unary, grammar.lexical
    for a, b, c, p in zip(binary.parent, binary.left, binary.right, binary.probability.tolist(), strict=True):
        _add(rules, names[a], f"{names[b]} {names[c]}", p)
    for a, b, p in zip(unary.parent, unary.child, unary.probability.tolist(), strict=True):
        _add(rules, names[a], names[b], p)
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
            _add(rules, START, f"{name_of(symbol)}-{state}", p)
    for key, values in rule_values(grammar).items():
        children = _children(key)
        for states in np.argwhere(values > 0).tolist():
            right = [f"{name}-{s}" for name, s in zip(children, states[1:], strict=True)] or [quoted(str(key[1]))]
            _add(rules, f"{name_of(key[0])}-{states[0]}", " ".join(right), float(values[tuple(states)]))
    return rules


def _children(key: RuleKey) -> list[str]:
    """The names of the children of a rule; none for a word."""
    if len(key) == 2:
        return []
    return [name_of(part) for part in key[1:] if isinstance(part, Symbol)]


def _add(rules: Productions, left: str, right: str, probability: float) -> None:
    if probability > 0:
        rules[left][right] += probability


def name_of(symbol: Symbol) -> str:
    """A name that NLTK reads, unique among all symbols: preterminals begin with ``T/``."""
    name = _OTHER.sub(lambda found: f"_{ord(found[0]):02X}_", symbol.name)
    return f"T/{name}" if symbol.is_preterminal else f"N/{name}"


def quoted(entry: str) -> str:
    """A word or word class in the quotes that it does not have."""
    text = f"<{entry.removeprefix(CLASS_MARK)}>" if entry.startswith(CLASS_MARK) else entry
    if '"' not in text:
        return f'"{text}"'
    return f"'{text}'" if "'" not in text else '"{}"'.format(text.replace('"', "''"))


GRAMMAR_FORMS: Table[GrammarForm] = Table(
    "form of grammars",
    GrammarForm("pcfg", "the plain PCFG of any model, which NLTK reads", False),
    GrammarForm("states", "the rules of the latent states, if the parameters are probabilities", True),
)
