"""What a command imports, and what it settles before."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from lpcfg_cli.execution import environment
from lpcfg_cli.execution.environment import prepare_environment

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


def test_the_users_own_choices_stand(monkeypatch):
    for name in environment.THREAD_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    prepare_environment()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "3"
    assert os.environ["OMP_NUM_THREADS"] == "1"
