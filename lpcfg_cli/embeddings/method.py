"""The interface of methods that learn embeddings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from lpcfg_cli.config import EmbedSettings
from lpcfg_cli.embeddings.pairs import Text
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.workers import Mapper


@dataclass(frozen=True)
class EmbedData:
    """What embeddings are learnt from.

    Attributes
    ----------
    text : Text
    mapper : callable like map
        Spreads blocks of the text over workers; results do not depend on it.
    progress : Progress
    """

    text: Text
    mapper: Mapper = field(default=map)
    progress: Progress = field(default=no_progress)


@dataclass(frozen=True)
class Learnt:
    """Vectors as a method gives them.

    Attributes
    ----------
    vectors : ndarray of float64, shape (n_words, ≤ k)
    correlations : ndarray of float64, shape (≤ k,)
        Not increasing, between 0 and 1.  Where square roots of counts or powers of them are used, no bound holds for
        the singular values; they are then divided by the largest.
    """

    vectors: np.ndarray
    correlations: np.ndarray


Fit = Callable[[EmbedData, EmbedSettings, np.random.Generator], Learnt]


@dataclass(frozen=True)
class EmbeddingMethod:
    """A method that learns vectors of words from their contexts.

    Attributes
    ----------
    name : str
        Value of ``embed.method``.
    summary : str
        One line for help pages.
    fit : function of (EmbedData, EmbedSettings, Generator) to Learnt
    """

    name: str
    summary: str
    fit: Fit
