"""``lpcfg serve``."""

from __future__ import annotations

import signal
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, timed
from lpcfg_cli.cli.failures import tell_error
from lpcfg_cli.cli.main import ENDING_SIGNALS
from lpcfg_cli.cli.options import verbose_option
from lpcfg_cli.errors import InputError
from lpcfg_cli.serving.options import ServingOptions

MODULES = ("flask", "waitress")
"""What the extra ``serve`` installs."""


def _limit(flag: str, name: str, metavar: str, text: str, least: int = 1, most: int | None = None) -> Any:
    """The option of a field of `ServingOptions`, with its default."""
    default = getattr(ServingOptions, name)
    kind = click.IntRange(min=least, max=most)
    return click.option(flag, name, type=kind, default=default, show_default=True, metavar=metavar, help=text)


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.option(
    "--host", metavar="ADDRESS", default=ServingOptions.host, show_default=True,
    help="Where to listen; 0.0.0.0 lets other machines in, and anybody there ask.",
)  # fmt: skip
@_limit("--port", "port", "N", "Where to listen; 0 for a free one.", 0, 65_535)
@_limit("--nbest", "nbest", "N", "Number of trees in each answer.")
@_limit("--max-length", "max_length", "WORDS", "Refuse longer sentences.")
@_limit("--max-body", "max_body", "BYTES", "Refuse longer requests.")
@_limit("--queue", "queue", "N", "Number of requests that may wait; more are told to come again.", 0, 1000)
@verbose_option
def command(model: Path, verbose: bool, **options: Any) -> None:
    """Serve a page to try MODEL on, and an endpoint for programs, until Ctrl-C.

    \b
    lpcfg serve RUN                 then open http://127.0.0.1:8765/
    curl 127.0.0.1:8765/parse -d '{"text": "It works."}'

    MODEL is a model file or run directory, loaded once.  The address of the page is printed.  Only this machine can
    reach it, unless --host says otherwise.  `lpcfg help serving` describes requests and answers.
    """
    if not all(find_spec(module) is not None for module in MODULES):
        raise InputError("serving needs flask and waitress. Install them: pip install 'lpcfg-cli[serve]'.")
    from lpcfg_cli.serving.application import make_application
    from lpcfg_cli.serving.server import open_server
    from lpcfg_cli.serving.service import ParsingService

    chosen = ServingOptions(**options)
    with timed("model", verbose):
        service = ParsingService.load(model, chosen)
    server = open_server(make_application(service, tell_error), chosen)
    before = {signum: signal.signal(signum, lambda *_: end()) for signum in ENDING_SIGNALS}

    def end() -> None:
        """End the server; at a second signal, at once."""
        for signum, handler in before.items():
            signal.signal(signum, handler)
        server.end()

    click.echo(server.address)
    note("Ctrl-C ends the server")
    server.run()
    note("ended")
