"""Sentences under an L-PCFG as structures of the harness: by the parser and its kernels, and by their numpy twin."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from derivations import applications, derivations, identities, value_of
from forests import named
from grammars import words_of
from harness import Derivation, Structure, enumerated_marginals, enumerated_total
from inside_outside_twin import inside_outside

from lpcfg_cli.config import ParseSettings
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.parsing import coarse_kernels
from lpcfg_cli.parsing.forest import build_forest
from lpcfg_cli.parsing.kernel_rules import coarse_rules, tensor_rules
from lpcfg_cli.parsing.marginals import rule_marginals
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.tagging.tagger import OPEN_TAG

FLOOR = 1e-6
"""The share below which logarithms are not taken; the oracle's own, so that a change is noticed."""

SCORES = {
    "sum": abs,
    "signed": lambda ratio: ratio,
    "max-rule": lambda ratio: np.log(max(abs(ratio), FLOOR)),
}


@dataclass
class Sentence(Structure):
    """All derivations of a sentence; parts are rule applications, and items that could take a unary rule but do not.

    Attributes
    ----------
    grammar : Grammar
    text : str
    """

    grammar: Grammar
    text: str

    @cached_property
    def words(self):
        return words_of(self.grammar, self.text.split())

    def derivations(self):
        for symbol, tree in derivations(self.grammar, self.words):
            rules = applications(tree)
            parts = (*rules, *identities(self.grammar, tree))
            yield Derivation(parts, value_of(self.grammar, self.words, symbol, tree), name_of(rules))


def name_of(rules):
    return tuple(sorted(rules))


class TwinChart(Sentence):
    """What the numpy twin computes."""

    @cached_property
    def found(self):
        return inside_outside(self.grammar, self.words)

    def total(self):
        return self.found.total

    def marginals(self):
        table = {("binary", *key): value for key, value in self.found.binary.items()}
        table |= {("unary", *key): value for key, value in self.found.unary.items()}
        table |= {("identity", symbol, i, j): value for (i, j, symbol), value in self.found.identity.items()}
        return table | {("lexical", *key): value for key, value in self.found.lexical.items()}


class KernelChart(Sentence):
    """What the kernels compute."""

    rtol = 1e-9

    @cached_property
    def found(self):
        return by_kernels(self.grammar, self.words)

    def total(self):
        return self.found[0]

    def marginals(self):
        return self.found[1]


@dataclass
class DecodedSentence(Sentence):
    """The parser's best trees by one of its decoders; it computes in single precision."""

    decoder: str
    rtol = 1e-5
    score_tolerance = 1e-4

    def scores(self, derivations):
        return decoder_scores(derivations, self.decoder)

    def parse(self, k=1):
        settings = ParseSettings(threshold=0.0, rule_threshold=0.0, decoder=self.decoder, nbest=k)
        parser = Parser(self.grammar, settings)
        parser.candidates.with_tags = lambda sentence, tags: self.words
        return parser.parse([(word, OPEN_TAG) for word in self.text.split()])

    def best(self):
        (derivation,) = self.parse().derivations
        return name_of(applications_of(derivation, self.grammar))

    def k_best(self, k):
        return [(score, name_of(applications_of(d, self.grammar))) for score, d in self.parse(k).ranked]


def decoder_scores(derivations, decoder):
    """Sums over rule applications of what decoders make of their marginals, as shares of the largest."""
    marginals = enumerated_marginals(derivations)
    rules = [value for key, value in marginals.items() if key[0] != "identity"]
    size = max(abs(value) for value in [*rules, enumerated_total(derivations)])

    def score(part):
        # a product is over the choices at each span, and no unary rule is one of them
        return SCORES[decoder](marginals[part] / size) if part[0] != "identity" or decoder == "max-rule" else 0.0

    return [sum(score(part) * n for part, n in Counter(one.parts).items()) for one in derivations]


def by_kernels(grammar, words, threshold=0.0, rule_threshold=0.0, rules=None):
    """Total and marginals from the kernels, in true scale, and the coarse total."""
    n = len(words.start) - 1
    coarse = coarse_rules(grammar)
    inside, has_items = coarse_kernels.coarse_inside(n, coarse, words)
    kept = coarse_kernels.coarse_outside(n, coarse, inside, has_items, threshold)
    forest = build_forest(n, coarse, inside, kept, rule_threshold)
    coarse_scale = 2.0 ** float(inside.exponent[0, n])
    result = rule_marginals(forest, inside, words, rules or tensor_rules(grammar))
    scale = coarse_scale * 2.0**result.exponent
    marginals = {key: value * scale for key, value in named(forest, result).items()}
    return result.total * scale, marginals, kept.total * coarse_scale


def applications_of(derivation, grammar):
    """The rule applications of the parser's derivation, in the oracle's form."""
    n_nodes = len(derivation.symbol)
    children = {node: [c for c in range(n_nodes) if derivation.parent[c] == node] for node in range(n_nodes)}
    found, position = [], 0

    def visit(node):
        nonlocal position
        start = position
        if derivation.kind[node] == 0:
            position += 1
            found.append(("lexical", int(derivation.symbol[node]), start))
            return start, position
        spans = [visit(child) for child in children[node]]
        symbols = [int(derivation.symbol[child]) for child in children[node]]
        a = derivation.symbol[node]
        if derivation.kind[node] == 2:
            rules = np.flatnonzero((grammar.unary.parent == a) & (grammar.unary.child == symbols[0]))
            found.append(("unary", int(rules[0]), start, position))
        else:
            same = (grammar.binary.left == symbols[0]) & (grammar.binary.right == symbols[1])
            rules = np.flatnonzero((grammar.binary.parent == a) & same)
            found.append(("binary", int(rules[0]), start, spans[0][1], position))
        return start, position

    visit(0)
    return found
