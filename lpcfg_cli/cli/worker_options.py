"""Options for worker processes; they are not settings, because they never change results."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from lpcfg_cli.cli.options import Function
from lpcfg_cli.execution.workers import Mapper, local_workers


def worker_options(function: Function) -> Function:
    """Decorator: ``--jobs`` and ``--dask``."""
    jobs = click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=0),
        default=1,
        show_default=True,
        metavar="N",
        help="Number of processes; 0 for one on each core. Results do not depend on it.",
    )
    dask = click.option(
        "--dask", metavar="ADDRESS", help="Use the workers of this dask scheduler, such as tcp://host:8786."
    )
    return jobs(dask(function))


@contextmanager
def open_workers(jobs: int, dask: str | None) -> Iterator[Mapper]:
    """The map over workers that the options choose."""
    if dask is not None:
        from lpcfg_cli.execution.dask_workers import dask_workers

        with dask_workers(dask) as mapper:
            yield mapper
    else:
        with local_workers(jobs) as mapper:
            yield mapper
