"""Known models of dependency trees, all trees of few words, and probabilities by summing over all hidden states."""

from __future__ import annotations

from itertools import product

import numpy as np

from lpcfg_cli.dependency.latent.learner import TreeData
from lpcfg_cli.dependency.latent.model import HiddenTreeModel, TreeParameters
from lpcfg_cli.dependency.latent.tree_arrays import TreeArrays
from lpcfg_cli.text.vocabulary import MARKS, Vocabulary

WORDS = len(MARKS)
"""Number of the first symbol that is no mark."""

STRUCTURES = (
    (0,),
    (2, 0),
    (0, 1),
    (2, 0, 2),
    (2, 3, 0),
    (0, 1, 2),
    (3, 3, 0),
    (0, 1, 1),
    (0, 3, 1),
    (3, 0, 2),  # not projective
    (2, 0, 4, 2),
    (2, 4, 4, 0),
    (0, 1, 1, 1),
    (0, 0, 2, 1),  # two roots
)
"""Heads of trees of at most four words."""


def random_tree_model(seed, m, symbols, concentration=0.7):
    rng = np.random.default_rng(seed)
    vocabulary = Vocabulary((*MARKS, *(f"w{k}" for k in range(symbols))))
    emission = np.zeros((len(vocabulary), m))
    emission[WORDS:] = rng.dirichlet([concentration] * symbols, m).T
    parameters = TreeParameters(rng.dirichlet([1.0] * m)[None], rng.dirichlet([concentration] * m, (2, m)), emission)
    return HiddenTreeModel(vocabulary, emission.mean(1), "forms", parameters)


def arrays(trees):
    """`TreeArrays` of pairs of symbols and heads."""
    symbols = np.array([x for words, _ in trees for x in words], np.int32)
    heads = np.array([head for _, own in trees for head in own], np.int32)
    return TreeArrays(symbols, heads, np.cumsum([0, *(len(own) for _, own in trees)]))


def all_trees(model, structures=STRUCTURES, unknown=()):
    """All words of all structures."""
    known = [*unknown, *range(WORDS, len(model.vocabulary))]
    return [(words, heads) for heads in structures for words in product(known, repeat=len(heads))]


def states_and_probabilities(model, words, heads):
    """All assignments of hidden states with their probabilities, together with the words."""
    own = model.parameters
    for states in product(range(model.n_states), repeat=len(words)):
        p = 1.0
        for i, (x, head, h) in enumerate(zip(words, heads, states, strict=True)):
            p *= own.emission[x, h]
            p *= own.transitions[int(i > head - 1), states[head - 1], h] if head else own.initial[0, h]
        yield states, p


def brute_force(model, words, heads):
    """p(words | structure), by D12's equation 2."""
    return sum(p for _, p in states_and_probabilities(model, words, heads))


def exact_data(model, structures):
    """Every tree as often as it is expected, structures being equally likely."""
    trees = all_trees(model, structures)
    weights = np.exp(model.values(arrays(trees)).logs) / len(structures)
    return TreeData(model.vocabulary, arrays(trees), weights)
