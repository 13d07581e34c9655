"""Compiled code and the sources that it was compiled from."""

from __future__ import annotations

import ast
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import lpcfg_cli
from lpcfg_cli.arrays import kernel_cache as module
from lpcfg_cli.arrays.kernel_cache import (
    KEPT,
    PACKAGE,
    is_private,
    kernel_cache,
    kernel_sources,
    private_roots,
    source_digest,
    user_cache,
)
from lpcfg_cli.arrays.numbering_kernels import number_keys

INNER_KERNEL = """
from lpcfg_cli.arrays.kernel_options import INNER, njit
@njit(**INNER)
def times(x, y):
    return {factor} * x * y
"""
KERNEL = """
from typing import NamedTuple
from lpcfg_cli.arrays.kernel_options import ENTRY, njit
from lpcfg_cli.arrays.pair import {pair}
from lpcfg_cli.arrays.inner_kernels import times
@njit(**ENTRY)
def product(pair):
    return times(pair.x, pair.y) + 1
"""
PAIR = """
from typing import NamedTuple
class {pair}(NamedTuple):
    x: int
    y: int
"""
CALL = """
from lpcfg_cli.arrays import outer_kernels as kernels
from lpcfg_cli.arrays.pair import {pair}
print(kernels.product({pair}(2, 5)), sum(kernels.product.stats.cache_hits.values()))
"""


@pytest.fixture
def tiny_package(tmp_path):
    """A package of this one's name with what compiles kernels, and two kernels in two files."""
    folder = tmp_path / "tiny" / "lpcfg_cli"
    (folder / "arrays").mkdir(parents=True)
    for name in (
        "__init__.py",
        "arrays/__init__.py",
        "arrays/compiling.py",
        "arrays/kernel_cache.py",
        "arrays/kernel_options.py",
        "arrays/quick_compiling.py",
        "arrays/quick_lowering.py",
        "arrays/quick_unboxing.py",
        "arrays/standing_in.py",
    ):
        shutil.copy(PACKAGE / name, folder / name)
    return folder


def write(package, factor=2, pair="Pair"):
    (package / "arrays" / "inner_kernels.py").write_text(INNER_KERNEL.format(factor=factor))
    for name, text in (("pair.py", PAIR), ("outer_kernels.py", KERNEL)):
        path, new = package / "arrays" / name, text.format(pair=pair)
        if not path.exists() or path.read_text() != new:
            path.write_text(new)


def call(package, pair="Pair", before="", after="", **variables):
    """What the outer kernel gives in a new process, and whether it was compiled before."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    code = before + CALL.format(pair=pair) + after
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**environment, "PYTHONPATH": str(package.parent), **variables},
        cwd=package.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    value, hits = map(int, done.stdout.split())
    return value, bool(hits)


def test_an_edit_of_a_kernel_reaches_those_that_call_it_from_other_files(tiny_package):
    write(tiny_package)
    assert [call(tiny_package), call(tiny_package)] == [(21, False), (21, True)]
    write(tiny_package, factor=3)
    assert call(tiny_package) == (31, False)
    write(tiny_package)
    assert call(tiny_package) == (21, True)
    assert len(list((tiny_package / "__pycache__").glob("numba-*"))) == 2


def test_a_named_tuple_may_be_renamed(tiny_package):
    write(tiny_package)
    call(tiny_package)
    write(tiny_package, pair="Couple")
    assert call(tiny_package, pair="Couple") == (21, False)


def test_a_program_that_has_imported_numba_keeps_its_own_cache(tiny_package, tmp_path):
    write(tiny_package)
    before = "import os, numba\nnumba.config.CACHE_DIR = 'own'\n"
    after = "assert (numba.config.CACHE_DIR, os.environ.get('NUMBA_CACHE_DIR')) == ('own', None)\n"
    assert call(tiny_package, before=before, after=after) == (21, False)
    assert call(tiny_package) == (21, True)
    assert not (tiny_package.parent / "own").exists()


def test_the_folder_that_a_user_names_is_divided_by_sources_too(tiny_package, tmp_path):
    chosen = tmp_path / "chosen"
    write(tiny_package)
    assert call(tiny_package, NUMBA_CACHE_DIR=str(chosen)) == (21, False)
    write(tiny_package, factor=3)
    assert call(tiny_package, NUMBA_CACHE_DIR=str(chosen)) == (31, False)
    assert call(tiny_package, NUMBA_CACHE_DIR=str(chosen)) == (31, True)
    assert len(list(chosen.glob("numba-*"))) == 2
    assert not (tiny_package / "__pycache__").exists() or not list((tiny_package / "__pycache__").glob("numba-*"))


def test_this_packages_kernels_are_kept_by_their_sources():
    folder = kernel_cache(os.environ, sys.platform)
    assert folder is not None
    assert Path(number_keys.stats.cache_path).parent == folder
    assert folder.name == f"numba-{source_digest(PACKAGE)}"


def test_sources_are_the_kernels_and_all_that_they_import():
    sources = kernel_sources(PACKAGE)
    assert {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*_kernels.py")} <= sources.keys()
    assert {"parsing/layout.py", "evaluation/bracket_sets.py", "arrays/kernel_options.py"} <= sources.keys()
    for content in sources.values():
        for node in ast.walk(ast.parse(content)):
            if isinstance(node, ast.ImportFrom) and node.module.startswith(lpcfg_cli.__name__):
                parts = node.module.split(".")[1:]
                for path in (parts, *([*parts, alias.name] for alias in node.names)):
                    name = "/".join(path) + ".py"
                    assert name in sources or not (PACKAGE / name).is_file()


def test_any_change_of_a_source_changes_the_digest(tiny_package, monkeypatch):
    monkeypatch.setattr(module.pkgutil, "get_data", lambda _, name: (tiny_package / name).read_bytes())
    write(tiny_package)
    digests = {source_digest(tiny_package)}
    assert source_digest(tiny_package) in digests
    for name in ("inner_kernels.py", "pair.py", "kernel_options.py"):
        with (tiny_package / "arrays" / name).open("a") as file:
            file.write("\n")
        digests.add(source_digest(tiny_package))
    (tiny_package / "arrays" / "not_imported.py").write_text("")
    digests.add(source_digest(tiny_package))
    assert len(digests) == 4


@pytest.fixture
def package(monkeypatch, tmp_path):
    """Feigned sources in a folder of their own, and a temporary directory."""
    folder = tmp_path / "lpcfg_cli"
    folder.mkdir()
    monkeypatch.setattr(module, "PACKAGE", folder)
    monkeypatch.setattr(module, "source_digest", lambda _: "0" * 16)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    return folder


@pytest.fixture
def read_only(monkeypatch, package):
    """Folders of that name cannot be written; permission bits do not bind root, so writability is feigned."""
    monkeypatch.setattr(module, "is_writable", lambda folder: not {"lpcfg_cli", "read-only"} & set(folder.parts))
    (package.parent / "read-only").mkdir()
    return package.parent / "read-only"


NAME = "numba-" + "0" * 16


def test_compiled_code_goes_into_a_writable_package(package):
    assert kernel_cache({}, "linux") == package / "__pycache__" / NAME
    assert (package / "__pycache__" / NAME).is_dir()


def test_compiled_code_goes_to_the_users_cache_otherwise(read_only, tmp_path):
    assert kernel_cache({"HOME": str(tmp_path)}, "linux") == tmp_path / ".cache" / "lpcfg" / NAME


def test_compiled_code_goes_to_a_temporary_folder_when_the_user_has_none(read_only, tmp_path):
    found = kernel_cache({"XDG_CACHE_HOME": str(read_only)}, "linux")
    assert found is not None
    assert found.parent.parent == tmp_path / "tmp"


@pytest.fixture
def temporary(read_only, tmp_path):
    """The folder in the temporary directory that takes compiled code when no other can."""
    return tmp_path / "tmp" / f"lpcfg-{os.geteuid()}"


def test_a_user_without_a_home_gets_a_temporary_folder_for_himself_alone(temporary):
    assert kernel_cache({}, "linux") == temporary / NAME
    assert stat.S_IMODE(temporary.stat().st_mode) == 0o700
    assert kernel_cache({}, "linux") == temporary / NAME


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_folder_that_others_can_write_is_not_used(temporary, mode):
    temporary.mkdir()
    temporary.chmod(mode)
    assert kernel_cache({}, "linux") is None


def test_a_folder_of_somebody_else_is_not_used(monkeypatch, temporary):
    temporary.mkdir(mode=0o700)
    somebody = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: somebody)
    assert not is_private(temporary)
    temporary.rename(temporary.with_name(f"lpcfg-{somebody}"))
    assert kernel_cache({}, "linux") is None


def test_neither_a_link_nor_a_file_is_taken_for_the_folder(temporary, tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    temporary.symlink_to(tmp_path / "elsewhere")
    assert kernel_cache({}, "linux") is None
    assert list((tmp_path / "elsewhere").iterdir()) == []
    temporary.unlink()
    temporary.symlink_to(tmp_path / "nowhere")
    assert kernel_cache({}, "linux") is None
    temporary.unlink()
    temporary.write_text("")
    assert kernel_cache({}, "linux") is None


def test_the_users_cache_must_be_his_own_too(temporary, tmp_path):
    cache = tmp_path / ".cache" / "lpcfg"
    cache.mkdir(parents=True)
    cache.chmod(0o777)
    assert kernel_cache({"HOME": str(tmp_path)}, "linux") == temporary / NAME


def test_compiled_code_goes_where_the_user_says(package, tmp_path):
    assert kernel_cache({"NUMBA_CACHE_DIR": str(tmp_path / "here")}, "linux") == tmp_path / "here" / NAME


def test_a_file_in_the_way_is_gone_round(package, tmp_path):
    (package / "__pycache__").write_text("")
    assert kernel_cache({"HOME": str(tmp_path)}, "linux") == tmp_path / ".cache" / "lpcfg" / NAME


def test_there_may_be_no_place_at_all(monkeypatch, package):
    monkeypatch.setattr(module, "is_writable", lambda folder: False)
    assert kernel_cache({}, "linux") is None


def test_what_earlier_sources_left_is_removed_but_for_the_last_used(package):
    root = package / "__pycache__"
    for k in range(KEPT + 3):
        (root / f"numba-{k + 1:016x}").mkdir(parents=True)
        (root / f"numba-{k + 1:016x}" / "kernel.nbi").write_text("")
        os.utime(root / f"numba-{k + 1:016x}", (k, k))
    others = [root / "numba-mine", root / "module.pyc"]
    for other in others:
        other.write_text("")
    kernel_cache({}, "linux")
    assert set(root.iterdir()) == {*others, root / NAME, *(root / f"numba-{k + 4:016x}" for k in range(KEPT))}


def test_a_folder_in_use_counts_as_new(package):
    folder = kernel_cache({}, "linux")
    os.utime(folder, (0, 0))
    assert kernel_cache({}, "linux") == folder
    assert folder.stat().st_mtime > 0


@pytest.mark.parametrize(
    ("platform", "variables", "cache"),
    [
        ("linux", {"HOME": "/home/a"}, "/home/a/.cache"),
        ("linux", {"HOME": "/home/a", "XDG_CACHE_HOME": "/var/a"}, "/var/a"),
        ("linux", {"HOME": "/home/a", "XDG_CACHE_HOME": "not/absolute"}, "/home/a/.cache"),
        ("darwin", {"HOME": "/Users/a"}, "/Users/a/Library/Caches"),
        ("win32", {"USERPROFILE": "/c/a", "LOCALAPPDATA": "/c/a/Local"}, "/c/a/Local"),
        ("win32", {"USERPROFILE": "/c/a"}, "/c/a/AppData/Local"),
    ],
)
def test_the_users_cache_is_where_the_platform_has_it(platform, variables, cache):
    assert user_cache(variables, platform) == Path(cache)
    assert Path(cache) / "lpcfg" == next(private_roots(variables, platform))


def test_without_a_folder_kernels_work_and_a_warning_tells(tiny_package):
    write(tiny_package)
    code = (
        "import warnings\nfrom lpcfg_cli.arrays import kernel_options\nkernel_options.kernel_cache = lambda *_: None\n"
        "caught = warnings.catch_warnings(record=True)\nseen = caught.__enter__()\nwarnings.simplefilter('always')\n"
        "import lpcfg_cli.arrays.outer_kernels\nassert len(seen) == 1, seen\n"
        "assert 'NUMBA_CACHE_DIR' in str(seen[0].message)\n"
    )
    assert [call(tiny_package, before=code) for _ in range(2)] == [(21, False)] * 2
