"""Fixtures of all tests: data outside the repository, a tiny treebank, hypothesis settings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from command_line import run_installed, succeed
from hypothesis import HealthCheck, settings
from tiny_trees import TINY_TREES

from lpcfg_cli.execution.environment import prepare_environment

# before numpy is imported: threads of several test processes would wait for each other
prepare_environment()

REPOSITORY = Path(__file__).resolve().parents[1]

settings.register_profile(
    "lpcfg",
    deadline=None,  # the first example may have to compile kernels
    derandomize=True,
    max_examples=60,
    print_blob=True,  # a failure is printed with the decorator that replays it
    suppress_health_check=[HealthCheck.too_slow],
)
# the same with new examples: they depend on --hypothesis-seed alone; no examples are stored between runs
settings.register_profile("fresh", settings.get_profile("lpcfg"), derandomize=False, database=None)
settings.load_profile("lpcfg")


@pytest.fixture
def shared() -> Path:
    """The folder of data that is not part of the repository."""
    folder = Path(os.environ.get("LPCFG_SHARED", REPOSITORY.parent / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip(f"no data at {folder}; set LPCFG_SHARED")
    return folder


@pytest.fixture(scope="session")
def tiny_treebank(tmp_path_factory) -> Path:
    """A directory of two .mrg files with the trees of `TINY_TREES`."""
    folder = tmp_path_factory.mktemp("tiny")
    at = TINY_TREES.index("(S1 ")
    (folder / "a.mrg").write_text(TINY_TREES[:at], encoding="utf-8")
    (folder / "b.mrg").write_text(TINY_TREES[at:], encoding="utf-8")
    return folder


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
    succeed("parse", run, "--raw", stdin="Hush .", run=run_installed)  # so that no test sees kernels being compiled
    return run
