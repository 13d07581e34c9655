"""Input of ``lpcfg parse``: every sentence gets a line, and everything unusual is reported."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import time

import pytest
from command_line import LPCFG, fail, run_here, run_installed, succeed
from oracles import leaves, read_trees

GOOD = "The/DT keeper/NN slept/VBD ./."
TREE = "(TOP (S (NP (DT The) (NN keeper)) (VP (VBD slept)) (. .)))"
BAD = [
    (GOOD.replace("keeper/NN", "keeper"), "2:8: 'keeper' has no tag; expected word/TAG."),
    ("the/ lamp/NN", "2:1: 'the/' has no tag"),
    ("/ lamp/NN", "2:1: '/' has no tag"),
    ("a/NN /NN", "2:6: '/NN' has no word"),
    ("a/NN b\0c/NN", "2:7: a NUL character; expected text."),
]


@pytest.mark.parametrize(("line", "message"), BAD)
def test_a_line_that_cannot_be_read_stops_after_the_lines_before_it(trained, line, message):
    outcome = run_here("parse", trained, stdin=f"{GOOD}\n{line}\n{GOOD}\n")
    assert (outcome.code, outcome.out) == (3, f"{TREE}\n")
    assert f"lpcfg: <stdin>:{message}" in outcome.err
    assert "parsed 1 sentence before this error" in outcome.err


@pytest.mark.parametrize(("line", "message"), BAD)
def test_a_line_that_cannot_be_read_is_marked_and_told_when_skipping(trained, line, message):
    outcome = succeed("parse", trained, "--on-error", "skip", stdin=f"{GOOD}\n{line}\n{GOOD}\n")
    assert outcome.out == f"{TREE}\n(())\n{TREE}\n"
    assert f"<stdin>:{message}" in outcome.err
    assert "This sentence is left unparsed." in outcome.err
    assert "(1 not readable)" in outcome.err


def test_a_sentence_of_columns_with_a_bad_line_fails_as_a_whole(trained):
    text = "Hush\tUH\n\nthe lamp\nburned\tVBD\n\n\nHush\tUH\n"
    outcome = succeed("parse", trained, "-f", "tab", "--on-error", "skip", stdin=text)
    assert [bool(tree) for line in outcome.out.splitlines() for tree in read_trees(line)] == [True, False, True]
    assert "<stdin>:3:1: 'the lamp'" in outcome.err


def test_trees_that_cannot_be_read_are_told(trained):
    text = "(TOP (UH Hush))\n(TOP (UH Hush hush))\n# remark\n(TOP (UH Hush))\n"
    assert "<stdin>:2:15: a second word" in fail(3, "parse", trained, "-f", "trees", stdin=text)
    outcome = succeed("parse", trained, "-f", "trees", "--on-error", "skip", stdin=text)
    assert outcome.out.count("\n") == 2
    assert "<stdin>:3: 1 line of remarks" in outcome.err
    assert "<stdin>:2:1: skipped '(TOP (UH Hush hush))" in outcome.err


def test_a_tag_never_seen_is_told_once(trained):
    outcome = succeed("parse", trained, stdin=f"{GOOD}\na/QQ b/QQ\nc/QQ d/ZZ\n")
    notes = [line for line in outcome.err.splitlines() if "never occurred" in line]
    assert notes == [
        "<stdin>:2: tag 'QQ' of 'a' never occurred in training, so any tag is tried.",
        "<stdin>:3: tag 'ZZ' of 'd' never occurred in training, so any tag is tried.",
    ]
    assert [leaves(read_trees(line)[0]) for line in outcome.out.splitlines()][1:] == [
        [("QQ", "a"), ("QQ", "b")], [("QQ", "c"), ("ZZ", "d")],
    ]  # fmt: skip


def test_many_tags_never_seen_are_not_told_without_end(trained):
    outcome = succeed("parse", trained, stdin=" ".join(f"a/Q{k}" for k in range(30)))
    assert outcome.err.count("never occurred") == 21


def test_a_sentence_above_the_limit_gets_a_flat_tree(trained):
    outcome = succeed("parse", trained, "--max-length", 4, stdin=f"{GOOD}\nin/IN the/DT b)/NN a\\/NN lamp/NN\n")
    assert outcome.out == f"{TREE}\n(TOP (IN in) (DT the) (NN b-RRB-) (NN a\\ ) (NN lamp))\n"
    assert "<stdin>:2: 5 words are more than --max-length 4: the tree is flat." in outcome.err
    assert "1 too long, flat" in outcome.err


def test_a_line_of_a_hundred_thousand_words_does_not_stop_the_run(trained):
    outcome = succeed("parse", trained, stdin="a/NN " * 100_000 + f"\n{GOOD}")
    first, second = outcome.out.splitlines()
    assert (first.count("(NN a)"), second) == (100_000, TREE)


@pytest.mark.parametrize("text", [GOOD, GOOD + "\n", GOOD + "\r\n", f"  {GOOD} \t\r\n", "\ufeff" + GOOD])
def test_line_ends_and_blanks_make_no_difference(trained, text):
    assert succeed("parse", trained, stdin=text).out == f"{TREE}\n"


def test_packed_and_other_encodings_are_read(trained, tmp_path):
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(f"{GOOD}\n".encode()))
    assert succeed("parse", trained, tmp_path / "a.txt.gz").out == f"{TREE}\n"
    for encoding in ("latin-1", "utf-16"):
        (tmp_path / "a.txt").write_text("caf\u00e9/NN\n", encoding)
        assert "(NN caf\u00e9)" in succeed("parse", trained, tmp_path / "a.txt", "--encoding", encoding).out
    outcome = run_here("parse", trained, stdin=f"{GOOD}\n".encode() + b"caf\xe9/NN\n")
    assert (outcome.code, outcome.out) == (3, f"{TREE}\n")
    assert "<stdin>:2: byte 0xe9 at offset 34 is not utf-8. Name the file's encoding" in outcome.err
    assert "not a known encoding" in fail(2, "parse", trained, "--encoding", "klingon", stdin="")


def test_the_summary_counts_every_sentence(trained, tmp_path):
    text = f"{GOOD}\n\nbad\n{GOOD} a/NN\n"
    options = ("--on-error", "skip", "--max-length", 4, "-o", tmp_path / "out", "--json")
    report = json.loads(succeed("parse", trained, *options, stdin=text).out)
    assert report["sentences"] == 4
    assert report["statuses"] == {"parsed": 1, "empty": 1, "failed": 1, "flat": 1}


def test_lines_come_while_the_input_is_still_open(trained):
    command = [LPCFG, "parse", trained]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        process.stdin.write(f"{GOOD}\n".encode() * 40)
        process.stdin.flush()
        assert process.stdout.readline().decode() == f"{TREE}\n"
        process.kill()


@pytest.mark.parametrize(("number", "word"), [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")])
def test_an_interrupt_leaves_the_finished_lines_whole_under_another_name(trained, tmp_path, number, word):
    source, out, part = tmp_path / "a.txt", tmp_path / "out.mrg", tmp_path / "out.mrg.partial"
    source.write_text(f"{GOOD}\n" * 200_000)
    command = [LPCFG, "parse", trained, source, "-o", out]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (part.exists() and part.stat().st_size):
            time.sleep(0.01)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert err.decode().splitlines() == [
        f"lpcfg: {out}: not complete, so not written; the finished lines are in {part}", f"lpcfg: {word}",
    ]  # fmt: skip
    assert not out.exists()
    lines = part.read_text().split("\n")
    assert lines.pop() == ""
    assert 0 < len(lines) < 200_000
    assert set(lines) == {TREE}


def test_a_full_disk_ends_with_a_message(trained):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [LPCFG, "parse", trained], input=GOOD.encode(), stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 74
    assert done.stderr.decode() == "lpcfg: standard output: No space left on device\n"


def test_a_closed_pipe_ends_quietly(trained, tmp_path):
    (tmp_path / "a.txt").write_text(f"{GOOD}\n" * 5_000)
    read_end, write_end = os.pipe()
    with subprocess.Popen(
        [LPCFG, "parse", trained, tmp_path / "a.txt"], stdout=write_end, stderr=subprocess.PIPE
    ) as run:
        os.close(write_end)
        assert os.read(read_end, 10)
        os.close(read_end)
        _, err = run.communicate(timeout=60)
    assert (run.returncode, err) == (141, b"")


def test_help_tells_what_input_is_expected():
    text = " ".join(run_installed("parse", "--help").out.split())
    for phrase in (
        "words without tags, one sentence on each line",
        "running text",
        "word/TAG",
        "--max-length",
        "under TOP",
    ):
        assert phrase in text
