"""The interface of stages: files read and written, the settings a stage depends on, and whether its file is current."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lpcfg_cli.config import Settings
from lpcfg_cli.em.monitor import EmRecord, ignore_record
from lpcfg_cli.errors import LpcfgError, doing
from lpcfg_cli.execution.environment import single_threaded
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.stopwatch import Stopwatch, peak_megabytes
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.stages.log import logged
from lpcfg_cli.storage.artefacts import Array, Kind, check_parents, read_header, verify, write_arrays, write_json
from lpcfg_cli.storage.files import sha256_of_file


@dataclass(frozen=True)
class StageContext:
    """The input of a stage.

    Attributes
    ----------
    run : Path
        The run directory.
    settings : Settings
    roots : sequence of Path
        Files and directories of the treebank, for the stage that reads it.
    sections : str or None
        LDC sections of the treebank; None for all files.
    mapper : callable like map
        Spreads work; results do not depend on it.
    progress : Progress
        Reports the progress of long loops.
    on_step : function of EmRecord
        Called after each iteration of EM.
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
        Files of the run directory that it reads; their hashes are recorded in its own file.
    file : str
        The file with the header that it writes.
    kind : Kind
        Format of that file.
    version : int
        Raised when the same inputs and settings give another result, for instance after a bug fix: files of another
        version are stale.
    shaped_by : function of Settings to dict
        Exactly the settings that its file depends on, JSON-ready.
    work : function of StageContext
        Does the work and returns a report, a dataclass.
    flags : tuple of str
        Sections of the settings for which its subcommand has flags.
    sources : function of StageContext to dict
        What else its file depends on, from outside the run directory; JSON-ready.
    is_wanted : function of Settings to bool
        Whether training with these settings needs the stage.
    main_file : str
        The file that is shown to the user, if it is not `file`.
    log : function of (StageContext, report) to dict
        Further entries for the run's log.
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
    """The result of one stage.

    Attributes
    ----------
    stage : str
    report : object or None
        The stage's report; None if its file was current and the stage was skipped.
    seconds, cpu_seconds : float
        Wall time, and CPU time of this process.
    peak_megabytes : int
        Largest resident memory of this process so far, in 10⁶ bytes.
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
    """A function that returns the named sections of settings, for `Stage.shaped_by`."""
    return lambda settings: {name: asdict(getattr(settings, name)) for name in names}


def is_current(stage: Stage, context: StageContext) -> bool:
    """Whether a stage's file exists, is undamaged, and is what the stage would write now.

    The latter holds if the same version of the stage made it from the files that are now beside it, with the same
    settings and seed.
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
    """The values after a round trip through JSON, for instance with tuples as lists."""
    return json.loads(json.dumps(values))


def run_stage(stage: Stage, context: StageContext) -> StageOutcome:
    """Do a stage's work, unless its file is current."""
    watch = Stopwatch()
    report = None if is_current(stage, context) else do_stage(stage, context)
    spent = watch.lap()
    file = stage.main_file or stage.file
    size = (context.run / file).stat().st_size
    return StageOutcome(stage.name, report, spent.seconds, spent.cpu_seconds, peak_megabytes(), file, size)


@single_threaded()
def do_stage(stage: Stage, context: StageContext) -> Any:
    """Do a stage's work under the lock of the run directory, and add it to the run's log; returns the report."""
    with doing(f"running {stage.name} in {context.run}"), logged(context.run, stage.name) as entry:
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


def save_json(stage: Stage, context: StageContext, content: Any, inputs: dict[str, str] | None = None) -> None:
    """Write a stage's JSON artefact; parameters as for `made`."""
    write_json(context.run / stage.file, stage.kind, content, *made(stage, context, None, inputs))


def made(
    stage: Stage,
    context: StageContext,
    settings: dict[str, Any] | None = None,
    inputs: dict[str, str] | None = None,
) -> tuple[dict[str, Any], int, dict[str, str], int]:
    """The provenance of a stage's file, for its header: settings, seed, inputs and stage version.

    Parameters
    ----------
    stage : Stage
    context : StageContext
    settings : dict, optional
        Settings to record in addition to those that the stage depends on.
    inputs : dict of str to str, optional
        Hashes of the files it was made from; by default those of `Stage.reads`.
    """
    shaping = {**(settings or {}), **stage.shaped_by(context.settings), **stage.sources(context)}
    if inputs is None:
        inputs = hashes(context.run, stage.reads)
    return shaping, context.settings.seed, inputs, stage.version


def hashes(run: Path, names: Sequence[str]) -> dict[str, str]:
    """SHA-256 of files of a run directory, by name."""
    return {name: sha256_of_file(run / name) for name in names}
