"""The examples that a span model is learnt from: constituents found by a parser, marked with the trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from lpcfg_cli.execution.chunks import over_chunks
from lpcfg_cli.execution.workers import FileValue, Mapper, value_of
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.parsing.spans.constituents import Chain, Constituents
from lpcfg_cli.parsing.spans.learning import SpanExample
from lpcfg_cli.treebank.trees import Treebank

Spans = dict[tuple[int, int], Chain]
"""The chain of labels over each span of a tree that has any."""

GoldSentence = tuple[list[tuple[str, str]], Spans]
"""The (word, tag) pairs of a tree, and its spans."""


def gold_sentences(trees: Treebank) -> Iterator[GoldSentence]:
    """The words, the tags and the constituents of each tree.

    A root without a label and one of the name `TOP` are no constituents, since parsers add them.
    """
    start, stop = trees.spans()
    strings = trees.strings
    for first, end in zip(trees.tree_start[:-1].tolist(), trees.tree_start[1:].tolist(), strict=True):
        words, spans = list[tuple[str, str]](), Spans()
        for node in range(first, end):
            label = strings[trees.label[node]]
            if trees.word[node] >= 0:
                words.append((strings[trees.word[node]], label))
            elif label:
                span = int(start[node]), int(stop[node])
                spans[span] = (*spans.get(span, ()), label)
        yield words, spans


def make_examples(
    parser: FileValue | Parser, gold: Iterable[GoldSentence], mapper: Mapper = map
) -> Iterator[list[SpanExample]]:
    """The examples of some trees, chunk by chunk; sentences for which the grammar has no tree give none.

    Parameters
    ----------
    parser : FileValue or Parser
        Of grammars that have not seen these trees; a `Parser` only if the mapper uses no other processes.
    gold : iterable of GoldSentence
    mapper : callable like map
        Spreads chunks of sentences over workers; the examples do not depend on it.
    """
    for examples, _ in over_chunks(_examples_of_chunk, gold, lambda some: (parser, some), mapper):
        yield examples


def _examples_of_chunk(task: tuple[FileValue | Parser, list[GoldSentence]]) -> list[SpanExample]:
    source, gold = task
    parser: Parser = value_of(source)
    chains = list(parser.chains.numbers)
    all_found = parser.constituents_together([words for words, _ in gold])
    return [
        SpanExample(
            [word for word, _ in words], [tag for _, tag in words], found, chains, is_in_tree(found, chains, spans)
        )
        for (words, spans), found in zip(gold, all_found, strict=True)
        if found is not None
    ]


def is_in_tree(found: Constituents, chains: Sequence[Chain], spans: Spans) -> np.ndarray:
    """Whether each constituent is one of a tree's; bool, (n,)."""
    places = zip(found.start.tolist(), found.stop.tolist(), found.chain.tolist(), strict=True)
    return np.array([spans.get((i, j)) == chains[chain] for i, j, chain in places], bool)
