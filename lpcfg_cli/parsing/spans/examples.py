"""The examples that a span model is learnt from: constituents found by a parser, marked with the trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from lpcfg_cli.execution.chunks import over_chunks
from lpcfg_cli.execution.workers import FileValue, Mapper, value_of
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.parsing.spans.constituents import Constituents
from lpcfg_cli.parsing.spans.learning import SpanExample
from lpcfg_cli.treebank.chains import Chain, Span, TreeChains


def make_examples(
    parser: FileValue | Parser, gold: Iterable[TreeChains], mapper: Mapper = map
) -> Iterator[list[SpanExample]]:
    """The examples of some trees, chunk by chunk; sentences for which the grammar has no tree give none.

    The trees are cleaned, so a root `TOP` has several children, and is a constituent as others are.

    Parameters
    ----------
    parser : FileValue or Parser
        Of grammars that have not seen these trees; a `Parser` only if the mapper uses no other processes.
    gold : iterable of TreeChains
    mapper : callable like map
        Spreads chunks of sentences over workers; the examples do not depend on it.
    """
    for examples, _ in over_chunks(_examples_of_chunk, gold, lambda some: (parser, some), mapper):
        yield examples


def _examples_of_chunk(task: tuple[FileValue | Parser, list[TreeChains]]) -> list[SpanExample]:
    source, gold = task
    parser: Parser = value_of(source)
    chains = list(parser.chains.numbers)
    all_found = parser.constituents_together([list(zip(tree.words, tree.tags, strict=True)) for tree in gold])
    return [
        SpanExample(tree.words, tree.tags, found, chains, is_in_tree(found, chains, tree.chains))
        for tree, found in zip(gold, all_found, strict=True)
        if found is not None
    ]


def is_in_tree(found: Constituents, chains: Sequence[Chain], gold: Mapping[Span, Chain]) -> np.ndarray:
    """Whether each constituent is one of a tree's, with the chain that it has over each span; bool, (n,)."""
    places = zip(found.start.tolist(), found.stop.tolist(), found.chain.tolist(), strict=True)
    return np.array([gold.get((i, j)) == chains[chain] for i, j, chain in places], bool)
