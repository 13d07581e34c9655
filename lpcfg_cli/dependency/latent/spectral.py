"""Spectral learning from words, their children and their contexts (D12 §3.3).

U projects words, V their neighbours.  Over the arcs of each side d, z being the mean of the projected context,

    S_d = E[Uᵀhead zᵀ]     Ω_d = E[Uᵀchild zᵀ]     K_d(v) = E[(vᵀUᵀhead) Uᵀchild zᵀ]

so that, with G = UᵀO, Ω_d S_d⁻¹ = G T_d G⁻¹ = E_d and E_d⁻¹ K_d(v) S_d⁻¹ = G diag(Gᵀv) G⁻¹ = D(v), as in the paper,
where d is left, z the right child, S is Λ_R and K has one tensor.  The weight y of a word, with Gᵀy = o(x | ·), is what
neighbours tell of it: B V (UᵀB V)⁻¹ for counts of neighbours B; the paper's (UᵀU)⁻¹Uᵀδ is the same if O is in the span
of U.

Departures from the paper: Λ, Ω and K come from the same arcs, as heads with children on both sides have other states
than heads with one; c₁ comes from roots, not from all words; the constant is a dimension (see `views`); D solves the
equations of both sides together by least squares; it is symmetric in both its arguments, as in theory; all regressions
may be drawn to independence (ridge, floor, κ), without which most estimates of long sentences are noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lpcfg_cli.config import DependencyModelSettings
from lpcfg_cli.dependency.latent.contexts import CONTEXTS
from lpcfg_cli.dependency.latent.learner import TreeData, TreeLearner, TreeLearnt
from lpcfg_cli.dependency.latent.moments import KINDS, Moments, moments_of
from lpcfg_cli.dependency.latent.observable import Observable, SpectralTreeModel
from lpcfg_cli.dependency.latent.views import Views, views_of
from lpcfg_cli.em.monitor import OnStep, ignore_record

INVERSE = 1e-12
"""Eigenvalues below this share of the largest count as zero."""

CHUNK = 1 << 22
"""Largest number of products that are held in memory at a time: 32 MB."""


@dataclass(frozen=True)
class SideMoments:
    """Moments over the arcs of one side.

    Attributes
    ----------
    arcs : float
        Number of the arcs.
    head, child : ndarray of float64, shape (m, m)
        S and Ω.
    third : ndarray of float64, shape (m, m, m)
        K of the unit vector l is ``third[l]``.
    """

    arcs: float
    head: np.ndarray
    child: np.ndarray
    third: np.ndarray


def mean_products(heads: np.ndarray, children: np.ndarray, contexts: np.ndarray, weight: np.ndarray) -> SideMoments:
    """The moments of some arcs; O(m³) for each.

    Parameters
    ----------
    heads, children, contexts : ndarray of float64, shape (n_arcs, m)
        Projections.
    weight : ndarray of float64, shape (n_arcs,)
    """
    m, total = heads.shape[1], float(weight.sum())
    weighted = contexts * (weight / max(total, np.finfo(float).tiny))[:, None]
    third, step = np.zeros((m * m, m)), max(1, CHUNK // m**2)
    for begin in range(0, len(heads), step):
        own = slice(begin, begin + step)
        both = (heads[own, :, None] * children[own, None]).reshape(-1, m * m)
        third += both.T @ weighted[own]
    return SideMoments(total, heads.T @ weighted, children.T @ weighted, third.reshape(m, m, m))


def side_moments(moments: Moments, views: Views, contexts: str) -> list[SideMoments]:
    """The moments of left and of right arcs; O(m³) for each arc."""
    arcs = moments.arcs
    z = CONTEXTS.named(contexts, "dependency.contexts").total(arcs, views.neighbours)
    size = np.rint(z[:, 0])  # the constant counts the neighbours
    found = []
    for side in (0, 1):
        own = np.flatnonzero((arcs.side == side) & (size > 0))
        heads, children = (views.words[arcs.symbols[nodes[own]]] for nodes in (arcs.head, arcs.child))
        found.append(mean_products(heads, children, z[own] / size[own, None], arcs.weight[own]))
    return found


def _penalty(m: int, ridge: float) -> np.ndarray:
    """A diagonal matrix with `ridge` for all dimensions but the constant."""
    return np.diag(np.append(0.0, np.full(m - 1, ridge)))


def transition_of(side: SideMoments, mean: np.ndarray, settings: DependencyModelSettings) -> np.ndarray:
    """E_d, float64, shape (m, m): the regression of the child on the head, with the context as instrument.

    A share, the floor, is that of children whose state is that of all words in the mean, (m,).
    """
    m = len(mean)
    independent = np.outer(mean, np.eye(m)[0])
    if not side.arcs:
        return independent
    square = side.head @ side.head.T + _penalty(m, settings.ridge)
    result = side.child @ side.head.T @ np.linalg.pinv(square, rcond=INVERSE, hermitian=True)
    result[0] = np.eye(m)[0]  # a child has some state
    return (1 - settings.floor) * result + settings.floor * independent


def product_of(sides: list[SideMoments], transitions: list[np.ndarray], ridge: float) -> np.ndarray:
    """D, float64, shape (m, m, m), from E_d D(v) S_d = K_d(v) for both sides, by least squares.

    The normal equations Σ_d A_d D B_d = C are solved in bases in which all A and all B are diagonal: O(m³) for each of
    the m right-hand sides.
    """
    from scipy.linalg import eigh

    m, result = len(transitions[0]), neutral_product(len(transitions[0]))
    if not any(side.arcs for side in sides):
        return result
    shares = np.array([side.arcs for side in sides]) / sum(side.arcs for side in sides)
    left = [e.T @ e + _penalty(m, ridge) for e in transitions]
    right = [p * (s.head @ s.head.T + _penalty(m, ridge)) for p, s in zip(shares, sides, strict=True)]
    whole = [a + b + INVERSE * np.trace(a + b) * np.eye(m) for a, b in (left, right)]
    (x, p), (y, q) = eigh(left[0], whole[0]), eigh(right[0], whole[1])
    size = x[:, None] * y + (1 - x)[:, None] * (1 - y)
    for l in range(1, m):
        known = [w * e.T @ s.third[l] @ s.head.T for w, e, s in zip(shares, transitions, sides, strict=True)]
        result[l, 1:] = (p @ (p.T @ sum(known) @ q / np.maximum(size, INVERSE)) @ q.T)[1:]
    return (result + result.transpose(1, 0, 2)) / 2


def neutral_product(m: int) -> np.ndarray:
    """D where only the constant, which is neutral, has products; float64, shape (m, m, m)."""
    result = np.zeros((m, m, m))
    result[0] = result[:, 0] = np.eye(m)
    return result


def weights_of(moments: Moments, views: Views, settings: DependencyModelSettings) -> np.ndarray:
    """The y of all words, float64, shape (n_words, m), which sum to c∞, the first unit vector.

    The weight of a word of count c has the share κ / (c + κ) of its frequency in any state.
    """
    m = views.words.shape[1]
    around = sum(moments.kind(k) @ views.neighbours[k] for k in range(KINDS)) / max(moments.pairs, 1e-300)
    inner = views.words.T @ around
    square = inner @ inner.T + _penalty(m, settings.ridge * (settings.embeddings != ""))
    result = around @ inner.T @ np.linalg.pinv(square, rcond=INVERSE, hermitian=True)
    count = np.asarray(moments.neighbours.sum(1)).ravel()
    unknown = settings.kappa / np.where(count + settings.kappa > 0, count + settings.kappa, 1.0)
    constant = np.eye(m)[0]
    result = (1 - unknown)[:, None] * result + unknown[:, None] * np.outer(moments.frequency, constant)
    usual = np.where(count + settings.kappa > 0, moments.frequency, 0.0)  # else it stays impossible
    return result + np.outer(usual, constant - result.sum(0))


def spectral_model(data: TreeData, settings: DependencyModelSettings, seed: int) -> SpectralTreeModel:
    """The model in observable parameters; raises as `views_of` does."""
    moments = moments_of(data)
    views = views_of(moments, data.vocabulary, settings, seed)
    sides = side_moments(moments, views, settings.contexts)
    mean = moments.frequency @ views.words
    transitions = [transition_of(side, mean, settings) for side in sides]
    observable = Observable(
        start=moments.roots @ views.words,
        transitions=np.stack(transitions),
        product=product_of(sides, transitions, settings.ridge),
        weights=weights_of(moments, views, settings),
        singular_values=views.singular_values,
        chance=views.chance,
    )
    return SpectralTreeModel(data.vocabulary, moments.frequency, settings.symbols, observable)


def fit_spectral(
    data: TreeData, settings: DependencyModelSettings, seed: int, on_step: OnStep = ignore_record
) -> TreeLearnt:
    """The learner of the paper."""
    return TreeLearnt(spectral_model(data, settings, seed))


SPECTRAL = TreeLearner("spectral", "observable parameters from moments (D12)", fit_spectral)
