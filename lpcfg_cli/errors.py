"""The errors of lpcfg: each message tells what happened, where, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

WHILE = "while"
"""First word of a note that says what was being done when an error came."""


@contextmanager
def doing(activity: str) -> Iterator[None]:
    """Note on errors that nobody foresaw what was being done, and to which file: ``reading a.mrg``."""
    try:
        yield
    except LpcfgError:
        raise
    except Exception as error:
        error.add_note(f"{WHILE} {activity}")
        raise


class LpcfgError(Exception):
    """An error that a user can act on; the command line prints it without a traceback.

    Attributes
    ----------
    exit_code : int
        Exit status of the command line when this error ends it.
    """

    exit_code = 1


class InputError(LpcfgError):
    """A user's file cannot be read: not found, no trees in it, wrong encoding."""

    exit_code = 3


class SyntaxProblem(InputError):
    """A place in a text file that violates its format.

    Parameters
    ----------
    path : str
        The file as the user named it, or ``<stdin>``.
    line, column : int
        1-based position of the offending text.
    found : str
        The offending text or a short description of it.
    expected : str
        What the format requires at this place.
    hint : str
        What the user can do.
    """

    def __init__(self, path: str, line: int, column: int, found: str, expected: str, hint: str):
        self.path, self.line, self.column = path, line, column
        self.found, self.expected, self.hint = found, expected, hint
        super().__init__(f"{path}:{line}:{column}: {found}; expected {expected}. {hint}")

    def __reduce__(self) -> tuple[type[SyntaxProblem], tuple[str, int, int, str, str, str]]:
        """Pickle the parts, so that worker processes can send the error to the main process."""
        return type(self), (self.path, self.line, self.column, self.found, self.expected, self.hint)


class ConstraintError(InputError):
    """No tree of a sentence meets the constraints on it."""


class ConfigError(LpcfgError):
    """A setting is unknown, of the wrong type, or out of its range."""

    exit_code = 2


class OutputError(LpcfgError):
    """An output cannot be written, or writing it would destroy an input or another output."""

    exit_code = 3


class WorkerError(LpcfgError):
    """A worker process was lost, cannot be reached, or has no access to the same files."""

    exit_code = 5


class ArtefactError(LpcfgError):
    """A file of a run directory cannot be used; the subclasses tell why."""

    exit_code = 4


class DirectoryInUseError(ArtefactError):
    """Another process is writing into the run directory."""


class NumericalError(LpcfgError):
    """A stage computed NaN or infinity, or EM failed: a tree has probability zero, or a step lowered the bound."""

    exit_code = 6


class NotAnArtefactError(ArtefactError):
    """The file was not written by lpcfg, or is of another kind than expected."""


class TruncatedArtefactError(ArtefactError):
    """The file is damaged or its writing was interrupted."""


class ArtefactTooOldError(ArtefactError):
    """The file was written by an older lpcfg whose format is no longer read."""


class ArtefactTooNewError(ArtefactError):
    """The file was written by a newer lpcfg."""


class WrongParentError(ArtefactError):
    """The file was made from other inputs than the files that are now beside it."""
