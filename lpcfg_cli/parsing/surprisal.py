"""Surprisal of the words of sentences under the L-PCFGs of a model file; see `lpcfg_cli.parsing.prefix`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lpcfg_cli.config.fields import at_least
from lpcfg_cli.errors import InputError
from lpcfg_cli.execution.chunks import over_chunks
from lpcfg_cli.execution.workers import FileValue, Mapper, value_of
from lpcfg_cli.grammar.archive import model_file
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.grammar.opening import open_members
from lpcfg_cli.grammar.word_shares import Known
from lpcfg_cli.parsing.corpora import MAX_LENGTH
from lpcfg_cli.parsing.layout import Words
from lpcfg_cli.parsing.next_words import NextWords, entropies
from lpcfg_cli.parsing.prefix import Prefixes, PrefixGrammar
from lpcfg_cli.parsing.prefix_words import Predicted, PredictedWords
from lpcfg_cli.tagging.sentence import InputSentence, Sentence, Teller, silent
from lpcfg_cli.tagging.tagger import OPEN_TAG

END = "</s>"
"""How the end of a sentence is written, which is predicted too."""

ALIVE = 1e-3
"""Smallest share of the prefix probability with which a state counts as alive."""


@dataclass(frozen=True)
class SurprisalOptions:
    """How surprisal is computed.

    Attributes
    ----------
    predicted : Predicted
    threshold : float
        An item is pruned if the plain PCFG gives it a smaller share of the prefix probability; 0 for none.
    signed : bool
        Whether parameters that are no probabilities, and so may give negative totals, are allowed.
    entropy : bool
        Whether the entropy of the next word is computed, too.
    """

    predicted: Predicted = Predicted.WORDS
    threshold: float = 1e-6
    signed: bool = False
    entropy: bool = False

    def __post_init__(self) -> None:
        at_least("threshold", self.threshold, 0.0)


class WordSurprisal(NamedTuple):
    """The surprisal of one word, or of the end of a sentence.

    Attributes
    ----------
    word : str
        `END` for the end of the sentence.
    tag : str or None
        As given; None if it was not.
    known : Known or None
        None for the end.
    states : int or None
        As in `Surprisal`; None for the end.
    bits : float
        Surprisal.
    entropy : float or None
        Entropy of the distribution of what may stand here, after the words before: the surprisal that is to be
        expected.  None if it was not asked for.
    """

    word: str
    tag: str | None
    known: Known | None
    states: int | None
    bits: float
    entropy: float | None = None


@dataclass(frozen=True)
class Surprisal:
    """The surprisal of the words of a sentence and of its end.

    Attributes
    ----------
    tokens : list of (word, tag)
    known : list of Known
        What the model, or the first of an ensemble, knows of each word.
    bits : ndarray of float64, shape (n + 1,), or (0,) for no words
        −log₂ of the ratio of consecutive prefix probabilities; inf where the ratio is 0, NaN where it is negative or
        nothing was left to divide by.
    states : ndarray of int64, shape (n,)
        Number of states of preterminals that have at least the share `ALIVE` of the prefix probability, as |share|.
    problem : str
        Why there are no figures, with the place; empty if there are.
    entropy : ndarray of float64, shape (n + 1,), or None
        As in `entropies`: of what may stand at the place of each word, and of the end.
    """

    tokens: Sentence
    known: list[Known]
    bits: np.ndarray
    states: np.ndarray
    problem: str = ""
    entropy: np.ndarray | None = None

    def words(self) -> list[WordSurprisal]:
        """The figures word by word, and those of the end; none for no words."""
        known: Sequence[Known | None] = self.known or [None] * len(self.tokens)
        entropy = [None] * (len(self.tokens) + 1) if self.entropy is None else self.entropy.tolist()
        columns = (self.tokens, known, self.states.tolist(), self.bits.tolist(), entropy)
        rows = [
            WordSurprisal(word, None if tag == OPEN_TAG else tag, *figures)
            for (word, tag), *figures in zip(*columns, strict=False)
        ]
        return [*rows, WordSurprisal(END, None, None, None, float(self.bits[-1]), entropy[-1])] if rows else []


@dataclass
class SurprisalReport:
    """Counts over the sentences so far.

    Attributes
    ----------
    sentences, words : int
    unknown : int
        Number of unknown words.
    events : int
        Words and ends of sentences with a finite surprisal.
    bits : float
        Sum of the finite surprisals.
    impossible : int
        Words and ends with probability 0.
    undefined : int
        Words and ends whose surprisal is NaN: after an impossible word, or where a total is negative.
    left_out : int
        Sentences without figures.
    """

    sentences: int = 0
    words: int = 0
    unknown: int = 0
    events: int = 0
    bits: float = 0.0
    impossible: int = 0
    undefined: int = 0
    left_out: int = 0

    def add(self, found: Surprisal) -> None:
        """Count one sentence."""
        self.sentences += 1
        self.words += len(found.tokens)
        self.unknown += sum(known == Known.UNKNOWN for known in found.known)
        self.left_out += bool(found.problem)
        if found.problem:
            return
        is_finite = np.isfinite(found.bits)
        self.events += int(is_finite.sum())
        self.bits += float(found.bits[is_finite].sum())
        self.impossible += int(np.isposinf(found.bits).sum())
        self.undefined += int(np.isnan(found.bits).sum())

    @property
    def mean_bits(self) -> float:
        """Mean of the finite surprisals; NaN without any."""
        return self.bits / self.events if self.events else float("nan")


class SurprisalModel:
    """Computes surprisal with one grammar, or with the mean of the probabilities that several give to a prefix.

    Parameters
    ----------
    grammars : sequence of Grammar
    options : SurprisalOptions

    Attributes
    ----------
    n_left_out : int
        Number of grammars that are not used, because their parameters are no probabilities.

    Raises
    ------
    InputError
        No grammar can be used with these options, or one has no counts of rare words.
    """

    def __init__(self, grammars: Sequence[Grammar], options: SurprisalOptions):
        self.options = options
        usable = list(grammars) if options.signed else [one for one in grammars if one.is_probabilistic]
        self.n_left_out = len(grammars) - len(usable)
        if not usable:
            raise InputError(
                "the parameters of this model are moments, not probabilities, so that prefix totals may be negative. "
                "Train with `--learner em` (or cluster, pivot, pivot+em), or allow them with --signed."
            )
        self.members = [(PrefixGrammar(one), PredictedWords(one, options.predicted)) for one in usable]
        if not all(words.shares.is_complete for _, words in self.members):
            raise InputError(
                "the model does not have the counts of rare words, which divide the probability of a class among its "
                "words: it is a grammar as text, or of an earlier version. Name the model, or run `lpcfg train` again."
            )
        self.next_words = [NextWords(words) for _, words in self.members] if options.entropy else []
        if any(one.events != self.next_words[0].events for one in self.next_words):
            raise InputError("the grammars of this ensemble know different words, so that --entropy has no one answer.")

    @property
    def masses(self) -> list[float]:
        """The probability of all sentences together, of each grammar, by which probabilities are divided."""
        return [grammar.mass for grammar, _ in self.members]

    @property
    def is_converged(self) -> bool:
        """Whether the masses of all grammars count all trees."""
        return all(grammar.is_converged for grammar, _ in self.members)

    def of_sentence(self, sentence: Sentence) -> Surprisal:
        """The surprisal of each word of a sentence and of its end; nothing for no words."""
        if not sentence:
            return Surprisal([], [], np.zeros(0), np.zeros(0, np.int64))
        states, known, found = np.zeros(len(sentence), np.int64), list[Known](), list[Prefixes]()
        for grammar, predicted in self.members:
            words, its_known = predicted.of_sentence(sentence)
            found.append(grammar.prefixes(words, self.options.threshold, self.options.entropy))
            states += states_alive(words, found[-1], grammar.grammar.state_start)
            known = known or its_known
        entropy = entropies(self.next_words, found) if self.options.entropy else None
        return Surprisal(sentence, known, bits_of(found), states, entropy=entropy)


def bits_of(found: Sequence[Prefixes]) -> np.ndarray:
    """Surprisal of each word and of the end, from the prefix probabilities of one grammar or the mean of several."""
    sign, log2 = found[0].sign, found[0].log2
    if len(found) > 1:
        logs, signs = np.array([one.log2 for one in found]), np.array([one.sign for one in found])
        largest = np.maximum(logs.max(0), np.finfo(float).min)
        mean = (signs * np.exp2(logs - largest)).mean(0)
        sign = np.sign(mean)
        with np.errstate(divide="ignore"):
            log2 = np.log2(np.abs(mean)) + largest
    is_defined = (sign[1:] >= 0) & (sign[:-1] > 0)
    return np.where(is_defined, np.where(is_defined, log2[:-1], 0.0) - np.where(is_defined, log2[1:], 0.0), np.nan)


def states_alive(words: Words, prefixes: Prefixes, state_start: np.ndarray) -> np.ndarray:
    """Number of states of preterminals with at least the share `ALIVE` of each prefix probability; int64, (n,)."""
    chart = prefixes.chart
    n_states = np.diff(words.vector_start)
    word = np.repeat(np.repeat(np.arange(len(words.start) - 1), np.diff(words.start)), n_states)
    within = np.arange(len(word)) - np.repeat(words.vector_start[:-1], n_states)
    state = np.repeat(state_start[words.symbol], n_states) + within
    weight = np.abs(chart.predicted[word, state] * words.vector)
    is_alive = (weight > 0) & (weight >= ALIVE * np.abs(chart.total[word + 1]))
    return np.bincount(word, is_alive, len(words.start) - 1).astype(np.int64)


def open_surprisal(model: Path, options: SurprisalOptions) -> FileValue:
    """The `SurprisalModel` of a model file or run directory, which each process reads once.

    Raises
    ------
    InputError, ArtefactError
        There is no model, or it cannot be used.
    """
    return FileValue.load(read_surprisal, model_file(model), options)


def read_surprisal(model: Path, options: SurprisalOptions) -> SurprisalModel:
    """Read the grammars of a model file."""
    _, members = open_members(model)
    try:
        return SurprisalModel(members, options)
    except InputError as error:
        raise InputError(f"{model}: {error}") from error


Task = tuple[FileValue | SurprisalModel, list[InputSentence], int]


def surprisals(
    model: FileValue | SurprisalModel,
    sentences: Iterable[InputSentence],
    report: SurprisalReport,
    max_length: int = MAX_LENGTH,
    tell: Teller = silent,
    mapper: Mapper = map,
) -> Iterator[Surprisal]:
    """Yield the surprisal of the words of each sentence, in order, and update the report.

    Parameters
    ----------
    model : FileValue or SurprisalModel
        From `open_surprisal`; a `SurprisalModel` only if the mapper uses no other processes.
    sentences : iterable of InputSentence
    report : SurprisalReport
    max_length : int
        A longer sentence gets no figures.
    tell : function of str
        Called with a message about each sentence without figures.
    mapper : callable like map
        Spreads chunks of sentences over workers; the figures do not depend on it.

    Raises
    ------
    LpcfgError
        Reading the sentences failed; those before are yielded first.
    """
    for chunk, _ in over_chunks(_of_chunk, sentences, lambda some: (model, some, max_length), mapper):
        for found in chunk:
            report.add(found)
            if found.problem:
                tell(found.problem)
            yield found


def _of_chunk(task: Task) -> list[Surprisal]:
    source, sentences, max_length = task
    model: SurprisalModel = value_of(source)
    return [_of_one(model, sentence, max_length) for sentence in sentences]


def _of_one(model: SurprisalModel, sentence: InputSentence, max_length: int) -> Surprisal:
    n = len(sentence.tokens)
    nothing = Surprisal(sentence.tokens, [], np.full(n + 1, np.nan), np.zeros(n, np.int64))
    if sentence.problem is not None:
        return replace(nothing, problem=f"{sentence.problem} This sentence is left out.")
    if n > max_length:
        reason = f"{n:,} words are more than --max-length {max_length:,}"
        return replace(nothing, problem=f"{sentence.place}: {reason}: no figures.")
    try:
        return model.of_sentence(sentence.tokens)
    except MemoryError:
        return replace(nothing, problem=f"{sentence.place}: no memory for {n:,} words: no figures.")
