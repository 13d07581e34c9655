"""The sentences to parse: files of dependency trees, whose heads are not read, or any format of sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, repeat
from pathlib import Path

import numpy as np

from lpcfg_cli.dependency.trees.conll import BLANK, read_conll
from lpcfg_cli.dependency.trees.sentence import EMPTY, DependencySentence
from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.tagging.sentence import InputSentence, InputSettings, Teller, silent
from lpcfg_cli.tagging.sentences import SENTENCE_FORMATS, open_sentences
from lpcfg_cli.tagging.text import TextConventions
from lpcfg_cli.treebank.lines import stream_lines
from lpcfg_cli.treebank.sources import source_name

CONLL = "conllu"
"""The format whose columns and comments are kept."""


@dataclass(frozen=True)
class SentenceToParse:
    """A sentence to parse.

    Attributes
    ----------
    sentence : DependencySentence
    problem : SyntaxProblem or None
        The error of a sentence that cannot be read, which has no words.
    """

    sentence: DependencySentence
    problem: SyntaxProblem | None = None


def open_input(
    source: str | Path,
    form: str,
    settings: InputSettings,
    conventions: TextConventions,
    tell: Teller = silent,
) -> Iterator[SentenceToParse]:
    """Yield the sentences of a file, or of standard input for ``-``, as they arrive.

    Parameters
    ----------
    source : path
    form : str
        A name of `SENTENCE_FORMATS`.
    settings : InputSettings
        With ``on_error = "skip"`` a sentence that cannot be read is yielded with its problem.
    conventions : TextConventions
        Of the treebank, for raw text.
    tell : function of str

    Raises
    ------
    ConfigError
        There is no such format.
    InputError, SyntaxProblem
        The source cannot be read, or is none of the format.
    """
    if form == CONLL:
        yield from _read_conll(source, settings)
        return
    has_tags = SENTENCE_FORMATS.named(form, "the format of sentences").has_tags
    for sentence in open_sentences(source, form, settings, tell, conventions):
        yield SentenceToParse(without_tree(sentence, has_tags), sentence.problem)


def without_tree(sentence: InputSentence, has_tags: bool) -> DependencySentence:
    """A tagged or raw sentence as one of a treebank, without heads; raw words have the tag `EMPTY`."""
    n = len(sentence.tokens)
    tags = tuple(tag if has_tags else EMPTY for _, tag in sentence.tokens)
    words = tuple(word for word, _ in sentence.tokens)
    return DependencySentence(words, tags, np.full(n, -1, np.int32), (EMPTY,) * n, place=sentence.place)


def _read_conll(source: str | Path, settings: InputSettings) -> Iterator[SentenceToParse]:
    """The sentences of CoNLL-X or CoNLL-U; after one that cannot be read, reading goes on after its empty line."""
    name = source_name(source)
    lines = _Numbered(stream_lines(source, settings.encoding, settings.on_error))
    while True:
        before = repeat("", lines.number)  # so that places are those of the file
        try:
            for sentence in read_conll(chain(before, lines), name, needs_heads=False):
                yield SentenceToParse(_without_graph(sentence))
            return
        except SyntaxProblem as error:
            if settings.on_error != "skip":
                raise
            while lines.last.strip(BLANK) and next(lines, None) is not None:
                pass
            nothing = DependencySentence((), (), np.zeros(0, np.int32), (), place=f"{name}:{error.line}")
            yield SentenceToParse(nothing, error)


def _without_graph(sentence: DependencySentence) -> DependencySentence:
    """The sentence without its heads, and without the graph that stands beside them."""
    n = len(sentence)
    columns = {**sentence.columns, "deps": (EMPTY,) * n}
    return replace(sentence, heads=np.full(n, -1, np.int32), relations=(EMPTY,) * n, columns=columns)


class _Numbered(Iterator[str]):
    """The lines of an iterator, with the last one taken and its number."""

    def __init__(self, lines: Iterator[str]):
        self._lines = lines
        self.number, self.last = 0, ""

    def __next__(self) -> str:
        line = next(self._lines, None)
        if line is None:
            self.last = ""
            raise StopIteration
        self.number, self.last = self.number + 1, line
        return line
