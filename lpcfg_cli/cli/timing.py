"""``--verbose``: what each step took."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from lpcfg_cli.cli.console import note
from lpcfg_cli.cli.options import Function
from lpcfg_cli.execution.stopwatch import Stopwatch
from lpcfg_cli.stages.log import LOG_FILE, read_log


def verbose_option(function: Function) -> Function:
    """Decorator: ``--verbose``."""
    return click.option("-v", "--verbose", is_flag=True, help="Tell what each step takes.")(function)


def note_time(step: str, seconds: float, cpu_seconds: float) -> None:
    """Note what a step took: wall time, and time of this process."""
    note(f"{step}: {seconds:.2f} s, {cpu_seconds:.2f} s of them on a core")


def note_stage_time(run: Path) -> None:
    """Note what the stage took that has just written into a run directory."""
    last = read_log(run / LOG_FILE)[-1]
    note_time(last["stage"], last["seconds"], last["cpu_seconds"])


@contextmanager
def timed(step: str, verbose: bool) -> Iterator[None]:
    """Note what the body took, if that is wanted."""
    watch = Stopwatch()
    yield
    if verbose:
        spent = watch.lap()
        note_time(step, spent.seconds, spent.cpu_seconds)
