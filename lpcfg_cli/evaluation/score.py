"""Scoring of two tree files sentence by sentence, one chunk at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from lpcfg_cli.evaluation import score_kernels as kernels
from lpcfg_cli.evaluation.bracket_sets import BracketSets, LabelRules, read_sets, replace_sentences
from lpcfg_cli.evaluation.counts import Counts, count_rows
from lpcfg_cli.evaluation.pairs import PairedSentences
from lpcfg_cli.evaluation.parameters import COLLINS, EvalbParameters
from lpcfg_cli.evaluation.scan import UNREADABLE, ScannedSentence, repair_quotes, scan_sentence
from lpcfg_cli.evaluation.sentence_blocks import SentenceBlock
from lpcfg_cli.evaluation.sentences import TreeSource
from lpcfg_cli.evaluation.word_difference import visible, word_difference
from lpcfg_cli.treebank.token_table import TokenTable

EVALB_WORDS, EVALB_BRACKETS, EVALB_LINE = 200, 200, 5000
"""Sizes of EVALB's buffers: for words and brackets of a sentence, and characters of a line."""


@dataclass(frozen=True)
class Problem:
    """The reason why a sentence is not valid.

    Attributes
    ----------
    sentence : int
        1-based number of the sentence.
    kind : {"length", "word", "gold brackets", "test brackets", "skipped"}
    message : str
        Description, with the first word that differs.
    gold, test : str
        Places of the sentence on both sides, as ``path:line``.
    """

    sentence: int
    kind: str
    message: str
    gold: str
    test: str


@dataclass(frozen=True)
class ChunkScore:
    """The scores of n consecutive sentences, with everything they were computed from.

    Attributes
    ----------
    first : int
        1-based number of the first sentence.
    gold_texts, test_texts : SentenceBlock
        The sentences as read.
    gold, test : BracketSets
        The words and brackets that were compared.
    rows : ndarray of int64, shape (n, 7)
        This and the next four arrays are the result of `score_kernels.score_sentences`.
    difference : ndarray of int64, shape (n,)
    gold_mate : ndarray of int64, shape (n_gold_brackets,)
    test_mate, crossed : ndarray of int64, shape (n_test_brackets,)
    rules : LabelRules
        The rules, with the string table.
    scanned_gold, scanned_test : dict of int to ScannedSentence
        Sentences that had to be scanned, by position in the chunk.
    """

    first: int
    gold_texts: SentenceBlock
    test_texts: SentenceBlock
    gold: BracketSets
    test: BracketSets
    rows: np.ndarray
    difference: np.ndarray
    gold_mate: np.ndarray
    test_mate: np.ndarray
    crossed: np.ndarray
    rules: LabelRules
    scanned_gold: dict[int, ScannedSentence] = field(default_factory=dict)
    scanned_test: dict[int, ScannedSentence] = field(default_factory=dict)

    @property
    def is_valid(self) -> np.ndarray:
        """Whether each sentence is scored, bool, shape (n,)."""
        return self.rows[:, kernels.STATUS] == kernels.VALID


@dataclass(frozen=True)
class Scores:
    """The scores of two tree files.

    Attributes
    ----------
    parameters : EvalbParameters
        The rules.
    rows : ndarray of int64, shape (n, 7)
        One row for each sentence; columns as in `score_kernels`.
    length : ndarray of int32, shape (n,)
        Length of each gold sentence.
    problems : list of Problem
        One for each sentence that is not valid.
    n_gold, n_test : int
        Number of sentences of each file; blank lines at the end that only one of them has do not count.
    beyond_evalb : int
        Number of sentences that overflow EVALB's buffers.
    mismatches : list of str
        As in `PairedSentences`.
    numbers : ndarray of int64, shape (n,)
        The number of each sentence among all gold sentences, from 0.
    """

    parameters: EvalbParameters
    rows: np.ndarray
    length: np.ndarray
    problems: list[Problem]
    n_gold: int
    n_test: int
    beyond_evalb: int
    mismatches: list[str]
    numbers: np.ndarray

    @property
    def all(self) -> Counts:
        """Counts over all sentences."""
        return count_rows(self.rows)

    @property
    def short(self) -> Counts:
        """Counts over the sentences up to `cutoff_length`."""
        return count_rows(self.rows[self.length <= self.parameters.cutoff_length])

    @property
    def is_partial(self) -> bool:
        """Whether one side has further sentences, which were not scored."""
        return self.n_gold != self.n_test or bool(self.mismatches)

    def sentence_dicts(self) -> list[dict[str, int]]:
        """One dictionary for each sentence, JSON-ready; ``status`` is 0 for valid, 1 for error, 2 for skipped."""
        names = ("status", "matched", "gold", "test", "crossing", "words", "correct_tags")
        return [
            {"sentence": place, "length": length, **dict(zip(names, row, strict=True))}
            for place, (row, length) in enumerate(self.sentence_rows(), 1)
        ]

    def sentence_rows(self) -> Iterator[tuple[list[int], int]]:
        """The row and the length of each sentence."""
        return zip(self.rows.tolist(), self.length.tolist(), strict=True)


class Observer(ABC):
    """Accumulates something over the chunks as they are scored, such as a table by label."""

    @abstractmethod
    def add(self, chunk: ChunkScore) -> None:
        """Process one chunk."""


def score_treebanks(
    gold: TreeSource, test: TreeSource, parameters: EvalbParameters = COLLINS, observers: Iterable[Observer] = ()
) -> Scores:
    """Score the trees of one source against those of another.

    The memory is that of one chunk, and of eight numbers for each sentence.

    Parameters
    ----------
    gold, test : TreeSource
        Paired sentence by sentence, as `PairedSentences` does.
    parameters : EvalbParameters
        The rules.  See `effective_parameters` for trees that EVALB cannot read.
    observers : iterable of Observer
        Each gets every chunk once, in order.

    Raises
    ------
    InputError, SyntaxProblem
        Those of `TreeSource.sentences`.
    """
    scorer = ChunkScorer(parameters)
    watching = list(observers)
    rows, lengths, problems, beyond = [np.zeros((0, 7), np.int64)], [np.zeros(0, np.int32)], [], 0
    pairs = PairedSentences(gold, test)
    for gold_texts, test_texts in pairs.chunks():
        chunk = scorer.score(gold_texts, test_texts)
        rows.append(chunk.rows)
        lengths.append(chunk.gold.length)
        problems += list(find_problems(chunk))
        beyond += count_beyond_evalb(chunk)
        for observer in watching:
            observer.add(chunk)
    return Scores(
        parameters,
        np.concatenate(rows),
        np.concatenate(lengths),
        problems,
        pairs.n_gold,
        pairs.n_test,
        beyond,
        pairs.mismatches,
        pairs.numbers,
    )


def effective_parameters(parameters: EvalbParameters, *sources: TreeSource) -> EvalbParameters:
    """The parameters; if the trees of any source span lines, the empty label is added to the deleted ones.

    Such treebanks, which EVALB cannot read, wrap every tree in a bracket without a label.  In files with one tree on
    each line EVALB counts such brackets, and so does the scorer.
    """
    return parameters if all(source.is_by_line for source in sources) else without_unlabelled(parameters)


def without_unlabelled(parameters: EvalbParameters) -> EvalbParameters:
    """The parameters with the empty label among the deleted ones."""
    if "" in parameters.delete_labels:
        return parameters
    return replace(parameters, delete_labels=(*parameters.delete_labels, ""))


class ChunkScorer:
    """Scores chunks with one string table.

    Parameters
    ----------
    parameters : EvalbParameters
        The rules.
    """

    def __init__(self, parameters: EvalbParameters = COLLINS):
        self.parameters = parameters
        self.rules = LabelRules(parameters, TokenTable())
        self.equal_labels = self.rules.pairs(parameters.equal_labels)
        self.equal_words = self.rules.pairs(parameters.equal_words)
        self.n_scored = 0

    def score(self, gold_texts: SentenceBlock, test_texts: SentenceBlock) -> ChunkScore:
        """Score the sentences of two blocks of equal length against each other."""
        gold, test = _Side.read(gold_texts, self.rules), _Side.read(test_texts, self.rules)
        if self.parameters.quote_labels:
            gold, test = self._repair_quotes(gold, test)
        arrays = kernels.score_sentences(
            gold.sets, test.sets, self.parameters.labeled, self.equal_labels, self.equal_words
        )
        first = self.n_scored + 1
        self.n_scored += len(gold_texts)
        sides = gold_texts, test_texts, gold.sets, test.sets
        return ChunkScore(first, *sides, *arrays, self.rules, gold.scanned, test.scanned)

    def _repair_quotes(self, gold: _Side, test: _Side) -> tuple[_Side, _Side]:
        n_gold, n_test = np.diff(gold.sets.first_word), np.diff(test.sets.first_word)
        new_gold, new_test = {}, {}
        for k in np.flatnonzero((n_gold != n_test) & (n_test > 0)).tolist():
            new_gold[k], new_test[k] = gold.scan(k, self.parameters), test.scan(k, self.parameters)
            repair_quotes(new_gold[k], new_test[k], self.parameters.delete_labels)
        return gold.with_scans(new_gold, self.rules), test.with_scans(new_test, self.rules)


@dataclass(frozen=True)
class _Side:
    texts: SentenceBlock
    sets: BracketSets
    scanned: dict[int, ScannedSentence]

    @classmethod
    def read(cls, texts: SentenceBlock, rules: LabelRules) -> _Side:
        return cls(texts, *read_sets(texts, rules))

    def scan(self, k: int, parameters: EvalbParameters) -> ScannedSentence:
        return self.scanned.get(k) or scan_sentence(self.texts[k].text, parameters)

    def with_scans(self, scanned: dict[int, ScannedSentence], rules: LabelRules) -> _Side:
        return _Side(self.texts, replace_sentences(self.sets, scanned, rules), {**self.scanned, **scanned})


def find_problems(chunk: ChunkScore) -> Iterator[Problem]:
    """Yield a problem for each sentence of a chunk that is not valid."""
    for k in np.flatnonzero(~chunk.is_valid).tolist():
        kind, message = _explain(chunk, k)
        gold, test = chunk.gold_texts[k], chunk.test_texts[k]
        yield Problem(chunk.first + k, kind, message, f"{gold.path}:{gold.line}", f"{test.path}:{test.line}")


def count_beyond_evalb(chunk: ChunkScore) -> int:
    """Number of sentences that overflow EVALB's buffers."""
    beyond = np.zeros(len(chunk.rows), bool)
    for texts, sets in ((chunk.gold_texts, chunk.gold), (chunk.test_texts, chunk.test)):
        for k in np.flatnonzero(texts.stop - texts.start >= EVALB_LINE).tolist():  # bytes, of which some are no letters
            beyond[k] |= len(texts[k].text) >= EVALB_LINE
        beyond |= (np.diff(sets.first_word) > EVALB_WORDS) | (np.diff(sets.first_bracket) > EVALB_BRACKETS)
    return int(np.count_nonzero(beyond))


def _explain(chunk: ChunkScore, k: int) -> tuple[str, str]:
    for side, scanned in (("gold", chunk.scanned_gold), ("test", chunk.scanned_test)):
        if k in scanned and scanned[k].error:
            text = (chunk.gold_texts if side == "gold" else chunk.test_texts)[k].text
            if scanned[k].error == UNREADABLE or chunk.rows[k, kernels.STATUS] == kernels.ERROR:
                return f"{side} brackets", f"{scanned[k].problem}: {text.strip()[:60]!r}"
    if chunk.rows[k, kernels.STATUS] == kernels.SKIPPED:
        has_gold = chunk.gold.first_word[k + 1] > chunk.gold.first_word[k]
        return "skipped", "no parse in the test file" if has_gold else "no words on either side"
    gold, test = _words(chunk.gold, k, chunk.rules), _words(chunk.test, k, chunk.rules)
    place = int(chunk.difference[k])
    pair = f"gold {_quoted(gold, place)}, test {_quoted(test, place)}"
    if len(gold) != len(test):
        return "length", f"Length unmatch ({len(gold)}|{len(test)}), first different word {place + 1}: {pair}"
    both = gold[place], test[place]
    return "word", f"Words unmatch ({'|'.join(map(visible, both))}) at word {place + 1}{word_difference(*both)}"


def _words(sets: BracketSets, k: int, rules: LabelRules) -> list[str]:
    return [rules.name(number) for number in sets.word[sets.first_word[k] : sets.first_word[k + 1]].tolist()]


def _quoted(words: list[str], place: int) -> str:
    return repr(words[place]) if place < len(words) else "has ended"
