"""``--verbose``: the time of each step."""

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
    return click.option("-v", "--verbose", is_flag=True, help="Print the time of each step.")(function)


def note_time(step: str, seconds: float, cpu_seconds: float) -> None:
    """Print the wall time of a step, and the CPU time of this process."""
    note(f"{step}: {seconds:.2f} s, CPU {cpu_seconds:.2f} s")


def note_stage_time(run: Path) -> None:
    """Print the time of the stage that has just written to a run directory."""
    last = read_log(run / LOG_FILE)[-1]
    note_time(last["stage"], last["seconds"], last["cpu_seconds"])


@contextmanager
def timed(step: str, verbose: bool) -> Iterator[None]:
    """Print the time of the body, if `verbose`."""
    watch = Stopwatch()
    yield
    if verbose:
        spent = watch.lap()
        note_time(step, spent.seconds, spent.cpu_seconds)
