"""The table of sentence formats.  A new format is a reader and an entry in the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from lpcfg_cli.config import ReadSettings, Table
from lpcfg_cli.storage.inputs import LiveLines, is_live
from lpcfg_cli.tagging.column_readers import read_conllu, read_tab
from lpcfg_cli.tagging.constraint_readers import read_json, read_marked, read_partial
from lpcfg_cli.tagging.sentence import (
    InputSentence,
    InputSettings,
    Sentence,
    SentenceFormat,
    Teller,
    as_trained,
    silent,
)
from lpcfg_cli.tagging.sentence_readers import (
    read_bar,
    read_hash,
    read_raw,
    read_slash,
    read_text,
    read_trees,
    read_underscore,
)
from lpcfg_cli.tagging.text import TextConventions
from lpcfg_cli.treebank.lines import stream_lines
from lpcfg_cli.treebank.sources import source_name

SENTENCE_FORMATS: Table[SentenceFormat] = Table(
    "sentence format",
    SentenceFormat("slash", "word/TAG tokens, one sentence on each line", read_slash),
    SentenceFormat("underscore", "word_TAG tokens, likewise", read_underscore),
    SentenceFormat("hash", "word#TAG tokens, likewise", read_hash),
    SentenceFormat("bar", "word|TAG tokens, likewise", read_bar),
    SentenceFormat("tab", "word, tab and tag on each line, an empty line after each sentence", read_tab),
    SentenceFormat("conllu", "words and tags of CoNLL-U or CoNLL-X", read_conllu),
    SentenceFormat("trees", "trees, of which only words and tags are used", read_trees),
    SentenceFormat("raw", "words without tags, one sentence on each line", read_raw, has_tags=False),
    SentenceFormat("marked", "words, some with tags, with brackets such as [NP the dog ]", read_marked, has_tags=False),
    SentenceFormat("json", "a JSON object with words and constraints on each line", read_json, has_tags=False),
    SentenceFormat("partial", "half-bracketed trees, to be completed", read_partial, has_tags=False),
    SentenceFormat("text", "running text, in which empty lines end paragraphs", read_text, has_tags=False),
)


def open_sentences(
    source: str | Path,
    form: str,
    settings: ReadSettings,
    tell: Teller = silent,
    conventions: TextConventions | None = None,
) -> Iterator[InputSentence]:
    """Yield the sentences of a file, or of standard input for ``-``, as they arrive.

    Parameters
    ----------
    source : path
    form : str
        A name of `SENTENCE_FORMATS`.
    settings : ReadSettings
        With ``on_error = "skip"`` a sentence that cannot be read is yielded with its problem.  `InputSettings` say how
        the trees were cleaned from which the model was learnt; sentences are cleaned likewise.
    tell : function of str
        Called with a note about everything that is ignored in a file of trees.
    conventions : TextConventions, optional
        Conventions of the treebank for raw text; by default words are not changed.

    Raises
    ------
    ConfigError
        There is no such format.
    InputError, SyntaxProblem
        The source cannot be read or decoded, or a token has no tag or no word.
    """
    name = source_name(source)
    lines = stream_lines(source, settings.encoding, settings.on_error)
    live = LiveLines(lines) if is_live(source) else lines
    return read_input(live, form, name, settings, tell, conventions)


def read_input(
    lines: Iterable[str],
    form: str,
    name: str,
    settings: ReadSettings | None = None,
    tell: Teller = silent,
    conventions: TextConventions | None = None,
) -> Iterator[InputSentence]:
    """The sentences of lines without their newline; see `open_sentences`."""
    given = settings if isinstance(settings, InputSettings) else InputSettings(**vars(settings or ReadSettings()))
    read = SENTENCE_FORMATS.named(form, "the format of sentences").read
    has_told = False
    for sentence in read(lines, name, given, tell, conventions or TextConventions()):
        if sentence.problem is not None and given.on_error != "skip":
            raise sentence.problem
        cleaned = as_trained(sentence, given.clean)
        if len(cleaned.tokens) < len(sentence.tokens) and not has_told:
            has_told = True
            tell(f"{sentence.place}: words with tags that training left out, such as -NONE-, are left out here too.")
        yield _with_root(cleaned, given.root)


def _with_root(sentence: InputSentence, root: str | None) -> InputSentence:
    """The sentence with a root that is demanded of all, unless it has its own."""
    if root is None or not sentence.tokens or sentence.constraints.root is not None:
        return sentence
    return replace(sentence, constraints=replace(sentence.constraints, root=root))


def read_abbreviations(path: str | Path, encoding: str = "utf-8") -> list[str]:
    """The words of a file, one on each line; ``#`` begins a remark.  Raises `InputError` if it cannot be read."""
    return [word for line in stream_lines(path, encoding) if (word := line.partition("#")[0].strip())]


def read_sentences(text: str, form: str, path: str) -> Iterator[Sentence]:
    """The tokens of the sentences of a text, for experiments."""
    lines = text.split("\n")
    return (sentence.tokens for sentence in read_input(lines[:-1] if lines[-1] == "" else lines, form, path))
