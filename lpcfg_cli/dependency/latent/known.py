"""Small known models of dependency trees, for tests of the theory; their symbols are letters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.dependency.latent.learner import TreeData
from lpcfg_cli.dependency.latent.model import HiddenTreeModel, TreeParameters
from lpcfg_cli.dependency.latent.tree_arrays import TreeArrays
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.text.vocabulary import MARKS, UNKNOWN, Vocabulary

LEFT_TRANSITION = ((0.8, 0.15, 0.05), (0.05, 0.8, 0.15), (0.2, 0.05, 0.75))

RIGHT_TRANSITION = ((0.1, 0.8, 0.1), (0.1, 0.1, 0.8), (0.7, 0.1, 0.2))
"""p(state of a child | state of its head), a row for each state of the head."""

INITIAL = (0.6, 0.3, 0.1)

EMISSIONS = {
    "separable": ((0.6, 0.4, 0.0, 0.0, 0.0), (0.0, 0.0, 0.7, 0.3, 0.0), (0.0, 0.1, 0.0, 0.1, 0.8)),
    "blurred": ((0.5, 0.2, 0.1, 0.1, 0.1), (0.1, 0.1, 0.5, 0.2, 0.1), (0.1, 0.1, 0.1, 0.2, 0.5)),
    "hidden": ((0.6, 0.4, 0.0, 0.0, 0.0), (0.0, 0.0, 0.3, 0.4, 0.3), (0.0, 0.0, 0.3, 0.4, 0.3)),
}
"""p(letter | state) of each model, as of the known HMMs: in *hidden*, two states emit the same, so that UᵀO cannot be
inverted, as the theorem requires (D12, Theorem 3.1)."""


def known_tree_model(name: str) -> HiddenTreeModel:
    """A known model; raises `ConfigError` if there is none of this name."""
    if name not in EMISSIONS:
        raise ConfigError(f"consistency.grammars: unknown tree model {name!r}. Known: {', '.join(EMISSIONS)}.")
    letters = np.array(EMISSIONS[name]).T
    emission = np.vstack([np.zeros((len(MARKS), letters.shape[1])), letters])
    vocabulary = Vocabulary((*MARKS, *(chr(ord("a") + k) for k in range(len(letters)))))
    transitions = np.array([LEFT_TRANSITION, RIGHT_TRANSITION])
    parameters = TreeParameters(np.array([INITIAL]), transitions, emission)
    return HiddenTreeModel(vocabulary, emission.mean(1), "forms", parameters)


@dataclass(frozen=True)
class AllTrees:
    """All trees of a few words over all symbols of a model.

    Attributes
    ----------
    trees : TreeArrays
    structure : ndarray of float64, shape (n_trees,)
        Probability of the structure of each: numbers of words are equally likely, and all projective trees of so many.
    """

    trees: TreeArrays
    structure: np.ndarray


def all_trees(model: HiddenTreeModel, words: int) -> AllTrees:
    """All projective trees of at most so many words, with all symbols.

    Parameters
    ----------
    model : HiddenTreeModel
    words : int
    """
    symbols, heads, sizes, shares = [], [], [], []
    known = np.arange(len(MARKS), len(model.vocabulary), dtype=np.int32)
    for n in range(1, words + 1):
        structures = np.array(list(projective_heads(n)), np.int32)
        each = np.stack(np.meshgrid(*[known] * n, indexing="ij"), -1).reshape(-1, n)
        number = len(structures) * len(each)
        symbols.append(np.tile(each, (len(structures), 1)).ravel())
        heads.append(np.repeat(structures, len(each), 0).ravel())
        sizes.append(np.full(number, n))
        shares.append(np.full(number, 1 / (words * len(structures))))
    trees = TreeArrays(np.concatenate(symbols), np.concatenate(heads), starts(np.concatenate(sizes)))
    return AllTrees(trees, np.concatenate(shares))


def projective_heads(n: int) -> Iterator[tuple[int, ...]]:
    """The heads of all projective trees of n words with one root."""
    return _tree_heads(1, n + 1, 0)


def _tree_heads(begin: int, end: int, head: int) -> Iterator[tuple[int, ...]]:
    """The heads of all trees over the words from `begin` to before `end` whose root has this head."""
    for root in range(begin, end):
        for left in _forest_heads(begin, root, root):
            for right in _forest_heads(root + 1, end, root):
                yield (*left, head, *right)


def _forest_heads(begin: int, end: int, head: int) -> Iterator[tuple[int, ...]]:
    """The same for any number of trees with this head, one after the other."""
    if begin == end:
        yield ()
    for middle in range(begin + 1, end + 1):
        for first in _tree_heads(begin, middle, head):
            for rest in _forest_heads(middle, end, head):
                yield first + rest


def sample_trees(model: HiddenTreeModel, every: AllTrees, number: int, rng: np.random.Generator) -> TreeData:
    """A sample of independent trees, each different tree once with the number of times that it was drawn.

    Parameters
    ----------
    model : HiddenTreeModel
    every : AllTrees
        All trees that can be drawn.
    number : int
    rng : Generator
    """
    p = np.exp(model.values(every.trees).logs) * every.structure
    count = rng.multinomial(number, p / p.sum())
    seen = np.flatnonzero(count)
    offsets = every.trees.offsets
    nodes = np.repeat(count > 0, np.diff(offsets))
    trees = TreeArrays(every.trees.symbols[nodes], every.trees.heads[nodes], starts(np.diff(offsets)[seen]))
    assert UNKNOWN not in trees.symbols
    return TreeData(model.vocabulary, trees, count[seen].astype(np.float64))
