"""The state of an installation: versions, cores and threads, compiled kernels, caches, memory, extras."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path

from lpcfg_cli import __version__
from lpcfg_cli.arrays.kernel_cache import is_writable, kernel_cache
from lpcfg_cli.execution.environment import THREAD_VARIABLES
from lpcfg_cli.execution.workers import count_cores

PACKAGE = "lpcfg-cli"
EXTRAS = {
    "plot": ("matplotlib",),
    "grep": ("pyparsing",),
    "serve": ("flask", "waitress"),
    "dask": ("dask", "distributed"),
}
"""Extra → the modules that it installs."""

LITTLE_MEMORY = 1 << 30
"""Free memory in bytes below which there is a warning: training on 3,400 trees takes a third of it."""


@dataclass(frozen=True)
class Diagnosis:
    """What is installed, and what is wrong with it.

    Attributes
    ----------
    lpcfg, python, system : str
        Versions.
    folder : str
        Where the package is.
    packages : dict of str to str
        Versions of the libraries that are needed; empty for one that is missing.
    extras : dict of str to bool
        Whether each extra is installed.
    cores : int
        Number of cores that may be used.
    threads : dict of str to str
        Variables that set the threads of linear algebra.
    kernel_cache : str or None
        Folder of compiled kernels; None if none can be written, so that every run compiles.
    kernels : int
        Number of kernels compiled there; 0 before the first use.
    temporary : str
        Folder of temporary files.
    free_memory : int
        In bytes.
    problems : list of str
        What is wrong, and what to do; empty if all is well.
    """

    lpcfg: str
    python: str
    system: str
    folder: str
    packages: dict[str, str]
    extras: dict[str, bool]
    cores: int
    threads: dict[str, str]
    kernel_cache: str | None
    kernels: int
    temporary: str
    free_memory: int
    problems: list[str]


def diagnose() -> Diagnosis:
    """Look at the installation; creates the folder of compiled kernels if it is not there."""
    import psutil

    cache = kernel_cache(os.environ, sys.platform)
    packages = {name: _version(name) for name in needed_packages()}
    temporary, free = Path(tempfile.gettempdir()), int(psutil.virtual_memory().available)
    problems = [f"{name} is missing: pip install {name}." for name, found in packages.items() if not found]
    if cache is None:
        problems.append(
            "no folder for compiled kernels can be written, so that every run compiles: set NUMBA_CACHE_DIR."
        )
    if not is_writable(temporary):
        problems.append(f"{temporary}: temporary files cannot be written there: set TMPDIR.")
    if free < LITTLE_MEMORY:
        problems.append(f"only {free / 1e9:.1f} GB of memory are free: use fewer --jobs and states.")
    return Diagnosis(
        __version__,
        platform.python_version(),
        platform.platform(),
        str(Path(__file__).resolve().parents[1]),
        packages,
        {name: all(find_spec(module) is not None for module in modules) for name, modules in EXTRAS.items()},
        count_cores(),
        {name: os.environ.get(name, "") for name in THREAD_VARIABLES},
        None if cache is None else str(cache),
        0 if cache is None else len(list(cache.rglob("*.nbi"))),
        str(temporary),
        free,
        problems,
    )


def needed_packages() -> list[str]:
    """Names of the libraries that are no extras, from the package's metadata; empty if it was not installed."""
    try:
        found = requires(PACKAGE) or []
    except PackageNotFoundError:
        return []
    return [_name(one) for one in found if "extra ==" not in one]


def _name(requirement: str) -> str:
    end = next((k for k, char in enumerate(requirement) if not (char.isalnum() or char in "-_.")), len(requirement))
    return requirement[:end]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
