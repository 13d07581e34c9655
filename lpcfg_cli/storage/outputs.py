"""Files that the user names as outputs.

They are written as ``NAME.partial`` and renamed when they are complete, so that half an output is never taken for a
whole one.  Devices, pipes and open descriptors cannot be renamed, so they are written straight.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from lpcfg_cli.errors import OutputError
from lpcfg_cli.storage.files import BLOCK, rename_in_error, utf8
from lpcfg_cli.storage.inputs import STDIN

PARTIAL_SUFFIX = ".partial"

STREAMS = {"stdin": 0, "stdout": 1, "stderr": 2}
DESCRIPTOR = re.compile(r"/dev/(stdin|stdout|stderr)|(?:/dev/fd|/proc/self/fd)/(\d+)")

MOST_LINKS = 40
"""Largest number of symbolic links that are followed, as in Linux."""


@dataclass(frozen=True)
class _Unfinished:
    """An output that is being written: its path as the user gave it, and its file."""

    path: Path
    partial: Path
    has_lines: bool
    process: int
    identity: tuple[int, int]

    def is_still_ours(self) -> bool:
        """Whether the name still has the file of this process: another one may have begun to write the output."""
        try:
            found = self.partial.stat()
        except FileNotFoundError:
            return False
        return (found.st_dev, found.st_ino) == self.identity

    def keep(self) -> bool:
        """Cut the file after its last whole line, or remove it if it has none; returns whether it has some."""
        with suppress(OSError):
            if self.is_still_ours():
                if self.has_lines and _cut_after_last_line(self.partial):
                    return True
                self.partial.unlink()
        return False


_unfinished: list[_Unfinished] = []


@contextmanager
def output_writer(path: Path, has_lines: bool = True) -> Iterator[IO[bytes]]:
    """A binary file for results, which appears under its name only when it is complete.

    A symbolic link stays one: the file that it names is replaced.

    Parameters
    ----------
    path : Path
    has_lines : bool
        Whether whole lines are worth keeping if writing ends early: they then stay in ``NAME.partial``, and the error
        gets a note that says so.

    Raises
    ------
    OSError
        Writing failed; it names the output.
    OutputError
        Another process has begun to write the same output.
    """
    if is_written_straight(path):
        with _naming(path, path), _open_straight(path) as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    with _naming(partial_of(target), path):
        partial_of(target).unlink(missing_ok=True)  # of an earlier run; who still writes it keeps the file itself
        file = open(partial_of(target), "xb")  # noqa: SIM115  it is closed below
        status = os.fstat(file.fileno())
        own = _Unfinished(path, partial_of(target), has_lines, os.getpid(), (status.st_dev, status.st_ino))
        with _kept_if_unfinished(own):
            with file:  # closed before it is cut
                yield file
                file.flush()
                os.fsync(file.fileno())
            if not own.is_still_ours():
                raise OutputError(f"{path}: another process has begun to write it. Run one at a time.")
            os.replace(own.partial, target)


@contextmanager
def _kept_if_unfinished(own: _Unfinished) -> Iterator[None]:
    _unfinished.append(own)
    try:
        yield
    except BaseException as error:
        if own.keep():
            error.add_note(kept_message(own.path))
        raise
    finally:
        _unfinished.remove(own)


@contextmanager
def output_writers(paths: Sequence[Path]) -> Iterator[list[IO[bytes]]]:
    """Several outputs that are complete at the same time; see `output_writer`."""
    with ExitStack() as stack:
        yield [stack.enter_context(output_writer(path)) for path in paths]


def write_output(path: Path, text: str) -> None:
    """Write an output of text, in UTF-8; see `output_writer`."""
    with output_writer(path, has_lines=False) as file:
        file.write(utf8(text))


def write_lines(lines: Iterable[str], file: IO[bytes]) -> None:
    """Write lines in UTF-8 and flush each, so that a reader gets it, and it is kept if the command ends early."""
    for line in lines:
        file.write(f"{line}\n".encode())
        file.flush()


def partial_of(path: Path) -> Path:
    """The name under which an output is written."""
    return path.with_name(path.name + PARTIAL_SUFFIX)


def kept_message(path: Path) -> str:
    """What is said of an output whose writing ended early."""
    return f"{path}: not complete, so not written; the finished lines are in {partial_of(path)}"


def keep_finished_lines() -> list[str]:
    """Cut the unfinished outputs of this process after their last whole lines; to be called before it ends.

    Returns
    -------
    list of str
        A message about each that has such lines; the others are removed.
    """
    return [kept_message(one.path) for one in _unfinished if one.process == os.getpid() and one.keep()]


def is_written_straight(path: Path) -> bool:
    """Whether the path is a device, a pipe, a socket or an open descriptor, in place of a file that can be renamed."""
    if descriptor_of(path) is not None:
        return True
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def descriptor_of(path: Path) -> int | None:
    """The open descriptor that a path such as ``/dev/stdout`` stands for, also through symbolic links."""
    for _ in range(MOST_LINKS):
        match = DESCRIPTOR.fullmatch(os.path.abspath(path))
        if match:
            return STREAMS[match[1]] if match[1] else int(match[2])
        if not path.is_symlink():
            break
        path = path.parent / os.readlink(path)
    return None


def check_output(path: Path) -> None:
    """Check, before any work, that an output can be written.

    Raises
    ------
    OutputError
        The path is a directory, or its directory does not exist or cannot be written.
    """
    if is_written_straight(path):
        return
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise OutputError(f"{path}: is a directory; expected the name of a file to write.")
    if not target.parent.is_dir():
        raise OutputError(f"{path}: there is no folder {target.parent}. Create it first.")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise OutputError(f"{path}: the directory {target.parent} cannot be written. Name a file elsewhere.")


@dataclass(frozen=True)
class Inputs:
    """What a command reads.

    Attributes
    ----------
    files : sequence of Path
        ``-`` is standard input.
    folders : sequence of Path
        Directories of which all files with the suffixes are read.
    suffixes : tuple of str
    """

    files: Sequence[Path]
    folders: Sequence[Path] = ()
    suffixes: tuple[str, ...] = ("",)

    def reads(self, path: Path) -> str:
        """The input that is the same regular file as a path, also by way of links; empty if there is none."""
        try:
            own = path.stat()
        except OSError:
            return ""  # a file that does not exist is no input
        if not stat.S_ISREG(own.st_mode):
            return ""
        for one in self.files:
            if _is_same(own, one):
                return "standard input" if str(one) == STDIN else str(one)
        for folder in self.folders:
            has_suffix = path.name.lower().removesuffix(".gz").endswith(self.suffixes)
            if has_suffix and path.is_relative_to(os.path.realpath(folder)):
                return f"part of {folder}"
            if own.st_nlink > 1 and any(_is_same(own, other) for other in folder.rglob("*")):
                return f"part of {folder}"
        return ""


def check_apart(outputs: Mapping[str, Path], inputs: Inputs) -> None:
    """Check that writing the outputs destroys no input, and that no two outputs are one file.

    Parameters
    ----------
    outputs : mapping of str to Path
        By the option that names them.
    inputs : Inputs

    Raises
    ------
    OutputError
        An output, or the name under which it is written, is an input or another output, also by way of links.
    """
    seen: dict[Path, str] = {}
    for option, path in outputs.items():
        if is_written_straight(path):
            if descriptor_of(path) is not None and (read := Inputs(inputs.files).reads(path)):
                raise OutputError(f"{option}: is the file that is also read, {read}. Write to another file.")
            continue
        target = Path(os.path.realpath(path))
        for name in (target, partial_of(target)):
            if name in seen:
                raise OutputError(f"{option} {path}: is also written by {seen[name]}. Name another file.")
            seen[name] = option
            if read := inputs.reads(name):
                what = "is" if name == target else f"is written as {name.name}, which is"
                raise OutputError(f"{option} {path}: {what} also read ({read}). Name another file for the output.")


def _is_same(own: os.stat_result, path: Path) -> bool:
    with suppress(OSError):
        return os.path.samestat(own, os.fstat(0) if str(path) == STDIN else path.stat())
    return False


@contextmanager
def _naming(partial: Path, path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        rename_in_error(error, partial, path)
        raise


def _open_straight(path: Path) -> IO[bytes]:
    descriptor = descriptor_of(path)
    return open(path, "wb") if descriptor is None else os.fdopen(os.dup(descriptor), "wb")


def _cut_after_last_line(path: Path) -> bool:
    """Cut a file after its last whole line; False if it has none."""
    with open(path, "r+b") as file:
        end = file.seek(0, os.SEEK_END)
        while end:
            start = max(0, end - BLOCK)
            file.seek(start)
            if (at := file.read(end - start).rfind(b"\n")) >= 0:
                file.truncate(start + at + 1)
                return True
            end = start
    return False
