"""The latent bigram model: p(w₂ | w₁) = Σ_h r(h | w₁) s(w₂ | h) (Saul and Pereira 1997; CC14 §8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.lm import latent_kernels
from lpcfg_cli.lm.model import LanguageModel


@dataclass(frozen=True)
class LatentParameters:
    """The parameters, or expected counts of the same shapes.

    Attributes
    ----------
    r : ndarray of float64, shape (n_words, m)
        r(h | w₁): rows sum to 1.
    s : ndarray of float64, shape (n_words, m)
        s(w₂ | h): columns sum to 1; 0 for ``<s>``.
    """

    r: np.ndarray
    s: np.ndarray

    def probabilities(self, before: np.ndarray, word: np.ndarray) -> np.ndarray:
        """p(w₂ | w₁) of pairs of words, int32, shape (n,) each; float64, shape (n,)."""
        result = np.empty(len(word))
        before, word = np.ascontiguousarray(before, np.int32), np.ascontiguousarray(word, np.int32)
        latent_kernels.mixtures(before, word, self.r, self.s, result)
        return result


@dataclass(frozen=True)
class LatentBigram(LanguageModel):
    """A latent bigram model.

    Attributes
    ----------
    parameters : LatentParameters
    weight : ndarray of float64, shape (m,)
        Share of each state in the text that the model was learnt from.
    anchors : ndarray of int64, shape (m,) or (0,)
        For each state the word by which it was found; empty if it was not found so.
    lag : int
        Which word chooses the state: 1 for the word before, 2 for the one before that, as in Saul and Pereira's models
        of mixed order.
    """

    parameters: LatentParameters
    weight: np.ndarray
    anchors: np.ndarray
    lag: int = 1

    @property
    def order(self) -> int:
        """`lag` + 1."""
        return self.lag + 1

    @property
    def n_states(self) -> int:
        """m."""
        return len(self.weight)

    def probabilities(self, rows: np.ndarray) -> np.ndarray:
        """As in `LanguageModel`; O(n m)."""
        return self.parameters.probabilities(rows[:, -1 - self.lag], rows[:, -1])

    def distribution(self, context: Sequence[int]) -> np.ndarray:
        """As in `LanguageModel`; O(n_words m)."""
        return self.parameters.s @ self.parameters.r[context[-self.lag]]

    def states_after(self, word: int) -> np.ndarray:
        """r(h | w), float64, shape (m,)."""
        return self.parameters.r[word]

    def states_of(self, word: int) -> np.ndarray:
        """p(h | w) of a word as the second one, float64, shape (m,); zeros for a word that never is."""
        joint = self.weight * self.parameters.s[word]
        total = joint.sum()
        return joint / total if total > 0 else joint
