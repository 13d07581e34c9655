"""The eval stage: gold and test tree files in, a report of scores out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lpcfg_cli.evaluation.parameters import COLLINS, ParameterFile, parse_parameters
from lpcfg_cli.evaluation.score import ChunkScore, Observer, Scores, effective_parameters, score_treebanks
from lpcfg_cli.evaluation.sentences import TreeSource, open_source
from lpcfg_cli.treebank.files import read_text

BUILT_IN = "COLLINS (built in)"


@dataclass(frozen=True)
class EvaluationReport:
    """What the eval stage found.

    Attributes
    ----------
    gold, test : str
        The inputs as the user named them.
    rules : str
        Name of the parameter file.
    scores : Scores
        EVALB's figures: ``report.scores.all.f1`` is the F1.
    notes : list of str
        What the user should know about how the figures came about.
    """

    gold: str
    test: str
    rules: str
    scores: Scores
    notes: list[str]

    def as_dict(self) -> dict[str, Any]:
        """The whole report, ready for JSON."""
        scores = self.scores
        return {
            "gold": self.gold,
            "test": self.test,
            "rules": self.rules,
            "parameters": asdict(scores.parameters),
            "notes": self.notes,
            "trees": {"gold": scores.n_gold, "test": scores.n_test, "is_partial": scores.is_partial},
            "all": scores.all.as_dict(),
            "cutoff": {"length": scores.parameters.cutoff_length, **scores.short.as_dict()},
            "sentences": scores.sentence_dicts(),
            "problems": [asdict(problem) for problem in scores.problems],
        }


class _Progress(Observer):
    def __init__(self, advance: Callable[[int], object]):
        self.advance = advance

    def add(self, chunk: ChunkScore) -> None:
        self.advance(len(chunk.gold_texts))


def evaluate(
    gold: str | Path,
    test: str | Path,
    parameters: str | Path | None = None,
    *,
    layout: str = "auto",
    encoding: str = "utf-8-sig",
    advance: Callable[[int], object] = lambda n: None,
) -> EvaluationReport:
    """Score the trees of one file or directory against gold trees.

    Parameters
    ----------
    gold, test : path
        Tree files or directories of them; ``-`` is standard input.
    parameters : path, optional
        A file of EVALB parameters; COLLINS.prm's rules by default.
    layout : {"auto", "lines", "trees"}
        As `open_source`.
    encoding : str
        Codec of the tree files.
    advance : callable
        Called with the number of sentences done since the last call.

    Raises
    ------
    InputError, SyntaxProblem
        A file cannot be read, or is neither trees nor one tree a line.
    """
    rules = read_parameters(parameters)
    gold_source, test_source = (open_source(path, layout, encoding) for path in (gold, test))
    used = effective_parameters(rules.parameters, gold_source, test_source)
    scores = score_treebanks(gold_source, test_source, used, [_Progress(advance)])
    notes = [*rules.doubts, *_layout_notes([gold_source, test_source]), *_limit_notes(scores)]
    return EvaluationReport(str(gold), str(test), str(parameters or BUILT_IN), scores, notes)


def read_parameters(path: str | Path | None) -> ParameterFile:
    """The rules of a parameter file, or COLLINS.prm's; raises as `parse_parameters` and `read_text`."""
    if path is None:
        return ParameterFile(COLLINS)
    return parse_parameters(read_text(Path(path)), str(path))


def _layout_notes(sources: list[TreeSource]) -> list[str]:
    names = [source.name for source in sources if not source.is_by_line]
    if not names:
        return []
    return [
        f"{' and '.join(names)}: trees span lines, which EVALB cannot read. Read tree by tree; brackets "
        "without a label are not counted in either file."
    ]


def _limit_notes(scores: Scores) -> list[str]:
    notes = []
    if scores.beyond_evalb:
        notes.append(
            f"{scores.beyond_evalb} sentences overflow EVALB's buffers (200 words, 200 brackets, 5000 "
            "characters a line), where it misreads or crashes. They are scored in full here."
        )
    limit = scores.parameters.max_error
    errors = [problem for problem in scores.problems if problem.kind != "skipped"]
    if len(errors) > limit + 1:
        notes.append(
            f"EVALB would have stopped without a summary at sentence {errors[limit + 1].sentence} "
            f"(MAX_ERROR {limit}). All sentences are scored here."
        )
    return notes
