"""What a command imports, and what it settles before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from lpcfg_cli.execution import environment
from lpcfg_cli.execution.environment import compile_cache, prepare_environment, user_cache

IMPORTED = """
import json, sys
sys.argv = ["lpcfg", *sys.argv[1:]]
from lpcfg_cli.cli.main import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def modules_after(*arguments):
    """Modules imported once a command has run."""
    done = subprocess.run([sys.executable, "-c", IMPORTED, *map(str, arguments)], capture_output=True, check=True)
    return set(json.loads(done.stderr.decode().splitlines()[-1]))


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], []])
def test_help_imports_nothing_slow(arguments):
    slow = {"numpy", "scipy", "numba", "nltk", "tqdm", "joblib", "distributed", "multiprocessing", "tomllib"}
    if not arguments:
        arguments = ["-h"]
    assert not modules_after(*arguments) & slow


def test_parsing_does_without_what_only_training_needs(trained, tmp_path):
    sentence = tmp_path / "one"
    sentence.write_text("the/DT dog/NN barks/VBZ\n")
    imported = modules_after("parse", trained, sentence)
    assert "numba" in imported
    # numba imports scipy.linalg by itself
    assert not imported & {"scipy.sparse", "nltk", "joblib", "distributed", "tqdm", "matplotlib"}


def test_compiled_code_stays_beside_a_writable_package(tmp_path):
    assert compile_cache(tmp_path, {}, "linux") is None


@pytest.fixture
def read_only(monkeypatch, tmp_path):
    """A package in a folder that cannot be written; permission bits do not bind root, so writability is feigned."""
    package = tmp_path / "read" / "only" / "lpcfg_cli"
    package.mkdir(parents=True)
    monkeypatch.setattr(environment, "is_writable", lambda folder: "read" not in folder.parts)
    return package


def test_compiled_code_goes_to_the_users_cache_otherwise(read_only, tmp_path):
    found = compile_cache(read_only, {"HOME": str(tmp_path)}, "linux")
    assert found == tmp_path / ".cache" / "lpcfg" / "numba"


def test_compiled_code_goes_to_a_temporary_folder_when_the_user_has_none(read_only):
    found = compile_cache(read_only, {"XDG_CACHE_HOME": str(read_only)}, "linux")
    assert found is not None
    assert str(found).startswith(tempfile.gettempdir())


@pytest.mark.parametrize(
    ("platform", "variables", "cache"),
    [
        ("linux", {"HOME": "/home/a"}, "/home/a/.cache"),
        ("linux", {"HOME": "/home/a", "XDG_CACHE_HOME": "/var/a"}, "/var/a"),
        ("linux", {"HOME": "/home/a", "XDG_CACHE_HOME": "not/absolute"}, "/home/a/.cache"),
        ("darwin", {"HOME": "/Users/a"}, "/Users/a/Library/Caches"),
        ("win32", {"USERPROFILE": "/c/a", "LOCALAPPDATA": "/c/a/Local"}, "/c/a/Local"),
    ],
)
def test_the_users_cache_is_where_the_platform_has_it(platform, variables, cache):
    assert user_cache(variables, platform) == Path(cache)


def test_the_users_own_choices_stand(monkeypatch, read_only):
    monkeypatch.setattr(environment, "PACKAGE", read_only)
    for name in environment.THREAD_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/elsewhere")
    prepare_environment()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "3"
    assert os.environ["OMP_NUM_THREADS"] == "1"
    assert os.environ["NUMBA_CACHE_DIR"] == "/elsewhere"


def test_a_read_only_package_gets_a_cache(monkeypatch, read_only, tmp_path):
    monkeypatch.setattr(environment, "PACKAGE", read_only)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    prepare_environment()
    assert os.environ["NUMBA_CACHE_DIR"] == str(tmp_path / ".cache" / "lpcfg" / "numba")
