"""Training of a tagger by gradient ascent on the log-likelihood of the tags."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.config import TaggerSettings
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.tagging import tagger_kernels
from lpcfg_cli.tagging.numbering import number_features
from lpcfg_cli.tagging.tagger import Tagger, chain_buffers, turned
from lpcfg_cli.treebank.trees import TaggedSentence

MAX_WEIGHTS = 48_000_000
"""Largest number of weights (features times tags) during training, which take 0.4 GB; rarer features are left out."""

FIRST_SQUARE = 0.1
"""Initial value of AdaGrad's sums of squares: it keeps the first steps small."""

LEAST_SLOPE = 0.003
"""Smallest absolute derivative for which a weight is changed; it halves the time without loss of accuracy."""

REACH = 10.0
"""Tags whose score is so much lower than the highest of a word are left out of chains in training: a factor of 22,000.
"""

LEAST_SHARE = 1e-3
"""Smallest share of a tag in one direction of a chain in training; with hundreds of tags it saves most of the time.
With more than 500 tags it is half of what each has when all are alike."""

LEAST_WEIGHT = 0.02
"""Smallest absolute value of a weight that is stored."""


def train_tagger(
    sentences: Sequence[TaggedSentence],
    settings: TaggerSettings,
    seed: int,
    progress: Progress = no_progress,
    weight_of: np.ndarray | None = None,
) -> Tagger:
    """Train a tagger.

    Early stopping is the only regularisation: with few passes and AdaGrad's decreasing rate, weights stay small and the
    probabilities of unknown words are calibrated.

    Parameters
    ----------
    sentences : sequence of list of (word, tag)
    settings : TaggerSettings
    seed : int
        Seed of the order of sentences.
    progress : Progress
        Reports progress over the passes.
    weight_of : ndarray of float64, shape (n_sentences,), optional
        How often each sentence counts; by default once.
    """
    tags = tuple(sorted({tag for sentence in sentences for _, tag in sentence}))
    number = {tag: k for k, tag in enumerate(tags)}
    gold = np.array([number[tag] for sentence in sentences for _, tag in sentence], np.int32)
    first_word = starts([len(sentence) for sentence in sentences])
    share = np.repeat(np.ones(len(sentences)) if weight_of is None else weight_of, np.diff(first_word))
    prior = np.bincount(gold, share, len(tags)) / share.sum()
    lift = tag_lift(gold, first_word, share, prior, settings.context)
    names, start, feature = number_features(sentences, settings.min_count, MAX_WEIGHTS // len(tags))
    weight = np.zeros((len(names), len(tags)), np.float32)
    square = np.full_like(weight, FIRST_SQUARE)
    longest, n_tags = int(np.diff(first_word).max(initial=0)), len(tags)
    buffers = *np.empty((2, longest, n_tags)), *chain_buffers(longest, n_tags)
    least_share = min(LEAST_SHARE, 0.5 / n_tags)
    random = np.random.default_rng(seed)
    for _ in progress(range(settings.epochs), "tagger", settings.epochs, "pass"):
        order = random.permutation(len(sentences))
        tagger_kernels.ascend_chains(
            order,
            first_word,
            start,
            feature,
            gold,
            share,
            lift,
            turned(lift),
            weight,
            square,
            settings.rate,
            LEAST_SLOPE,
            REACH,
            least_share,
            *buffers,
        )
    kept_feature, kept_tag = np.nonzero(np.abs(weight) >= LEAST_WEIGHT)
    return Tagger(
        tags,
        prior,
        tuple(names),
        np.searchsorted(kept_feature, np.arange(len(names) + 1)).astype(np.int64),
        kept_tag.astype(np.int32),
        weight[kept_feature, kept_tag],
        lift,
    )


def tag_lift(
    gold: np.ndarray, first_word: np.ndarray, share: np.ndarray, prior: np.ndarray, context: float
) -> np.ndarray:
    """(p(t | u) / p(t))^context for each tag t after each tag u, smoothed as by Witten and Bell (1991).

    Parameters
    ----------
    gold : ndarray of int32, shape (n_tokens,)
        Number of the tag of each token.
    first_word : ndarray of int64, shape (n_sentences + 1,)
        Number of the first token of each sentence; sentences may be empty.
    share : ndarray of float64, shape (n_tokens,)
        Weight of each token.
    prior : ndarray of float64, shape (n_tags,)
        p(t).
    context : float

    Returns
    -------
    ndarray of float64, shape (n_tags + 1, n_tags)
        The last row is for the first word of a sentence.
    """
    n_tags = len(prior)
    before = np.concatenate([[n_tags], gold[:-1]])
    before[first_word[:-1][np.diff(first_word) > 0]] = n_tags
    count = np.bincount(before * n_tags + gold, share, (n_tags + 1) * n_tags).reshape(-1, n_tags)
    n_kinds = np.maximum(np.count_nonzero(count, axis=1), 1)[:, None]  # 1: a tag that ends sentences only
    smoothed = (count + n_kinds * prior) / (count.sum(1, keepdims=True) + n_kinds)
    return (smoothed / prior) ** context
