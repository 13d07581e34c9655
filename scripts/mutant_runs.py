"""A copy of the tree whose kernels are compiled, and runs of tests in copies of that copy, each with one change."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mutation_operators import Mutant

OUTCOMES = ("killed", "timed out", "survived")

NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv", ".hypothesis", "*_cache", "*.egg-info", "experiment", "results", "demo-run", "mutants*.jsonl"
)
MEMORY = 8 << 30
"""Bytes of address space: a mutant may ask for any amount."""

SLOWER = 2
"""A mutant may take so many times as long as all tests do without it."""

COMPILING = 90
"""Seconds that it may take besides when kernels are compiled."""


class Tree:
    """A copy of a tree to make mutants of.

    Parameters
    ----------
    root : Path
    folder : Path
        Where copies are made.
    seconds_more : float
        That a mutant may take, beside `SLOWER` times what the tests do.
    """

    def __init__(self, root: Path, folder: Path, seconds_more: float):
        self.folder, self.base, self.seconds_more = folder, folder / "base", seconds_more
        shutil.copytree(root, self.base, ignore=NOT_COPIED)
        self.seconds = 0.0

    def warm(self, tests: Iterable[str]) -> None:
        """Run the tests without any change, twice: first kernels are compiled, then time is taken."""
        for limit in (3600.0, 1800.0):
            began = time.perf_counter()
            status, text = run_tests(self.base, sorted(tests), limit)
            if status != 0:
                raise SystemExit(f"the tests fail without any change\n{text}")
            self.seconds = time.perf_counter() - began
        print(f"all tests without any change: {self.seconds:.1f} s", flush=True)

    def run(self, mutant: Mutant, tests: list[str], stale: list[str]) -> dict[str, Any]:
        """How the tests take a change.

        Parameters
        ----------
        mutant : Mutant
        tests : list of str
        stale : list of str
            Modules whose compiled kernels hold what is changed.
        """
        began = time.perf_counter()
        limit = SLOWER * self.seconds + self.seconds_more + (COMPILING if stale else 0)
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            copy = Path(folder) / "tree"
            shutil.copytree(self.base, copy)
            forget_kernels(copy, stale)
            path = copy / mutant.file
            path.write_bytes(mutant.applied_to(path.read_bytes()))
            status, text = run_tests(copy, tests, limit)
        outcome = {0: "survived", None: "timed out"}.get(status, "killed")
        return {"outcome": outcome, "seconds": round(time.perf_counter() - began, 1), "by": first_failure(text)}


def forget_kernels(tree: Path, modules: Iterable[str]) -> None:
    """Remove what was compiled of some modules."""
    for module in map(Path, modules):
        for path in (tree / module.parent / "__pycache__").glob(f"{module.stem}.*.nb[ic]"):
            path.unlink()


def run_tests(tree: Path, tests: Iterable[str], limit: float) -> tuple[int | None, str]:
    """Exit status of pytest, None when it took too long, and what it printed; it ends at the first failure."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-o", "addopts=", "-p", "no:cacheprovider", *tests]
    run = subprocess.Popen(
        command,
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},  # starts sooner
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=limit_memory,  # noqa: PLW1509 no thread of ours holds a lock that it needs
    )
    try:
        text, _ = run.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        return None, run.communicate()[0]
    return run.returncode, text


def limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def first_failure(text: str) -> str:
    """The test that failed."""
    lines = [line for line in text.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return lines[0] if lines else ""
