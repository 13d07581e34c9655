"""The file of an experiment's results, from which it is resumed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from lpcfg_cli.storage.files import read_bytes_if_any, write_text

RESULTS_FILE = "results.jsonl"


class Result(Protocol):
    """The interface of a result."""

    @property
    def digest(self) -> str:
        """Hash of everything it depends on: it is valid only while this is the same."""

    def as_dict(self) -> dict[str, Any]:
        """The result, JSON-ready."""


R = TypeVar("R", bound=Result)


@dataclass(frozen=True)
class ResultsFile(Generic[R]):
    """The file of the results of this run and of earlier runs, one JSON object on each line.

    Attributes
    ----------
    path : Path
    from_dict : function of dict to a result
        The inverse of the results' `as_dict`.
    """

    path: Path
    from_dict: Callable[[dict[str, Any]], R]

    def read(self) -> dict[str, R]:
        """The results by digest; lines that are not results are ignored."""
        found = {}
        for line in read_bytes_if_any(self.path).splitlines():
            try:
                result = self.from_dict(json.loads(line))
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                continue
            found[result.digest] = result
        return found

    def write(self, results: dict[str, R]) -> None:
        """Write the file, replacing its content."""
        lines = (json.dumps(result.as_dict()) for result in results.values())
        write_text(self.path, "".join(f"{line}\n" for line in lines))
