"""Lists of the n best trees of sentences, with what tells how good each tree is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.evaluation import score_kernels as columns
from lpcfg_cli.evaluation.score import score_treebanks
from lpcfg_cli.evaluation.sentences import source_of_text
from lpcfg_cli.execution.chunks import over_chunks
from lpcfg_cli.execution.workers import FileValue, Mapper, value_of
from lpcfg_cli.parsing.output import tree_lines
from lpcfg_cli.parsing.parse import Parse
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.parsing.reranking.numbers import TREE_NUMBERS, tree_numbers
from lpcfg_cli.tagging.sentence import Sentence


@dataclass(frozen=True)
class TreeLists:
    """The lists of S sentences, C trees in all; those of a sentence are in the order of the parser.

    Attributes
    ----------
    first : ndarray of int64, shape (S + 1,)
        The trees of sentence s are ``first[s]:first[s + 1]``; at least one.
    trees : list of str
        C bracketed lines.
    numbers : ndarray of float64, shape (C, n_numbers)
        Those of `TREE_NUMBERS`.
    matched, gold, written : ndarray of int64, shape (C,)
        Right brackets, those of the gold tree and those of the tree, as EVALB counts with COLLINS.prm.
    """

    first: np.ndarray
    trees: list[str]
    numbers: np.ndarray
    matched: np.ndarray
    gold: np.ndarray
    written: np.ndarray

    def __len__(self) -> int:
        return len(self.first) - 1

    @property
    def is_correct(self) -> np.ndarray:
        """Whether all brackets of each tree are right and none is missing; bool, shape (C,)."""
        return (self.matched == self.gold) & (self.matched == self.written)

    def counts(self, chosen: np.ndarray) -> np.ndarray:
        """Of the trees at these places: right, gold and written brackets, trees that are all correct, and trees.

        Parameters
        ----------
        chosen : ndarray of int64, shape (n,)

        Returns
        -------
        ndarray of int64, shape (5,)
        """
        parts = (self.matched, self.gold, self.written, self.is_correct)
        return np.array([*(part[chosen].sum() for part in parts), len(chosen)], np.int64)


def make_lists(
    parser: FileValue | Parser, sentences: Iterable[Sentence], gold: Iterable[str], mapper: Mapper = map
) -> Iterator[TreeLists]:
    """The lists of some sentences, chunk by chunk, against their gold trees.

    Sentences for which the grammar has no tree have no list.

    Parameters
    ----------
    parser : FileValue or Parser
        From `open_parser`, with ``nbest`` set; a `Parser` only if the mapper uses no other processes.
    sentences : iterable of Sentence
        Not empty.
    gold : iterable of str
        A bracketed line of each.
    mapper : callable like map
        Spreads chunks of sentences over workers; the lists do not depend on it.
    """
    pairs = zip(sentences, gold, strict=True)
    for lists, _ in over_chunks(_lists_of_chunk, pairs, lambda some: (parser, some), mapper):
        yield lists


def _lists_of_chunk(task: tuple[FileValue | Parser, list[tuple[Sentence, str]]]) -> TreeLists:
    source, pairs = task
    parser: Parser = value_of(source)
    parses = parser.parse_together([sentence for sentence, _ in pairs], with_confidence=True)
    found = [(gold, *list_of(s, parse, parser)) for (s, gold), parse in zip(pairs, parses, strict=True) if parse.ranked]
    trees = [tree for _, lines, _ in found for tree in lines]
    repeated = [gold for gold, lines, _ in found for _ in lines]
    numbers = [np.zeros((0, len(TREE_NUMBERS))), *(own for _, _, own in found)]
    counts = bracket_counts(repeated, trees)
    return TreeLists(starts([len(lines) for _, lines, _ in found]), trees, np.concatenate(numbers), *counts.T)


def list_of(sentence: Sentence, parse: Parse, parser: Parser) -> tuple[list[str], np.ndarray]:
    """The ranked trees of a parse as lines, and their numbers."""
    return tree_lines(sentence, parse, parser.grammar), tree_numbers(parse)


def join_lists(parts: Sequence[TreeLists]) -> TreeLists:
    """The lists of several parts, one after another."""
    first = starts(np.concatenate([np.zeros(0, np.int64), *(np.diff(part.first) for part in parts)]))
    numbers = np.concatenate([np.zeros((0, len(TREE_NUMBERS))), *(part.numbers for part in parts)])
    counts = (
        np.concatenate([np.zeros(0, np.int64), *(getattr(part, name) for part in parts)])
        for name in ("matched", "gold", "written")
    )
    return TreeLists(first, [tree for part in parts for tree in part.trees], numbers, *counts)


def bracket_counts(gold: Sequence[str], trees: Sequence[str]) -> np.ndarray:
    """Right brackets, brackets of the gold tree and of the tree, of each pair of lines; int64, shape (n, 3).

    All are 0 of a pair that EVALB does not score.
    """
    if not trees:
        return np.zeros((0, 3), np.int64)
    sources = [
        source_of_text("".join(f"{line}\n" for line in lines), name, "lines")
        for name, lines in (("gold", gold), ("trees", trees))
    ]
    rows = score_treebanks(sources[0], sources[1]).rows
    is_valid = rows[:, columns.STATUS] == columns.VALID
    return rows[:, [columns.MATCHED, columns.GOLD, columns.TEST]] * is_valid[:, None]
