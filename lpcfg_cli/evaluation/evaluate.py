"""The eval stage: gold and test tree files in, a report of scores out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lpcfg_cli.errors import InputError
from lpcfg_cli.evaluation.align import AlignedScore, AlignedScores
from lpcfg_cli.evaluation.breakdowns import Confusion, ConfusionTable, LabelScore, LabelTable, LengthScore, length_table
from lpcfg_cli.evaluation.counts import Counts
from lpcfg_cli.evaluation.html_page import PageContent, html_page
from lpcfg_cli.evaluation.leaf_ancestor import LeafAncestor, LeafAncestorScores, UnlabelledScores
from lpcfg_cli.evaluation.oracle import OracleScore, OracleScores
from lpcfg_cli.evaluation.pairs import pair_files
from lpcfg_cli.evaluation.parameters import COLLINS, EvalbParameters, ParameterFile, parse_parameters
from lpcfg_cli.evaluation.score import (
    ChunkScore,
    Observer,
    Scores,
    effective_parameters,
    score_treebanks,
    without_unlabelled,
)
from lpcfg_cli.evaluation.sentences import TreeSource, open_source
from lpcfg_cli.evaluation.significance import Significance, SignificanceSettings, compare_parses
from lpcfg_cli.evaluation.unlabelled_brackets import WithoutUnlabelled
from lpcfg_cli.evaluation.worst import WorstSentences
from lpcfg_cli.storage.outputs import write_output
from lpcfg_cli.treebank.files import read_text
from lpcfg_cli.wording import counted

BUILT_IN = "COLLINS (built in)"

RARE_SHARE = 0.01
"""Largest share of the test brackets with labels that gold does not have for which there is no note."""


@dataclass(frozen=True)
class EvaluationOptions:
    """How files are read and scored.

    Attributes
    ----------
    parameters : path, optional
        A file of EVALB parameters; by default the rules of COLLINS.prm.
    layout : {"auto", "lines", "trees"}
        As for `lpcfg_cli.evaluation.sentences.open_source`.
    encoding : str
        Encoding of the gold files; a byte order mark overrides it.
    test_encoding : str, optional
        Encoding of the test files; by default that of the gold files.
    drop_unlabelled : bool
        Whether brackets without a label are left out on both sides.
    full : bool
        Whether to count confusions and to compute leaf-ancestor and unlabelled scores.
    align : bool
        Whether to compute scores by character spans too.
    oracle : bool
        Whether to score the further trees of lists of the n best trees too.
    """

    parameters: str | Path | None = None
    layout: str = "auto"
    encoding: str = "utf-8"
    test_encoding: str | None = None
    drop_unlabelled: bool = False
    full: bool = False
    align: bool = False
    oracle: bool = False

    def open_gold(self, gold: str | Path | TreeSource) -> TreeSource:
        """The gold files; raises as `open_source` does."""
        return gold if isinstance(gold, TreeSource) else open_source(gold, self.layout, self.encoding)

    def open_test(self, test: str | Path | TreeSource) -> TreeSource:
        """The test files; raises as `open_source` does."""
        encoding = self.test_encoding or self.encoding
        return test if isinstance(test, TreeSource) else open_source(test, self.layout, encoding)


@dataclass(frozen=True)
class FurtherScores:
    """Scores that take longer to compute than EVALB's figures.

    Attributes
    ----------
    confusions, crossings : list of Confusion
        Labels of wrong brackets over the same span, and labels of brackets that cross.
    leaf_ancestor : LeafAncestor
        Leaf-ancestor scores.
    unlabelled : Counts
        Scores with LABELED 0.
    """

    confusions: list[Confusion]
    crossings: list[Confusion]
    leaf_ancestor: LeafAncestor
    unlabelled: Counts

    def as_dict(self) -> dict[str, Any]:
        """The scores, JSON-ready."""
        return {
            "unlabelled": self.unlabelled.as_dict(),
            "leaf_ancestor": asdict(self.leaf_ancestor),
            "confusions": [asdict(row) for row in self.confusions],
            "crossings": [asdict(row) for row in self.crossings],
        }


@dataclass(frozen=True)
class EvaluationReport:
    """The result of an evaluation.

    Attributes
    ----------
    gold, test : str
        The inputs, as named by the user.
    rules : str
        Name of the parameter file.
    scores : Scores
        EVALB's figures: ``report.scores.all.f1`` is the F1.
    labels : list of LabelScore
        Scores by label.
    lengths : list of LengthScore
        Scores by sentence length.
    more : FurtherScores or None
        Confusions and further scores, with `EvaluationOptions.full`.
    aligned : AlignedScore or None
        Scores by character spans, with `EvaluationOptions.align`.
    oracle : list of OracleScore
        Scores of the best of the first N trees of each list, with `EvaluationOptions.oracle`; else empty.
    without_unlabelled : Counts or None
        EVALB's figures without brackets that have no label, if the two sides have different numbers of them.
    notes : list of str
        Notes for the user on how the figures were computed.
    """

    gold: str
    test: str
    rules: str
    scores: Scores
    labels: list[LabelScore]
    lengths: list[LengthScore]
    more: FurtherScores | None
    aligned: AlignedScore | None
    oracle: list[OracleScore]
    without_unlabelled: Counts | None
    notes: list[str]

    @property
    def f1(self) -> float:
        """Labelled F1 over all valid sentences, in percent."""
        return self.scores.all.f1

    def as_dict(self) -> dict[str, Any]:
        """The whole report, JSON-ready."""
        scores = self.scores
        return {
            "gold": self.gold,
            "test": self.test,
            "rules": self.rules,
            "parameters": asdict(scores.parameters),
            "notes": self.notes,
            "trees": {"gold": scores.n_gold, "test": scores.n_test, "is_partial": scores.is_partial},
            "mismatches": scores.mismatches,
            "all": scores.all.as_dict(),
            "cutoff": {"length": scores.parameters.cutoff_length, **scores.short.as_dict()},
            "without_unlabelled": self.without_unlabelled.as_dict() if self.without_unlabelled else None,
            "oracle": [score.as_dict() for score in self.oracle],
            **(self.more.as_dict() if self.more else {}),
            "aligned": self.aligned.as_dict() if self.aligned else None,
            "labels": [row.as_dict() for row in self.labels],
            "lengths": [row.as_dict() for row in self.lengths],
            "problems": [asdict(problem) for problem in scores.problems],
            "sentences": scores.sentence_dicts(),
        }


@dataclass(frozen=True)
class ComparisonReport:
    """The comparison of two parses of one gold file.

    Attributes
    ----------
    a, b : EvaluationReport
        The report of each parse.
    significance : Significance
        Tests of the difference between them.
    """

    a: EvaluationReport
    b: EvaluationReport
    significance: Significance

    def as_dict(self) -> dict[str, Any]:
        """The whole report, JSON-ready."""
        difference = {"difference": self.significance.difference, **asdict(self.significance)}
        return {"significance": difference, "a": self.a.as_dict(), "b": self.b.as_dict()}


class _FurtherObservers:
    """The observers for `FurtherScores`; they take time to run and, the first time, to compile."""

    def __init__(self, parameters: EvalbParameters):
        self.confusions = ConfusionTable()
        self.leaf_ancestor = LeafAncestorScores(parameters)
        self.unlabelled = UnlabelledScores(parameters)

    def all(self) -> list[Observer]:
        return [self.confusions, self.leaf_ancestor, self.unlabelled]

    def result(self) -> FurtherScores:
        return FurtherScores(
            self.confusions.labels(),
            self.confusions.crossings(),
            self.leaf_ancestor.result(),
            self.unlabelled.result(),
        )


class _Progress(Observer):
    def __init__(self, advance: Callable[[int], object]):
        self.advance = advance

    def add(self, chunk: ChunkScore) -> None:
        self.advance(len(chunk.gold_texts))


def evaluate(
    gold: str | Path | TreeSource,
    test: str | Path | TreeSource,
    options: EvaluationOptions | None = None,
    advance: Callable[[int], object] = lambda n: None,
    observers: Sequence[Observer] = (),
) -> EvaluationReport:
    """Score the trees of one file or directory against gold trees.

    Parameters
    ----------
    gold, test : path or TreeSource
        Tree files or directories of them; ``-`` is standard input.
    options : EvaluationOptions, optional
        Parameter file, layout, encoding and further scores.
    advance : callable
        Called with the number of sentences scored since the last call.
    observers : sequence of Observer
        Further observers, which get every chunk.

    Raises
    ------
    InputError, SyntaxProblem
        A file cannot be read, or has neither trees over several lines nor one tree on each line.
    """
    options = options or EvaluationOptions()
    rules = read_parameters(options.parameters)
    sources = [options.open_gold(gold), options.open_test(test)]
    used = effective_parameters(rules.parameters, *sources)
    if options.drop_unlabelled:
        used = without_unlabelled(used)
    labels, labelled = LabelTable(), WithoutUnlabelled(used)
    more = _FurtherObservers(used) if options.full else None
    aligned = AlignedScores(used) if options.align else None
    oracle = OracleScores(used) if options.oracle and sources[1].is_ranked else None
    watching = [labels, labelled, _Progress(advance), *observers]
    watching += [*(more.all() if more else ()), *([aligned] if aligned else ()), *([oracle] if oracle else ())]
    scores = score_treebanks(sources[0], sources[1], used, watching)
    by_label = labels.scores()
    return EvaluationReport(
        gold=sources[0].name,
        test=sources[1].name,
        rules=str(options.parameters or BUILT_IN),
        scores=scores,
        labels=by_label,
        lengths=length_table(scores),
        more=more.result() if more else None,
        aligned=aligned.result() if aligned else None,
        oracle=oracle.result() if oracle else [],
        without_unlabelled=labelled.result() if _has_unlabelled_on_one_side(by_label) else None,
        notes=[*rules.doubts, *_layout_notes(sources), *_limit_notes(scores), *_label_notes(by_label)],
    )


def with_defined_f1(report: EvaluationReport) -> EvaluationReport:
    """The report itself, if its F1 is a number by which parses can be compared.

    Raises
    ------
    InputError
        There is no valid sentence, or no bracket on either side.
    """
    if report.scores.all.valid == 0:
        raise nothing_valid(report)
    if math.isnan(report.f1):
        raise InputError(
            f"{report.gold}: no sentence has a bracket that counts, so there is no F1. "
            "Choose gold trees with phrases below their roots."
        )
    return report


def nothing_valid(report: EvaluationReport) -> InputError:
    """The error of files of which no sentence can be scored."""
    first = f": {report.scores.problems[0].message}" if report.scores.problems else ""
    return InputError(
        f"{report.test}: none of {counted(len(report.scores.rows), 'sentence')} "
        f"can be scored against {report.gold}{first}. "
        "Both must have the same words."
    )


def write_page(report: EvaluationReport, worst: WorstSentences, path: str | Path) -> None:
    """Write an HTML page with drawings of the worst sentences.

    Parameters
    ----------
    report : EvaluationReport
        From `evaluate`, called with `worst` among its observers.
    worst : WorstSentences
        The sentences to draw.
    path : path
        The HTML file.

    Raises
    ------
    OSError
        The file cannot be written.
    """
    content = PageContent(
        report.gold,
        report.test,
        report.rules,
        report.scores,
        report.labels,
        report.more.confusions if report.more else [],
        report.more.crossings if report.more else [],
        worst.sentences(),
        bool(worst.chosen),
    )
    write_output(Path(path), html_page(content))


def compare(
    gold: str | Path,
    a: str | Path,
    b: str | Path,
    options: EvaluationOptions | None = None,
    *,
    settings: SignificanceSettings | None = None,
    advance: Callable[[int], object] = lambda n: None,
) -> ComparisonReport:
    """Score two parses of one gold file and test their difference.

    Parameters
    ----------
    gold, a, b : path
        As for `evaluate`.
    options : EvaluationOptions, optional
        As for `evaluate`.
    settings : SignificanceSettings, optional
        Sample sizes and seed of the tests.
    advance : callable
        As for `evaluate`.
    """
    options = options or EvaluationOptions()
    source = options.open_gold(gold)  # once, since it may be a pipe
    reports = [evaluate(source, test, options, advance) for test in (a, b)]
    return ComparisonReport(reports[0], reports[1], compare_parses(reports[0].scores, reports[1].scores, settings))


def read_parameters(path: str | Path | None) -> ParameterFile:
    """The rules of a parameter file, or of COLLINS.prm; raises the errors of `parse_parameters` and `read_text`."""
    if path is None:
        return ParameterFile(COLLINS)
    return parse_parameters(read_text(Path(path)), str(path))


def _has_unlabelled_on_one_side(labels: list[LabelScore]) -> bool:
    """Whether one side has more brackets without a label than the other."""
    return any(not row.label and row.gold != row.test for row in labels)


def _layout_notes(sources: list[TreeSource]) -> list[str]:
    notes = [f"{source.name}: {source.left_out}" for source in sources if source.left_out]
    if min(len(source.files) for source in sources) > 1 and len(pair_files(sources[0], sources[1])) == 1:
        notes.append("the names of the gold and test files do not pair, so their trees are paired in order.")
    names = [source.name for source in sources if not source.is_by_line]
    if names:
        notes.append(
            f"{' and '.join(names)}: trees span lines, which EVALB cannot read. They are read tree by tree; brackets "
            "without a label are not counted in either file."
        )
    notes += [
        f"{source.name}: lists of the n best trees, of which the first is scored; for the best one see --oracle."
        for source in sources
        if source.is_ranked
    ]
    return notes


def _limit_notes(scores: Scores) -> list[str]:
    notes = []
    if scores.beyond_evalb:
        notes.append(
            f"EVALB's buffers (200 words, 200 brackets, 5000 characters a line) overflow at "
            f"{scores.beyond_evalb} of the sentences; it misreads them or crashes. Here they are scored in full."
        )
    limit = scores.parameters.max_error
    errors = [problem for problem in scores.problems if problem.kind != "skipped"]
    if len(errors) > limit + 1:
        notes.append(
            f"EVALB would have stopped without a summary at sentence {errors[limit + 1].sentence} "
            f"(MAX_ERROR {limit}). Here all sentences are scored."
        )
    return notes


def _label_notes(labels: list[LabelScore]) -> list[str]:
    unknown = [row for row in labels if row.label and row.gold == 0 and row.matched_test == 0]
    if sum(row.test for row in unknown) <= RARE_SHARE * sum(row.test for row in labels):
        return []
    names = ", ".join(f"{row.label} {row.test}" for row in unknown[:5])
    more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
    return [
        f"brackets with labels that gold never has count as wrong: {names}{more}. If they are roots or "
        "intermediate symbols, remove them from the trees or name them as DELETE_LABEL."
    ]
