"""Contexts as windows of weighted words: the weights by distance, and the pairs of words that share a window."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.config import EmbedSettings


def window_weights(settings: EmbedSettings) -> np.ndarray:
    """Weight of the word at distance 1 … h, float64, shape (h,)."""
    h = settings.window
    distance = np.arange(1, h + 1)
    if settings.weights == "linear":
        return (h + 1 - distance) / h
    return 1 / distance if settings.weights == "harmonic" else np.ones(h)


def same_side(weights: np.ndarray) -> tuple[float, np.ndarray]:
    """Σ_d w_d², and for each distance e = 1 … h − 1 of two words the sum of w_d w_{d + e}, shape (h − 1,).

    Over all positions of a text, these are the weights of a word with itself, and of two words with each other, among
    the products of the bags of one side.
    """
    products = np.correlate(weights, weights, "full")[len(weights) - 1 :]
    return float(products[0]), products[1:]


def both_sides(weights: np.ndarray) -> np.ndarray:
    """For each distance e = 1 … 2h of two words the sum of w_d w_{e − d}, shape (2h,); 0 for neighbours.

    These are the weights of two words among the products of the bag on the left and the bag on the right of a position.
    """
    return np.append(0.0, np.convolve(weights, weights))


def geometric_weights(smoothing: float, least: float = 1e-3) -> np.ndarray:
    """α(1 − α)^(d − 1) for d = 1, 2, … as far as it is at least `least` times the first."""
    most = 1 if smoothing >= 1 else 1 + int(np.log(least) / np.log1p(-smoothing))
    return smoothing * (1 - smoothing) ** np.arange(most)
