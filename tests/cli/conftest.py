"""A model of the tiny treebank, trained once."""

from __future__ import annotations

import pytest
from command_line import run_installed, succeed


@pytest.fixture(scope="session")
def small_settings(tmp_path_factory):
    """A file of settings that suit the tiny treebank."""
    path = tmp_path_factory.mktemp("settings") / "small.toml"
    path.write_text("seed = 5\n[svd]\nstates = 4\n[lexicon]\nrare_below = 2\n")
    return path


@pytest.fixture(scope="session")
def trained(tmp_path_factory, tiny_treebank, small_settings):
    """A run directory with that model."""
    run = tmp_path_factory.mktemp("trained") / "run"
    succeed("train", tiny_treebank, "-o", run, "-c", small_settings, run=run_installed)
    return run
