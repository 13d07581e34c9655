"""Learning of a network from trees: steps up their likelihood."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from lpcfg_cli.config import SpanSettings
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.parsing.spans.batches import Batch, pack, span_numbers
from lpcfg_cli.parsing.spans.network import Columns, Dropout, chain_scores, score_gradient
from lpcfg_cli.parsing.spans.parameters import Parameters, Sizes, initial_parameters, named
from lpcfg_cli.parsing.spans.span_kernels import nested_shares
from lpcfg_cli.parsing.spans.step_kernels import ascend
from lpcfg_cli.parsing.spans.vocabulary import FIRST, UNKNOWN, Vocabulary
from lpcfg_cli.treebank.chains import TreeChains

TOGETHER = 16
"""Sentences from which one step is made."""

NEAR = 3.0
"""Deviation, in words, of what is added to lengths when sentences are put together with others of like length."""

WARMING = 160
"""Steps until the rate is reached; then it falls to 0 along a cosine."""

LONGEST_SLOPE = 5.0
"""Longer gradients are cut."""

UNKNOWN_AS_IF = 0.84
"""A word that occurs c times is taken as unknown with probability 0.84 / (0.84 + c), as Stern et al. 2017 (§4) do."""


class Example(NamedTuple):
    """A sentence to learn from.

    Attributes
    ----------
    columns : Columns
    chance : ndarray of float64, shape (n,)
        How probably each word is taken as unknown.
    span : ndarray of int64, shape (n_constituents,)
        The number of each constituent's span in its sentence.
    chain : ndarray of int64, shape (n_constituents,)
    """

    columns: Columns
    chance: np.ndarray
    span: np.ndarray
    chain: np.ndarray


class Learnt(NamedTuple):
    """A network, and the mean log-likelihood of a tree in each pass, before the step of its sentence.

    Attributes
    ----------
    parameters : ndarray of float32, shape (n_parameters,)
    likelihood : list of float
    """

    parameters: np.ndarray
    likelihood: list[float]


def sizes_of(vocabulary: Vocabulary, states: tuple[int, ...]) -> Sizes:
    """The sizes of a network for a vocabulary, given the states of the memories of each layer."""
    words, tags, spellings = len(vocabulary.words), len(vocabulary.tags), len(vocabulary.spellings)
    return Sizes(FIRST + words, FIRST + tags, FIRST + spellings, len(vocabulary.chains), states)


def example_of(tree: TreeChains, vocabulary: Vocabulary, counts: Mapping[str, int]) -> Example:
    """What is learnt from a tree; constituents whose chain has no part that is known are left out."""
    known = [(*span, vocabulary.chain_number(chain)) for span, chain in tree.chains.items()]
    start, stop, chain = np.array([one for one in known if one[2] is not None], np.int64).reshape(-1, 3).T
    chance = UNKNOWN_AS_IF / (UNKNOWN_AS_IF + np.array([counts.get(word, 0) for word in tree.words]))
    return Example(vocabulary.columns(tree.words, tree.tags), chance, span_numbers(start, stop, len(tree.words)), chain)


def learn(
    examples: Sequence[Example],
    sizes: Sizes,
    settings: SpanSettings,
    rng: np.random.Generator,
    progress: Progress = no_progress,
) -> Learnt:
    """Maximise the likelihood of trees by steps of Adam (Kingma and Ba 2015).

    Parameters
    ----------
    examples : sequence of Example
    sizes : Sizes
    settings : SpanSettings
    rng : Generator
    progress : Progress
    """
    flat = initial_parameters(sizes, rng)
    slope, squares, means = np.zeros_like(flat), np.zeros_like(flat), np.zeros_like(flat)
    parameters, gradient = named(flat, sizes), named(slope, sizes)
    dropout = Dropout(rng, settings.dropout, settings.tag_dropout)
    n_steps = settings.passes * math.ceil(len(examples) / TOGETHER)
    step, likelihood = 0, []
    for _ in progress(range(settings.passes), "spans", settings.passes, "pass"):
        total = 0.0
        for some in _together(examples, rng):
            total += likelihood_gradient([examples[k] for k in some], parameters, gradient, dropout)
            step += 1
            rate = settings.rate * min(1.0, step / WARMING) * 0.5 * (1.0 + math.cos(math.pi * step / n_steps))
            ascend(flat, slope, means, squares, _cut(slope), rate, step)
        likelihood.append(total / len(examples))
    return Learnt(flat, likelihood)


def _together(examples: Sequence[Example], rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield the numbers of sentences of about one length, in batches in a random order."""
    lengths = np.array([len(example.chance) for example in examples])
    order = np.argsort(lengths + rng.normal(0.0, NEAR, len(lengths)))
    batches = [order[first : first + TOGETHER] for first in range(0, len(order), TOGETHER)]
    for number in rng.permutation(len(batches)):
        yield batches[number]


def likelihood_gradient(
    examples: Sequence[Example], parameters: Parameters, gradient: Parameters, dropout: Dropout
) -> float:
    """Fill the gradient of the mean log-likelihood of some trees, and return the sum of these; O(n³) a sentence."""
    columns = [_partly_unknown(example, dropout) for example in examples]
    batch = pack([len(example.chance) for example in examples])
    scores, reading = chain_scores(parameters, columns, batch, dropout)
    posterior, totals = chain_posteriors(scores, batch)
    ordered = [examples[k] for k in batch.order]
    gold = np.concatenate([one.span + first for one, first in zip(ordered, batch.span_start[:-1], strict=True)])
    chain = np.concatenate([one.chain for one in ordered])
    likelihood = float(scores[gold, chain].sum(dtype=np.float64) - totals.sum())
    np.negative(posterior, out=posterior)
    posterior[gold, chain] += 1.0
    posterior /= len(examples)
    score_gradient(posterior, parameters, reading, batch, gradient)
    return likelihood


def chain_posteriors(scores: np.ndarray, batch: Batch) -> tuple[np.ndarray, np.ndarray]:
    """The probability of each chain over each span, and the logarithm of the sum over all trees of each sentence.

    Parameters
    ----------
    scores : ndarray of float32, shape (n_spans, n_chains)
    batch : Batch

    Returns
    -------
    posterior : ndarray of float32, shape (n_spans, n_chains)
    total : ndarray of float64, shape (n_sentences,)
        In the order of the batch.
    """
    largest = scores.max(axis=1, keepdims=True)
    shares = np.exp(scores - largest)
    sums = shares.sum(axis=1, keepdims=True)
    weight = (largest + np.log(sums))[:, 0].astype(np.float64)
    stands, total = np.empty(len(weight)), np.empty(len(batch.order))
    nested_shares(np.diff(batch.gap_start) - 1, weight, stands, total)
    shares *= (stands / sums[:, 0]).astype(np.float32)[:, None]
    return shares, total


def _partly_unknown(example: Example, dropout: Dropout) -> Columns:
    """The columns of a sentence with some tags taken as unknown, and some words, the rarer the more often."""
    columns, (word, tag) = example.columns, dropout.rng.random((2, len(example.chance)))
    return columns._replace(
        word=np.where(word < example.chance, UNKNOWN, columns.word),
        tag=np.where(tag < dropout.tag, UNKNOWN, columns.tag),
    )


def _cut(slope: np.ndarray) -> float:
    """The factor that makes a gradient no longer than `LONGEST_SLOPE`."""
    return min(1.0, LONGEST_SLOPE / max(math.sqrt(float(slope @ slope)), 1e-30))
