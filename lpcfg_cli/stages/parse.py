"""parse: model and tagged sentences → one bracketed tree a sentence."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lpcfg_cli.config import ParseSettings, settings_from_dict
from lpcfg_cli.errors import LpcfgError
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.parsing.output import bracket_lines, flat_tree
from lpcfg_cli.parsing.parser import Parse, Parser, Status
from lpcfg_cli.stages.run_directory import load_model
from lpcfg_cli.stages.sentences import InputSentence, Sentence, Teller, silent

CHUNK = 32
"""Sentences whose trees are made together; also how long the first line of output may wait."""

MAX_LENGTH = 400
"""Words of the longest sentence that is parsed unless told otherwise: time and memory grow fast beyond."""


@dataclass
class ParseReport:
    """Counts over the sentences parsed so far.

    Attributes
    ----------
    sentences, words : int
    statuses : Counter of Status
        How the sentences got their trees.
    negative_totals : int
        Sentences whose inside total is negative.
    seconds : float
        Wall time of parsing, without loading.
    """

    sentences: int = 0
    words: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    negative_totals: int = 0
    seconds: float = 0.0

    def add(self, sentence: InputSentence, parse: Parse) -> None:
        """Count one sentence."""
        self.sentences += 1
        self.words += len(sentence.tokens)
        self.statuses[parse.status.value] += 1
        self.negative_totals += parse.is_negative

    @property
    def fallbacks(self) -> int:
        """Sentences that did not get their tree from the pruned L-PCFG."""
        return self.sentences - sum(
            self.statuses[status.value] for status in (Status.PARSED, Status.EMPTY, Status.FAILED)
        )


def open_parser(model: Path, overrides: dict[str, Any]) -> Parser:
    """The parser of a model file or run directory, with the settings it was trained with.

    Parameters
    ----------
    model : Path
    overrides : dict
        Fields of `ParseSettings` to change; None means "as trained".
    """
    header, grammar = load_model(model)
    stored = settings_from_dict({"parse": header.settings.get("parse", {})}, str(model)).parse
    given = {key: value for key, value in overrides.items() if value is not None}
    return Parser(grammar, replace(stored, **given))


def parse_sentences(
    parser: Parser,
    sentences: Iterable[InputSentence],
    report: ParseReport,
    max_length: int = MAX_LENGTH,
    tell: Teller = silent,
) -> Iterator[str]:
    """Yield one tree a sentence, in order, and keep the report up to date.

    Parameters
    ----------
    parser : Parser
    sentences : iterable of InputSentence
        What is wrong with one is told, and ``(())`` takes its place.  When reading them ends with an error, the
        sentences read before get their trees first.
    report : ParseReport
    max_length : int
        A sentence of more words is not parsed: its words stand side by side under the root.
    tell : function of str
        Told of such sentences, and once of each tag that the grammar does not know.
    """
    watch = _TagWatch(parser.grammar, tell)
    iterator = iter(sentences)
    error: LpcfgError | None = None
    while error is None:
        chunk, error = _next_chunk(iterator)
        began = time.perf_counter()
        parses = [_parse_one(parser, sentence, max_length, tell) for sentence in chunk]
        tokens = [sentence.tokens for sentence in chunk]
        lines = list(bracket_lines(tokens, parses, parser.grammar))
        report.seconds += time.perf_counter() - began
        for sentence, parse, line in zip(chunk, parses, lines, strict=True):
            watch.look_at(sentence)
            report.add(sentence, parse)
            yield flat_tree(sentence.tokens) if parse.status == Status.FLAT else line
        if not chunk:
            break
    if error is not None:
        raise error


def _next_chunk(sentences: Iterator[InputSentence]) -> tuple[list[InputSentence], LpcfgError | None]:
    """Up to `CHUNK` sentences, and the error that reading the next one ended with."""
    chunk: list[InputSentence] = []
    try:
        for sentence in itertools.islice(sentences, CHUNK):
            chunk.append(sentence)
    except LpcfgError as error:
        return chunk, error
    return chunk, None


def _parse_one(parser: Parser, sentence: InputSentence, max_length: int, tell: Teller) -> Parse:
    n = len(sentence.tokens)
    if sentence.problem is not None:
        tell(f"{sentence.problem} This sentence is left unparsed.")
        return Parse([], Status.FAILED)
    if n > max_length:
        tell(f"{sentence.place}: {n:,} words are more than --max-length {max_length:,}: the tree is flat.")
        return Parse([], Status.FLAT)
    try:
        return parser.parse(sentence.tokens)
    except MemoryError:
        tell(f"{sentence.place}: no memory to parse {n:,} words: the tree is flat.")
        return Parse([], Status.FLAT)


class _TagWatch:
    """Tells of tags that the grammar does not know, once each and not without end."""

    MOST = 20

    def __init__(self, grammar: Grammar, tell: Teller):
        self._known = {symbol.tag for symbol in grammar.symbols if symbol.tag is not None}
        self._tell, self._n_told = tell, 0

    def look_at(self, sentence: InputSentence) -> None:
        for word, tag in sentence.tokens:
            if tag in self._known:
                continue
            self._known.add(tag)
            self._n_told += 1
            if self._n_told <= self.MOST:
                self._tell(
                    f"{sentence.place}: tag {tag!r} of {word!r} never occurred in training: it stands for any tag."
                )
            elif self._n_told == self.MOST + 1:
                self._tell(f"{sentence.place}: further tags that never occurred in training are not named.")


def parse_all(grammar: Grammar, settings: ParseSettings, sentences: list[Sentence]) -> tuple[list[str], ParseReport]:
    """All trees at once, for experiments."""
    report = ParseReport()
    inputs = map(InputSentence, sentences)
    return list(parse_sentences(Parser(grammar, settings), inputs, report)), report
