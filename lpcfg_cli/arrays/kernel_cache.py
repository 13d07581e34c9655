"""The folder for compiled kernels, which is named by the hash of their sources: after an edit, nothing stale is used.

numba uses cached code as long as the file of the function is unchanged.  But a kernel is also compiled into the kernels
that call it, which may be in other files, and so are the fields of the named tuples that it takes.
"""

from __future__ import annotations

import hashlib
import os
import pkgutil
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
CACHE_VARIABLE = "NUMBA_CACHE_DIR"

KEPT = 4
"""Number of folders of other sources that are not removed, the last used ones: processes that started before an edit
may still use them."""

CACHES = {"win32": ("AppData", "Local"), "darwin": ("Library", "Caches")}
"""Folder of caches in a home directory; on other platforms it is ``.cache``."""

OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
OWN_NAME = re.compile(r"numba-[0-9a-f]{16}")
IMPORT = re.compile(r"^[ \t]*(?:from|import) +([\w.]+)(?: +import +(?:\(([^)]*)\)|(.*)))?", re.MULTILINE)


def kernel_cache(environment: Mapping[str, str], platform: str) -> Path | None:
    """The folder for kernels compiled from the current sources; it is created if it does not exist.

    It is in the folder that the user has set, else in the package, else, if that cannot be written, in the user's
    cache, else in the temporary directory.  numba unpickles the files it finds, so the last two are used only if nobody
    else can write to them.  Folders of older sources are removed.

    Parameters
    ----------
    environment : mapping of str to str
        As `os.environ`.
    platform : str
        As `sys.platform`.

    Returns
    -------
    Path or None
        None if no safe folder can be written.
    """
    name = f"numba-{source_digest(PACKAGE)}"
    for root in open_roots(PACKAGE, environment):
        if _is_made(root / name):
            return root / name
    for root in private_roots(environment, platform):
        if _is_made_private(root) and _is_made(root / name):
            return root / name
    return None


def open_roots(package: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    """Folders that are used without a check: one chosen by the user, and one in the package itself."""
    if environment.get(CACHE_VARIABLE):
        yield Path(environment[CACHE_VARIABLE])
    yield package / "__pycache__"


def private_roots(environment: Mapping[str, str], platform: str) -> Iterator[Path]:
    """Folders that are used only if they are private to the user."""
    cache = user_cache(environment, platform)
    if cache is not None:
        yield cache / "lpcfg"
    yield Path(tempfile.gettempdir()) / f"lpcfg-{os.geteuid() if hasattr(os, 'geteuid') else 'user'}"


def user_cache(environment: Mapping[str, str], platform: str) -> Path | None:
    """The user's folder for caches, by the convention of the platform; None for a user without a home directory."""
    chosen = environment.get("LOCALAPPDATA" if platform == "win32" else "XDG_CACHE_HOME", "")
    if platform != "darwin" and os.path.isabs(chosen):
        return Path(chosen)
    home = environment.get("HOME") or environment.get("USERPROFILE")
    return Path(home, *CACHES.get(platform, (".cache",))) if home else None


def is_writable(folder: Path) -> bool:
    """Whether files can be created in a folder."""
    return os.access(folder, os.W_OK | os.X_OK)


def is_private(folder: Path) -> bool:
    """Whether this is a folder, not a link to one, that the user owns and that others cannot write."""
    if not hasattr(os, "geteuid"):
        return True  # on Windows home and temporary directories are private to each user
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & OTHERS_MAY_WRITE


def _is_made_private(folder: Path) -> bool:
    """Create a private folder unless it exists; returns whether it is private."""
    if not is_writable(_standing(folder.parent)):
        return False
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        return is_private(folder)
    except OSError:
        return False


def _standing(folder: Path) -> Path:
    """The folder, or its nearest parent that exists."""
    return next(parent for parent in (folder, *folder.parents) if parent.exists())


def _is_made(folder: Path) -> bool:
    """Create a folder unless it exists; returns whether files can be created in it."""
    if not is_writable(_standing(folder)):
        return False
    try:
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    if is_new:
        _remove_earlier(folder)
    with suppress(OSError):  # record the time of the last use
        os.utime(folder)
    return True


def _remove_earlier(folder: Path) -> None:
    """Remove the folders of other sources beside this one, except the last used."""
    others = [other for other in folder.parent.iterdir() if OWN_NAME.fullmatch(other.name) and other != folder]
    others.sort(key=_last_used, reverse=True)
    for other in others[KEPT:]:
        shutil.rmtree(other, ignore_errors=True)


def _last_used(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0


def source_digest(package: Path) -> str:
    """Sixteen hexadecimal digits of a hash of all sources on which compiled code depends.

    Parameters
    ----------
    package : Path
        The folder of an imported package.
    """
    digest = hashlib.sha256()
    for name, source in sorted(kernel_sources(package).items()):
        digest.update(f"{name}\0{len(source)}\0".encode())
        digest.update(source)
    return digest.hexdigest()[:16]


def kernel_sources(package: Path) -> dict[str, bytes]:
    """Contents, by file name, of all ``*_kernels.py`` of a package and of its modules that they import, recursively.

    The imports are found in the text, without importing anything, which takes a few milliseconds.

    Parameters
    ----------
    package : Path
        The folder of an imported package.
    """
    found: dict[str, bytes] = {}
    waiting = [path.relative_to(package).as_posix() for path in package.rglob("*_kernels.py")]
    while waiting:
        name = waiting.pop()
        if name not in found and (package / name).is_file():
            found[name] = pkgutil.get_data(package.name, name) or b""
            waiting += _imported_files(package.name, found[name].decode("utf-8"))
    return found


def _imported_files(package: str, source: str) -> Iterator[str]:
    """Files to which the imports of a source from the package may refer; not all exist."""
    for module, *listed in IMPORT.findall(source):
        if module.split(".")[0] != package:
            continue
        folder = "/".join(module.split(".")[1:])
        yield f"{folder}.py"
        names = re.findall(r"\w+", "".join(listed).partition("#")[0])
        yield from (f"{folder}/{name}.py".lstrip("/") for name in ("__init__", *names))
