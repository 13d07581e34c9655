"""N14: each sentence through a pipe has its answer before the next one comes."""

from __future__ import annotations

import os
import select
import subprocess
from contextlib import contextmanager

import pytest
from command_line import LPCFG
from oracles import leaves, read_trees

PATIENCE = 120
"""Seconds that an answer may take; the first one may have to wait for kernels to be compiled."""


class Pipe:
    """A running ``lpcfg parse -`` whose input is still open."""

    def __init__(self, process):
        self.process = process

    def ask(self, text, lines=1):
        """Write text, and read so many lines of answer; fails if they do not come."""
        self.process.stdin.write(text.encode())
        found = b""
        while found.count(b"\n") < lines:
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
            assert ready, f"no answer to {text!r}, only {found!r}"
            block = os.read(self.process.stdout.fileno(), 1 << 16)
            assert block, f"{found!r}, then the end: {self.process.stderr.read().decode()}"
            found += block
        return found.decode()

    def rest(self):
        """Close the input; returns what still comes."""
        self.process.stdin.close()
        return self.process.stdout.read().decode()


@contextmanager
def parsing(model, *options):
    command = [LPCFG, "parse", model, "-", *options]
    streams = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
    with subprocess.Popen(list(map(str, command)), bufsize=0, **streams) as process:
        try:
            yield Pipe(process)
        finally:
            process.kill()


def words_of(text):
    return [[word for _, word in leaves(read_trees(line)[0])] for line in text.splitlines()]


FORMS = {
    "slash": "The/DT {}/NN slept/VBD ./.\n",
    "raw": "The {} slept .\n",
    "tab": "The\tDT\n{}\tNN\nslept\tVBD\n.\t.\n\n",
    "text": "The {} slept.\n",
    "trees": "(S (NP (DT The) (NN {}))\n   (VP (VBD slept))\n   (. .))\n",
}


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("form", FORMS)
def test_one_sentence_in_one_tree_out(trained, form, jobs):
    with parsing(trained, "-f", form, "-j", jobs) as pipe:
        for word in ("keeper", "lamp", "dog"):
            assert words_of(pipe.ask(FORMS[form].format(word))) == [["The", word, "slept", "."]]
        assert pipe.rest() == ""


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_comes_together_is_answered_together_and_in_order(trained, jobs):
    words = [f"w{k}" for k in range(100)]
    with parsing(trained, "-j", jobs) as pipe:
        text = "".join(FORMS["slash"].format(word) for word in words)
        assert [found[1] for found in words_of(pipe.ask(text, 100))] == words
        assert words_of(pipe.ask(FORMS["slash"].format("more")))[0][1] == "more"


@pytest.mark.parametrize(
    ("form", "whole", "half", "answer"),
    [
        ("tab", FORMS["tab"].format("dog"), "The\tDT\n", ["The", "dog", "slept", "."]),
        ("slash", FORMS["slash"].format("dog"), "The/DT", ["The", "dog", "slept", "."]),
        ("trees", "(S (NN a))\n", "(S (NN", ["a"]),
        ("text", "Dogs slept. The\n", "keeper", ["Dogs", "slept", "."]),
    ],
)
def test_half_a_sentence_does_not_keep_back_the_one_before_it(trained, form, whole, half, answer):
    with parsing(trained, "-f", form) as pipe:
        assert words_of(pipe.ask(whole + half)) == [answer]


def test_a_line_of_text_that_may_go_on_waits_for_the_next(trained):
    with parsing(trained, "--text") as pipe:
        out = pipe.ask("The keeper slept. The keeper lit\n")
        out += pipe.ask("the lamp.\n")
        assert words_of(out) == [["The", "keeper", "slept", "."], ["The", "keeper", "lit", "the", "lamp", "."]]


def test_an_error_comes_while_the_input_is_open(trained):
    with parsing(trained) as pipe:
        pipe.ask(FORMS["slash"].format("dog") + "no tag\n")
        assert pipe.process.wait(PATIENCE) == 3
        assert "<stdin>:2:1: 'no' has no tag" in pipe.process.stderr.read().decode()


def test_a_program_that_has_ended_leaves_no_crash(trained):
    # the reader of the answers goes away while more input is waited for
    with parsing(trained) as pipe:
        pipe.ask(FORMS["slash"].format("dog"))
        pipe.process.stdout.close()
        pipe.process.stdin.write(FORMS["slash"].format("dog").encode() * 2)
        assert pipe.process.wait(PATIENCE) == 141
        assert pipe.process.stderr.read() == b""


def test_pipes_and_files_give_the_same_trees(trained, tmp_path):
    for form, text in FORMS.items():
        (tmp_path / "in").write_text("".join(text.format(f"w{k}") for k in range(40)))
        outs = []
        for name in (tmp_path / "in", "-"):
            with open(tmp_path / "in", "rb") as file:
                done = subprocess.run(
                    [LPCFG, "parse", trained, name, "-f", form], input=file.read(), capture_output=True, check=True
                )
            outs.append(done.stdout)
        assert outs[0] == outs[1]
        assert outs[0].count(b"\n") == 40


def test_the_cases_own_probe_is_answered(case, trained, tmp_path):
    probe = case("N14", "probe.py")
    path = f"{LPCFG.parent}:{os.environ['PATH']}"
    done = subprocess.run(
        [LPCFG.with_name("python"), probe, trained, "-"], env={**os.environ, "PATH": path}, capture_output=True,
        text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert "NO ANSWER" not in done.stdout
    assert done.stdout.count("(TOP") >= 2
