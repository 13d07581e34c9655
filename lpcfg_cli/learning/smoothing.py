"""Smoothed rule moments: third- and second-order moments backed off to lower orders (C13 §3.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

KHATRI_RAO_LIMIT = 1 << 22
"""Largest number of entries of the row-wise products held at a time when a dense tensor is computed."""


@dataclass(frozen=True)
class Components:
    """A tensor of shape (m_a, m_b, m_c) as a sum of R outer products, T = Σ_r u_r ⊗ v_r ⊗ w_r.

    Attributes
    ----------
    u : ndarray of float64, shape (R, m_a)
    v : ndarray of float64, shape (R, m_b)
    w : ndarray of float64, shape (R, m_c)
    """

    u: np.ndarray
    v: np.ndarray
    w: np.ndarray

    @property
    def rank(self) -> int:
        """R, the number of outer products."""
        return len(self.u)

    @property
    def is_smaller_than_dense(self) -> bool:
        """Whether the components take fewer numbers than the tensor."""
        m_a, m_b, m_c = self.u.shape[1], self.v.shape[1], self.w.shape[1]
        return self.rank * (m_a + m_b + m_c) < m_a * m_b * m_c

    def dense(self) -> np.ndarray:
        """The tensor, shape (m_a, m_b, m_c); O(R m_a m_b m_c)."""
        m_b, m_c = self.v.shape[1], self.w.shape[1]
        total = np.zeros((self.u.shape[1], m_b * m_c))
        step = max(1, KHATRI_RAO_LIMIT // (m_b * m_c))
        for first in range(0, self.rank, step):
            part = slice(first, first + step)
            total += self.u[part].T @ (self.v[part, :, None] * self.w[part, None, :]).reshape(-1, m_b * m_c)
        return total.reshape(-1, m_b, m_c)

    def flat(self) -> np.ndarray:
        """u, v and w one after the other, as a model stores them; shape (R (m_a + m_b + m_c),)."""
        return np.concatenate([self.u.ravel(), self.v.ravel(), self.w.ravel()])


def shrinkage(count: float, c: float) -> float:
    """λ = √count / (C + √count), the weight of a moment against its back-off (C13 §3.2)."""
    root = float(np.sqrt(count))
    return root / (c + root)


def plain_binary(z: np.ndarray, y2: np.ndarray, y3: np.ndarray, weight: np.ndarray) -> Components:
    """The unsmoothed moment E[Z ⊗ Y₂ ⊗ Y₃] (C13 eq. 2).

    Parameters
    ----------
    z, y2, y3 : ndarray, shapes (q, m_a), (q, m_b), (q, m_c)
        Projections of the rule's q instances.
    weight : ndarray of float64, shape (q,)
        How often each instance counts.
    """
    return Components(z * weight[:, None] / weight.sum(), y2, y3)


def weighted_mean(values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The mean of rows, (q, m), with weights, (q,); shape (m,)."""
    return (values * weight[:, None]).sum(0) / weight.sum()


def smoothed_binary(
    z: np.ndarray,
    y2: np.ndarray,
    y3: np.ndarray,
    weight: np.ndarray,
    default: tuple[np.ndarray, np.ndarray, np.ndarray],
    c: float,
) -> Components:
    """The smoothed moment λE + (1−λ)(λE² + (1−λ)(λE³ + (1−λ)E⁴)) (C13 §3.2), exactly, with q + 2 components.

    Let α = (1−λ)/3, e₁, e₂ and e₃ be the means of z, y₂ and y₃, and t run over the instances.  The average of
    (z_t + αe₁) ⊗ (y₂_t + αe₂) ⊗ (y₃_t + αe₃) is E + (1−λ)E² + (3α² + α³)E³.  The smoothed moment is λ times this
    average plus multiples of E³ and E⁴, which are one outer product each.

    Parameters
    ----------
    z, y2, y3, weight
        As for `plain_binary`; the count of the rule is the sum of the weights.
    default : tuple of ndarray, shapes (m_a,), (m_b,), (m_c,)
        H^a, F^b, F^c: the means over all nodes of the nonterminals; their outer product is E⁴.
    c : float
        C of `shrinkage`.
    """
    count = weight.sum()
    lam = shrinkage(count, c)
    mu = 1 - lam
    alpha = mu / 3
    means = [weighted_mean(part, weight) for part in (z, y2, y3)]
    back_off = np.array([lam * mu**2 - lam * (3 * alpha**2 + alpha**3), mu**3])
    parts = [
        np.vstack([part + alpha * mean, mean, base])
        for part, mean, base in zip((z, y2, y3), means, default, strict=True)
    ]
    scale = np.append(lam * weight / count, back_off)
    return Components(parts[0] * scale[:, None], parts[1], parts[2])


def plain_unary(z: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The unsmoothed moment E[Z ⊗ Y] of a unary rule, shape (m_a, m_b), from z, (q, m_a), and y, (q, m_b)."""
    return (z * weight[:, None]).T @ y / weight.sum()


def smoothed_unary(
    z: np.ndarray, y: np.ndarray, weight: np.ndarray, default: tuple[np.ndarray, np.ndarray], c: float
) -> np.ndarray:
    """λE[Z ⊗ Y] + (1−λ)(λE[Z] ⊗ E[Y] + (1−λ)H^a ⊗ F^b), shape (m_a, m_b): the unary case of `smoothed_binary`."""
    lam = shrinkage(weight.sum(), c)
    independent = np.outer(weighted_mean(z, weight), weighted_mean(y, weight))
    backed_off = lam * independent + (1 - lam) * np.outer(*default)
    return lam * plain_unary(z, y, weight) + (1 - lam) * backed_off
