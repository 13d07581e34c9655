"""Brute force: enumeration of all derivations of a sentence, without chart and kernels.

A derivation is a nested tuple: ("lexical", symbol, i), ("binary", rule, i, k, j, left, right) or
("unary", rule, i, j, child).
"""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np


def derivations(grammar, words):
    """All derivations of the whole sentence, as (root symbol, derivation)."""
    n = len(words.start) - 1
    for symbol in range(grammar.n_symbols):
        if grammar.root_probability[symbol] > 0:
            for tree in _top(grammar, words, symbol, 0, n):
                yield symbol, tree


def _top(grammar, words, symbol, i, j):
    yield from _bottom(grammar, words, symbol, i, j)
    unary = grammar.unary
    for rule in range(len(unary)):
        if unary.parent[rule] == symbol:
            for child in _bottom(grammar, words, int(unary.child[rule]), i, j):
                yield "unary", rule, i, j, child


def _bottom(grammar, words, symbol, i, j):
    if j == i + 1 and symbol in words.symbol[words.start[i] : words.start[j]]:
        yield "lexical", symbol, i
    binary = grammar.binary
    for rule in range(len(binary)):
        if binary.parent[rule] != symbol:
            continue
        for k in range(i + 1, j):
            lefts = _top(grammar, words, int(binary.left[rule]), i, k)
            rights = list(_top(grammar, words, int(binary.right[rule]), k, j))
            for left, right in itertools.product(lefts, rights):
                yield "binary", rule, i, k, j, left, right


def vector_of(grammar, words, tree):
    """Inside vector of a derivation (C14 Fig. 4)."""
    if tree[0] == "lexical":
        _, symbol, i = tree
        for x in range(words.start[i], words.start[i + 1]):
            if words.symbol[x] == symbol:
                return words.vector[words.vector_start[x] : words.vector_start[x + 1]]
    if tree[0] == "unary":
        return grammar.unary.matrix(tree[1], grammar.n_states) @ vector_of(grammar, words, tree[4])
    left, right = (vector_of(grammar, words, part) for part in tree[5:])
    return np.einsum("abc,b,c->a", grammar.binary.tensor(tree[1], grammar.n_states), left, right)


def value_of(grammar, words, symbol, tree):
    """Value of a derivation with its root: under a probabilistic L-PCFG, its probability."""
    root = grammar.root_vector[grammar.state_start[symbol] : grammar.state_start[symbol + 1]]
    return float(root @ vector_of(grammar, words, tree))


def applications(tree):
    """The rule applications of a derivation, as keys of the reference's tables."""
    if tree[0] == "lexical":
        return [("lexical", tree[1], tree[2])]
    if tree[0] == "unary":
        return [("unary", *tree[1:4]), *applications(tree[4])]
    return [("binary", *tree[1:5]), *applications(tree[5]), *applications(tree[6])]


def identities(grammar, tree, is_top=True):
    """Keys (symbol, i, j) of the items of a derivation that could have a unary rule but have none."""
    if tree[0] == "unary":
        return identities(grammar, tree[4], is_top=False)
    span, symbol = (tree[2], tree[2] + 1), tree[1]
    if tree[0] == "binary":
        span, symbol = (tree[2], tree[4]), int(grammar.binary.parent[tree[1]])
    below = [key for part in tree[5:] for key in identities(grammar, part)]
    return [("identity", symbol, *span), *below] if is_top else below


def brackets(grammar, tree):
    """The labelled brackets (label, i, j) of a derivation; repeated labels over one span are repeated."""
    if tree[0] == "lexical":
        return [(label, tree[2], tree[2] + 1) for label in grammar.symbols[tree[1]].phrase_labels]
    if tree[0] == "unary":
        labels = grammar.symbols[grammar.unary.parent[tree[1]]].phrase_labels
        labels += grammar.hidden_labels[grammar.unary.hidden[tree[1]]]
        return [(label, *tree[2:4]) for label in labels] + brackets(grammar, tree[4])
    own = [(label, tree[2], tree[4]) for label in grammar.symbols[grammar.binary.parent[tree[1]]].phrase_labels]
    return own + brackets(grammar, tree[5]) + brackets(grammar, tree[6])


def written_tree(grammar, tree):
    """The different brackets, those over one span in their order, and the tags: what derivations of one tree share."""
    chains = defaultdict(list)
    for label, i, j in brackets(grammar, tree):
        if chains[i, j][-1:] != [label]:
            chains[i, j].append(label)
    tags = tuple(grammar.symbols[key[1]].tag for key in applications(tree) if key[0] == "lexical")
    return tuple(sorted((span, tuple(labels)) for span, labels in chains.items())), tags
