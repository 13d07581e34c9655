"""experiment: learners × states × seeds and ablations, trained and scored one after the other.

What is done stays done.  The dev trees choose; test trees are parsed by every model when it is trained, but only the
parses of models that were chosen are ever scored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from lpcfg_cli.config import Settings
from lpcfg_cli.em.monitor import EmRecord, ignore_record
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.experiments.ablations import compared_with
from lpcfg_cli.experiments.experiment_cells import Cell, CellResult, ResultsFile, grid
from lpcfg_cli.experiments.experiment_runner import Experiment, gather
from lpcfg_cli.experiments.experiment_summary import (
    AblationScore,
    ChosenScore,
    ExperimentReport,
    LearnerScore,
    Spread,
    best_states,
    learner_scores,
)

RESULTS_FILE = "results.jsonl"


def run_experiment(
    train: Sequence[Path],
    dev: Sequence[Path],
    test: Sequence[Path],
    folder: Path,
    settings: Settings,
    mapper: Mapper = map,
    progress: Progress = no_progress,
    on_step: Callable[[EmRecord], None] = ignore_record,
    tell: Callable[[CellResult, bool], None] = lambda result, is_new: None,
) -> ExperimentReport:
    """Train and score every cell that has no result yet, and sum up all of them.

    Parameters
    ----------
    train, dev, test : sequence of Path
        Treebanks; `settings.experiment` may name sections of them.  There need be no test trees.
    folder : Path
    settings : Settings
    mapper : callable like map
    progress : Progress
        Sees what each stage goes through.
    on_step : function of EmRecord
        Told of each iteration of EM.
    tell : function of (CellResult, is new)
        Told of each cell.

    Raises
    ------
    ConfigError
        As `grid`.
    InputError, SyntaxProblem
        A treebank cannot be read.
    """
    cells = grid(settings)
    experiment = Experiment(gather(train, dev, test, folder, settings), folder, settings, mapper, progress, on_step)
    known = ResultsFile(folder / RESULTS_FILE).read()
    if not all(experiment.is_done(cell, known) for cell in cells):
        experiment.warm_up({cell.learner for cell in cells})
    results = []
    for cell in cells:
        if is_new := not experiment.is_done(cell, known):
            _run_and_keep(experiment, cell, known)
        results.append(known[experiment.digest(cell)])
        tell(results[-1], is_new)
    scores = learner_scores(results)
    return ExperimentReport(
        results, scores, _test_scores(experiment, scores, known), _ablation_scores(experiment, results)
    )


def _run_and_keep(experiment: Experiment, cell: Cell, known: dict[str, CellResult]) -> None:
    result = experiment.run(cell)
    known[result.digest] = result
    ResultsFile(experiment.folder / RESULTS_FILE).write(known)


def _test_scores(experiment: Experiment, scores: list[LearnerScore], known: dict[str, CellResult]) -> list[ChosenScore]:
    test = experiment.treebanks.test
    if test is None:
        return []
    found = []
    for best in best_states(scores):
        cells = [run.cell for run in best.runs]
        for cell in cells:
            if not experiment.parses(cell, test).exists():  # was run when there were no test trees
                _run_and_keep(experiment, cell, known)
        f1 = [experiment.score(cell, test).f1 for cell in cells]
        found.append(ChosenScore(best.learner, best.states, Spread.of(f1)))
    return found


def _ablation_scores(experiment: Experiment, results: list[CellResult]) -> list[AblationScore]:
    by_cell = {result.cell: result for result in results}
    found = []
    for result in results:
        if not result.cell.ablation:
            continue
        other = by_cell[replace(result.cell, ablation=compared_with(experiment.settings, result.cell.ablation))]
        p_value = experiment.p_value(other.cell, result.cell)
        found.append(AblationScore(result, other.cell.ablation, result.f1 - other.f1, p_value))
    return found
