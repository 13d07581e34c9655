"""Which examples property tests use: the same each time, or those of a seed; and how a failure is replayed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

PROPERTY = """
from hypothesis import given, strategies as st

@given(st.integers(0, 10**9))
def test_integers(number):
    print("saw", number)
    assert {claim}
"""


@pytest.fixture
def examples(tmp_path):
    """Run a property test of its own folder: whether it held, the examples it saw, and all that was printed."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS / "cli"), *sys.path])}

    def run(*options, claim="True"):
        (tmp_path / "test_property.py").write_text(PROPERTY.format(claim=claim))
        command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "conftest", *options]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        return done.returncode == 0, re.findall(r"saw (\d+)", done.stdout), done.stdout

    return run


def test_examples_are_those_of_the_seed(examples):
    fresh = ("--hypothesis-profile=fresh", "--hypothesis-seed=7")
    usual, seven, same = (examples(*options)[1] for options in ((), fresh, fresh))
    assert seven == same != usual
    assert len(usual) == len(seven) == 60


def test_a_failure_is_printed_with_its_replay(examples):
    held, _, text = examples("--hypothesis-profile=fresh", "--hypothesis-seed=7", claim="number < 10**6")
    assert not held
    assert "number=1000000" in text
    assert "@reproduce_failure(" in text
