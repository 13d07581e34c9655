"""What a stage is: what it reads and writes, which settings shape it, and whether its file is current."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lpcfg_cli.config import Settings
from lpcfg_cli.em.monitor import EmRecord, ignore_record
from lpcfg_cli.errors import LpcfgError
from lpcfg_cli.execution.environment import single_threaded
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.stopwatch import Stopwatch, peak_megabytes
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.stages.log import logged
from lpcfg_cli.storage.artefacts import Array, Kind, check_parents, read_header, verify, write_arrays, write_json
from lpcfg_cli.storage.files import sha256_of_file


@dataclass(frozen=True)
class StageContext:
    """What a stage works with.

    Attributes
    ----------
    run : Path
        The run directory.
    settings : Settings
    roots : sequence of Path
        The treebank, for the stage that reads it.
    sections : str or None
        LDC sections of it.
    mapper : callable like map
        Spreads work; results do not depend on it.
    progress : Progress
        Sees the long loops.
    on_step : function of EmRecord
        Told of each iteration of EM.
    """

    run: Path
    settings: Settings
    roots: Sequence[Path] = ()
    sections: str | None = None
    mapper: Mapper = map
    progress: Progress = no_progress
    on_step: Callable[[EmRecord], None] = ignore_record


@dataclass(frozen=True)
class Stage:
    """One stage of training, declared.

    Attributes
    ----------
    name : str
        Also the name of its subcommand.
    summary : str
        One line for help pages.
    reads : tuple of str
        Files of the run directory whose hashes its own file records.
    file : str
        What it writes: the file with the header.
    kind : Kind
        Format of that file.
    version : int
        Raised when the same inputs and settings give another result, for instance since a bug was mended: files
        of another version are stale.
    shaped_by : function of Settings to dict
        The settings that shape its file, JSON-ready, and no others.
    work : function of StageContext
        Does it, and returns a report, a dataclass.
    flags : tuple of str
        Sections of settings for which its subcommand has flags.
    sources : function of StageContext to dict
        What shapes its file besides, from outside the run directory.
    is_wanted : function of Settings to bool
        Whether it takes part in training with these settings.
    main_file : str
        The file to show people, if another than `file`.
    log : function of (StageContext, report) to dict
        What else the run's log is to say of it.
    """

    name: str
    summary: str
    reads: tuple[str, ...]
    file: str
    kind: Kind
    version: int
    shaped_by: Callable[[Settings], dict[str, Any]]
    work: Callable[[StageContext], Any]
    flags: tuple[str, ...] = ()
    sources: Callable[[StageContext], dict[str, Any]] = lambda context: {}
    is_wanted: Callable[[Settings], bool] = lambda settings: True
    main_file: str = ""
    log: Callable[[StageContext, Any], dict[str, Any]] = lambda context, report: {}


@dataclass(frozen=True)
class StageOutcome:
    """What became of one stage.

    Attributes
    ----------
    stage : str
    report : object or None
        The stage's report; None when it was skipped.
    seconds, cpu_seconds : float
        Wall time, and time of this process.
    peak_megabytes : int
        Largest resident memory of this process so far.
    file : str
        The file that the stage writes.
    bytes : int
        Its size.
    """

    stage: str
    report: Any | None
    seconds: float
    cpu_seconds: float
    peak_megabytes: int
    file: str
    bytes: int


def sections(*names: str) -> Callable[[Settings], dict[str, Any]]:
    """The named sections as they are, for `Stage.shaped_by`."""
    return lambda settings: {name: asdict(getattr(settings, name)) for name in names}


def is_current(stage: Stage, context: StageContext) -> bool:
    """Whether a stage's file is there, whole, and what the stage would write again.

    That is: made by the same version of the stage from the files now beside it, with the same settings and seed.
    """
    path = context.run / stage.file
    try:
        header = read_header(path, stage.kind)
        if header.stage_version != stage.version or header.seed != context.settings.seed:
            return False
        wanted = as_json({**stage.shaped_by(context.settings), **stage.sources(context)})
        if any(header.settings.get(key) != value for key, value in wanted.items()):
            return False
        check_parents(path, stage.kind, header)
        verify(path, stage.kind)
    except LpcfgError:
        return False
    return True


def as_json(values: dict[str, Any]) -> dict[str, Any]:
    """Values as they come out of a JSON file."""
    return json.loads(json.dumps(values))


def run_stage(stage: Stage, context: StageContext) -> StageOutcome:
    """Do a stage's work unless its file is current."""
    watch = Stopwatch()
    report = None if is_current(stage, context) else do_stage(stage, context)
    spent = watch.lap()
    file = stage.main_file or stage.file
    size = (context.run / file).stat().st_size
    return StageOutcome(stage.name, report, spent.seconds, spent.cpu_seconds, peak_megabytes(), file, size)


@single_threaded()
def do_stage(stage: Stage, context: StageContext) -> Any:
    """Do a stage's work, as the only one that writes there, and note it in the run's log; returns the report."""
    with logged(context.run, stage.name) as entry:
        report = stage.work(context)
        entry.update(stage.log(context, report))
    return report


def save_arrays(
    stage: Stage,
    context: StageContext,
    arrays: Mapping[str, Array],
    settings: dict[str, Any] | None = None,
    inputs: dict[str, str] | None = None,
) -> None:
    """Write a stage's array artefact; parameters as for `made`."""
    write_arrays(context.run / stage.file, stage.kind, arrays, *made(stage, context, settings, inputs))


def save_json(stage: Stage, context: StageContext, content: Any, inputs: dict[str, str]) -> None:
    """Write a stage's JSON artefact; parameters as for `made`."""
    write_json(context.run / stage.file, stage.kind, content, *made(stage, context, None, inputs))


def made(
    stage: Stage,
    context: StageContext,
    settings: dict[str, Any] | None = None,
    inputs: dict[str, str] | None = None,
) -> tuple[dict[str, Any], int, dict[str, str], int]:
    """How a stage's file came about, for its header: settings, seed, inputs and stage version.

    Parameters
    ----------
    stage : Stage
    context : StageContext
    settings : dict, optional
        What is recorded besides the settings that shape the stage.
    inputs : dict of str to str, optional
        Hashes of the files it was made from; by default those that it reads.
    """
    shaping = {**(settings or {}), **stage.shaped_by(context.settings), **stage.sources(context)}
    if inputs is None:
        inputs = hashes(context.run, stage.reads)
    return shaping, context.settings.seed, inputs, stage.version


def hashes(run: Path, names: Sequence[str]) -> dict[str, str]:
    """SHA-256 of files of a run directory, by name."""
    return {name: sha256_of_file(run / name) for name in names}
