"""A model of the grammar that is shipped."""

from __future__ import annotations

import pytest
from command_line import run_installed, succeed


@pytest.fixture(scope="session")
def english(tmp_path_factory):
    """The run directory of a parser that knows ambiguous sentences."""
    folder = tmp_path_factory.mktemp("english")
    succeed("synth", "-n", 1500, "--seed", 1, "-o", folder / "trees.mrg")
    succeed("train", folder / "trees.mrg", "-o", folder / "run", "--states", 4, run=run_installed)
    return folder / "run"
