"""The imports of a command, and the environment that it sets before."""

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


SELDOM_NEEDED = {
    "scipy.linalg", "scipy.sparse", "sklearn", "nltk", "joblib", "distributed", "tqdm", "matplotlib", "filelock",
    "psutil",
}  # fmt: skip
"""Modules that take long to import."""


def modules_after(*arguments):
    """Modules imported once a command has run."""
    done = subprocess.run([sys.executable, "-c", IMPORTED, *map(str, arguments)], capture_output=True, check=True)
    return set(json.loads(done.stderr.decode().splitlines()[-1]))


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], []])
def test_help_imports_nothing_slow(arguments):
    slow = {
        "numpy",
        "scipy",
        "numba",
        "nltk",
        "tqdm",
        "joblib",
        "distributed",
        "multiprocessing",
        "tomllib",
        "filelock",
        "psutil",
    }
    if not arguments:
        arguments = ["-h"]
    assert not modules_after(*arguments) & slow


@pytest.mark.parametrize(
    "command, needed", [(["parse"], set()), (["surprisal", "--signed", "-f", "slash"], {"scipy.linalg"})]
)
def test_parsing_does_without_what_only_training_needs(command, needed, trained, tmp_path):
    sentence = tmp_path / "one"
    sentence.write_text("the/DT dog/NN barks/VBZ\n")
    imported = modules_after(*command, trained, sentence)
    assert "numba" in imported
    assert imported & SELDOM_NEEDED == needed


def test_scoring_does_without_what_takes_longer_to_import_than_to_score(tmp_path):
    trees = tmp_path / "trees"
    trees.write_text("(S (DT the) (NN dog) (VBZ barks))\n")
    imported = modules_after("eval", trees, trees)
    assert "numba" in imported
    assert not imported & {*SELDOM_NEEDED, "ssl"}


ELSEWHERE = """
import sys
sys.modules["fcntl"] = sys.modules["resource"] = None
from lpcfg_cli.cli.main import main
for arguments in sys.argv[1:]:
    sys.argv = ["lpcfg", *arguments.split("|")]
    try:
        main()
    except SystemExit as end:
        assert not end.code, end.code
"""


def test_the_chain_runs_where_unix_modules_are_missing(tiny_treebank, small_settings, trained, tmp_path):
    run, parsed = tmp_path / "run", tmp_path / "parsed.mrg"
    commands = [
        ("train", tiny_treebank, "-o", run, "-c", small_settings),
        ("parse", run, tiny_treebank, "-f", "trees", "-o", parsed, "--jobs", 2),
        ("eval", tiny_treebank, parsed),
    ]
    arguments = ["|".join(map(str, command)) for command in commands]
    done = subprocess.run([sys.executable, "-c", ELSEWHERE, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Bracketing FMeasure" in done.stdout
    assert (run / "model.lpcfg.npz").read_bytes() == (trained / "model.lpcfg.npz").read_bytes()
    assert not list(run.glob(".*"))


def test_the_users_own_choices_stand(monkeypatch):
    for name in environment.THREAD_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    prepare_environment()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "3"
    assert os.environ["OMP_NUM_THREADS"] == "1"
