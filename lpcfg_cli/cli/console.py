"""What commands share in talking to people: notes on stderr, tables, JSON, progress bars."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import click

Item = TypeVar("Item")


def note(message: str) -> None:
    """Tell the user something that is not a result; goes to stderr."""
    click.echo(message, err=True)


def capped(items: Sequence[object], most: int = 5) -> str:
    """The items joined by commas; of many only the first, and how many more there are."""
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


def progress(items: Iterable[Item], description: str, total: int | None = None, unit: str = "it") -> Iterable[Item]:
    """The items, with a bar on stderr while they are consumed; silent when stderr is no terminal."""
    if not sys.stderr.isatty():
        return items
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # its thread would keep worker processes from being forked
    # some terminals do not know their size; bars for one of no size would not show
    size = {"dynamic_ncols": True} if all(os.get_terminal_size(sys.stderr.fileno())) else {"ncols": 80, "nrows": 24}
    return tqdm(items, desc=description, total=total, unit=unit, file=sys.stderr, leave=False, **size)
