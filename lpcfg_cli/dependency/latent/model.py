"""The interface of models of dependency trees, and the form with hidden states (D12 §3, equation 2).

Each word has a hidden state.  That of a root is drawn from π, that of another word depends on the state of its head
and on the side; the word depends on its state:

    p(x₁ … x_n | tree) = Σ_h π(h_root) Π t_d(h_j | h_head(j)) Π o(x_j | h_j)

The structure of the tree is given: the model has no probability for it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.dependency.latent import tree_kernels
from lpcfg_cli.dependency.latent.tree_arrays import TreeArrays, arrays_of
from lpcfg_cli.dependency.trees.sentence import DependencySentence
from lpcfg_cli.text.vocabulary import Vocabulary


@dataclass(frozen=True)
class TreeValues:
    """What a model makes of trees.

    Attributes
    ----------
    logs : ndarray of float64, shape (n_trees,)
        log |p̂|; −∞ where p̂ vanishes.
    signs : ndarray of float64, shape (n_trees,)
        The sign of p̂: spectral estimates may be negative.
    """

    logs: np.ndarray
    signs: np.ndarray


@dataclass(frozen=True)
class TreeModel(ABC):
    """A model of the symbols of dependency trees, given their structure.

    Attributes
    ----------
    vocabulary : Vocabulary
    frequency : ndarray of float64, shape (n_words,)
        Share of each symbol in the treebank that the model was learnt from.
    symbols : str
        ``forms`` or ``tags``: what nodes emit.
    """

    vocabulary: Vocabulary
    frequency: np.ndarray
    symbols: str

    @property
    @abstractmethod
    def n_states(self) -> int:
        """m: number of hidden states, or of dimensions of their linear map."""

    @abstractmethod
    def values(self, trees: TreeArrays) -> TreeValues:
        """The probabilities of trees given their structure (D12, Algorithm 1), before anything is made of signs."""

    def arrays(self, sentences: Sequence[DependencySentence]) -> TreeArrays:
        """Sentences in the numbering of the model; raises as `arrays_of` does."""
        return arrays_of(sentences, self.vocabulary, self.symbols)


@dataclass(frozen=True)
class TreeParameters:
    """The parameters, or expected counts of the same shapes.

    Attributes
    ----------
    initial : ndarray of float64, shape (1, m)
        π(h): sums to 1.
    transitions : ndarray of float64, shape (2, m, m)
        p(state of a child | h) in row h, of left and of right children: rows sum to 1.
    emission : ndarray of float64, shape (n_words, m)
        p(x | h): columns sum to 1; 0 for ``<s>`` and ``</s>``.
    """

    initial: np.ndarray
    transitions: np.ndarray
    emission: np.ndarray

    def log_probabilities(self, trees: TreeArrays) -> np.ndarray:
        """log p of each tree, float64, shape (n_trees,); O(m²) for each node."""
        logs, own = np.empty(len(trees)), (self.initial[0], self.transitions, self.emission)
        tree_kernels.hidden_values(trees.symbols, trees.heads, trees.offsets, trees.order, *own, logs)
        return logs


@dataclass(frozen=True)
class HiddenTreeModel(TreeModel):
    """A model with the parameters of probability distributions.

    Attributes
    ----------
    parameters : TreeParameters
    """

    parameters: TreeParameters

    @property
    def n_states(self) -> int:
        """m."""
        return self.parameters.initial.shape[1]

    def values(self, trees: TreeArrays) -> TreeValues:
        """As in `TreeModel`; O(m²) for each node."""
        logs = self.parameters.log_probabilities(trees)
        return TreeValues(logs, np.where(np.isfinite(logs), 1.0, 0.0))
