"""A folder of files parsed file by file: resumed, never with incomplete files, the same trees as from one file."""

from __future__ import annotations

import json
import os

import pytest

from lpcfg_cli.config import ReadSettings
from lpcfg_cli.errors import InputError, SyntaxProblem, WorkerError
from lpcfg_cli.execution.workers import local_workers
from lpcfg_cli.parsing import folders as shards
from lpcfg_cli.parsing.corpora import MAX_LENGTH, ParseReport, open_parser
from lpcfg_cli.parsing.folders import Shard, find_shards, parse_shards

SENTENCES = ["the/DT dog/NN barks/VBZ", "a/DT cat/NN sees/VBZ the/DT dog/NN", "", "dogs/NNS bark/VBP"]


@pytest.fixture
def folder(tmp_path):
    """Three files of sentences, and one that is hidden."""
    source = tmp_path / "in"
    source.mkdir()
    for k in range(3):
        (source / f"part-{k}.txt").write_text("\n".join(SENTENCES[: k + 2]) + "\n")
    (source / ".hidden").write_text("no sentence")
    return source


@pytest.fixture
def make(trained):
    parser = open_parser(trained, {})

    def make_shard(source, target):
        return Shard(source, target, parser, "slash", ReadSettings(), MAX_LENGTH)

    return make_shard


def parse(folder, output, make, mapper=map):
    report = ParseReport()
    outcomes = list(parse_shards(find_shards(folder, output, make), report, mapper=mapper))
    return outcomes, report


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_each_file_has_its_trees(folder, tmp_path, make):
    outcomes, report = parse(folder, tmp_path / "out", make)
    assert [outcome.was_finished for outcome in outcomes] == [False] * 3
    assert report.sentences == 9
    for k in range(3):
        lines = (tmp_path / "out" / f"part-{k}.txt.mrg").read_text().splitlines()
        assert len(lines) == k + 2
    assert lines[2] == "(())"


def test_workers_give_the_same_bytes(folder, tmp_path, make):
    parse(folder, tmp_path / "one", make)
    with local_workers(2, "fork") as mapper:
        parse(folder, tmp_path / "two", make, mapper)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_finished_files_are_not_parsed_again(folder, tmp_path, make, monkeypatch):
    _, first = parse(folder, tmp_path / "out", make)
    before = contents(tmp_path / "out")
    monkeypatch.setattr(shards, "parse_sentences", None)
    outcomes, again = parse(folder, tmp_path / "out", make)
    assert all(outcome.was_finished for outcome in outcomes)
    assert (again.sentences, again.words, again.statuses) == (first.sentences, first.words, first.statuses)
    assert contents(tmp_path / "out") == before


@pytest.mark.parametrize(
    "damage",
    [
        lambda out: (out / "part-1.txt.mrg").unlink(),
        lambda out: (out / "part-1.txt.mrg").write_text("(TOP"),
        lambda out: (out / "part-1.txt.mrg.json").unlink(),
        lambda out: (out / "part-1.txt.mrg.json").write_text("{"),
        lambda out: (out / "part-1.txt.mrg.json").write_text("[]"),
        lambda out: (out / "part-1.txt.mrg.json").write_text('{"origin": {}}'),
    ],
)
def test_what_is_missing_or_damaged_is_parsed_again(folder, tmp_path, make, damage):
    parse(folder, tmp_path / "out", make)
    before = contents(tmp_path / "out")
    damage(tmp_path / "out")
    outcomes, _ = parse(folder, tmp_path / "out", make)
    assert [outcome.was_finished for outcome in outcomes] == [True, False, True]
    assert contents(tmp_path / "out") == before


def test_other_input_or_settings_are_parsed_again(folder, tmp_path, make, trained):
    parse(folder, tmp_path / "out", make)
    (folder / "part-0.txt").write_text("dogs/NNS bark/VBP\n")
    outcomes, _ = parse(folder, tmp_path / "out", make)
    assert [outcome.was_finished for outcome in outcomes] == [False, True, True]
    other = open_parser(trained, {"decoder": "sum", "threshold": 1e-6})
    outcomes, _ = parse(
        folder, tmp_path / "out", lambda source, target: Shard(source, target, other, "slash", ReadSettings(), 40)
    )
    assert not any(outcome.was_finished for outcome in outcomes)


def test_an_error_leaves_no_half_of_a_file(folder, tmp_path, make):
    (folder / "part-1.txt").write_text("the/DT dog/NN\nno tag here\n")
    with pytest.raises(SyntaxProblem, match=r"part-1\.txt:2:1"):
        parse(folder, tmp_path / "out", make)
    assert [name for name in contents(tmp_path / "out") if "part-1" in name] == []
    assert len((tmp_path / "out" / "part-0.txt.mrg").read_text().splitlines()) == 2
    (folder / "part-1.txt").write_text("")
    outcomes, _ = parse(folder, tmp_path / "out", make)
    assert [outcome.was_finished for outcome in outcomes] == [True, False, False]
    assert [outcome.report.sentences for outcome in outcomes] == [2, 0, 4]
    assert (tmp_path / "out" / "part-1.txt.mrg").read_bytes() == b""


@pytest.mark.parametrize("n_parsed", range(9))
def test_a_file_is_written_only_if_all_its_sentences_were_parsed(folder, tmp_path, make, monkeypatch, n_parsed):
    """Parsing fails after n_parsed of 2 + 3 + 4 sentences, when all have been read."""

    def fail_later(parser, sentences, *arguments, **options):
        first = list(parse_sentences(parser, sentences, *arguments, **options))[:n_parsed]
        yield from first
        raise WorkerError("lost")

    parse_sentences = shards.parse_sentences
    monkeypatch.setattr(shards, "parse_sentences", fail_later)
    with pytest.raises(WorkerError, match="lost"):
        parse(folder, tmp_path / "out", make)
    found = {name: len(text.splitlines()) for name, text in contents(tmp_path / "out").items() if name.endswith(".mrg")}
    sizes = {"part-0.txt.mrg": 2, "part-1.txt.mrg": 3, "part-2.txt.mrg": 4}
    whole = [name for k, name in enumerate(sizes) if sum(list(sizes.values())[: k + 1]) <= n_parsed]
    assert found == {name: sizes[name] for name in whole}


def test_many_small_files_are_few_tasks_and_the_folders_are_listed_once(tmp_path, make, monkeypatch):
    source = tmp_path / "in"
    for k in range(300):
        path = source / f"{k % 3}" / f"{k}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("dogs/NNS bark/VBP\n")
    (source / "large.txt").write_text("dogs/NNS bark/VBP\n" * 4000)
    listed, synced, scan = [], [], os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: listed.append(str(path)) or scan(path))
    monkeypatch.setattr(os, "fsync", synced.append)
    found = find_shards(source, tmp_path / "out", make)
    sizes = [len(files) for _, files in found.tasks()]
    assert (len(found), sum(sizes)) == (301, 301)
    assert len(sizes) == 3  # 256 files, 44 files, the large one
    listed.clear()
    small = find_shards(source / "0", tmp_path / "small", make)
    report = ParseReport()
    assert len(list(parse_shards(small, report))) == report.sentences == 100
    assert sorted(listed) == [str(source / "0"), str(tmp_path / "small")]
    assert synced == []


def test_what_dead_workers_left_is_removed(folder, tmp_path, make):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".part-1.txt.mrg.123.partial").write_text("(TOP")
    parse(folder, tmp_path / "out", make)
    assert not [name for name in contents(tmp_path / "out") if name.endswith(".partial")]


def test_records_name_no_path_or_time(folder, tmp_path, make):
    parse(folder, tmp_path / "out", make)
    record = (tmp_path / "out" / "part-0.txt.mrg.json").read_text()
    assert str(tmp_path) not in record
    assert set(json.loads(record)) == {"origin", "trees", "counts"}


def test_a_folder_without_files_is_an_error(tmp_path, make):
    with pytest.raises(InputError, match="the folder has no files"):
        find_shards(tmp_path, tmp_path / "out", make)


def test_output_beside_the_input_is_an_error(folder, make):
    with pytest.raises(InputError, match="another folder"):
        find_shards(folder, folder, make)
