"""experiment: learners × states × seeds, trained and scored one after the other; what is done stays done."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from lpcfg_cli.config import Settings
from lpcfg_cli.stages.evaluate import evaluate
from lpcfg_cli.stages.parse import parse_all
from lpcfg_cli.stages.run_directory import load_model
from lpcfg_cli.stages.sentences import open_sentences
from lpcfg_cli.stages.train import StageOutcome, run_train
from lpcfg_cli.stages.workers import Mapper
from lpcfg_cli.storage.files import make_directory, read_bytes_if_any, sha256_of_file, write_text
from lpcfg_cli.treebank.files import find_tree_files, read_text

RESULTS_FILE = "results.jsonl"
DEV_FILE = "dev.mrg"
WITHOUT_STATES = ("pcfg", "markov")
WITHOUT_CHANCE = ("pcfg", "markov", "spectral")
"""Learners whose accuracy does not depend on the seed."""


@dataclass(frozen=True)
class Cell:
    """One experiment.

    Attributes
    ----------
    learner : str
    states : int
        m; 1 for learners without latent states.
    seed : int
    """

    learner: str
    states: int
    seed: int


@dataclass(frozen=True)
class CellResult:
    """What came of it.

    Attributes
    ----------
    learner, states, seed
        As in `Cell`.
    f1, precision, recall : float
        On the dev trees, in percent.
    chosen : int or None
        EM's iteration, for learners that take steps of EM.
    by_iteration : dict of str to float
        Dev F1 of the iterations that were scored.
    seconds : dict of str to float
        Wall time of each stage; without the time that choosing EM's iteration took.
    digest : str
        Of all settings and treebanks: a result is kept only while they are the same.
    """

    learner: str
    states: int
    seed: int
    f1: float
    precision: float
    recall: float
    chosen: int | None
    by_iteration: dict[str, float]
    seconds: dict[str, float]
    digest: str


def grid(settings: Settings) -> list[Cell]:
    """The cells of an experiment; learners that know no states or no chance stand there once."""
    wanted = settings.experiment
    cells = [
        Cell(learner, 1 if learner in WITHOUT_STATES else m, 0 if learner in WITHOUT_CHANCE else seed)
        for learner in wanted.learners
        for m in wanted.states
        for seed in range(wanted.seeds)
    ]
    return list(dict.fromkeys(cells))


def run_experiment(
    train: Sequence[Path],
    dev: Sequence[Path],
    folder: Path,
    settings: Settings,
    mapper: Mapper = map,
    tell: Callable[[CellResult, bool], None] = lambda result, is_new: None,
) -> list[CellResult]:
    """Train and score every cell that has no result yet.

    Parameters
    ----------
    train, dev : sequence of Path
        Treebanks; `settings.experiment` may name sections of them.
    folder : Path
        For results, and the run directories in which models are trained.
    settings : Settings
    mapper : callable like map
    tell : function of (CellResult, is new)
        Told of each cell.

    Raises
    ------
    InputError, SyntaxProblem
        A treebank cannot be read.
    """
    make_directory(folder)
    sections = settings.experiment
    sources = find_tree_files(train, sections.train_sections or None)
    gold = folder / DEV_FILE
    texts = (read_text(path, settings.read.encoding) for path in find_tree_files(dev, sections.dev_sections or None))
    write_text(gold, "\n".join(texts))
    hashes = [sha256_of_file(path) for path in [*sources, gold]]
    done = {result.digest: result for result in read_results(folder)}
    results: list[CellResult] = []
    for cell in grid(settings):
        wanted = cell_settings(settings, cell, gold)
        digest = _digest(wanted, hashes)
        is_new = digest not in done
        if is_new:
            done[digest] = run_cell(cell, sources, gold, folder, wanted, digest, mapper)
            lines = (json.dumps(asdict(result), sort_keys=True) for result in done.values())
            write_text(folder / RESULTS_FILE, "".join(f"{line}\n" for line in lines))
        results.append(done[digest])
        tell(results[-1], is_new)
    return results


def cell_settings(settings: Settings, cell: Cell, gold: Path) -> Settings:
    """The settings of one cell; EM's iteration is chosen on the dev trees, as in the papers."""
    return replace(
        settings,
        seed=settings.seed + cell.seed,
        svd=replace(settings.svd, states=cell.states),
        estimate=replace(settings.estimate, learner=cell.learner),
        em=replace(settings.em, dev=str(gold)),
    )


def run_cell(
    cell: Cell, sources: Sequence[Path], gold: Path, folder: Path, settings: Settings, digest: str, mapper: Mapper
) -> CellResult:
    """Train and score one cell, in a run directory that it may share with others so that stages are not repeated."""
    run = folder / ("run-markov" if cell.learner == "markov" else "run")
    outcomes = run_train(sources, run, settings, mapper=mapper)
    _, grammar = load_model(run)
    sentences = [item.tokens for item in open_sentences(gold, "trees", settings.read)]
    lines, _ = parse_all(grammar, settings.parse, sentences)
    test = folder / "test.mrg"
    write_text(test, "".join(f"{line}\n" for line in lines))
    scores = evaluate(gold, test).scores.all
    report = outcomes[-1].report
    records = report.em if report else []
    return CellResult(
        cell.learner,
        cell.states,
        cell.seed,
        scores.f1,
        scores.precision,
        scores.recall,
        report.chosen if report else None,
        {str(record.iteration): record.dev_f1 for record in records if record.dev_f1 is not None},
        dict(_stage_seconds(outcomes)),
        digest,
    )


def _stage_seconds(outcomes: list[StageOutcome]) -> Iterator[tuple[str, float]]:
    for outcome in outcomes:
        if outcome.report is not None:
            scoring = outcome.report.dev_seconds if outcome.stage == "estimate" else 0.0
            yield outcome.stage, round(outcome.seconds - scoring, 3)


def _digest(settings: Settings, hashes: list[str]) -> str:
    values: dict[str, Any] = settings.as_dict()
    del values["experiment"], values["em"]["dev"]
    return hashlib.sha256(json.dumps([values, hashes], sort_keys=True).encode()).hexdigest()


def read_results(folder: Path) -> list[CellResult]:
    """Results of earlier runs; lines that are none are passed over."""
    results = []
    for line in read_bytes_if_any(folder / RESULTS_FILE).splitlines():
        try:
            results.append(CellResult(**json.loads(line)))
        except (ValueError, TypeError):
            continue
    return results
