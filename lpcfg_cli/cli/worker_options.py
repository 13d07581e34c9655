"""Options that say where work is done; they never change results, so they are no settings."""

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
        help="Processes to use; 0 for one a core. Results do not depend on it.",
    )
    dask = click.option(
        "--dask", metavar="ADDRESS", help="Use the workers of this dask scheduler, such as tcp://host:8786."
    )
    return jobs(dask(function))


@contextmanager
def open_workers(jobs: int, dask: str | None) -> Iterator[Mapper]:
    """The map that the options ask for."""
    if dask is not None:
        from lpcfg_cli.execution.dask_workers import dask_workers

        with dask_workers(dask) as mapper:
            yield mapper
    else:
        with local_workers(jobs) as mapper:
            yield mapper
