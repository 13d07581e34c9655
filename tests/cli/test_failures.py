"""What nobody foresaw is one line with a status of its own; closed streams give no traceback."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from command_line import LPCFG, fail, run_here, run_installed, succeed

from lpcfg_cli.arrays import compiling
from lpcfg_cli.parsing import corpora, parser
from lpcfg_cli.treebank import files

TEXT = "The/DT keeper/NN slept/VBD ./.\n"
TREE = "(TOP (S (NP (DT The) (NN keeper)) (VP (VBD slept)) (. .)))\n"


def shell(script, folder, *arguments):
    path = f"{LPCFG.parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script, "bash", *arguments], cwd=folder, env={**os.environ, "PATH": path},
        capture_output=True, check=False,
    )  # fmt: skip
    assert b"Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr.decode()


def broken(error):
    def function(*arguments, **options):
        raise error

    return function


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("bad\nvalue"), "error while parsing <stdin>:2: ValueError: bad value. This is a fault of lpcfg"),
        (RecursionError("deep"), "error while parsing <stdin>:2: RecursionError: deep. This is"),
        (KeyError("x"), "error while parsing <stdin>:2: KeyError: 'x'. This is"),
    ],
)
def test_an_error_in_a_sentence_names_it_and_the_file_of_the_traceback(trained, monkeypatch, error, said):
    real = parser.Parser._parsing

    def parsing(self, sentence, *options):
        return real(self, sentence, *options) if len(sentence) == 4 else broken(error)()

    monkeypatch.setattr(corpora.Parser, "_parsing", parsing)
    outcome = run_here("parse", trained, stdin=f"{TEXT}a/NN\n")
    assert outcome.code == 70
    (line,) = outcome.err.splitlines()
    assert line.startswith(f"lpcfg: {said}")
    path = Path(re.search(r"The traceback is in (\S+)$", line)[1])
    text = path.read_text()
    path.unlink()
    assert text.startswith(f"lpcfg parse {trained}\nTraceback")
    assert f"\n{type(error).__name__}: " in text


def test_an_error_in_a_tree_file_names_it(monkeypatch, tmp_path):
    (tmp_path / "a.mrg").write_text(TREE)
    monkeypatch.setattr(files, "read_usable_trees", broken(TypeError("odd")))
    message = fail(70, "binarize", tmp_path / "a.mrg", tmp_path / "run")
    assert f"error while reading {tmp_path / 'a.mrg'}: TypeError: odd." in message
    Path(message.split()[-1]).unlink()


def test_no_memory_says_what_helps(monkeypatch, tmp_path):
    (tmp_path / "a.mrg").write_text(TREE)
    monkeypatch.setattr(files, "read_usable_trees", broken(MemoryError("Unable to allocate 9 TiB")))
    message = fail(70, "binarize", tmp_path / "a.mrg", tmp_path / "run")
    assert "memory ran out while reading" in message
    assert "Unable to allocate 9 TiB. Use fewer --jobs, fewer states or shorter sentences. The traceback" in message
    Path(message.split()[-1]).unlink()


def test_an_error_elsewhere_names_the_command(monkeypatch, tmp_path):
    from lpcfg_cli.cli import check_command

    monkeypatch.setattr(check_command, "run_check", broken(ZeroDivisionError()))
    message = fail(70, "check", "a.mrg", "--places", 3)
    assert "error while running `lpcfg check a.mrg --places 3`: ZeroDivisionError. This is a fault" in message
    Path(message.split()[-1]).unlink()


@pytest.mark.parametrize("command", ["parse $0 -", "check -", "eval - a.mrg", "train - -o run", "binarize - run"])
def test_closed_standard_input_cannot_be_read(trained, tmp_path, command):
    (tmp_path / "a.mrg").write_text(TREE)
    code, out, err = shell(f"lpcfg {command.replace('$0', '$1')} <&-", tmp_path, trained)
    assert (code in (3, 74), out) == (True, b"")
    assert "Bad file descriptor" in err.splitlines()[-1]
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "command", ["parse $0 a.txt", "check a.mrg", "eval a.mrg a.mrg", "synth -n 1", "help", "--help"]
)
def test_results_are_not_lost_in_a_closed_standard_output(trained, tmp_path, command):
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "a.mrg").write_text(TREE)
    code, _, err = shell(f"lpcfg {command.replace('$0', '$1')} >&-", tmp_path, trained)
    assert code == 74
    assert err.splitlines()[-1] == "lpcfg: standard output: Bad file descriptor"


def test_closed_streams_that_are_not_needed_do_no_harm(trained, tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    code, *_ = shell('lpcfg parse "$1" a.txt -o out >&- 2>&- <&-', tmp_path, trained)
    assert code == 0
    assert (tmp_path / "out").read_text() == TREE


NAME = b"caf\xe9.mrg"


@pytest.mark.parametrize("locale", [{}, {"LC_ALL": "C", "PYTHONUTF8": "0"}])
def test_names_that_are_not_utf_8_are_read_and_written(tmp_path, locale):
    folder = os.path.join(os.fsencode(tmp_path), b"b\xe4ume")
    os.mkdir(folder)
    with open(os.path.join(folder, NAME), "w") as file:
        file.write(TREE * 4)
    script = (
        "set -e; lpcfg check b*; lpcfg train b* -o run -m 2; lpcfg parse run -f trees b*/*.mrg -o $'o\\xe9'; "
        "lpcfg eval b*/*.mrg $'o\\xe9' --html $'h\\xe9'; lpcfg check --json b*"
    )
    path = f"{LPCFG.parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, **locale}
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr
    assert {b"o\xe9", b"h\xe9"} <= set(os.listdir(os.fsencode(tmp_path)))
    assert b"b\\udce4ume/caf\\udce9.mrg:1" in done.stdout


def test_standard_input_is_a_treebank(tmp_path):
    text = TREE * 4
    assert "1 file, 4 trees" in succeed("check", "-", stdin=text).out
    succeed("train", "-", "-o", tmp_path / "run", "-m", 2, stdin=text)
    again = succeed("train", "-", "-o", tmp_path / "run", "-m", 2, stdin=text)
    assert "binarize: unchanged, skipped" in again.err
    assert "binarize: 1 file, 8 trees" in succeed("train", "-", "-o", tmp_path / "run", "-m", 2, stdin=text * 2).err


def test_junk_around_a_model_is_refused(trained, tmp_path):
    model = (trained / "model.lpcfg.npz").read_bytes()
    for data in (model + b"junk", model + b"\0" * 100, b"junk" + model, model + model):
        (tmp_path / "m.npz").write_bytes(data)
        message = fail(4, "parse", tmp_path / "m.npz", stdin="")
        assert "m.npz: " in message
        assert "Run `lpcfg train` again." in message


def test_samples_for_a_reader_that_has_enough_end_quietly(tmp_path):
    code, out, err = shell("set -o pipefail; lpcfg synth -n 20000 | head -n 1", tmp_path)
    assert (code, out.count(b"\n"), err) == (141, 1, "")


def test_compiling_is_told_once_and_only_if_there_is_some(tmp_path):
    (tmp_path / "a.mrg").write_text(TREE)
    cold = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    first, second = (run_installed("check", tmp_path / "a.mrg", **cold) for _ in range(2))
    assert first.err.count(compiling.BEGIN) == 1
    assert re.search(r"^of the time, compiling took \d+ s; later runs do without$", first.err, re.MULTILINE)
    assert second.err == ""
    assert first.out == second.out


def test_files_nested_without_end_are_no_fault_of_ours(trained, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(trained, run)
    deep = "[" * 100_000
    (tmp_path / "deep.toml").write_text(f"x = {deep}")
    assert "deep.toml: not a TOML file: " in fail(2, "train", "x", "-o", run, "-c", tmp_path / "deep.toml")
    (run / "log.json").write_text(deep)
    succeed("svd", run)
    (run / "symbols.json").write_text('{"header": ' + deep)
    assert "symbols.json: damaged or cut off." in fail(4, "features", run)
    (tmp_path / "deep.mrg").write_text("(S " * 20_000 + "(NN a)" + ")" * 20_000)
    assert "1 tree, 1 word" in succeed("check", tmp_path / "deep.mrg").out
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a").write_text(TEXT)
    for _ in range(2):
        succeed("parse", trained, tmp_path / "texts", "-o", tmp_path / "out")
        (tmp_path / "out" / "a.mrg.json").write_text(deep)


def test_suggestions_for_misspelt_names(trained):
    assert "Did you mean train?" in fail(2, "trian")
    assert "--nbest" in fail(2, "parse", "--nbst", 3, trained)
    assert "Did you mean large?" in fail(3, "train", "x", "-o", "y", "-c", "larg")
    assert "Did you mean scoring?" in fail(2, "help", "scorin")
    assert "Did you mean expected-f1?" in fail(2, "parse", trained, "--decoder", "expectd", stdin="")


def test_more_processes_than_make_sense_are_not_started(trained, tmp_path):
    outcome = succeed("parse", trained, "-j", 100_000, stdin=TEXT)
    assert outcome.out == TREE
    assert re.search(r"^--jobs 100,000: \d+ processes are started, since this machine has", outcome.err, re.MULTILINE)


def test_a_full_disk_under_a_run_directory_is_told_with_the_file(tmp_path, monkeypatch):
    (tmp_path / "a.mrg").write_text(TREE)
    real = os.write

    def write(descriptor, data):
        if b'"pid"' in bytes(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(descriptor, data)

    monkeypatch.setattr(os, "write", write)
    message = fail(74, "train", tmp_path / "a.mrg", "-o", tmp_path / "new" / "run")
    assert message.splitlines()[-1] == f"lpcfg: {tmp_path}/new/run/.lock: No space left on device"
    assert not (tmp_path / "new").exists()
