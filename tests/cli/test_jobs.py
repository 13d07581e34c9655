"""``--jobs``: the same bytes for any number of processes and any start method."""

from __future__ import annotations

import pytest
from command_line import fail, run_installed, succeed

from lpcfg_cli.execution.workers import START_METHOD_VARIABLE
from lpcfg_cli.parsing import corpora as parse

ARTEFACTS = ("trees.bin.mrg", "symbols.json", "features.npz", "projections.npz", "model.lpcfg.npz")
TOKENS = ["the/DT", "dog/NN", "sees/VBZ", "a/DT", "cat/NN"]


@pytest.fixture(scope="module")
def sentences(tmp_path_factory):
    """Seventy sentences of different lengths, among them an empty one and one with unknown words and tags."""
    path = tmp_path_factory.mktemp("jobs") / "text"
    lines = [" ".join((TOKENS * 3)[: 2 + k % 9]) for k in range(70)]
    lines[33], lines[50] = "", "zyx/QQ the/DT dog/NN"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def alone(trained, sentences):
    return succeed("parse", trained, sentences)


@pytest.mark.parametrize("start_method", ["fork", "spawn"])
def test_parsing_gives_the_same_trees_and_notes(trained, sentences, alone, start_method, monkeypatch):
    monkeypatch.setenv(START_METHOD_VARIABLE, start_method)
    both = succeed("parse", trained, sentences, "--jobs", 2)
    assert both.out == alone.out
    assert [line for line in both.err.splitlines() if "parsed" not in line] == [
        line for line in alone.err.splitlines() if "parsed" not in line
    ]


@pytest.mark.parametrize("start_method", ["fork", "spawn"])
def test_case_s03(trained, shared, start_method, monkeypatch):
    source = shared / "cases" / "cases" / "S03" / "tagged.txt"
    monkeypatch.setenv(START_METHOD_VARIABLE, start_method)
    assert succeed("parse", trained, source, "-j", 2).out == succeed("parse", trained, source).out


def test_four_installed_processes_give_the_same_trees(trained, sentences, alone):
    assert succeed("parse", trained, sentences, "-j", 4, run=run_installed).out == alone.out


@pytest.mark.parametrize(("jobs", "start_method"), [(2, "fork"), (4, "fork"), (2, "spawn")])
def test_training_gives_the_same_files(
    trained, tiny_treebank, small_settings, tmp_path, monkeypatch, jobs, start_method
):
    monkeypatch.setenv(START_METHOD_VARIABLE, start_method)
    succeed("train", tiny_treebank, "-o", tmp_path / "run", "-c", small_settings, "--jobs", jobs)
    for name in ARTEFACTS:
        assert (tmp_path / "run" / name).read_bytes() == (trained / name).read_bytes(), name


def test_svd_alone_gives_the_same_file(trained, tiny_treebank, small_settings, tmp_path):
    for stage in (("binarize", tiny_treebank), ("features",), ("svd", "-j", 2)):
        succeed(stage[0], *stage[1:], tmp_path, "-c", small_settings)
    assert (tmp_path / "projections.npz").read_bytes() == (trained / "projections.npz").read_bytes()


def test_trees_before_a_bad_line_are_written(trained, tmp_path):
    source, out = tmp_path / "text", tmp_path / "out"
    source.write_text("the/DT dog/NN\n" * 40 + "no tag\n" + "the/DT dog/NN\n" * 40)
    message = fail(3, "parse", trained, source, "-o", out, "--jobs", 2)
    assert "parsed 40 sentences before this error" in message
    assert len((tmp_path / "out.partial").read_text().splitlines()) == 40
    assert not out.exists()


def test_an_error_inside_a_worker_ends_the_run(trained, sentences, monkeypatch):
    def broken(*_):
        raise MemoryError("this is no user's error")

    monkeypatch.setattr(parse, "bracket_lines", broken)
    monkeypatch.setenv(START_METHOD_VARIABLE, "fork")
    with pytest.raises(MemoryError):
        run_here_raw("parse", trained, sentences, "--jobs", 2)


def run_here_raw(*arguments):
    from lpcfg_cli.cli.main import cli

    cli.main([str(argument) for argument in arguments], standalone_mode=False)


def test_a_negative_number_of_jobs_is_refused(trained, sentences):
    assert "--jobs" in fail(2, "parse", trained, sentences, "--jobs", -1)
