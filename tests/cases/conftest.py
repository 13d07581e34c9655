"""The cases of ../shared/cases: inputs from public bug reports, and what a good tool does with them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from case_runs import Run
from command_line import run_here

REPOSITORY = Path(__file__).resolve().parents[2]
ROOT = Path(os.environ.get("LPCFG_SHARED", REPOSITORY.parent / "shared")) / "cases"


@pytest.fixture
def case():
    """Path of a case's file or folder."""

    def path(name, *parts):
        found = ROOT.joinpath("cases", name, *parts)
        if not found.exists():
            pytest.skip(f"no cases at {ROOT}; set LPCFG_SHARED")
        return found

    return path


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """Trainings of this session by case and options."""
    return {}


@pytest.fixture
def train(case, runs, tmp_path_factory):
    """Train on a case's ``train`` folder, once for each set of options."""

    def run(name, *options):
        key = (name, *options)
        if key not in runs:
            folder = tmp_path_factory.mktemp(name) / "run"
            runs[key] = Run(run_here("train", case(name, "train"), "-o", folder, *options), folder)
        return runs[key]

    return run


@pytest.fixture
def parse(case, train, tmp_path):
    """Parse a case's ``tagged.txt``; returns its lines, checked by the cases' own checker."""

    def run(name, trained_on="_base", *options, train_options=(), check=True):
        model = train(trained_on, *train_options)
        assert model.outcome.code == 0, model.message
        outcome = run_here("parse", model.folder, case(name, "tagged.txt"), *options)
        assert outcome.code == 0, outcome.err
        if check:
            out = tmp_path / "parsed.mrg"
            out.write_text(outcome.out)
            checker = [sys.executable, ROOT / "tools" / "check.py", "parse", name, out]
            done = subprocess.run(
                [*checker, "--train", case(trained_on, "train")], capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stdout
        return outcome

    return run
