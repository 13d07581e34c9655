"""parse: a model and sentences → one bracketed tree for each sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from lpcfg_cli.config import CleanSettings, ParseSettings, load_settings, settings_from_dict
from lpcfg_cli.errors import ConstraintError, InputError, doing
from lpcfg_cli.execution.chunks import over_chunks
from lpcfg_cli.execution.workers import FileValue, Mapper, value_of
from lpcfg_cli.grammar.archive import MODEL, model_file
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.grammar.opening import is_text_grammar, open_header, open_members, open_tagger
from lpcfg_cli.parsing.calibration import OF_ONE_SIGNED, STORED_AS, UNCORRECTED, Calibration
from lpcfg_cli.parsing.closest import CLOSEST, SKIP, STOP, parse_closest, unsatisfiable
from lpcfg_cli.parsing.line_forms import ParsedInput, RankedLine
from lpcfg_cli.parsing.output import bracket_lines, flat_tree, tree_lines
from lpcfg_cli.parsing.output_forms import OUTPUT_FORMS
from lpcfg_cli.parsing.parse import Parse, Status
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.parsing.reranking.archive import load_reranker, reranker_file
from lpcfg_cli.parsing.reranking.reranker import TreeReranker
from lpcfg_cli.parsing.spans.archive import load_spans
from lpcfg_cli.parsing.spans.span_model import SpanModel
from lpcfg_cli.storage.artefacts import Header
from lpcfg_cli.storage.parts import fitting_parts
from lpcfg_cli.tagging.sentence import InputSentence, Sentence, Teller, silent
from lpcfg_cli.tagging.tagger import OPEN_TAG
from lpcfg_cli.tagging.text import TextConventions
from lpcfg_cli.wording import counted

MAX_LENGTH = 400
"""Default of the largest number of words of a sentence that is parsed: time and memory grow fast with the length."""


@dataclass
class ParseReport:
    """Counts over the sentences parsed so far.

    Attributes
    ----------
    sentences, words : int
    statuses : Counter of Status
        Number of sentences with each status.
    negative_totals : int
        Sentences whose inside total is negative.
    seconds : float
        Wall time of parsing, without loading.
    places : dict of str to list of str
        For each status but that of a parsed and of an empty sentence, the places of its sentences in the input.
    """

    sentences: int = 0
    words: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    negative_totals: int = 0
    seconds: float = 0.0
    places: dict[str, list[str]] = field(default_factory=dict)

    def add(self, sentence: ParsedSentence) -> None:
        """Count one sentence."""
        self.sentences += 1
        self.words += len(sentence.tokens)
        self.statuses[sentence.status.value] += 1
        self.negative_totals += sentence.is_negative
        if sentence.status not in (Status.PARSED, Status.EMPTY):
            self.places.setdefault(sentence.status.value, []).append(sentence.place)

    def merge(self, other: ParseReport) -> None:
        """Add the counts of another report; `seconds` is not changed."""
        self.sentences += other.sentences
        self.words += other.words
        self.statuses += other.statuses
        self.negative_totals += other.negative_totals
        for status, places in other.places.items():
            self.places.setdefault(status, []).extend(places)

    @property
    def fallbacks(self) -> int:
        """Number of sentences whose tree is not from the pruned L-PCFG."""
        return self.sentences - sum(
            self.statuses[status.value] for status in (Status.PARSED, Status.EMPTY, Status.FAILED)
        )


def open_parser(model: Path, overrides: dict[str, Any]) -> FileValue:
    """The parser of a model file, run directory or grammar as text, with the settings stored in it.

    Parameters
    ----------
    model : Path
    overrides : dict
        Fields of `ParseSettings` to change; None keeps the stored value.

    Returns
    -------
    FileValue of Parser

    Raises
    ------
    InputError, ArtefactError
        There is no model, it cannot be used, or it lacks what the changed settings are about.
    """
    given = {key: value for key, value in overrides.items() if value is not None}
    path = model_file(model)
    reranker = reranker_file(path)
    beside = [reranker] if given.get("rerank", True) and reranker.exists() else []
    found = FileValue.load(read_parser, path, *sorted(given.items()), beside=beside)
    _check_asked(model, found.get(), given)
    return found


def _check_asked(model: Path, parser: Parser, given: dict[str, Any]) -> None:
    """Raise an `InputError` if a part of the model is asked for that it does not have: the setting would do nothing."""
    if given.get("rerank") and parser.reranker is None:
        raise InputError(f"{model}: has no reranker for this decoder. Train with --rerank, or leave out --rerank.")
    weight = given.get("span_weight")
    if weight and parser.spans is None:
        raise InputError(
            f"{model}: has no span model for this decoder, so --span-weight {weight:g} would do nothing. "
            "Train with --spans 1, or leave out --span-weight."
        )


def read_parser(model: Path, *overrides: tuple[str, Any]) -> Parser:
    """Read the parser of a model file, with some of its settings changed."""
    header, members = open_members(model)
    stored = settings_from_dict({"parse": header.settings.get("parse", {})}, str(model))
    settings = load_settings(base=stored, **{f"parse__{name}": value for name, value in overrides})
    tagger, _ = open_tagger(model)
    spans, reranker = open_spans(model), _reranker(model, settings.parse)
    with fitting_parts(model, MODEL):
        return Parser(members, settings.parse, tagger, calibration_of(header), spans, reranker=reranker)


def open_spans(model: Path) -> SpanModel | None:
    """The span model of a model file, if it has one; raises `InputError` or `ArtefactError` if it cannot be used."""
    return None if is_text_grammar(model) else load_spans(model_file(model), MODEL)


def _reranker(model: Path, settings: ParseSettings) -> TreeReranker | None:
    """The reranker of a model, if it has one and if lists are those that it has learnt from."""
    found = load_reranker(model) if settings.rerank else None
    if found is None:
        return None
    header, reranker = found
    return reranker if header.settings.get("decoder") == settings.decoder else None


def calibration_of(header: Header) -> Calibration:
    """The correction of bracket posteriors that the header of a model has.

    By default there is none, but for a model of one signed grammar without a span model, which is known to be too sure
    of itself.
    """
    stored = header.settings.get(STORED_AS)
    if not stored:
        is_one_signed = header.settings.get("tables", {}).get("is_probabilistic") == [False]
        return OF_ONE_SIGNED if is_one_signed and not header.settings.get("spans") else UNCORRECTED
    posterior, corrected = (tuple(map(float, stored[name])) for name in ("posterior", "corrected"))
    return Calibration(posterior, corrected, int(stored["brackets"]))


def read_calibration(model: Path) -> Calibration:
    """The correction of bracket posteriors of a model, as of `calibration_of`; raises the errors of `open_header`."""
    return calibration_of(open_header(model))


def read_cleaning(model: Path) -> CleanSettings:
    """How the trees were cleaned from which a model was learnt, which is how sentences for it are cleaned."""
    header = open_header(model)
    return settings_from_dict({"clean": header.settings.get("clean", {})}, str(model)).clean


def read_conventions(model: Path) -> TextConventions:
    """The conventions by which raw text is tokenized for the model.

    Raises
    ------
    InputError
        The model has no tagger, so it cannot parse raw text.
    """
    _, conventions = open_tagger(model)
    if conventions is None:
        raise InputError(
            f"{model_file(model)}: has no tagger, so it can parse tagged words only. Run `lpcfg train` again without "
            "--no-tagger, or `lpcfg tagger` and `lpcfg estimate` on its run directory."
        )
    return conventions


class ParsedSentence(NamedTuple):
    """The result of parsing one sentence.

    Attributes
    ----------
    tokens : list of (word, tag)
        As given.
    line : str
        Its tree as a bracketed line, or what the form of the output makes of the parse.
    status : Status
    log_probability : float
        As in `Parse`.
    is_negative : bool
        Whether Z is negative.
    place : str
        Place in the input, for messages.
    """

    tokens: Sentence
    line: str
    status: Status
    log_probability: float
    is_negative: bool
    place: str = ""


def parse_sentences(
    parser: FileValue | Parser,
    sentences: Iterable[InputSentence],
    report: ParseReport,
    max_length: int = MAX_LENGTH,
    tell: Teller = silent,
    mapper: Mapper = map,
    unsatisfiable: str = STOP,
) -> Iterator[ParsedSentence]:
    """Yield what became of each sentence, in order, and update the report.

    Parameters
    ----------
    parser : FileValue or Parser
        From `open_parser`; a `Parser` only if the mapper uses no other processes.
    sentences : iterable of InputSentence
        A sentence with a `problem` gives a message and the tree ``(())``.  If reading them raises an error, the
        sentences read before are parsed first.
    report : ParseReport
    max_length : int
        A longer sentence is not parsed: its tree has the words side by side under the root.
    tell : function of str
        Called with a message about each such sentence, and once about each tag that the grammar does not know.
    mapper : callable like map
        Spreads chunks of sentences over workers; the trees do not depend on it.
    unsatisfiable : {"stop", "skip", "closest"}
        What becomes of a sentence whose constraints no tree meets: an error after the sentences before it, the tree
        ``(())``, or the closest tree; see `lpcfg_cli.parsing.closest`.

    Raises
    ------
    LpcfgError
        Reading the sentences failed.
    ConstraintError
        No tree meets the constraints of a sentence.
    """
    watch = _TagWatch(value_of(parser).grammar, tell)
    for chunk, seconds in over_chunks(
        _parse_chunk, sentences, lambda some: (parser, some, max_length, unsatisfiable), mapper
    ):
        for note in chunk.notes:
            tell(note)
        for sentence in chunk.sentences[: len(chunk.parsed)]:
            watch.look_at(sentence)
        report.merge(chunk.report)
        report.seconds = seconds
        yield from chunk.parsed
        if chunk.error is not None:
            raise chunk.error


_Task = tuple[FileValue | Parser, list[InputSentence], int, str]


@dataclass
class _ParsedChunk:
    sentences: list[InputSentence]
    parsed: list[ParsedSentence]
    report: ParseReport
    notes: list[str]
    error: ConstraintError | None = None


def _parse_chunk(task: _Task) -> _ParsedChunk:
    source, sentences, max_length, unsatisfiable = task
    parser: Parser = value_of(source)
    chunk = _ParsedChunk(sentences, [], ParseReport(), [])
    parses = list[Parse]()
    together = _parse_together(parser, sentences, max_length)
    try:
        for number, sentence in enumerate(sentences):
            done = together.get(number)
            parses.append(done or _parse_one(parser, sentence, max_length, unsatisfiable, chunk.notes.append))
    except ConstraintError as error:
        chunk.error = error
    for s, parse, line in zip(sentences, parses, output_lines(parser, sentences, parses), strict=False):
        one = ParsedSentence(s.tokens, line, parse.status, parse.log_probability, parse.is_negative, s.place)
        chunk.parsed.append(one)
        chunk.report.add(one)
    return chunk


def output_lines(parser: Parser, sentences: Sequence[InputSentence], parses: Sequence[Parse]) -> list[str]:
    """The lines of the first sentences, one of each parse, in the form that the parser's settings name."""
    tokens = [sentence.tokens for sentence in sentences[: len(parses)]]
    trees = list(bracket_lines(tokens, parses, parser.grammar))
    lists_trees = parser.settings.nbest > 1 or parser.settings.scores
    form = OUTPUT_FORMS[parser.settings.output]
    lines = []
    for sentence, parse, tree in zip(sentences, parses, trees, strict=False):
        line = flat_tree(parser.tagged(sentence.tokens)) if parse.status == Status.FLAT else tree
        needs_ranking = lists_trees or form.needs_confidence
        ranked = ranked_trees(sentence.tokens, parse, parser.grammar) if needs_ranking else []
        lines.append(form.write(ParsedInput(sentence, parse, line, ranked, lists_trees)))
    return lines


def ranked_trees(sentence: Sentence, parse: Parse, grammar: Grammar) -> list[RankedLine]:
    """The n best trees of a sentence with their scores, best first."""
    found = zip_longest(tree_lines(sentence, parse, grammar), parse.ranked, parse.confidences)
    return [RankedLine(text, score, confidence) for text, (score, _), confidence in found]


def _parse_together(parser: Parser, sentences: list[InputSentence], max_length: int) -> dict[int, Parse]:
    """The parses, by their numbers, of the sentences about which nothing is to be said.

    There are none if an error occurs: parsed one by one, the sentence shows that has it.
    """
    numbers = [
        number
        for number, sentence in enumerate(sentences)
        if sentence.problem is None and not sentence.constraints and len(sentence.tokens) <= max_length
    ]
    with_confidence = OUTPUT_FORMS[parser.settings.output].needs_confidence
    try:
        parses = parser.parse_together([sentences[number].tokens for number in numbers], with_confidence)
    except Exception:
        return {}
    return dict(zip(numbers, parses, strict=True))


def _parse_one(parser: Parser, sentence: InputSentence, max_length: int, on_unsatisfiable: str, tell: Teller) -> Parse:
    n = len(sentence.tokens)
    if sentence.problem is not None:
        tell(f"{sentence.problem} This sentence is left unparsed.")
        return Parse([], Status.FAILED)
    if n > max_length:
        tell(f"{sentence.place}: {n:,} words are more than --max-length {max_length:,}: the tree is flat.")
        return Parse([], Status.FLAT)
    try:
        with doing(f"parsing {sentence.place}"):
            return _constrained(parser, sentence, on_unsatisfiable, tell)
    except MemoryError:
        tell(f"{sentence.place}: no memory to parse {counted(n, 'word')}: the tree is flat.")
        return Parse([], Status.FLAT)


def _constrained(parser: Parser, sentence: InputSentence, on_unsatisfiable: str, tell: Teller) -> Parse:
    """Parse one sentence, or say what becomes of it if no tree meets its constraints."""
    with_confidence = OUTPUT_FORMS[parser.settings.output].needs_confidence
    tokens, constraints = sentence.tokens, sentence.constraints
    if not constraints or not tokens:
        return parser.parse(tokens, with_confidence=with_confidence)
    constraints.check(len(tokens), sentence.place)
    if on_unsatisfiable == CLOSEST:
        parse = parse_closest(parser, tokens, constraints, with_confidence)
        if parse.unmet:
            tell(f"{sentence.place}: left out: {'; '.join(parse.unmet)}. No tree meets this together with the rest.")
        return parse
    parse = parser.parse(tokens, constraints=constraints, with_confidence=with_confidence)
    if parse.status == Status.FAILED:
        error = unsatisfiable(parser, tokens, constraints, sentence.place)
        if on_unsatisfiable != SKIP:
            raise error
        tell(f"{error} This sentence is left unparsed.")
    return parse


class _TagWatch:
    """Reports tags that the grammar does not know, each once, and at most `MOST` of them."""

    MOST = 20

    def __init__(self, grammar: Grammar, tell: Teller):
        self._known = {OPEN_TAG, *(symbol.tag for symbol in grammar.symbols if symbol.tag is not None)}
        self._tags = frozenset(self._known)
        self._tell, self._n_told = tell, 0

    def look_at(self, sentence: InputSentence) -> None:
        for word, tag in sentence.tokens:
            if tag in self._known:
                continue
            self._known.add(tag)
            self._n_told += 1
            if self._n_told <= self.MOST:
                unseen = f"{sentence.place}: tag {tag!r} of {word!r} never occurred in training, so any tag is tried."
                swapped = f" {word!r} did, as a tag: is it the tag, and {tag!r} the word?"
                self._tell(unseen + swapped * (word in self._tags))
            elif self._n_told == self.MOST + 1:
                self._tell(f"{sentence.place}: further tags that never occurred in training are not reported.")


def parse_all(
    grammar: Grammar | Sequence[Grammar], settings: ParseSettings, sentences: list[Sentence]
) -> tuple[list[str], ParseReport]:
    """The trees of all sentences, and the report; for experiments."""
    report = ParseReport()
    inputs = map(InputSentence, sentences)
    parsed = parse_sentences(Parser(grammar, settings), inputs, report)
    return [sentence.line for sentence in parsed], report
