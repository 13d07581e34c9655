"""Running ``lpcfg`` as a user does: the installed command, or its main function in this process, which is faster."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import chdir, nullcontext
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import click
import pytest

from lpcfg_cli.cli.main import cli, main

LPCFG = Path(sys.executable).with_name("lpcfg")


@dataclass(frozen=True)
class Outcome:
    """The result of a command."""

    code: int
    out: str
    err: str


def run_installed(*arguments, stdin="", folder=None, **environment) -> Outcome:
    """Run the installed command in its own process."""
    done = subprocess.run(
        [LPCFG, *map(str, arguments)],
        input=as_bytes(stdin),
        capture_output=True,
        cwd=folder,
        env={**os.environ, **environment},
        check=False,
    )
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())


def run_here(*arguments, stdin="", folder=None) -> Outcome:
    """Run the command's main function."""
    streams = {
        "stdin": io.TextIOWrapper(io.BytesIO(as_bytes(stdin)), "utf-8"),
        "stdout": io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n"),
        "stderr": io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n"),
    }
    argv = patch.object(sys, "argv", ["lpcfg", *map(str, arguments)])
    with patch.multiple(sys, **streams), argv, chdir(folder) if folder else nullcontext():
        with pytest.raises(SystemExit) as ended:
            main()
        for name in ("stdout", "stderr"):
            streams[name].flush()
    out, err = (streams[name].buffer.getvalue().decode() for name in ("stdout", "stderr"))
    return Outcome(ended.value.code, out, err)


def as_bytes(text) -> bytes:
    """Standard input as bytes."""
    return text if isinstance(text, bytes) else text.encode()


def succeed(*arguments, run=run_here, **options) -> Outcome:
    """Run a command that is expected to succeed."""
    outcome = run(*arguments, **options)
    assert outcome.code == 0, outcome.err
    return outcome


def fail(code, *arguments, run=run_here, **options) -> str:
    """Run a command that is expected to fail with a message; returns the message."""
    outcome = run(*arguments, **options)
    assert outcome.code == code, outcome
    assert outcome.out == ""
    assert "Traceback" not in outcome.err
    return outcome.err


def all_commands(group=cli, before=""):
    """Each command by its name, those of groups with the name of the group before theirs."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if isinstance(command, click.Group):
            yield from all_commands(command, f"{before}{name} ")
        else:
            yield before + name, command
