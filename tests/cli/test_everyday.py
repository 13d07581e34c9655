"""``lpcfg doctor``, ``--quiet`` of all commands, and completion in shells."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import LPCFG, all_commands, fail, run_here, succeed

import lpcfg_cli
from lpcfg_cli.execution import diagnosis

TREE = "(S (A a))\n"


def test_the_doctor_tells_what_is_installed():
    found = json.loads(succeed("doctor", "--json").out)
    assert found["lpcfg"] == lpcfg_cli.__version__ and found["python"] == ".".join(map(str, sys.version_info[:3]))
    assert {"numpy", "scipy", "numba", "click"} <= set(found["packages"]) and "matplotlib" not in found["packages"]
    assert found["free_memory"] > 0 and found["cores"] >= 1 and os.path.isdir(found["kernel_cache"])
    text = succeed("doctor").out
    assert text.endswith("All is well.\n") and f"numpy {found['packages']['numpy']}" in text


def test_the_doctor_tells_what_is_wrong(monkeypatch):
    monkeypatch.setattr(diagnosis, "kernel_cache", lambda *_: None)
    monkeypatch.setattr(diagnosis, "LITTLE_MEMORY", 1 << 60)
    outcome = run_here("doctor")
    assert outcome.code == 1 and "set NUMBA_CACHE_DIR" in " ".join(outcome.out.split())
    assert "GB of memory are free" in outcome.out


def test_all_commands_have_quiet():
    for name, command in all_commands():
        options = [option for param in command.params for option in param.opts]
        assert options.count("-q") == options.count("--quiet") == 1, name


def test_quiet_leaves_results_and_errors(trained):
    loud, quiet = (succeed("convert", "-", *more, stdin=TREE) for more in ((), ("-q",)))
    assert loud.err and quiet.err == "" and loud.out == quiet.out == TREE
    assert succeed("convert", "-", stdin=TREE).err  # the next run is loud again
    parsed = succeed("parse", trained, "--quiet", stdin="The/DT keeper/NN slept/VBD ./.\n")
    assert parsed.err == "" and parsed.out.startswith("(TOP ")
    assert "no such file" in fail(3, "convert", "none.mrg", "-q")


COMPLETIONS = {
    "bash": ("COMP_WORDS", "lpcfg conv", 1, "plain,convert"),
    "zsh": ("COMP_WORDS", "lpcfg draw --wi", 2, "--width"),
}


@pytest.mark.parametrize("shell", COMPLETIONS)
def test_shells_complete_commands_and_options(shell):
    variable, line, word, expected = COMPLETIONS[shell]
    base = {**os.environ, "PYTHONPATH": str(Path(lpcfg_cli.__file__).parents[1])}

    def run(**more):
        return subprocess.run([LPCFG], env={**base, **more}, capture_output=True, text=True, check=False).stdout

    assert "_LPCFG_COMPLETE" in run(_LPCFG_COMPLETE=f"{shell}_source")
    assert expected in run(_LPCFG_COMPLETE=f"{shell}_complete", COMP_CWORD=str(word), **{variable: line})
