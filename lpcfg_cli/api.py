"""The public Python API: load, train, parse, evaluate, read and sample trees.

>>> import lpcfg_cli as lpcfg
>>> trees = lpcfg.synth(200, seed=1)
>>> model = lpcfg.train(trees, svd__states=4)
>>> parse = model.parse([("the", "DT"), ("dog", "NN"), ("slept", "VBD"), (".", ".")])
>>> parse.status
'parsed'
>>> parse.tree.label()
'TOP'
>>> print(parse)
(TOP (S (NP (DT the) (NN dog)) (VP (VBD slept)) (. .)))
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lpcfg_cli.config import load_settings
from lpcfg_cli.errors import InputError
from lpcfg_cli.evaluation.evaluate import EvaluationOptions, EvaluationReport
from lpcfg_cli.evaluation.evaluate import evaluate as evaluate_sources
from lpcfg_cli.evaluation.sentences import TreeSource, source_of_text
from lpcfg_cli.execution.workers import FileValue, local_workers
from lpcfg_cli.grammar.archive import MODEL_FILE, model_file
from lpcfg_cli.grammar.opening import open_tagger
from lpcfg_cli.parsing.closest import closest_constraints, unsatisfiable
from lpcfg_cli.parsing.corpora import (
    MAX_LENGTH,
    ParsedSentence,
    ParseReport,
    open_parser,
    parse_sentences,
    ranked_trees,
    read_cleaning,
)
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.parsing.prefix_words import Predicted
from lpcfg_cli.parsing.reranking.archive import reranker_file
from lpcfg_cli.parsing.surprisal import SurprisalModel, SurprisalOptions, WordSurprisal, read_surprisal
from lpcfg_cli.stages.chain import train as train_chain
from lpcfg_cli.stages.stage import StageContext
from lpcfg_cli.tagging.constraints import NO_CONSTRAINTS, Constraints, Span
from lpcfg_cli.tagging.sentence import InputSentence, Sentence, tokens_as_trained
from lpcfg_cli.tagging.tagger import OPEN_TAG
from lpcfg_cli.tagging.text import TextConventions
from lpcfg_cli.tree_api import RankedTree, Trees, convert, draw, grep, line_of, read_trees, synth, tree_files
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.nltk_trees import to_nltk

if TYPE_CHECKING:
    from nltk.tree import Tree

__all__ = [
    "Constraints",
    "Model",
    "Parse",
    "RankedTree",
    "Span",
    "convert",
    "draw",
    "evaluate",
    "grep",
    "load",
    "read_trees",
    "synth",
    "train",
]

Token = str | tuple[str, str | None]
"""A word, or a word with its tag; None for a tag that the parser has to find."""

SentenceLike = str | Sequence[Token]
"""A sentence as text, which is tokenized, or as words, with tags for all, some or none of them."""


@dataclass(frozen=True)
class Parse:
    """The parse of one sentence; ``str(parse)`` is its tree as a bracketed line.

    Attributes
    ----------
    words : list of str
        As given, or as the text was tokenized.
    status : str
        ``parsed``; the fallbacks ``unpruned``, ``coarse`` and ``partial``; ``flat`` for a sentence that is too long;
        ``empty``.  See `lpcfg_cli.parsing.parse.Status`.
    logprob : float
        ln |Z|, the natural logarithm of the sentence's probability; NaN without a tree.
    is_negative : bool
        Whether Z is negative, as it can be for spectral models.
    unmet : tuple of str
        The constraints that were left out, with ``closest=True``.
    """

    words: list[str]
    status: str
    logprob: float
    is_negative: bool
    _line: str
    _tokens: Sentence = field(repr=False)
    _parser: Parser = field(repr=False)
    unmet: tuple[str, ...] = ()
    _constraints: Constraints = field(default=NO_CONSTRAINTS, repr=False)

    def __str__(self) -> str:
        return self._line

    @property
    def tree(self) -> Tree:
        """The tree, with the words as given: brackets in them are not escaped."""
        return to_nltk(treebank_from_text(self._line), self.words)[0]

    @property
    def tags(self) -> list[str]:
        """The tag of each word in the tree."""
        return [tag for sentence in treebank_from_text(self._line).tagged_sentences() for _, tag in sentence]

    def nbest(self, n: int) -> list[RankedTree]:
        """The n different trees with the best scores, or fewer, best first; the sentence is parsed again."""
        if n < 1:
            raise ValueError(f"n is {n}; expected at least 1")
        parse = self._parser.parse(self._tokens, n, self._constraints, with_confidence=True) if self._tokens else None
        if parse is None or not parse.ranked:
            return [RankedTree(0.0, self._line)]
        found = []
        for one in ranked_trees(self._tokens, parse, self._parser.grammar):
            sure = one.confidence
            assert sure is not None, "it was asked for"
            found.append(RankedTree(one.score, one.tree, sure.log_probability, sure.posterior, sure.brackets))
        return found

    @cached_property
    def best(self) -> RankedTree:
        """The tree with its probabilities and those of its brackets; the sentence is parsed again, once."""
        return self.nbest(1)[0]


class Model:
    """A trained parser in memory, with its file.

    Use `load` or `train` to make one.

    Parameters
    ----------
    path : Path
        A model file, or a run directory.
    settings : dict
        Fields of `ParseSettings` to change.
    scratch : Path, optional
        A folder that is removed together with the model object.
    """

    def __init__(self, path: Path, settings: dict[str, Any], scratch: Path | None = None):
        self.path = model_file(path)
        self._file: FileValue = open_parser(self.path, settings)
        self._surprisal: dict[SurprisalOptions, SurprisalModel] = {}
        self.parser: Parser = self._file.get()
        self._clean = read_cleaning(self.path)
        self.conventions: TextConventions | None = open_tagger(self.path)[1]
        if scratch is not None:
            weakref.finalize(self, shutil.rmtree, scratch, ignore_errors=True)

    def save(self, path: str | Path) -> None:
        """Copy the model file, which is all that `load` needs, and its reranker, if it has one, beside it."""
        shutil.copyfile(self.path, path)
        if self.parser.reranker is not None:
            shutil.copyfile(reranker_file(self.path), reranker_file(Path(path)))

    def parse(
        self, sentence: SentenceLike, constraints: Constraints = NO_CONSTRAINTS, *, closest: bool = False
    ) -> Parse:
        """Parse one sentence.

        Parameters
        ----------
        sentence : str, or sequence of str or (str, str or None)
            Text, which is tokenized by the conventions of the model's treebank; or words, with or without tags.
        constraints : Constraints
            What the tree must have.
        closest : bool
            Whether constraints that no tree meets together are left out; see `Parse.unmet`.

        Raises
        ------
        InputError
            A word has no tag, and the model has no tagger; or a constraint is not on words of the sentence.
        ConstraintError
            No tree meets the constraints.
        """
        if not constraints:
            (parse,) = self.parse_all([sentence])
            return parse
        tokens = self._tokens(sentence)
        constraints.check(len(tokens))
        met, unmet = constraints, list[Constraints]()
        if not self.parser.has_tree(tokens, constraints):
            if not closest:
                raise unsatisfiable(self.parser, tokens, constraints, "")
            met, unmet = closest_constraints(self.parser, tokens, constraints)
        (parsed,) = parse_sentences(self.parser, [InputSentence(tokens, constraints=met)], ParseReport())
        return replace(self._parse(parsed), unmet=tuple(map(str, unmet)), _constraints=met)

    def parse_all(self, sentences: Iterable[SentenceLike], jobs: int = 1) -> Iterator[Parse]:
        """Parse sentences; yields the parses in order, as they are finished.

        Parameters
        ----------
        sentences : iterable
            Each as for `parse`.
        jobs : int
            Number of processes; 0 for one on each core.  Results do not depend on it.

        Raises
        ------
        InputError
            A word has no tag, and the model has no tagger.
        WorkerError
            A worker process was killed.
        """
        with local_workers(jobs) as mapper:
            inputs = (InputSentence(self._tokens(sentence)) for sentence in sentences)
            source = self.parser if mapper is map else self._file
            for parsed in parse_sentences(source, inputs, ParseReport(), MAX_LENGTH, mapper=mapper):
                yield self._parse(parsed)

    def parse_text(self, text: str) -> Iterator[Parse]:
        """Split running text into sentences, by the conventions of the model's treebank, and parse each.

        Raises
        ------
        InputError
            The model has no tagger.
        """
        conventions = self._conventions()
        spans = conventions.sentence_spans(text)
        return self.parse_all(" ".join(text[start:stop].split()) for start, stop in spans)

    def surprisal(
        self,
        sentence: SentenceLike,
        predict: str = "words",
        *,
        threshold: float = 1e-6,
        signed: bool = False,
        entropy: bool = False,
    ) -> list[WordSurprisal]:
        """The surprisal of each word of a sentence and of its end, in bits.

        Parameters
        ----------
        sentence
            As for `parse`.
        predict : {"words", "tags", "both"}
            Words with any tags, tags with any words, or both together; for the last two all tags must be given.
        threshold : float
            Share of the prefix probability below which items are pruned; 0 for none.
        signed : bool
            Whether a spectral model is allowed, whose prefix totals may be negative: surprisal is NaN there.
        entropy : bool
            Whether to give the entropy of what may stand in the place of each word, too.

        Raises
        ------
        InputError
            The model's parameters are no probabilities, or a tag is missing.
        """
        options = SurprisalOptions(Predicted(predict), threshold, signed, entropy)
        tokens = self._tokens(sentence)
        if options.predicted != Predicted.WORDS and any(tag == OPEN_TAG for _, tag in tokens):
            raise InputError(f"to predict {predict}, each word needs a tag. Give (word, tag) pairs.")
        if options not in self._surprisal:
            self._surprisal[options] = read_surprisal(self.path, options)
        return self._surprisal[options].of_sentence(tokens).words()

    def _conventions(self) -> TextConventions:
        if self.conventions is None:
            raise InputError(f"{self.path}: has no tagger, so it can parse tagged words only. Give (word, tag) pairs.")
        return self.conventions

    def _tokens(self, sentence: SentenceLike) -> Sentence:
        if isinstance(sentence, str):
            words = self._conventions().tokenise(sentence)
            return tokens_as_trained([(word, OPEN_TAG) for word in words], self._clean)
        pairs = [(token, None) if isinstance(token, str) else token for token in sentence]
        if any(tag is None for _, tag in pairs):
            words = self._conventions().respell([word for word, _ in pairs])
            pairs = [(word, tag) for word, (_, tag) in zip(words, pairs, strict=True)]
        return tokens_as_trained([(word, tag or OPEN_TAG) for word, tag in pairs], self._clean)

    def _parse(self, parsed: ParsedSentence) -> Parse:
        words = [word for word, _ in parsed.tokens]
        status, logprob = parsed.status.value, parsed.log_probability
        return Parse(words, status, logprob, parsed.is_negative, parsed.line, parsed.tokens, self.parser)


def load(path: str | Path, **settings: Any) -> Model:
    """Open a trained parser.

    Parameters
    ----------
    path : str or Path
        A model file or a run directory.
    **settings
        Fields of `lpcfg_cli.config.ParseSettings` to change, such as ``decoder="sum"``.

    Raises
    ------
    InputError, ArtefactError, ConfigError
        There is no model, it cannot be used, or a setting is not valid.
    """
    return Model(Path(path), settings)


def train(
    trees: Trees,
    config: str | Path | None = None,
    *,
    run: str | Path | None = None,
    sections: str | None = None,
    jobs: int = 1,
    **settings: Any,
) -> Model:
    """Train a parser.

    Parameters
    ----------
    trees : path, iterable of paths, or iterable of trees
        Tree files or directories of them; or trees, as bracketed strings or `nltk.Tree`.
    config : str or Path, optional
        A TOML file, or the name of a shipped configuration such as ``"wsj-sample-single"``.
    run : str or Path, optional
        Run directory to keep, in which stages whose files are current are skipped; default a temporary one.
    sections : str, optional
        LDC sections, such as ``"02-21"``.
    jobs : int
        Number of processes; 0 for one on each core.  Results do not depend on it.
    **settings
        Single settings, as ``section__name=value``: ``svd__states=32``, ``estimate__learner="em"``, ``seed=1``.

    Raises
    ------
    InputError, SyntaxProblem, ConfigError
        The trees cannot be read, or a setting is not valid.
    NumericalError, WorkerError
        A stage failed, or a worker process was killed.
    """
    wanted = load_settings(config, **settings)
    scratch = Path(tempfile.mkdtemp(prefix="lpcfg-"))
    try:
        folder = Path(run) if run is not None else scratch / "run"
        with local_workers(jobs) as mapper:
            roots = tree_files(trees, scratch, wanted.read.encoding)
            train_chain(StageContext(folder, wanted, roots, sections, mapper))
        return Model(folder / MODEL_FILE, {}, scratch)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise


def evaluate(
    gold: Trees,
    test: Trees,
    parameters: str | Path | None = None,
    *,
    encoding: str = "utf-8",
    test_encoding: str | None = None,
    full: bool = False,
) -> EvaluationReport:
    """Score trees against gold trees, with EVALB's figures; ``report.f1`` is the labelled F1 in percent.

    Parameters
    ----------
    gold, test : path, or iterable of trees
        Tree files or directories; or trees, as bracketed strings or `nltk.Tree`, or parses of `Model.parse_all`.
    parameters : str or Path, optional
        An EVALB parameter file; default the rules of COLLINS.prm.
    encoding : str
        Encoding of the files; a byte order mark overrides it.
    test_encoding : str, optional
        Encoding of the test files, if it is another.
    full : bool
        Whether to count confusions and to compute leaf-ancestor and unlabelled scores too.

    Raises
    ------
    InputError, SyntaxProblem
        The trees or the parameters cannot be read.
    """
    options = EvaluationOptions(parameters, encoding=encoding, test_encoding=test_encoding, full=full)
    return evaluate_sources(_source(gold, "<gold>"), _source(test, "<test>"), options)


def _source(trees: Trees, name: str) -> str | Path | TreeSource:
    if isinstance(trees, str | Path):
        return trees
    return source_of_text("".join(f"{line_of(tree)}\n" for tree in trees), name, "lines")
