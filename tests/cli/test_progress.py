"""Progress bars, only at a terminal, and times on stderr."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import termios

from command_line import LPCFG, run_installed, succeed

from lpcfg_cli.execution.progress import no_progress


def run_at_terminal(*arguments, size=(24, 80)):
    """Run the installed command with a terminal as stderr; returns the output to the terminal."""
    outer, inner = pty.openpty()
    termios.tcsetwinsize(inner, size)
    with subprocess.Popen([LPCFG, *map(str, arguments)], stdout=subprocess.PIPE, stderr=inner, stdin=inner) as running:
        os.close(inner)
        received = b""
        while block := read_some(outer):
            received += block
        running.stdout.read()
    os.close(outer)
    assert running.returncode == 0, received
    return received.decode()


def read_some(descriptor):
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:  # what Linux says when the other side has closed
        return b""


def test_every_stage_has_a_bar_at_a_terminal(tiny_treebank, small_settings, tmp_path):
    shown = run_at_terminal("train", tiny_treebank, "-o", tmp_path / "run", "-c", small_settings)
    for stage, unit in (("read", "file"), ("features", "template"), ("svd", "symbol"), ("estimate", "rule")):
        assert re.search(rf"{stage}:.*\d+/\d+ \[.*{unit}", shown), stage


def test_parsing_and_workers_have_a_bar_at_a_terminal(trained, tmp_path):
    (tmp_path / "text").write_text("the/DT dog/NN barks/VBZ\n" * 3)
    assert re.search(r"parse: .*sentence", run_at_terminal("parse", trained, tmp_path / "text", "-j", 2))


def test_the_bar_of_a_file_knows_its_end_and_the_time_left(trained, tmp_path):
    (tmp_path / "text").write_text("the/DT dog/NN barks/VBZ\n" * 300)
    shown = run_at_terminal("parse", trained, tmp_path / "text")
    assert re.search(r"parse: +\d+%.* \d+/300 \[\d+:\d+<\d+:\d+, .*sentence", shown), shown


def test_a_terminal_that_does_not_know_its_size_has_bars(trained, tmp_path):
    (tmp_path / "text").write_text("the/DT dog/NN barks/VBZ\n")
    assert re.search(r"parse: .*sentence", run_at_terminal("parse", trained, tmp_path / "text", size=(0, 0)))


def test_no_bars_in_a_pipe(tiny_treebank, small_settings, tmp_path):
    done = succeed("train", tiny_treebank, "-o", tmp_path / "run", "-c", small_settings, run=run_installed)
    assert "\r" not in done.err
    assert "it/s" not in done.err


def test_training_ends_with_a_table(tiny_treebank, small_settings, tmp_path):
    command = ("train", tiny_treebank, "-o", tmp_path / "run", "-c", small_settings)
    first = succeed(*command).err
    assert re.search(r"^stage +time +peak memory so far +file +size$", first, re.MULTILINE)
    for stage, file in (("binarize", "trees.bin.mrg"), ("svd", "projections.npz"), ("estimate", "model.lpcfg.npz")):
        assert re.search(rf"^{stage} +[\d.]+ s +[\d,]+ MB +{file} +[\d.]+ MB$", first, re.MULTILINE), stage
    again = succeed(*command).err
    assert re.search(r"^estimate +- ", again, re.MULTILINE)


def test_verbose_training_tells_times(tiny_treebank, small_settings, tmp_path):
    told = succeed("train", tiny_treebank, "-o", tmp_path / "run", "-c", small_settings, "-v").err
    assert len(re.findall(r"^\w+: [\d.]+ s, CPU [\d.]+ s$", told, re.MULTILINE)) == 5


def test_verbose_stages_tell_times(tiny_treebank, small_settings, tmp_path):
    for stage, *arguments in (("binarize", tiny_treebank), ("features",), ("svd",), ("tagger",), ("estimate",)):
        told = succeed(stage, *arguments, tmp_path, "-c", small_settings, "-v").err
        assert re.search(rf"^{stage}: [\d.]+ s, CPU [\d.]+ s$", told, re.MULTILINE)


def test_verbose_parsing_tells_times(trained, tmp_path):
    (tmp_path / "text").write_text("the/DT dog/NN barks/VBZ\n")
    told = succeed("parse", trained, tmp_path / "text", "-v").err
    for step in ("model", "parse"):
        assert re.search(rf"^{step}: [\d.]+ s, CPU [\d.]+ s$", told, re.MULTILINE)


def test_no_progress_gives_the_items_back():
    items = [1, 2]
    assert no_progress(items, "count") is items
