"""Fixtures of the evaluation's tests: data outside the repository, and the command."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lpcfg_cli.cli.eval_command import command

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def shared() -> Path:
    """The folder of data that is not part of the repository."""
    folder = Path(os.environ.get("LPCFG_SHARED", REPOSITORY.parent / "shared"))
    if not (folder / "data" / "evalb").is_dir():
        pytest.skip(f"no data at {folder}; set LPCFG_SHARED")
    return folder


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], str]:
    """Write a file of the given name and text; returns its path."""

    def write_file(name: str, text: str) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write_file


@pytest.fixture
def run_eval() -> Callable[..., Result]:
    """Run ``lpcfg eval`` in this process; errors other than exits are raised."""

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(command, list(arguments), catch_exceptions=False)

    return run
