"""parse: a parser and sentences → one tree, or several, for each sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from lpcfg_cli.dependency.parser.archive import load_parser
from lpcfg_cli.dependency.parser.dependency_parser import flat_tree
from lpcfg_cli.dependency.parser.input import SentenceToParse
from lpcfg_cli.dependency.trees.sentence import EMPTY, DependencySentence
from lpcfg_cli.errors import InputError, doing
from lpcfg_cli.execution.chunks import over_chunks
from lpcfg_cli.execution.workers import FileValue, Mapper, value_of
from lpcfg_cli.tagging.sentence import Teller, silent
from lpcfg_cli.tagging.tagger import Tagger
from lpcfg_cli.wording import counted

MAX_LENGTH = 200
"""Default of the largest number of words of a sentence that is parsed: time and memory grow fast with the length."""


class Status(Enum):
    """What became of a sentence."""

    PARSED = "parsed"
    FLAT = "flat"
    EMPTY = "empty"
    FAILED = "failed"


class ParsedTrees(NamedTuple):
    """The result of parsing one sentence.

    Attributes
    ----------
    trees : list of DependencySentence
        Best first; none for a sentence without words.
    status : Status
    note : str
        What is told about it; empty for nothing.
    """

    trees: list[DependencySentence]
    status: Status
    note: str = ""


@dataclass
class ParseReport:
    """Counts over the sentences parsed so far.

    Attributes
    ----------
    sentences, words : int
    statuses : Counter of Status
        Number of sentences with each status.
    seconds : float
        Wall time of parsing, without reading.
    """

    sentences: int = 0
    words: int = 0
    statuses: Counter[Status] = field(default_factory=Counter)
    seconds: float = 0.0

    def add(self, parsed: ParsedTrees) -> None:
        """Count one sentence."""
        self.sentences += 1
        self.words += len(parsed.trees[0]) if parsed.trees else 0
        self.statuses[parsed.status] += 1


@dataclass(frozen=True)
class ParseChoices:
    """What is wanted of each sentence.

    Attributes
    ----------
    n_best : int
        Number of trees; 0 for the best one, without its score.
    max_length : int
        A longer sentence is not parsed: each word is the head of the next.
    retags : bool
        Whether words with tags are tagged too.
    """

    n_best: int = 0
    max_length: int = MAX_LENGTH
    retags: bool = False


class SentenceParser(Protocol):
    """What parses sentences: a `DependencyParser`, or one whose trees are reranked."""

    @property
    def tagger(self) -> Tagger | None:
        """The tagger for words without tags."""

    def parse(self, sentence: DependencySentence) -> DependencySentence:
        """The sentence with its best tree."""

    def k_best(self, sentence: DependencySentence, k: int) -> list[tuple[np.ndarray, float]]:
        """The heads of the k best trees, best first, with scores."""

    def labelled(self, sentence: DependencySentence, heads: np.ndarray) -> DependencySentence:
        """The sentence with these heads and the likeliest relations."""

    def tagged(self, sentence: DependencySentence) -> DependencySentence:
        """The sentence with the likeliest tags."""


Parser = FileValue | SentenceParser
_Task = tuple[Parser, list[SentenceToParse], ParseChoices]


def open_parser(path: Path) -> FileValue:
    """The parser of a model file, for workers; raises the errors of `load_parser`."""
    return FileValue.load(load_parser, path)


def parse_sentences(
    parser: Parser,
    sentences: Iterable[SentenceToParse],
    report: ParseReport,
    choices: ParseChoices = ParseChoices(),
    tell: Teller = silent,
    mapper: Mapper = map,
) -> Iterator[ParsedTrees]:
    """Yield the trees of each sentence, in order, and update the report.

    Parameters
    ----------
    parser : FileValue or SentenceParser
        From `open_parser`; a `SentenceParser` only if the mapper uses no other processes.
    sentences : iterable of SentenceToParse
        If reading them raises an error, the sentences read before are parsed first.
    report : ParseReport
    choices : ParseChoices
    tell : function of str
        Called with a message about each sentence that is not parsed.
    mapper : callable like map
        Spreads chunks of sentences over workers; the trees do not depend on it.

    Raises
    ------
    InputError
        A word has no tag, and the parser no tagger.
    LpcfgError
        Reading the sentences failed.
    """
    for parsed, seconds in over_chunks(parse_chunk, sentences, lambda some: (parser, some, choices), mapper):
        report.seconds = seconds
        for one in parsed:
            if one.note:
                tell(one.note)
            report.add(one)
            yield one


def parse_chunk(task: _Task) -> list[ParsedTrees]:
    """The trees of some sentences."""
    source, sentences, choices = task
    parser: SentenceParser = value_of(source)
    return [parse_one(parser, given, choices) for given in sentences]


def parse_one(parser: SentenceParser, given: SentenceToParse, choices: ParseChoices) -> ParsedTrees:
    """The trees of one sentence."""
    sentence, n = given.sentence, len(given.sentence)
    if given.problem is not None:
        return ParsedTrees([], Status.FAILED, f"{given.problem} This sentence is left out.")
    if not n:
        return ParsedTrees([], Status.EMPTY)
    if n > choices.max_length:
        told = f"{sentence.place}: {n:,} words are more than --max-length {choices.max_length:,}: the tree is flat."
        return ParsedTrees([flat_tree(sentence)], Status.FLAT, told)
    try:
        with doing(f"parsing {sentence.place}"):
            return ParsedTrees(_trees(parser, _with_tags(parser, sentence, choices.retags), choices), Status.PARSED)
    except MemoryError:
        told = f"{sentence.place}: no memory to parse {counted(n, 'word')}: the tree is flat."
        return ParsedTrees([flat_tree(sentence)], Status.FLAT, told)


def _with_tags(parser: SentenceParser, sentence: DependencySentence, retags: bool) -> DependencySentence:
    """The sentence with a tag for each word."""
    if not retags and EMPTY not in sentence.tags:
        return sentence
    if parser.tagger is None:
        raise InputError(
            f"{sentence.place}: words without tags, and the model has no tagger. Give tags, or run "
            "`lpcfg dep train-parser` again without --no-tagger."
        )
    return parser.tagged(sentence)


def _trees(parser: SentenceParser, sentence: DependencySentence, choices: ParseChoices) -> list[DependencySentence]:
    if not choices.n_best:
        return [parser.parse(sentence)]
    ranked = parser.k_best(sentence, choices.n_best)
    comments = [(f"# tree = {rank}", f"# score = {score:.6f}") for rank, (_, score) in enumerate(ranked, 1)]
    return [
        replace(parser.labelled(sentence, heads), comments=(*sentence.comments, *own))
        for (heads, _), own in zip(ranked, comments, strict=True)
    ]
