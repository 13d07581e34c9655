"""The compiled loops of the tagger: probabilities of the tags of a sentence, and training of log-linear models.

Loop indexes: i: words of a sentence; token: training tokens; f: features; t, u: tags.
"""

import math

import numpy as np

from lpcfg_cli.arrays.kernel_options import BORROWING, FILLING, INLINED, njit

ANY_ORDER = {"fastmath": {"nnan", "nsz"}}
"""Lets the highest of some numbers be found in any order, which changes nothing: none of them is NaN."""


@njit(**FILLING)
def chain_posteriors(
    score: np.ndarray,
    lift: np.ndarray,
    turned: np.ndarray,
    reach: float,
    least: float,
    posterior: np.ndarray,
    after: np.ndarray,
    near: np.ndarray,
    n_near: np.ndarray,
) -> float:
    """Compute p(t | word i) of a chain p(t₁ … t_n) ∝ ∏_i exp(score[i, t_i]) lift[t_{i−1}, t_i] by forward–backward.

    O(n_words n_tags²); much less where few tags are near the best or probable, and `reach` and `least` say so.  The
    passes number the tags of each word that are near its best anew, as j; tag j of word i is ``near[i, j]``.

    Parameters
    ----------
    score : ndarray of float64, shape (n_words, n_tags)
        Overwritten.
    lift : ndarray of float64, shape (n_tags + 1, n_tags)
        Positive; the last row is for the first word.
    turned : ndarray of float64, shape (n_tags, n_tags)
        ``turned[t, u] = lift[u, t]``, so that both passes read whole rows.
    reach : float
        A tag whose score is so much lower than the word's highest is left out; infinity leaves out none.
    least : float
        A tag with a smaller share of what comes from the words on one side is left out there.  Less than 1 / n_tags,
        so that a tag remains.
    posterior : ndarray of float64, shape (n_words, n_tags)
        Overwritten.
    after : ndarray of float64, shape (n_tags,)
        A buffer.
    near : ndarray of int32, shape (n_words, n_tags)
        A buffer.
    n_near : ndarray of int32, shape (n_words,)
        A buffer.

    Returns
    -------
    float
        Logarithm of the sum over all tags of all words.
    """
    n_words, n_tags = score.shape
    log_total = 0.0
    for i in range(n_words):
        highest = _highest(score[i])
        n = n_near[i] = _keep_near(score[i], highest, reach, near[i])
        shares = posterior[i, :n]
        for j in range(n):
            shares[j] = lift[n_tags, near[i, j]] if i == 0 else 0.0
        if i > 0:
            for j in range(n_near[i - 1]):
                if posterior[i - 1, j] > least:
                    _add_scaled(shares, posterior[i - 1, j], lift[near[i - 1, j]], near[i])
        for j in range(n):
            shares[j] *= score[i, j]
        log_total += highest + math.log(_normalise(shares))
    for j in range(n_tags):
        after[j] = 1.0
    for i in range(n_words - 2, -1, -1):
        following = score[i + 1, : n_near[i + 1]]  # no longer needed for itself
        for j in range(len(following)):
            following[j] *= after[j]
        _normalise(following)
        shares = posterior[i, : n_near[i]]
        for j in range(len(shares)):
            after[j] = 0.0
        for j in range(len(following)):
            if following[j] > least:
                _add_scaled(after[: len(shares)], following[j], turned[near[i + 1, j]], near[i])
        for j in range(len(shares)):
            shares[j] *= after[j]
        _normalise(shares)
    _number_by_tag(posterior, near, n_near)
    return log_total


@njit(**INLINED)
def _keep_near(score: np.ndarray, highest: float, reach: float, near: np.ndarray) -> int:
    """Replace a word's scores by exp(score − highest) of the tags that are near, one after the other; returns n."""
    n = 0
    for t in range(len(score)):
        if score[t] >= highest - reach:
            score[n] = math.exp(score[t] - highest)  # n <= t: no score is lost that is still needed
            near[n] = t
            n += 1
    return n


@njit(**INLINED)
def _number_by_tag(posterior: np.ndarray, near: np.ndarray, n_near: np.ndarray) -> None:
    """Give posteriors of tags that are near the numbers of the tags again; all others are 0."""
    for i in range(posterior.shape[0]):
        j = n_near[i] - 1
        for t in range(posterior.shape[1] - 1, -1, -1):  # from the last on: j <= t
            is_near = j >= 0 and near[i, j] == t
            posterior[i, t] = posterior[i, j] if is_near else 0.0
            j -= is_near


@njit(**{**BORROWING, **ANY_ORDER})
def _highest(score: np.ndarray) -> float:
    """The highest score."""
    highest = score[0]
    for t in range(1, len(score)):
        highest = max(highest, score[t])
    return highest


@njit(**BORROWING)
def _add_scaled(shares: np.ndarray, factor: float, row: np.ndarray, near: np.ndarray) -> None:
    """Add the entries of a row for the tags that are near, times a factor."""
    if len(shares) == len(row):  # all are near, in order
        for t in range(len(row)):
            shares[t] += factor * row[t]
    else:
        for j in range(len(shares)):
            shares[j] += factor * row[near[j]]


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
        highest = _highest(slope)
        for t in range(len(slope)):
            slope[t] = math.exp(slope[t] - highest)
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
    turned: np.ndarray,
    weight: np.ndarray,
    square: np.ndarray,
    rate: float,
    least: float,
    reach: float,
    least_share: float,
    score: np.ndarray,
    slope: np.ndarray,
    after: np.ndarray,
    near: np.ndarray,
    n_near: np.ndarray,
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
    lift, turned, reach
        As for `chain_posteriors`.
    least_share : float
        As `least` for `chain_posteriors`.
    score, slope : ndarray of float64, shape (words of the longest sentence, n_tags)
        Buffers.
    after, near, n_near
        Buffers as for `chain_posteriors`, for the longest sentence.
    """
    for k in order:
        n_words = first[k + 1] - first[k]
        for i in range(n_words):
            token = first[k] + i
            for t in range(score.shape[1]):
                score[i, t] = 0.0
            _add_scores(feature[start[token] : start[token + 1]], weight, score[i])
        chain_posteriors(score[:n_words], lift, turned, reach, least_share, slope[:n_words], after, near, n_near)
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
