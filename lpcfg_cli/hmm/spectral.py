"""Spectral learning from trigrams: observable operators without hidden states (D12 §2.2).

With projections U of the future and V of the past, of which the paper's U is one for both, let Σ = UᵀP₂₁V be the
projected bigrams and M_x = Σ_{c,a} p(c, x, a) U_c V_aᵀ the projected trigrams with x in the middle.  Then

    c₁ = Uᵀp(x₁)     c∞ᵀ = 1ᵀP₂₁VΣ⁻¹     B_x = M_x Σ⁻¹  (Hsu et al. 2009)     C(x) = K(y_x) Σ⁻¹  (D12)

where K(y) = Σ_x M_x (W_xᵀ y).  W and y are the singular vectors of P₂₁ without the end, which is never in the middle;
from any vectors W of words, y = P₂₁V(WᵀP₂₁V)⁻¹.

Departures from the papers: moments are means over all positions, not those of the first three symbols; the past of a
first symbol is the begin of the sequence, and the end of a sequence is a symbol.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lpcfg_cli.config import HmmSettings
from lpcfg_cli.em.monitor import OnStep, ignore_record
from lpcfg_cli.errors import ConfigError, NumericalError
from lpcfg_cli.hmm.learner import HmmData, HmmLearner, HmmLearnt
from lpcfg_cli.hmm.moments import Moments, moments_of
from lpcfg_cli.hmm.operators import FullModel, Observable, ReducedModel
from lpcfg_cli.hmm.projections import INVERSE, Sides, projected_sides
from lpcfg_cli.text.vocabulary import END, Vocabulary
from lpcfg_cli.wording import counted

MOST_NUMBERS = 1 << 29
"""Largest number of entries of all operators of the full form: 4 GiB."""


@dataclass(frozen=True)
class Projected:
    """Moments in m dimensions.

    Attributes
    ----------
    sides : Sides
    inverse : ndarray of float64, shape (m, m)
        Σ⁻¹, the pseudo-inverse if Σ is singular.
    weights : ndarray of float64, shape (n_words, m)
        P₂₁VΣ⁻¹: p(x) of a state in row x, as the bigrams have it.
    """

    sides: Sides
    inverse: np.ndarray
    weights: np.ndarray


def project_moments(moments: Moments, vocabulary: Vocabulary, settings: HmmSettings, seed: int) -> Projected:
    """The projections that the settings name, and Σ⁻¹.

    Raises
    ------
    LpcfgError
        As of `projected_sides`.
    """
    sides = projected_sides(moments, vocabulary, settings, seed)
    past = moments.bigrams @ sides.past
    inverse = np.linalg.pinv(sides.future.T @ past, rcond=INVERSE)
    return Projected(sides, inverse, past @ inverse)


def symbol_moments(moments: Moments, sides: Sides, n_words: int) -> np.ndarray:
    """M_x, float64, shape (n_words, m, m); O(n m²) for n different trigrams."""
    m = sides.future.shape[1]
    result = np.zeros((n_words, m, m))
    for symbol, own in middles(moments):
        before, _, after = moments.trigrams[own].T
        result[symbol] = (sides.future[after] * moments.share[own, None]).T @ sides.past[before]
    return result


def middles(moments: Moments) -> list[tuple[int, slice]]:
    """Each symbol that is the middle of trigrams, with their positions."""
    symbols, begin = np.unique(moments.trigrams[:, 1], return_index=True)
    ends = [*begin[1:].tolist(), len(moments.trigrams)]
    return [(int(x), slice(a, b)) for x, a, b in zip(symbols, begin.tolist(), ends, strict=True)]


def third_moment(moments: Moments, sides: Sides) -> np.ndarray:
    """K, float64, shape (m, m, m): ``K[l]`` = Σ_x W_xl M_x; O(n m² + n_words m³) time, O(m³) memory."""
    m = sides.future.shape[1]
    result = np.zeros((m, m * m))
    for symbol, own in middles(moments):
        before, _, after = moments.trigrams[own].T
        one = (sides.future[after] * moments.share[own, None]).T @ sides.past[before]
        result += sides.middle[symbol][:, None] * one.ravel()
    return result.reshape(m, m, m)


def _observable(moments: Moments, found: Projected, weights: np.ndarray, settings: HmmSettings) -> Observable:
    sides, total = found.sides, found.weights.sum(0)
    start, mean = (sides.future.T @ p for p in (moments.first, moments.frequency))
    totals = total @ start, total @ mean
    if not min(totals) > 0:
        raise NumericalError(
            f"the moments in {counted(len(total), 'dimension')} give sequences no probability. "
            "Give more states (-m), longer vectors if they are of a file, or more text."
        )
    weights = np.ascontiguousarray(weights)
    values, chance = sides.singular_values, sides.chance
    return Observable(start / totals[0], mean / totals[1], total, weights, values, chance, settings.floor)


def reduced_model(moments: Moments, vocabulary: Vocabulary, settings: HmmSettings, seed: int) -> ReducedModel:
    """The model of reduced dimension; raises as `project_moments` does."""
    found = project_moments(moments, vocabulary, settings, seed)
    tensor = np.ascontiguousarray(third_moment(moments, found.sides) @ found.inverse)
    own = _observable(moments, found, found.weights, settings)
    return ReducedModel(vocabulary, moments.frequency, own, np.ascontiguousarray(found.sides.vectors), tensor)


def full_model(moments: Moments, vocabulary: Vocabulary, settings: HmmSettings, seed: int) -> FullModel:
    """The model with an operator for each symbol.

    Raises
    ------
    ConfigError
        The operators would not fit into memory; else as `project_moments`.
    """
    found = project_moments(moments, vocabulary, settings, seed)
    _check_size(len(vocabulary), found.weights.shape[1])
    operators = symbol_moments(moments, found.sides, len(vocabulary)) @ found.inverse
    weights = found.weights.sum(0) @ operators
    weights[END] = found.weights[END]
    own = _observable(moments, found, weights, settings)
    return FullModel(vocabulary, moments.frequency, own, np.ascontiguousarray(operators))


def _check_size(n_words: int, m: int) -> None:
    size = n_words * m**2
    if size > MOST_NUMBERS:
        raise ConfigError(
            f"the learner full needs {n_words:,} operators of {m} × {m} numbers, {8 * size / 2**30:.1f} GiB. "
            "Give fewer states, shorter vectors or a higher --rare-below, or the learner spectral."
        )


def fit_reduced(data: HmmData, settings: HmmSettings, seed: int, on_step: OnStep = ignore_record) -> HmmLearnt:
    """The form of reduced dimension."""
    return HmmLearnt(reduced_model(moments_of(data.counts), data.counts.vocabulary, settings, seed))


def fit_full(data: HmmData, settings: HmmSettings, seed: int, on_step: OnStep = ignore_record) -> HmmLearnt:
    """The form of Hsu et al."""
    return HmmLearnt(full_model(moments_of(data.counts), data.counts.vocabulary, settings, seed))


SPECTRAL = HmmLearner("spectral", "one tensor for all symbols (Foster et al.; D12)", fit_reduced)

FULL = HmmLearner("full", "an operator for each symbol (Hsu et al.)", fit_full)
