"""The interface of language models."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.text.vocabulary import END, START, Vocabulary


@dataclass(frozen=True)
class LanguageModel(ABC):
    """A model of the next word, given the words before it in the sentence.

    Attributes
    ----------
    vocabulary : Vocabulary
    """

    vocabulary: Vocabulary

    @property
    @abstractmethod
    def order(self) -> int:
        """Number of words on which a probability depends, the predicted one among them."""

    @abstractmethod
    def probabilities(self, rows: np.ndarray) -> np.ndarray:
        """p(last word | words before) of each row.

        Parameters
        ----------
        rows : ndarray of int32, shape (n, k)
            k ≥ `order`; numbers of words, with `START` in all places before a sentence.

        Returns
        -------
        ndarray of float64, shape (n,)
        """

    @abstractmethod
    def distribution(self, context: Sequence[int]) -> np.ndarray:
        """p(w | context) of every word, float64, shape (n_words,); 0 for ``<s>``.

        Parameters
        ----------
        context : sequence of int
            At least `order` − 1 words.
        """

    def logprob(self, words: Sequence[str]) -> float:
        """Natural logarithm of the probability of a sentence, its end included.

        Words that the model does not know count as ``<unk>``.

        Parameters
        ----------
        words : sequence of str
        """
        numbers = [START] * (self.order - 1) + [self.vocabulary.number_of(word) for word in words] + [END]
        rows = np.lib.stride_tricks.sliding_window_view(np.array(numbers, np.int32), self.order)
        with np.errstate(divide="ignore"):
            return float(np.log(self.probabilities(rows)).sum())
