"""``lpcfg help``, and that what its pages and the README say is so."""

from __future__ import annotations

import doctest
import os
import pty
import re
import shlex
import subprocess
import sys
import time
from importlib import resources
from pathlib import Path

import click
import pytest
from command_line import LPCFG, all_commands, fail, succeed

from lpcfg_cli.cli.main import COMMANDS, TOPICS, cli

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = resources.files("lpcfg_cli.cli") / "pages"
README = REPOSITORY / "README.md"
TEXTS = {topic: (PAGES / f"{topic}.txt").read_text("utf-8") for topic in TOPICS} | {"README": README.read_text("utf-8")}
WIDTH = 80

SHELL_LINE = re.compile(r"^ *\$ (?:.*\\\n)*.*", re.MULTILINE)
INLINE = re.compile(r"(?<!`)`(lpcfg [^`]*)`(?!`)")
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+")
NAMED_FILE = re.compile(r"(?<![\w/])(?:lpcfg_cli|configs|scripts|tests)/[\w./*-]*[\w/*]")
NEW_FILE = re.compile(r"^ *# (lpcfg_cli/\S+)", re.MULTILINE)
"""A block of code that begins so shows a file that the reader makes or changes."""

OTHERS_FLAGS = {"--scheduler-file", "--nworkers", "--nthreads"}
"""Of dask."""


def shell_commands(text):
    """The words of each ``lpcfg`` command that stands behind a dollar sign."""
    for line in SHELL_LINE.findall(text):
        for part in re.split(r"\||&&|>", line.strip().removeprefix("$").replace("\\\n", " ")):
            if part.split()[:1] == ["lpcfg"]:
                yield shlex.split(part)[1:]


def named_commands(text):
    """The words of each ``lpcfg`` command between backquotes, perhaps without its arguments."""
    return (shlex.split(" ".join(found.split()))[1:] for found in INLINE.findall(text))


def command_of(words):
    """The command that is named, and a context for it."""
    parent = click.Context(cli, info_name="lpcfg")
    found = cli.get_command(parent, words[0])
    assert found is not None, words
    return found, parent


def test_every_topic_has_a_page_and_every_page_a_topic():
    assert {Path(str(page)).name for page in PAGES.iterdir()} == {f"{topic}.txt" for topic in TOPICS}


@pytest.mark.parametrize("topic", TOPICS)
def test_pages_fit_into_a_terminal(topic):
    assert [line for line in TEXTS[topic].splitlines() if len(line) > WIDTH or line != line.rstrip()] == []
    assert TEXTS[topic].endswith("\n") and "\t" not in TEXTS[topic]


@pytest.mark.parametrize("name", TEXTS)
def test_commands_that_are_shown_can_be_given(name):
    for words in shell_commands(TEXTS[name]):
        found, parent = command_of(words)
        if "--help" not in words:
            found.make_context(words[0], words[1:], parent=parent)


@pytest.mark.parametrize("name", TEXTS)
def test_commands_that_are_named_exist_with_their_flags(name):
    for words in named_commands(TEXTS[name]):
        if words[0] in ("TOPIC", "COMMAND") or words[0].startswith("-"):
            continue
        if words[0] == "help":
            assert words[1] in {"TOPIC", "COMMAND", *TOPICS, *COMMANDS}, words
            continue
        found, parent = command_of(words)
        found.make_parser(click.Context(found, parent=parent)).parse_args(words[1:])


@pytest.mark.parametrize("name", TEXTS)
def test_flags_that_are_named_exist(name):
    known = {
        flag
        for _, command in all_commands()
        for option in command.params
        for flag in (*option.opts, *option.secondary_opts)
    }
    assert set(FLAG.findall(TEXTS[name])) <= known | OTHERS_FLAGS | {"--help", "--version"}


@pytest.mark.parametrize("name", TEXTS)
def test_files_that_are_named_exist(name):
    new = set(NEW_FILE.findall(TEXTS[name]))
    named = {path.rstrip("/") for path in NAMED_FILE.findall(TEXTS[name])} - new
    assert [path for path in named if not list(REPOSITORY.glob(path))] == []


def test_topics_are_listed():
    listed = succeed("help").out
    assert all(f"  {topic} " in listed and line in listed for topic, line in TOPICS.items())
    told = succeed("--help").out
    assert all(line in told for line in TOPICS.values())


@pytest.mark.parametrize("topic", TOPICS)
def test_a_page_is_printed_as_it_is_when_nobody_looks(topic):
    assert succeed("help", topic).out.rstrip("\n") == TEXTS[topic].rstrip("\n")


def test_a_page_goes_through_the_pager_in_a_terminal(tmp_path):
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho paged\ncat >/dev/null\n")
    pager.chmod(0o755)
    screen, terminal = pty.openpty()
    done = subprocess.run(
        [LPCFG, "help", "theory"], stdin=terminal, stdout=terminal, env={**os.environ, "PAGER": str(pager)}, check=False
    )
    os.close(terminal)
    assert (done.returncode, os.read(screen, 1000).strip()) == (0, b"paged")
    os.close(screen)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_is_its_help(name):
    assert succeed("help", name).out == succeed(name, "--help").out


@pytest.mark.parametrize(
    ("wrong", "right"), [("formts", "formats"), ("trian", "train"), ("scorings", "scoring"), ("xyz", None)]
)
def test_an_unknown_topic_suggests_the_nearest(wrong, right):
    message = fail(2, "help", wrong)
    assert f"No such topic or command '{wrong}'." in message and TOPICS["formats"] in message
    assert (f"Did you mean {right}?" in message) == (right is not None)
    assert ("Did you mean" in message) == (right is not None)


def test_an_unknown_command_suggests_the_nearest():
    assert fail(2, "trian").endswith("Error: No such command 'trian'. Did you mean train?\n")
    assert fail(2, "formats").endswith("Error: No such command 'formats'. It is a topic: lpcfg help formats\n")
    assert fail(2, "xyz").endswith("Error: No such command 'xyz'.\n")
    assert "No such option" in fail(2, "--trian")


def test_help_is_there_at_once():
    best = min(_seconds(LPCFG, "--help") for _ in range(5))
    bare = min(_seconds(sys.executable, "-c", "import click") for _ in range(5))
    assert best < max(0.1, 3 * bare), "it imports what it does not need"


def _seconds(*command):
    began = time.perf_counter()
    subprocess.run(command, capture_output=True, check=True)
    return time.perf_counter() - began


def test_the_page_on_python_holds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = doctest.testfile(
        str(PAGES / "api.txt"), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE, encoding="utf-8"
    )
    assert found.attempted > 20 and found.failed == 0
