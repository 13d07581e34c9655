"""What must be settled before numpy and numba are imported: threads of linear algebra, and where compiled code goes."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
CACHE_VARIABLE = "NUMBA_CACHE_DIR"
PACKAGE = Path(__file__).resolve().parent.parent


def prepare_environment() -> None:
    """Set variables that the user has not set; worker processes inherit them.

    Linear algebra gets one thread: sums then have the same order, and results the same bytes, on any machine; our
    matrices are too small for threads to gain much; and ``--jobs`` is there for the other cores.
    """
    for name in THREAD_VARIABLES:
        os.environ.setdefault(name, "1")
    if CACHE_VARIABLE not in os.environ:
        folder = compile_cache(PACKAGE, os.environ, sys.platform)
        if folder is not None:
            os.environ[CACHE_VARIABLE] = str(folder)


def compile_cache(package: Path, environment: Mapping[str, str], platform: str) -> Path | None:
    """Where compiled kernels are kept when they cannot be kept beside their modules.

    Parameters
    ----------
    package : Path
        The installed package.
    environment : mapping of str to str
        As `os.environ`.
    platform : str
        As `sys.platform`.

    Returns
    -------
    Path or None
        A folder of the user's; a temporary one when there is no place for that; None when `package` is writable.
    """
    if is_writable(package):
        return None
    folder = user_cache(environment, platform) / "lpcfg" / "numba"
    if is_writable(next(parent for parent in (folder, *folder.parents) if parent.exists())):
        return folder
    return Path(tempfile.gettempdir()) / f"lpcfg-numba-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


def is_writable(folder: Path) -> bool:
    """Whether files can be made in a folder."""
    return os.access(folder, os.W_OK | os.X_OK)


def user_cache(environment: Mapping[str, str], platform: str) -> Path:
    """The folder for caches of this user, by the platform's custom."""
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or tempfile.gettempdir())
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local")
    if platform == "darwin":
        return home / "Library" / "Caches"
    chosen = environment.get("XDG_CACHE_HOME", "")
    return Path(chosen) if os.path.isabs(chosen) else home / ".cache"
