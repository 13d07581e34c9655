"""The web application: its addresses, who may ask, and an answer in JSON to everything that goes wrong."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Callable
from urllib.parse import urlsplit

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from lpcfg_cli.errors import ConstraintError, LpcfgError
from lpcfg_cli.serving.options import RequestRefused
from lpcfg_cli.serving.page import page
from lpcfg_cli.serving.service import ParsingService

ADDRESSES = "`/` is the page; /parse and /parse-and-draw take JSON by POST"

EXPLAINED = {
    404: f"there is nothing at this address. {ADDRESSES}.",
    405: f"this address does not take that method. {ADDRESSES}.",
}
"""Status → what is said; of others, what the library says."""

FAULT = "this is a fault of lpcfg: report it. The output of the server says more."

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What the page may do: run its own script and ask this server."""

Fault = Callable[[Exception], object]


def make_application(service: ParsingService, tell_fault: Fault) -> Flask:
    """The application.

    Parameters
    ----------
    service : ParsingService
    tell_fault : function of Exception
        Called with errors that nobody foresaw.
    """
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = service.options.max_body
    text = page(service)
    app.add_url_rule("/", "page", lambda: Response(text, mimetype="text/html"))
    for name, answer in (("parse", service.parse), ("parse-and-draw", service.parse_and_draw)):
        app.add_url_rule(f"/{name}", name, _answering(answer), methods=["POST"])
    app.before_request(lambda: refuse_strangers(service.options.host))
    app.after_request(_with_headers)
    app.register_error_handler(Exception, lambda error: _error_answer(error, tell_fault))
    return app


def _answering(answer: Callable[[bytes], str]) -> Callable[[], Response]:
    return lambda: Response(answer(request.get_data()), mimetype="application/json")


def refuse_strangers(host: str) -> None:
    """Refuse requests that a page from elsewhere makes in a user's browser.

    Such a page can give its own name the address of this machine (DNS rebinding); the header ``Host`` then has that
    name.  Or it sends to this server; ``Origin`` then has its name.

    Parameters
    ----------
    host : str
        Where the server listens; if not at a loopback address, it may be asked by any name.

    Raises
    ------
    RequestRefused
    """
    asked, origin = request.headers.get("Host", ""), request.headers.get("Origin")
    if is_loopback(host) and not (_name_of(asked) == host or is_loopback(_name_of(asked))):
        raise RequestRefused(
            f"the header Host is {asked!r}; expected a name of this machine, such as 127.0.0.1 or localhost.", 403
        )
    if origin is not None and urlsplit(origin).netloc != asked:
        raise RequestRefused(f"the request comes from a page of {origin!r}; only this server's own page may ask.", 403)


def _name_of(host: str) -> str:
    """The header ``Host`` without the port; empty if it is not valid."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def is_loopback(name: str) -> bool:
    """Whether a name or an address can mean this machine only."""
    try:
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _with_headers(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-store"
    return response


def _error_answer(error: Exception, tell_fault: Fault) -> Response:
    """What went wrong, as JSON with the right status."""
    headers: list[tuple[str, str]] = []
    if isinstance(error, HTTPException):
        status = error.code or 500
        message = EXPLAINED.get(status, f"{error.name}: {error.description}")
        headers = [(name, value) for name, value in error.get_headers() if name == "Allow"]
        if status == 413:
            message = too_large(request.max_content_length)
    elif isinstance(error, LpcfgError):
        status, message = status_of(error), str(error)
    else:
        tell_fault(error)
        status, message = 500, FAULT
    answer = Response(error_body(message, status), status, mimetype="application/json")
    answer.headers.extend([*headers, ("Retry-After", "1")] if status == 503 else headers)
    return answer


def status_of(error: LpcfgError) -> int:
    """The status of HTTP for an error that a user can act on."""
    if isinstance(error, RequestRefused):
        return error.status
    return 422 if isinstance(error, ConstraintError) else 400


def too_large(most: int | None) -> str:
    """What is said of a body that is too large."""
    return f"the body has more than {most:,} bytes. Send less, or start the server with --max-body."


def error_body(message: str, status: int) -> str:
    """The JSON of an error."""
    return json.dumps({"error": message, "status": status}, ensure_ascii=False)
