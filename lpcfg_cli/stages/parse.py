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
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.parsing.output import bracket_lines
from lpcfg_cli.parsing.parser import Parse, Parser, Status
from lpcfg_cli.stages.run_directory import load_model
from lpcfg_cli.stages.sentences import Sentence, read_sentences
from lpcfg_cli.treebank.files import decode, read_text

CHUNK = 32
"""Sentences whose trees are made together; also how long the first line of output may wait."""


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

    def add(self, sentence: Sentence, parse: Parse) -> None:
        """Count one sentence."""
        self.sentences += 1
        self.words += len(sentence)
        self.statuses[parse.status.value] += 1
        self.negative_totals += parse.is_negative

    @property
    def fallbacks(self) -> int:
        """Sentences that did not get their tree from the pruned L-PCFG."""
        return self.sentences - self.statuses[Status.PARSED.value] - self.statuses[Status.EMPTY.value]


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


def load_sentences(source: Path | bytes, form: str, name: str) -> Iterator[Sentence]:
    """Sentences of a file, or of bytes read from a pipe; see `read_sentences`."""
    text = read_text(source) if isinstance(source, Path) else decode(source, name)
    return read_sentences(text, form, name)


def parse_sentences(parser: Parser, sentences: Iterable[Sentence], report: ParseReport) -> Iterator[str]:
    """Yield one tree a sentence, in order, and keep the report up to date."""
    iterator = iter(sentences)
    while chunk := list(itertools.islice(iterator, CHUNK)):
        began = time.perf_counter()
        parses = [parser.parse(sentence) for sentence in chunk]
        lines = list(bracket_lines(chunk, parses, parser.grammar))
        report.seconds += time.perf_counter() - began
        for sentence, parse, line in zip(chunk, parses, lines, strict=True):
            report.add(sentence, parse)
            yield line


def parse_all(grammar: Grammar, settings: ParseSettings, sentences: list[Sentence]) -> tuple[list[str], ParseReport]:
    """All trees at once, for experiments."""
    report = ParseReport()
    return list(parse_sentences(Parser(grammar, settings), sentences, report)), report
