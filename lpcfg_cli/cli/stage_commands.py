"""The stages as commands: ``lpcfg binarize``, and those that only read a run directory."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, note_time, print_json, progress
from lpcfg_cli.cli.options import open_workers, resolve_settings, setting_options, verbose_option, worker_options
from lpcfg_cli.cli.output_options import CheckedCommand, check_folder
from lpcfg_cli.cli.spectrum_table import spectrum_table, warning_lines
from lpcfg_cli.cli.stage_summaries import stage_summary, tell_step
from lpcfg_cli.config import Settings, TaggerSettings
from lpcfg_cli.learning.learners import learner_of
from lpcfg_cli.stages.chain import STAGES, run_alone
from lpcfg_cli.stages.log import LOG_FILE, read_log
from lpcfg_cli.stages.settings_file import changes, read_settings
from lpcfg_cli.stages.stage import Stage, StageContext

json_option = click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")

DETAILS = {
    "binarize": "TREEBANK is files or directories of bracketed trees.",
    "tagger": "It learns from the words and tags of the trees in RUN; `lpcfg estimate` adds it to the model.",
    "spans": "It learns from the trees in RUN; `lpcfg estimate` adds it to the model, "
    "for several models `lpcfg ensemble`. See `lpcfg help span-model`.",
    "svd": "Prints the spectra.",
}
"""Further sentences of the help of stages."""

FROM_RECORD = "Settings are those recorded in RUN; flags and --config change them."


def stage_command(name: str) -> click.Command:
    """Make the command of a stage."""
    stage = STAGES[name]
    make = _binarize_command if name == "binarize" else _run_command
    command = make(stage)
    command.help = " ".join(filter(None, (stage.summary, DETAILS.get(name), FROM_RECORD)))
    return command


def _binarize_command(stage: Stage) -> click.Command:
    @click.command(stage.name, cls=CheckedCommand)
    @click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="TREEBANK... RUN")
    @click.option("--sections", help="LDC sections, such as 02-21 or 00,22.")
    @json_option
    @verbose_option
    @setting_options(*stage.flags)
    def command(paths: tuple[Path, ...], sections: str | None, as_json: bool, verbose: bool, **options: Any) -> None:
        if len(paths) < 2:
            raise click.UsageError("Name a treebank and a run directory: lpcfg binarize TREEBANK RUN")
        *roots, run = paths
        check_folder("RUN", run, ("trees.bin.mrg",), roots)
        settings = settings_for(stage, run, options)
        _run(stage, StageContext(run, settings, roots, sections, progress=progress), as_json, verbose)

    return command


def _run_command(stage: Stage) -> click.Command:
    @click.command(stage.name, cls=CheckedCommand)
    @click.argument("run", type=click.Path(path_type=Path))
    @json_option
    @worker_options
    @verbose_option
    @setting_options(*stage.flags, shows_defaults=False)
    def command(run: Path, as_json: bool, jobs: int, dask: str | None, verbose: bool, **options: Any) -> None:
        settings = settings_for(stage, run, options)
        learner = learner_of(settings)
        if stage.name == "estimate" and options["svd__states"] is not None and not learner.reads("svd", "states"):
            hint = f"Run `lpcfg svd {run} -m {settings.svd.states}` first."
            raise click.UsageError(f"-m is not for the learner {learner.name} here. {hint}")
        with open_workers(jobs, dask) as mapper:
            context = StageContext(run, settings, mapper=mapper, progress=progress, on_step=tell_step)
            _run(stage, context, as_json, verbose)

    return command


def settings_for(stage: Stage, run: Path, options: dict[str, Any]) -> Settings:
    """The settings recorded in a run directory, changed by the options; prints the changes."""
    recorded = read_settings(run)
    base = recorded
    if recorded is not None and stage.name == "tagger" and not recorded.tagger.epochs:
        base = replace(recorded, tagger=TaggerSettings())  # this command asks for a tagger
    settings = resolve_settings(options, base)
    if recorded is not None:
        for change in changes(recorded, settings):
            note(f"{stage.name}: {change}")
    return settings


def _run(stage: Stage, context: StageContext, as_json: bool, verbose: bool) -> None:
    report = run_alone(stage, context)
    if verbose:
        note_stage_time(context.run)
    if as_json:
        print_json(asdict(report))
    elif stage.name == "svd":
        click.echo(spectrum_table(report.spectra))
    for line in [*stage_summary(stage.name, report), *warning_lines(getattr(report, "warnings", ()))]:
        note(line)


def note_stage_time(run: Path) -> None:
    """Print the time of the stage that has just written to a run directory."""
    last = read_log(run / LOG_FILE)[-1]
    note_time(last["stage"], last["seconds"], last["cpu_seconds"])
