"""What a server is told at its start, and what it answers when it refuses a request."""

from __future__ import annotations

from dataclasses import dataclass

from lpcfg_cli.errors import InputError


@dataclass(frozen=True)
class ServingOptions:
    """Address and limits of a server.

    Attributes
    ----------
    host : str
        Name or address to listen at; a loopback address cannot be reached from other machines.
    port : int
        0 for one that is free.
    max_length : int
        Largest number of words of a sentence.
    max_body : int
        Largest size of a request's body in bytes.
    queue : int
        Largest number of requests that wait while one is being parsed.
    nbest : int
        Number of trees in each answer.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    max_length: int = 100
    max_body: int = 65_536
    queue: int = 100
    nbest: int = 5


class RequestRefused(InputError):
    """A request that is not answered with a parse.

    Parameters
    ----------
    message : str
    status : int
        Of HTTP.
    """

    def __init__(self, message: str, status: int):
        self.status = status
        super().__init__(message)
