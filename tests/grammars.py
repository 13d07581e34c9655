"""Small grammars for tests, built from plain arrays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.config import LexiconSettings
from lpcfg_cli.grammar.lexicon import Lexicon
from lpcfg_cli.grammar.model import DENSE, BinaryRules, Grammar, LexicalRules, UnaryRules
from lpcfg_cli.parsing.layout import Words
from lpcfg_cli.treebank.symbols import Symbol

EVERY_WORD = LexiconSettings(rare_below=1, lowercase=False, classes="tag")


def grammar_from_tables(names, n_states, root, binary, unary, lexical, words):
    """A grammar from dictionaries.

    names: symbol names, lower case for preterminals, ``@`` first for intermediate ones.
    root: {a: vector}; binary: {(a, b, c): tensor}; unary: {(a, b): matrix}; lexical: {(a, x): vector}.
    Coarse probabilities are the mean absolute values of the parameters, made positive.
    """
    n_states = np.asarray(n_states, np.int32)
    symbols = [_symbol(name) for name in names]
    state_start = starts(n_states)
    root_vector = np.zeros(state_start[-1])
    root_probability = np.zeros(len(names))
    for a, vector in root.items():
        root_vector[state_start[a] : state_start[a + 1]] = vector
        root_probability[a] = _mass(vector)
    preterminal = np.array([symbol.is_preterminal for symbol in symbols])
    return Grammar(
        symbols,
        [()],
        n_states,
        state_start,
        root_probability,
        root_vector,
        np.where(preterminal, 0.01, 0.0),
        np.full(state_start[-1], 0.01),
        _binary(binary),
        _unary(unary),
        _lexical(lexical, len(words)),
        Lexicon(tuple(words), (), EVERY_WORD),
        is_probabilistic=all(np.min(v) >= 0 for part in (root, binary, unary, lexical) for v in part.values()),
    )


def random_grammar(rng, n_states=(2, 3, 2, 1, 3, 2), signed=True, factored=False):
    """S, A and @A over the tags t, u and v, with all kinds of rules and random parameters."""
    names = ["S", "A", "@A", "t", "u", "v"]

    def draw(*shape):
        values = rng.uniform(0.1, 1.0, shape)
        return values * rng.choice([-1, 1], shape) if signed else values

    m = n_states
    pairs = [
        (0, 1, 1),
        (0, 3, 1),
        (1, 2, 4),
        (2, 3, 4),
        (2, 2, 5),
        (1, 3, 5),
        (0, 1, 4),
        (1, 1, 3),
        (2, 3, 3),
    ]
    binary = {rule: draw(*(m[k] for k in rule)) for rule in pairs}
    unary = {rule: draw(*(m[k] for k in rule)) for rule in [(0, 1), (1, 4), (1, 5), (0, 3)]}
    lexical = {(a, x): draw(m[a]) for a, x in [(3, 0), (4, 0), (4, 1), (5, 1), (3, 1), (5, 2)]}
    grammar = grammar_from_tables(names, m, {0: draw(m[0]), 1: draw(m[1])}, binary, unary, lexical, ["x", "y", "z"])
    return as_components(grammar) if factored else grammar


def as_components(grammar):
    """The same grammar with all tensors stored as outer products: one for each pair of left and right states."""
    blocks, ranks = [], []
    for rule in range(len(grammar.binary)):
        tensor = grammar.binary.tensor(rule, grammar.n_states)
        m_a, m_b, m_c = tensor.shape
        u = tensor.reshape(m_a, m_b * m_c).T
        v, w = np.repeat(np.eye(m_b), m_c, 0), np.tile(np.eye(m_c), (m_b, 1))
        blocks.append(np.concatenate([u.ravel(), v.ravel(), w.ravel()]))
        ranks.append(m_b * m_c)
    binary = replace(
        grammar.binary,
        rank=np.array(ranks, np.int32),
        start=starts(np.array([len(block) for block in blocks])),
        values=np.concatenate(blocks),
    )
    return replace(grammar, binary=binary)


def in_another_basis(grammar, rng):
    """The grammar after a random invertible change of basis G^a of each nonterminal (C14 Theorem 3)."""
    g = [rng.normal(size=(m, m)) + 2 * np.eye(m) for m in grammar.n_states]
    inverse = [np.linalg.inv(matrix) for matrix in g]
    binary = grammar.binary
    tensors = [
        np.einsum("abc,ai,bj,ck->ijk", binary.tensor(r, grammar.n_states), inverse[a].T, g[b], g[c], optimize=True)
        for r, (a, b, c) in enumerate(zip(binary.parent, binary.left, binary.right, strict=True))
    ]
    matrices = [
        inverse[a] @ grammar.unary.matrix(r, grammar.n_states) @ g[b]
        for r, (a, b) in enumerate(zip(grammar.unary.parent, grammar.unary.child, strict=True))
    ]
    vectors = [
        inverse[a] @ grammar.lexical.values[grammar.lexical.start[r] : grammar.lexical.start[r + 1]]
        for r, a in enumerate(grammar.lexical.symbol)
    ]
    roots = [g[a].T @ part for a, part in enumerate(np.split(grammar.root_vector, grammar.state_start[1:-1]))]
    return replace(
        grammar,
        root_vector=np.concatenate(roots),
        binary=replace(binary, rank=np.zeros(len(binary), np.int32), start=_sizes(tensors), values=_flat(tensors)),
        unary=replace(grammar.unary, values=_flat(matrices)),
        lexical=replace(grammar.lexical, values=_flat(vectors)),
        is_probabilistic=False,
    )


def words_of(grammar, sentence):
    """Lexical candidates of a list of words, all their tags open."""
    rules = grammar.lexical
    spans = [
        range(rules.entry_start[grammar.lexicon.entry(w)], rules.entry_start[grammar.lexicon.entry(w) + 1])
        for w in sentence
    ]
    flat = [r for span in spans for r in span]
    vectors = [rules.values[rules.start[r] : rules.start[r + 1]] for r in flat]
    return Words(
        np.concatenate([[0], np.cumsum([len(span) for span in spans])]),
        rules.symbol[flat],
        rules.probability[flat],
        np.concatenate([[0], np.cumsum([len(vector) for vector in vectors])]),
        np.concatenate(vectors),
    )


def _symbol(name):
    return Symbol((name.lstrip("@"),), is_preterminal=name.islower(), is_intermediate=name.startswith("@"))


def _mass(values):
    return float(np.abs(values).mean())


def _binary(table):
    rules = sorted(table, key=lambda rule: (rule[1], rule[2], rule[0]))
    columns = np.array(rules, np.int32).reshape(-1, 3).T
    blocks = [np.asarray(table[rule], float) for rule in rules]
    rank = np.full(len(rules), DENSE, np.int32)
    return BinaryRules(*columns, np.array([_mass(b) for b in blocks]), rank, _sizes(blocks), _flat(blocks))


def _unary(table):
    rules = sorted(table, key=lambda rule: (rule[1], rule[0]))
    columns = np.array(rules, np.int32).reshape(-1, 2).T
    blocks = [np.asarray(table[rule], float) for rule in rules]
    hidden = np.zeros(len(rules), np.int32)
    return UnaryRules(*columns, hidden, np.array([_mass(b) for b in blocks]), _sizes(blocks), _flat(blocks))


def _lexical(table, n_words):
    rules = sorted(table, key=lambda rule: (rule[1], rule[0]))
    blocks = [np.asarray(table[rule], float) for rule in rules]
    entry_start = np.searchsorted([x for _, x in rules], np.arange(n_words + 1)).astype(np.int64)
    symbol = np.array([a for a, _ in rules], np.int32)
    return LexicalRules(symbol, np.array([_mass(b) for b in blocks]), entry_start, _sizes(blocks), _flat(blocks))


def _sizes(blocks):
    return starts(np.array([block.size for block in blocks], np.int64))


def _flat(blocks):
    return np.concatenate([block.ravel() for block in blocks]) if blocks else np.zeros(0)
