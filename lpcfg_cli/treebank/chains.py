"""Trees as chains: the labels over each span, without the shape between them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from lpcfg_cli.treebank.trees import NO_WORD, Treebank

Span = tuple[int, int]
"""A half-open span of words."""

Chain = tuple[str, ...]
"""The labels of the brackets over one span, top down, without tags."""


class TreeChains(NamedTuple):
    """A tree as its words, its tags and the chain over each span that has any bracket.

    Attributes
    ----------
    words, tags : list of str
        One of each word.
    chains : dict of Span to Chain
    """

    words: list[str]
    tags: list[str]
    chains: dict[Span, Chain]


def tree_chains(trees: Treebank) -> Iterator[TreeChains]:
    """Yield the chains of each tree; a null tree has no words."""
    names, is_word = trees.strings, trees.word != NO_WORD
    start, stop = trees.spans()
    for first, last in pairwise(trees.tree_start.tolist()):
        chains: dict[Span, Chain] = {}
        for node in range(first, last):
            if not is_word[node]:
                span = (int(start[node]), int(stop[node]))
                chains[span] = (*chains.get(span, ()), names[trees.label[node]])
        leaves = [node for node in range(first, last) if is_word[node]]
        words, tags = ([names[of[leaf]] for leaf in leaves] for of in (trees.word, trees.label))
        yield TreeChains(words, tags, chains)
