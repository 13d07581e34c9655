"""The span model: posteriors of constituents by networks that read the sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lpcfg_cli.parsing.expected_brackets import BracketLabels, counted_labels
from lpcfg_cli.parsing.layout import Forest
from lpcfg_cli.parsing.spans.batches import pack, span_numbers
from lpcfg_cli.parsing.spans.learning import chain_posteriors, sizes_of
from lpcfg_cli.parsing.spans.network import Columns, chain_scores
from lpcfg_cli.parsing.spans.parameters import named
from lpcfg_cli.parsing.spans.vocabulary import Vocabulary
from lpcfg_cli.tagging.sentence import Sentence
from lpcfg_cli.tagging.tagger import TagProbabilities

MOST_SPANS = 40_000
"""Spans that are looked at together: 40 MB for each of a few arrays.  Sentences that have more, those of more than 282
words, are left to the grammar."""


@dataclass(frozen=True)
class SpanModel:
    """Networks that give chains of labels a probability over each span.

    Attributes
    ----------
    vocabulary : Vocabulary
        Of all networks.
    states : tuple of int
        Of their memories, in each layer.
    networks : ndarray of float32, shape (n_networks, n_parameters)
    """

    vocabulary: Vocabulary
    states: tuple[int, ...]
    networks: np.ndarray

    @cached_property
    def _parameters(self) -> list[dict[str, np.ndarray]]:
        sizes = sizes_of(self.vocabulary, self.states)
        return [named(flat, sizes) for flat in self.networks]

    def posteriors(
        self, sentences: Sequence[Sentence], open_tags: Sequence[Sequence[TagProbabilities]] | None = None
    ) -> list[np.ndarray | None]:
        """The mean probability of each chain over each span of some sentences, each by itself.

        Parameters
        ----------
        sentences : sequence of list of (word, tag)
        open_tags : sequence, optional
            Of each sentence the tags that its words may have, as for `Vocabulary.columns`.

        Returns
        -------
        list of ndarray of float32, shape (n_spans, n_chains)
            Spans are ordered by where they begin, then by where they stop.  None for sentences that are empty or too
            long.
        """
        found: list[np.ndarray | None] = [None] * len(sentences)
        for some in _portions([len(sentence) for sentence in sentences]):
            columns = [self._columns(sentences[k], open_tags[k] if open_tags else ()) for k in some]
            batch = pack([len(sentences[k]) for k in some])
            judged = [chain_posteriors(chain_scores(one, columns, batch)[0], batch)[0] for one in self._parameters]
            mean = sum(judged[1:], judged[0]) / np.float32(len(judged))
            for place, number in enumerate(batch.order.tolist()):
                found[some[number]] = mean[batch.span_start[place] : batch.span_start[place + 1]]
        return found

    def _columns(self, sentence: Sentence, open_tags: Sequence[TagProbabilities]) -> Columns:
        words, tags = zip(*sentence, strict=True)
        return self.vocabulary.columns(words, tags, open_tags)

    def counts_of_labels(self, labels: BracketLabels) -> np.ndarray:
        """Which brackets each chain has; float32, (n_chains, n_labels)."""
        counts = np.zeros((len(self.vocabulary.chains), labels.n_labels), np.float32)
        for number, chain in enumerate(self.vocabulary.chains):
            for label in counted_labels(chain, ()):
                if label in labels.numbers:
                    counts[number, labels.numbers[label]] += 1.0
        return counts


def brackets_of_cells(posterior: np.ndarray, forest: Forest, counts: np.ndarray) -> np.ndarray:
    """The probability of each bracket over each cell of a sentence's forest; float64, (n_cells, n_labels).

    Parameters
    ----------
    posterior : ndarray of float32, shape (n_spans, n_chains)
        From `SpanModel.posteriors`.
    forest : Forest
    counts : ndarray of float32, shape (n_chains, n_labels)
        From `SpanModel.counts_of_labels`.
    """
    start, stop = forest.cell_start.astype(np.int64), forest.cell_stop.astype(np.int64)
    return (posterior[span_numbers(start, stop, int(stop.max()))] @ counts).astype(np.float64)


def _portions(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield numbers of sentences that are looked at together: neighbours in the order of their lengths."""
    portion, size = list[int](), 0
    for number in sorted(range(len(lengths)), key=lambda k: lengths[k]):
        spans = lengths[number] * (lengths[number] + 1) // 2
        if size + spans > MOST_SPANS and portion:
            yield portion
            portion, size = [], 0
        if 0 < spans <= MOST_SPANS:
            portion.append(number)
            size += spans
    if portion:
        yield portion
