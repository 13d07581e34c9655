"""Kernels as plain Python: an index out of bounds is an error there, where compiled code reads what lies there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

QUICK = {
    "parsing": [
        "tests/parsing/test_inside_outside.py::test_kernels_equal_sum_over_all_derivations",
        "tests/parsing/test_nbest.py",
        "tests/parsing/test_pruning.py",
        "tests/parsing/test_expected_brackets.py",
    ],
    "learning": ["tests/em/test_mixture.py", "tests/learning/test_em.py", "-k", "not cut_into_batches and not large"],
    "corpora": ["tests/features/test_matrices.py", "tests/tagging/test_tagger.py", "tests/treebank/test_brackets.py"],
    "dependency": ["tests/dependency/test_projectivity.py"],
    "sampling": ["tests/grammar/test_sampling.py", "-k", "tables_are_complete or by_hand or masses or no_trees"],
}
"""Tests of each group's kernels that take seconds without the compiler too."""


@pytest.mark.parametrize("group", QUICK)
def test_kernels_are_right_without_the_compiler(group):
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-o", "addopts=", "-p", "no:cacheprovider", *QUICK[group]]
    command += ["-W", "ignore:overflow encountered:RuntimeWarning"]  # hashes wrap around
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
