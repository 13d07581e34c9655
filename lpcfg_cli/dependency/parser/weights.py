"""The weights of the parts of trees, learnt by passes over a treebank whose shards can be learnt at the same time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.config import DependencyParserSettings
from lpcfg_cli.dependency.parser.feature_kernels import ArcTemplates
from lpcfg_cli.dependency.parser.learners import LEARNERS
from lpcfg_cli.dependency.parser.learning_kernels import learn_pass
from lpcfg_cli.dependency.parser.orders import ORDERS
from lpcfg_cli.dependency.parser.templates import ARC, BETWEEN, SIBLING, compiled
from lpcfg_cli.execution.progress import Progress
from lpcfg_cli.execution.workers import Mapper

TEMPLATES = ArcTemplates(compiled(ARC), compiled(BETWEEN), compiled(SIBLING))


class GoldTrees(NamedTuple):
    """The sentences of a shard, one after the other.

    Attributes
    ----------
    start : (S + 1,) int64 array
    rows : (start[S], n_fields) uint64 array
        Sentence i has the rows ``start[i]:start[i + 1]``.
    heads : (start[S],) int32 array
        The head of the word of each row.
    """

    start: np.ndarray
    rows: np.ndarray
    heads: np.ndarray


class Pass(NamedTuple):
    """A pass over a shard: the input of a worker.

    Attributes
    ----------
    trees : GoldTrees
    order : (S,) int64 array
        Sentences in the order of their turns.
    weight : (2 ** bits,) float32 array
        The weights before.
    settings : DependencyParserSettings
    """

    trees: GoldTrees
    order: np.ndarray
    weight: np.ndarray
    settings: DependencyParserSettings


class Learnt(NamedTuple):
    """What a pass over a shard gave.

    Attributes
    ----------
    weight : (2 ** bits,) float32 array
        The weights after it.
    total : (2 ** bits,) float64 array
        The sum of the weights after each sentence.
    n_wrong, n_words : int
        Words with a wrong head in the trees found, and all words.
    """

    weight: np.ndarray
    total: np.ndarray
    n_wrong: int
    n_words: int


class PassRecord(NamedTuple):
    """What is told of a pass over the treebank.

    Attributes
    ----------
    number : int
        Counted from 1.
    n_wrong, n_words : int
        As in `Learnt`, of all shards.
    """

    number: int
    n_wrong: int
    n_words: int


def ignore_pass(record: PassRecord) -> None:
    """Tell nothing."""


def gold_trees(rows: Sequence[np.ndarray], heads: Sequence[np.ndarray]) -> GoldTrees:
    """The sentences of a shard from the rows, (n + 3, n_fields), and the heads, (n,), of each."""
    padded = [np.concatenate([[0, 0], own, [0]]).astype(np.int32) for own in heads]
    return GoldTrees(starts([len(own) for own in rows]), np.concatenate(rows), np.concatenate(padded))


def learn_weights(
    rows: Sequence[np.ndarray],
    heads: Sequence[np.ndarray],
    settings: DependencyParserSettings,
    seed: int,
    workers: Mapper,
    progress: Progress,
    tell: Callable[[PassRecord], None] = ignore_pass,
) -> np.ndarray:
    """Learn the weights of the parts of trees by iterative parameter mixing (McDonald, Hall and Mann 2010).

    Each shard begins a pass with the mean of the weights with which the shards ended the pass before.  The result is
    the mean of all weights over all turns (Collins 2002); it depends on the number of shards, not on the workers.

    Parameters
    ----------
    rows : sequence of (n + 3, n_fields) uint64 array
        Of each sentence, from `sentence_rows`.
    heads : sequence of (n,) int32 array
        Projective trees.
    settings : DependencyParserSettings
    seed : int
    workers : callable like map
    progress : Progress
    tell : function of PassRecord
        Called after each pass.

    Returns
    -------
    (2 ** bits,) float32 array
        Small weights are zero.
    """
    n_shards = min(settings.shards, len(rows))
    shards = [gold_trees(rows[k::n_shards], heads[k::n_shards]) for k in range(n_shards)]
    weight = np.zeros(1 << settings.bits, np.float32)
    total = np.zeros(len(weight))
    for epoch in progress(range(settings.epochs), "parser", settings.epochs, "pass"):
        streams = [stream(seed, Purpose.DEPENDENCY_ORDER, epoch, k) for k in range(n_shards)]
        orders = [own.permutation(len(shard.start) - 1) for own, shard in zip(streams, shards, strict=True)]
        passes = [Pass(shard, order, weight, settings) for shard, order in zip(shards, orders, strict=True)]
        mixed, n_wrong, n_words = np.zeros(len(weight)), 0, 0
        for learnt in workers(learn_shard, passes):
            mixed += learnt.weight
            total += learnt.total
            n_wrong += learnt.n_wrong
            n_words += learnt.n_words
        weight = (mixed / n_shards).astype(np.float32)
        tell(PassRecord(epoch + 1, n_wrong, n_words))
    mean = (total / (settings.epochs * len(rows))).astype(np.float32)
    mean[np.abs(mean) < settings.least_weight * np.abs(mean).max()] = 0.0
    return mean


def learn_shard(task: Pass) -> Learnt:
    """Go over the sentences of a shard once."""
    settings, trees = task.settings, task.trees
    weight, lag = task.weight.copy(), np.zeros(len(task.weight))
    n_wrong, n_words = learn_pass(
        task.order,
        trees.start,
        trees.rows,
        trees.heads,
        TEMPLATES,
        ORDERS[settings.order].has_siblings,
        settings.roots == "one",
        LEARNERS[settings.learner].meets_loss,
        settings.cost,
        settings.largest_step,
        weight,
        lag,
    )
    total = len(task.order) * weight.astype(np.float64) - lag
    return Learnt(weight, total, int(n_wrong), int(n_words))
