"""The server itself: its socket, its threads, and its end."""

from __future__ import annotations

import logging
import socket
import threading
import time
from dataclasses import dataclass, field
from typing import Any

from flask import Flask
from waitress.channel import HTTPChannel
from waitress.server import create_server
from waitress.task import ErrorTask
from waitress.wasyncore import dispatcher, loop

from lpcfg_cli.errors import InputError
from lpcfg_cli.serving.application import error_body, too_large
from lpcfg_cli.serving.options import ServingOptions

SPARE_THREADS = 4
"""Threads besides those that parse or wait; they hand out the page, and refuse requests."""

MOST_CONNECTIONS = 1000

MOST_READ = 1 << 24
"""Bytes of a body that are read, to a temporary file, even if it is too large: a client that still sends does not hear
the answer.
"""

SILENCE = 30
"""Seconds after which a connection that sends nothing is closed."""

PATIENCE = 20.0
"""Seconds for which a server that is to end goes on with requests that it has received."""


class JsonErrorTask(ErrorTask):
    """The answer to what is no request of HTTP, or has too large a body: JSON, as all errors."""

    def execute(self) -> None:
        """Write the answer."""
        error = self.request.error
        reason = f"this is no valid request of HTTP: {error.reason}, {error.body}."
        message = too_large(self.channel.adj.max_request_body_size) if error.code == 413 else reason
        body = error_body(message, error.code).encode()
        self.status = f"{error.code} {error.reason}"
        self.response_headers.append(("Content-Type", "application/json"))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class JsonChannel(HTTPChannel):
    """A connection on which errors are JSON."""

    error_task_class = JsonErrorTask


@dataclass
class Server:
    """A server that listens from its making on, and answers while it runs.

    Attributes
    ----------
    options : ServingOptions
    socket : socket.socket
    waitress : waitress.server.TcpWSGIServer
    sockets : dict
        All sockets that it watches.
    """

    options: ServingOptions
    socket: socket.socket
    waitress: Any
    sockets: dict[int, Any]
    _is_ending: threading.Event = field(default_factory=threading.Event)

    @property
    def address(self) -> str:
        """The address of the page."""
        host, port = self.socket.getsockname()[:2]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/"

    def run(self) -> None:
        """Answer requests until `end` is called, and then those that have been received."""
        while not self._is_ending.is_set():
            loop(1.0, use_poll=True, map=self.sockets, count=1)
        dispatcher.close(self.waitress)  # of the socket that listens
        last = time.monotonic() + PATIENCE
        while self._is_busy() and time.monotonic() < last:
            loop(0.1, use_poll=True, map=self.sockets, count=1)
        self.waitress.task_dispatcher.shutdown(timeout=1)

    def end(self) -> None:
        """Make `run` end soon; may be called from a signal handler or another thread."""
        self._is_ending.set()
        self.waitress.pull_trigger()

    def _is_busy(self) -> bool:
        channels = list(self.waitress.active_channels.values())
        return any(channel.requests or channel.total_outbufs_len for channel in channels)


def open_server(app: Flask, options: ServingOptions) -> Server:
    """Listen at the address of the options.

    Raises
    ------
    InputError
        The address is not one of this machine, or the port is taken.
    """
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # that requests wait is no fault
    listening, sockets = _listening(options.host, options.port), dict[int, Any]()
    server = create_server(
        app,
        map=sockets,
        sockets=[listening],
        threads=1 + options.queue + SPARE_THREADS,
        connection_limit=MOST_CONNECTIONS,
        channel_timeout=SILENCE,
        max_request_body_size=MOST_READ,
        ident="lpcfg",
    )
    server.channel_class = JsonChannel
    return Server(options, listening, server, sockets)


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=MOST_CONNECTIONS)
    except OSError as error:
        raise InputError(
            f"cannot listen at {host}, port {port}: {error.strerror}. "
            "Name another port with --port, 0 for a free one, or an address of this machine with --host."
        ) from error
