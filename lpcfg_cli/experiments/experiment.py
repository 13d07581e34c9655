"""experiment: learners × states × seeds and ablations, trained and scored one after the other.

Results are stored, and not computed again.  Models are chosen on the dev trees.  Every model parses the test trees
after its training, but only the parses of chosen models are scored.
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
from lpcfg_cli.experiments.experiment_grid import GridPoint, GridResult, grid
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
from lpcfg_cli.experiments.results_file import RESULTS_FILE, ResultsFile


def run_experiment(
    train: Sequence[Path],
    dev: Sequence[Path],
    test: Sequence[Path],
    folder: Path,
    settings: Settings,
    mapper: Mapper = map,
    progress: Progress = no_progress,
    on_step: Callable[[EmRecord], None] = ignore_record,
    tell: Callable[[GridResult, bool], None] = lambda result, is_new: None,
) -> ExperimentReport:
    """Train and score every point without a result, and summarise all results.

    Parameters
    ----------
    train, dev, test : sequence of Path
        Files and directories of treebanks, of which `settings.experiment` may select sections; `test` may be empty.
    folder : Path
        Folder for results, parses and run directories.
    settings : Settings
    mapper : callable like map
        Spreads work over workers; results, except times, do not depend on it.
    progress : Progress
        Reports the progress of stages.
    on_step : function of EmRecord
        Called after each iteration of EM.
    tell : function of (GridResult, is new)
        Called with the result of each point.

    Raises
    ------
    ConfigError
        An ablation or learner is unknown, or the settings ask for an ensemble.
    InputError, SyntaxProblem
        A treebank cannot be read.
    """
    points = grid(settings)
    experiment = Experiment(gather(train, dev, test, folder, settings), folder, settings, mapper, progress, on_step)
    known = ResultsFile(folder / RESULTS_FILE, GridResult.from_dict).read()
    if not all(experiment.is_done(point, known) for point in points):
        experiment.warm_up({point.learner for point in points})
    results = []
    for point in points:
        if is_new := not experiment.is_done(point, known):
            _run_and_keep(experiment, point, known)
        results.append(known[experiment.digest(point)])
        tell(results[-1], is_new)
    scores = learner_scores(results)
    return ExperimentReport(
        results, scores, _test_scores(experiment, scores, known), _ablation_scores(experiment, results)
    )


def _run_and_keep(experiment: Experiment, point: GridPoint, known: dict[str, GridResult]) -> None:
    result = experiment.run(point)
    known[result.digest] = result
    ResultsFile(experiment.folder / RESULTS_FILE, GridResult.from_dict).write(known)


def _test_scores(experiment: Experiment, scores: list[LearnerScore], known: dict[str, GridResult]) -> list[ChosenScore]:
    test = experiment.treebanks.test
    if test is None:
        return []
    found = []
    for best in best_states(scores):
        points = [run.point for run in best.runs]
        for point in points:
            if not experiment.parses(point, test).exists():  # the point was run without these test trees
                _run_and_keep(experiment, point, known)
        f1 = [experiment.score(point, test).f1 for point in points]
        found.append(ChosenScore(best.learner, best.states, Spread.of(f1)))
    return found


def _ablation_scores(experiment: Experiment, results: list[GridResult]) -> list[AblationScore]:
    by_cell = {result.point: result for result in results}
    found = []
    for result in results:
        if not result.point.ablation:
            continue
        other = by_cell[replace(result.point, ablation=compared_with(experiment.settings, result.point.ablation))]
        p_value = experiment.p_value(other.point, result.point)
        found.append(AblationScore(result, other.point.ablation, result.f1 - other.f1, p_value))
    return found
