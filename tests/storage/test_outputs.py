"""Outputs that the user names: whole or under another name, never an input, and straight if they are no files."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from lpcfg_cli.errors import OutputError
from lpcfg_cli.storage.outputs import (
    Inputs,
    check_apart,
    check_output,
    descriptor_of,
    is_written_straight,
    keep_finished_lines,
    output_writer,
    output_writers,
    write_output,
)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def write_and_fail(path, data, error=ValueError, **options):
    with pytest.raises(error) as caught, output_writer(path, **options) as file:
        file.write(data)
        file.flush()
        raise error
    return getattr(caught.value, "__notes__", [])


def test_an_output_has_its_name_only_when_it_is_complete(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with output_writer(path) as file:
        file.write(b"new\n")
        file.flush()
        assert path.read_bytes() == b"old"
        assert names(tmp_path) == ["a", "a.partial"]
    assert (path.read_bytes(), names(tmp_path)) == (b"new\n", ["a"])


@pytest.mark.parametrize(("written", "kept"), [(b"a\nb\nc", b"a\nb\n"), (b"a\n", b"a\n"), (b"x" * 3_000_000, None)])
def test_what_is_left_of_an_unfinished_output_are_its_whole_lines(tmp_path, written, kept):
    path, part = tmp_path / "a", tmp_path / "a.partial"
    path.write_bytes(b"old")
    notes = write_and_fail(path, written)
    assert path.read_bytes() == b"old"
    if kept is None:
        assert (names(tmp_path), notes) == (["a"], [])
    else:
        assert part.read_bytes() == kept
        assert notes == [f"{path}: not complete, so not written; the finished lines are in {part}"]


def test_nothing_is_left_of_an_output_without_lines(tmp_path):
    assert write_and_fail(tmp_path / "a", b"<p>\n", has_lines=False) == []
    assert names(tmp_path) == []


def test_lines_still_in_the_buffer_do_not_come_after_the_cut(tmp_path):
    with pytest.raises(ValueError, match="no"), output_writer(tmp_path / "a") as file:
        file.write(b"a\n")
        file.flush()
        file.write(b"half")
        raise ValueError("no")
    assert (tmp_path / "a.partial").read_bytes() == b"a\n"


def test_what_an_earlier_run_left_is_gone_after_a_complete_one(tmp_path):
    write_and_fail(tmp_path / "a", b"a\n")
    write_output(tmp_path / "a", "b\n")
    assert names(tmp_path) == ["a"]


def test_two_outputs_are_complete_together(tmp_path):
    paths = [tmp_path / "a", tmp_path / "b"]
    with pytest.raises(ValueError, match="no"), output_writers(paths) as files:
        for file in files:
            file.write(b"1\n")
        raise ValueError("no")
    assert names(tmp_path) == ["a.partial", "b.partial"]


def test_who_is_told_to_end_keeps_the_lines_of_its_own_process(tmp_path):
    with output_writer(tmp_path / "a") as file:
        file.write(b"1\n2")
        file.flush()
        pid = os.fork()
        if not pid:
            os._exit(len(keep_finished_lines()))  # a worker must not touch what its parent writes
        assert os.waitpid(pid, 0)[1] == 0
        assert keep_finished_lines() == [
            f"{tmp_path / 'a'}: not complete, so not written; the finished lines are in {tmp_path / 'a'}.partial"
        ]
        assert (tmp_path / "a.partial").read_bytes() == b"1\n"
        file.seek(0, os.SEEK_END)


def test_the_second_of_two_writers_has_the_file(tmp_path):
    path = tmp_path / "a"
    with pytest.raises(OutputError, match="another process has begun to write it"), output_writer(path) as first:
        first.write(b"first\n")
        with output_writer(path) as second:
            second.write(b"second\n")
    assert (path.read_bytes(), names(tmp_path)) == (b"second\n", ["a"])


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_output(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_named_pipe_is_written_straight(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    found = []
    reader = threading.Thread(target=lambda: found.append(path.read_bytes()))
    reader.start()
    write_output(path, "through\n")
    reader.join(10)
    assert found == [b"through\n"]
    assert names(tmp_path) == ["pipe"]


def test_an_open_descriptor_is_appended_to(tmp_path):
    program = "from pathlib import Path; from lpcfg_cli.storage.outputs import write_output as w; "
    program += "w(Path('/dev/stdout'), 'b\\n'); w(Path('link'), 'c\\n')"
    (tmp_path / "link").symlink_to("/dev/stdout")
    (tmp_path / "a").write_bytes(b"a\n")
    with open(tmp_path / "a", "ab") as file:
        subprocess.run([sys.executable, "-c", program], stdout=file, check=True, cwd=tmp_path)
    assert (tmp_path / "a").read_bytes() == b"a\nb\nc\n"
    assert names(tmp_path) == ["a", "link"]


def test_which_paths_are_written_straight(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "null").symlink_to("/dev/null")
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    straight = [path for path in tmp_path.iterdir() if is_written_straight(path)]
    assert sorted(path.name for path in straight) == ["null", "pipe"]
    assert [descriptor_of(tmp_path / name) for name in ("file", "none", "loop", "null")] == [None] * 4


def test_a_full_device_is_named(tmp_path):
    for path in ("/dev/full", tmp_path / "link"):
        if path != "/dev/full":
            path.symlink_to("/dev/full")
        with pytest.raises(OSError, match="No space left") as caught:
            write_output(tmp_path / path, "x" * 100_000)
        assert caught.value.filename == str(path)


@pytest.mark.parametrize("make", [os.link, os.symlink, lambda a, b: os.symlink(os.path.basename(a), b)])
def test_an_output_that_is_an_input_is_refused_under_any_name(tmp_path, make):
    source, other = tmp_path / "in.txt", tmp_path / "other"
    source.write_text("kept")
    make(source, other)
    for output, inputs in ((other, [source]), (source, [other])):
        with pytest.raises(OutputError, match="is also read"):
            check_apart({"-o": output}, Inputs(inputs))
        with pytest.raises(OutputError, match=f"part of {tmp_path}"):
            check_apart({"-o": output}, Inputs([], [tmp_path], (".txt",)))
    check_apart({"-o": tmp_path / "new"}, Inputs([source], [tmp_path]))


def test_the_name_under_which_an_output_is_written_is_no_input(tmp_path):
    (tmp_path / "out.partial").write_text("kept")
    with pytest.raises(OutputError, match=r"-o .*out: is written as out.partial, which is also read"):
        check_apart({"-o": tmp_path / "out"}, Inputs([tmp_path / "out.partial"]))


def test_two_outputs_with_one_name_are_refused(tmp_path):
    (tmp_path / "link").symlink_to("new")
    for other in ("new", "link", "new.partial", "../" + tmp_path.name + "/new"):
        with pytest.raises(OutputError, match="is also written by -o"):
            check_apart({"-o": tmp_path / "new", "--gold": tmp_path / other}, Inputs([]))


def test_an_output_that_cannot_be_written_is_told_before_the_work(tmp_path):
    for path, message in ((tmp_path, "is a directory"), (tmp_path / "no" / "a", "there is no folder")):
        with pytest.raises(OutputError, match=message):
            check_output(path)
    check_output(tmp_path / "a")
    assert names(tmp_path) == []
