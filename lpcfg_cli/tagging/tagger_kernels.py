"""The compiled loops of the tagger: probabilities of the tags of a sentence, and training of log-linear models.

Loop indexes: i: words of a sentence; token: training tokens; f: features; t, u: tags.
"""

import math

import numpy as np

from lpcfg_cli.arrays.kernel_options import BORROWING, FILLING, INLINED, njit


@njit(**FILLING)
def chain_posteriors(
    score: np.ndarray, lift: np.ndarray, least: float, posterior: np.ndarray, after: np.ndarray
) -> float:
    """Compute p(t | word i) of a chain p(t₁ … t_n) ∝ ∏_i exp(score[i, t_i]) lift[t_{i−1}, t_i] by forward–backward.

    O(n_words n_tags²); less where few tags are probable and `least` is not 0.

    Parameters
    ----------
    score : ndarray of float64, shape (n_words, n_tags)
        Overwritten.
    lift : ndarray of float64, shape (n_tags + 1, n_tags)
        Positive; the last row is for the first word.
    least : float
        A tag with a smaller share of what comes from the words on one side is left out there.
    posterior : ndarray of float64, shape (n_words, n_tags)
        Overwritten.
    after : ndarray of float64, shape (n_tags,)
        A buffer.

    Returns
    -------
    float
        Logarithm of the sum over all tags of all words.
    """
    n_words, n_tags = score.shape
    log_total = 0.0
    for i in range(n_words):
        log_total += _exponentiate(score[i])
        shares = posterior[i]
        for t in range(n_tags):
            shares[t] = lift[n_tags, t] if i == 0 else 0.0
        if i > 0:
            for u in range(n_tags):
                if posterior[i - 1, u] > least:
                    for t in range(n_tags):
                        shares[t] += posterior[i - 1, u] * lift[u, t]
        for t in range(n_tags):
            shares[t] *= score[i, t]
        log_total += math.log(_normalise(shares))
    for t in range(n_tags):
        after[t] = 1.0
    for i in range(n_words - 2, -1, -1):
        following = score[i + 1]  # no longer needed for itself
        for t in range(n_tags):
            following[t] *= after[t]
            after[t] = 0.0
        _normalise(following)
        for t in range(n_tags):
            if following[t] > least:
                for u in range(n_tags):
                    after[u] += lift[u, t] * following[t]
        for t in range(n_tags):
            posterior[i, t] *= after[t]
        _normalise(posterior[i])
    return log_total


@njit(**INLINED)
def _exponentiate(score: np.ndarray) -> float:
    """Replace scores by their exponentials, divided by that of the highest, which is returned."""
    highest = score[0]
    for t in range(score.shape[0]):
        highest = max(highest, score[t])
    for t in range(score.shape[0]):
        score[t] = math.exp(score[t] - highest)
    return highest


@njit(**BORROWING)
def _normalise(shares: np.ndarray) -> float:
    """Make the shares sum to 1; returns their sum before."""
    total = 0.0
    for t in range(len(shares)):
        total += shares[t]
    for t in range(len(shares)):
        shares[t] /= total
    return total


@njit(**FILLING)
def ascend(
    order: np.ndarray,
    start: np.ndarray,
    feature: np.ndarray,
    gold: np.ndarray,
    share: np.ndarray,
    weight: np.ndarray,
    square: np.ndarray,
    rate: float,
    least: float,
    slope: np.ndarray,
) -> None:
    """Take one step of AdaGrad (Duchi, Hazan and Singer 2011, §1.3 with diagonal G) for each token by itself.

    Each feature of a token costs O(n_tags) for the scores, and less for the step, because most tags soon have a
    probability near zero.

    Parameters
    ----------
    order : ndarray of int64, shape (n_tokens,)
        Tokens in the order of their steps.
    start : ndarray of int64, shape (n_tokens + 1,)
    feature : ndarray of int32, shape (start[n_tokens],)
        Token i has the features ``feature[start[i]:start[i + 1]]``.
    gold : ndarray of int32, shape (n_tokens,)
        Correct tag of each token.
    share : ndarray of float64, shape (n_tokens,)
        Weight of each token; it multiplies the gradient.
    weight : ndarray of float32, shape (n_features, n_tags)
        Changed in place.
    square : ndarray of float32, shape (n_features, n_tags)
        Sums of squared gradients; changed in place.
    rate : float
        Learning rate.
    least : float
        Tags whose derivative has a smaller absolute value are not changed.
    slope : ndarray of float64, shape (n_tags,)
        A buffer.
    """
    for token in order:
        for t in range(len(slope)):
            slope[t] = 0.0
        _add_scores(feature[start[token] : start[token + 1]], weight, slope)
        _exponentiate(slope)
        _normalise(slope)
        slope[gold[token]] -= 1.0
        _step(feature[start[token] : start[token + 1]], slope, share[token], weight, square, rate, least)


@njit(**FILLING)
def ascend_chains(
    order: np.ndarray,
    first: np.ndarray,
    start: np.ndarray,
    feature: np.ndarray,
    gold: np.ndarray,
    share: np.ndarray,
    lift: np.ndarray,
    weight: np.ndarray,
    square: np.ndarray,
    rate: float,
    least: float,
    least_share: float,
    score: np.ndarray,
    slope: np.ndarray,
    after: np.ndarray,
) -> None:
    """Take one step of AdaGrad for each token, those of a sentence together: its tags are a chain.

    Parameters
    ----------
    order : ndarray of int64, shape (n_sentences,)
        Sentences in the order of their steps.
    first : ndarray of int64, shape (n_sentences + 1,)
        Sentence k has the tokens ``first[k]`` to ``first[k + 1]``.
    start, feature, gold, share, weight, square, rate, least
        As for `ascend`.
    lift : ndarray of float64, shape (n_tags + 1, n_tags)
    least_share : float
        As `lift` and `least` for `chain_posteriors`.
    score, slope : ndarray of float64, shape (words of the longest sentence, n_tags)
        Buffers.
    after : ndarray of float64, shape (n_tags,)
        A buffer.
    """
    for k in order:
        n_words = first[k + 1] - first[k]
        for i in range(n_words):
            token = first[k] + i
            for t in range(score.shape[1]):
                score[i, t] = 0.0
            _add_scores(feature[start[token] : start[token + 1]], weight, score[i])
        chain_posteriors(score[:n_words], lift, least_share, slope[:n_words], after)
        for i in range(n_words):
            token = first[k] + i
            slope[i, gold[token]] -= 1.0
            _step(feature[start[token] : start[token + 1]], slope[i], share[token], weight, square, rate, least)


@njit(**BORROWING)
def _add_scores(features: np.ndarray, weight: np.ndarray, score: np.ndarray) -> None:
    """Add the weights of the features of a token to the scores of its tags."""
    for f in features:
        for t in range(len(score)):
            score[t] += weight[f, t]


@njit(**BORROWING)
def _step(
    features: np.ndarray,
    slope: np.ndarray,
    share: float,
    weight: np.ndarray,
    square: np.ndarray,
    rate: float,
    least: float,
) -> None:
    """Move the weights of the features of a token against the slope, which `share` multiplies."""
    for t in range(len(slope)):
        if abs(slope[t]) < least:
            continue
        step = share * slope[t]
        for f in features:
            square[f, t] += step * step
            weight[f, t] -= rate * step / math.sqrt(square[f, t])
