"""Output that commands share: notes and times on stderr, tables, JSON, progress bars."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, Any, TypeVar

import click

from lpcfg_cli.execution.stopwatch import Stopwatch
from lpcfg_cli.storage.outputs import output_writer

Item = TypeVar("Item")


class Quiet:
    """Whether this process keeps silent about everything but results and errors."""

    is_wanted = False


def note(message: str) -> None:
    """Print a message that is not a result, on stderr, unless `Quiet`."""
    if not Quiet.is_wanted:
        click.echo(message, err=True)


@contextmanager
def opened_output(path: Path | None) -> Iterator[IO[bytes]]:
    """The file of an output, as `output_writer` gives it; standard output for None."""
    if path is None:
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    else:
        with output_writer(path) as file:
            yield file


def capped(items: Sequence[object], most: int = 5) -> str:
    """The items joined by commas; at most the first `most`, then the number of the others."""
    shown = ", ".join(str(item) for item in items[:most])
    return f"{shown} and {len(items) - most:,} more" if len(items) > most else shown


def print_json(value: Any) -> None:
    """Print a result as one JSON document on stdout."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A plain table: first column left-aligned, the others right-aligned."""
    cells = [list(header), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(header))]
    lines = [
        "  ".join(
            cell.ljust(w) if k == 0 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    ]
    rule = "  ".join("-" * width for width in widths)
    return "\n".join([lines[0].rstrip(), rule, *(line.rstrip() for line in lines[1:])])


def shows_progress() -> bool:
    """Whether progress bars are shown: standard error is a terminal, and not `Quiet`."""
    return sys.stderr.isatty() and not Quiet.is_wanted


def progress(items: Iterable[Item], description: str, total: int | None = None, unit: str = "it") -> Iterable[Item]:
    """The items, with a progress bar on stderr while they are consumed, if stderr is a terminal."""
    return _bar(items, desc=description, total=total, unit=unit) if shows_progress() else items


@contextmanager
def advancing(description: str, unit: str) -> Iterator[Callable[[int], object]]:
    """A function that is told how many more units are done, and shows it in a progress bar, as `progress` does."""
    if not shows_progress():
        yield lambda n: None
        return
    with closing(_bar(desc=description, unit=f" {unit}")) as bar:
        yield bar.update


def _bar(*items: Iterable[Item], **options: Any) -> Any:
    from tqdm import tqdm  # here, because it takes time to import

    tqdm.monitor_interval = 0  # with its thread running, worker processes could not be forked
    # some terminals report a size of zero, with which bars would not be visible
    size = {"dynamic_ncols": True} if all(os.get_terminal_size(sys.stderr.fileno())) else {"ncols": 80, "nrows": 24}
    return tqdm(*items, file=sys.stderr, leave=False, **options, **size)


def note_time(step: str, seconds: float, cpu_seconds: float) -> None:
    """Print the wall time of a step, and the CPU time of this process."""
    note(f"{step}: {seconds:.2f} s, CPU {cpu_seconds:.2f} s")


@contextmanager
def timed(step: str, verbose: bool) -> Iterator[None]:
    """Print the time of the body, if `verbose`."""
    watch = Stopwatch()
    yield
    if verbose:
        spent = watch.lap()
        note_time(step, spent.seconds, spent.cpu_seconds)
