"""A copy of the tree whose kernels are compiled, and runs of tests in copies of that copy, each with one change."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
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


CACHE_NAME = (
    "import os, sys; from lpcfg_cli.arrays.kernel_cache import kernel_cache as c; print(c(os.environ, sys.platform))"
)


class Tree:
    """A copy of a tree to make mutants of, always in the same place: numba keeps compiled code by path.

    Parameters
    ----------
    root : Path
    folder : Path
        Where copies are made.
    seconds_more : float
        That a mutant may take, beside `SLOWER` times what the tests do.
    """

    def __init__(self, root: Path, folder: Path, seconds_more: float):
        self.base, self.place, self.seconds_more = folder / "base", folder / "tree", seconds_more
        shutil.copytree(root, self.place, ignore=NOT_COPIED)
        self.seconds = 0.0

    def warm(self, tests: Iterable[str]) -> None:
        """Run the tests without any change, twice: first kernels are compiled, then time is taken."""
        for limit in (3600.0, 1800.0):
            began = time.perf_counter()
            status, text = run_tests(self.place, sorted(tests), limit)
            if status != 0:
                raise SystemExit(f"the tests fail without any change\n{text}")
            self.seconds = time.perf_counter() - began
        shutil.copytree(self.place, self.base)
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
        shutil.rmtree(self.place)
        shutil.copytree(self.base, self.place)
        path = self.place / mutant.file
        path.write_bytes(mutant.applied_to(path.read_bytes()))
        forget_kernels(self.place, stale)
        status, text = run_tests(self.place, tests, limit)
        outcome = {0: "survived", None: "timed out"}.get(status, "killed")
        return {"outcome": outcome, "seconds": round(time.perf_counter() - began, 1), "by": first_failure(text)}


def forget_kernels(tree: Path, modules: Iterable[str]) -> None:
    """Remove what was compiled of some modules, and keep the rest, under the name that a changed tree looks for."""
    stems = {Path(module).stem for module in modules}
    for path in tree.rglob("*.nb[ic]"):
        if path.name.split(".")[0] in stems:
            path.unlink()
    folders = list(tree.rglob("numba-*"))
    if stems and folders:
        shutil.move(folders[0], tree / "kept")
        command = [sys.executable, "-c", CACHE_NAME]
        new = subprocess.run(command, cwd=tree, env=environment(tree), capture_output=True, text=True, check=False)
        if new.returncode == 0:  # else the change is one that no import survives
            shutil.copytree(tree / "kept", new.stdout.strip(), dirs_exist_ok=True)


def environment(tree: Path) -> dict[str, str]:
    """That of programs that are to find a tree's package; plugins are left out, since pytest starts sooner then."""
    own = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    return {**own, "PYTHONPATH": str(tree), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def run_tests(tree: Path, tests: Iterable[str], limit: float) -> tuple[int | None, str]:
    """Exit status of pytest, None when it took too long, and what it printed; it ends at the first failure."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-o", "addopts=", "-p", "no:cacheprovider", *tests]
    run = subprocess.Popen(
        command,
        cwd=tree,
        env=environment(tree),
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
