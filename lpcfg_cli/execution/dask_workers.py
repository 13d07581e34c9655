"""A map over the workers of a dask cluster, on any machines with access to the same files (extra ``[dask]``)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

from lpcfg_cli.errors import InputError, WorkerError
from lpcfg_cli.execution.environment import single_threaded
from lpcfg_cli.execution.workers import WINDOW, Mapper, map_in_order

CONNECT_SECONDS = 30
WAITING_SECONDS = 1800
"""How long to wait for the first worker: batch systems may start workers late."""

LEAST_WINDOW = 64
"""Smallest number of tasks submitted ahead, so that workers that join later find some."""


@contextmanager
def dask_workers(address: str) -> Iterator[Mapper]:
    """A map over the workers of a running cluster; if a worker dies, another one does its task.

    Parameters
    ----------
    address : str
        Address of the scheduler, such as ``tcp://host:8786``, or the path of the file that it writes with
        ``--scheduler-file``.

    Raises
    ------
    InputError
        dask is not installed.
    WorkerError
        No scheduler answers, or it has no workers, or the workers of one task died repeatedly, or the connection was
        lost.
    """
    try:
        from distributed import Client, KilledWorker
        from distributed.comm import CommClosedError
    except ImportError as error:
        raise InputError("--dask needs dask.distributed. Install it: pip install 'lpcfg-cli[dask]'.") from error
    target = {"address": address} if "://" in address or ":" in address else {"scheduler_file": address}
    try:
        client = Client(**target, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:  # time-outs are OSErrors
        raise WorkerError(f"no dask scheduler answers at {address} ({error}). Check that it is running.") from error
    try:
        client.wait_for_workers(1, WAITING_SECONDS)
        window = max(LEAST_WINDOW, WINDOW * sum(client.nthreads().values()))

        def submit(function: Any, item: Any) -> Any:
            return client.submit(_in_one_thread, function, item, pure=False)

        yield lambda function, items: map_in_order(submit, window, function, items)
    except KilledWorker as error:
        raise WorkerError(f"dask gave up a task because several workers died during it: {error}") from error
    except TimeoutError as error:
        raise WorkerError(f"the dask scheduler at {address} has no workers. Start some there.") from error
    except (asyncio.CancelledError, CancelledError, CommClosedError) as error:
        raise WorkerError(
            f"the connection to the dask scheduler at {address} was lost. Run the command again once it is back."
        ) from error
    finally:
        client.close()


def _in_one_thread(function: Callable[[Any], Any], item: Any) -> Any:
    with single_threaded():
        return function(item)
