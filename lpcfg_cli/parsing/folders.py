"""parse, for a corpus in many files: each input file (shard) gives one output file, written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any

from lpcfg_cli.config import ReadSettings
from lpcfg_cli.errors import InputError, LpcfgError
from lpcfg_cli.execution.workers import FileValue, Mapper
from lpcfg_cli.parsing.closest import CLOSEST, STOP
from lpcfg_cli.parsing.corpora import ParsedSentence, ParseReport, parse_sentences
from lpcfg_cli.parsing.line_forms import OutputForm
from lpcfg_cli.parsing.output_forms import OUTPUT_FORMS
from lpcfg_cli.storage.files import (
    atomic_writer,
    make_directory,
    read_bytes_if_any,
    sha256_of_bytes,
    sha256_of_file,
)
from lpcfg_cli.tagging.sentence import InputSentence, Teller, silent
from lpcfg_cli.tagging.sentences import open_sentences
from lpcfg_cli.tagging.text import TextConventions
from lpcfg_cli.treebank.folders import LeftOut, files_below, reasons

RECORD_SUFFIX = ".json"
PARTIAL_SUFFIX = ".partial"
COUNTS = ("sentences", "words", "statuses", "negative_totals")

BATCH_FILES, BATCH_BYTES = 256, 1 << 16
"""Largest number of files, and of their bytes, in one task, unless a single file is larger."""


@dataclass(frozen=True)
class Shard:
    """One input file, its output file, and everything that the output depends on.

    Attributes
    ----------
    source, target : Path
        Sentences in, trees out.
    parser : FileValue
        From `lpcfg_cli.parsing.corpora.open_parser`.
    form : str
        As for `open_sentences`.
    settings : ReadSettings
    max_length : int
        As for `parse_sentences`.
    conventions : TextConventions or None
        As for `open_sentences`.
    unsatisfiable : str
        As for `parse_sentences`.
    """

    source: Path
    target: Path
    parser: FileValue
    form: str
    settings: ReadSettings
    max_length: int
    conventions: TextConventions | None = None
    unsatisfiable: str = STOP

    @property
    def output_form(self) -> OutputForm:
        """The form in which its parses are written."""
        return OUTPUT_FORMS[dict(self.parser.arguments).get("output", "trees")]

    def common_origin(self) -> dict[str, Any]:
        """What the trees depend on besides the input; it is the same for all shards of a run."""
        return {
            "model": self.parser.digest,
            "overrides": [list(pair) for pair in self.parser.arguments],
            "format": self.form,
            # how trees are cleaned is the model's
            "read": {k: v for k, v in asdict(self.settings).items() if k != "clean" and (k, v) != ("root", None)},
            "max_length": self.max_length,
            **({"unsatisfiable": CLOSEST} if self.unsatisfiable == CLOSEST else {}),
            "abbreviations": _abbreviations_digest(self.form, self.conventions),
        }


Task = tuple[Shard, list[tuple[str, str]]]
"""Some shards: one that is like all of them, and their sources and targets, which are strings to save memory."""


def _abbreviations_digest(form: str, conventions: TextConventions | None) -> str:
    """A hash of the abbreviations of running text, which may be more than those of the model; else empty."""
    if form != "text" or conventions is None:
        return ""
    return sha256_of_bytes("\n".join(conventions.abbreviations).encode())


@dataclass(frozen=True)
class ShardOutcome:
    """The result for one shard.

    Attributes
    ----------
    source : str
    was_finished : bool
        Whether its output file existed already.
    report : ParseReport
    notes : list of str
        Messages about its sentences.
    """

    source: str
    was_finished: bool
    report: ParseReport
    notes: list[str]


@dataclass(frozen=True)
class Shards:
    """The shards of a folder.

    Attributes
    ----------
    folder, output : Path
    sources : list of str
        Paths of the files below the folder.
    make : function of (source, target) to Shard
    left_out : list of LeftOut
        What there is besides in the folder and is not parsed.
    """

    folder: Path
    output: Path
    sources: list[str]
    make: Callable[[Path, Path], Shard]
    left_out: list[LeftOut]

    def __len__(self) -> int:
        return len(self.sources)

    def tasks(self) -> Iterator[Task]:
        """The shards in tasks of many small files or a single large one; the folders for the trees are made."""
        like = self.make(self.folder, self.output)
        batch, n_bytes, made = list[tuple[str, str]](), 0, set[str]()
        for source in self.sources:
            target = self._target(source)
            if (folder := os.path.dirname(target)) not in made:
                make_directory(Path(folder))
                made.add(folder)
            size = os.stat(source).st_size
            if batch and (len(batch) >= BATCH_FILES or n_bytes + size > BATCH_BYTES):
                yield like, batch
                batch, n_bytes = [], 0
            batch.append((source, target))
            n_bytes += size
        if batch:
            yield like, batch

    def remove_partials(self) -> None:
        """Remove the unfinished files of workers that died."""
        names = set(map(self._target, self.sources))
        for folder in {os.path.dirname(name) for name in names}:
            for entry in os.scandir(folder):
                finished = entry.name[1:].removesuffix(PARTIAL_SUFFIX).rpartition(".")[0].removesuffix(RECORD_SUFFIX)
                if entry.name.endswith(PARTIAL_SUFFIX) and os.path.join(folder, finished) in names:
                    os.unlink(entry.path)

    def _target(self, source: str) -> str:
        below = source[len(str(self.folder)) :].lstrip(os.sep)
        return f"{self.output}{os.sep}{below}{self.make(self.folder, self.output).output_form.suffix}"


def find_shards(folder: Path, output: Path, make: Callable[[Path, Path], Shard]) -> Shards:
    """The shards of a folder: all files below it, found by `files_below`.

    Parameters
    ----------
    folder : Path
    output : Path
        The folder for the trees, in which they lie as the files do in `folder`; created if it does not exist.  If it
        is below `folder`, nothing in it is parsed.
    make : function of (source, target) to Shard

    Raises
    ------
    InputError
        The folder has no files, or is the output folder.
    """
    folder, output = folder.absolute(), output.absolute()
    if output.exists() and output.samefile(folder):
        raise InputError(f"{output}: this is the input folder. Name another folder for the trees.")
    found = files_below(folder, besides=output)
    if not found.paths:
        also = f" but {reasons(found.left_out)}" if found.left_out else ""
        raise InputError(f"{folder}: the folder has no files{also}. Name a folder of files to parse.")
    make_directory(output)
    return Shards(folder, output, found.paths, make, found.left_out)


def parse_shards(
    shards: Shards,
    report: ParseReport,
    tell: Teller = silent,
    mapper: Mapper = map,
) -> Iterator[ShardOutcome]:
    """Parse every shard that is not finished, and yield the result of each, in order.

    An output file appears under its name only when it is complete.  A run that was interrupted in any way can be
    repeated, and a worker that dies leaves no incomplete output file.

    Parameters
    ----------
    shards : Shards
        From `find_shards`.
    report : ParseReport
        Updated after each shard; finished shards are counted too.
    tell : function of str
        Called with each message about a sentence.
    mapper : callable like map
        Spreads the shards over workers, which must have access to the same files.
    """
    began = time.perf_counter()
    for outcomes in mapper(parse_task, shards.tasks()):
        for outcome in outcomes:
            for note in outcome.notes:
                tell(note)
            report.merge(outcome.report)
            report.seconds = time.perf_counter() - began
            yield outcome
    shards.remove_partials()


def parse_task(task: Task) -> list[ShardOutcome]:
    """Parse some shards in this process, except finished ones; raises the errors of `parse_sentences`.

    The sentences of all of them are parsed together, because parsing few at a time is slow.
    """
    like, files = task
    common = like.common_origin()
    outcomes: list[ShardOutcome | None] = []
    todo: list[tuple[Shard, dict[str, Any]]] = []
    for source, target in files:
        origin = {"input": sha256_of_file(Path(source)), **common}
        found = _finished(source, target, origin)
        outcomes.append(None if found is None else ShardOutcome(source, True, found, []))
        if found is None:
            todo.append((replace(like, source=Path(source), target=Path(target)), origin))
    parsed = iter(_parse_todo(todo))
    return [next(parsed) if outcome is None else outcome for outcome in outcomes]


def _parse_todo(todo: list[tuple[Shard, dict[str, Any]]]) -> Iterator[ShardOutcome]:
    """Write the trees and the record of each shard, and yield its result."""
    if not todo:
        return
    stream = _BatchSentences([shard for shard, _ in todo])
    for number, (shard, origin) in enumerate(todo):
        report = ParseReport()
        digest = hashlib.sha256()
        with atomic_writer(shard.target, is_durable=False) as file:

            def write(text: str, file: IO[bytes] = file, digest: Any = digest) -> None:
                line = f"{text}\n".encode()
                digest.update(line)
                file.write(line)

            if header := shard.output_form.header:
                write(header)
            for parsed in stream.of_shard(number):
                write(parsed.line)
                report.add(parsed)
            if footer := shard.output_form.footer:
                write(footer)
        _write_record(shard, origin, digest.hexdigest(), report)
        yield ShardOutcome(str(shard.source), False, report, stream.take_notes())


class _BatchSentences:
    """The parsed sentences of several shards, in order.  An error in one shard is raised in its turn.

    Parameters
    ----------
    shards : list of Shard
        At least one.
    """

    def __init__(self, shards: list[Shard]):
        self._shards = shards
        self._notes: list[str] = []
        self._owners: deque[int] = deque()
        self._reading = 0
        self._error: LpcfgError | None = None
        self._failed = 0
        first = shards[0]
        self._parsed = parse_sentences(
            first.parser,
            self._sentences(),
            ParseReport(),
            first.max_length,
            self._notes.append,
            unsatisfiable=first.unsatisfiable,
        )
        self._next = self._take()

    def of_shard(self, number: int) -> Iterator[ParsedSentence]:
        """The parsed sentences of the next shard; raises the errors of `parse_sentences`."""
        while self._next is not None and self._next[0] == number:
            yield self._next[1]
            self._next = self._take()
        if self._error is not None and self._failed == number:
            raise self._error

    def take_notes(self) -> list[str]:
        """The messages since the last call."""
        notes = list(self._notes)
        self._notes.clear()
        return notes

    def _sentences(self) -> Iterator[InputSentence]:
        for number, shard in enumerate(self._shards):
            self._reading = number
            tell = self._notes.append
            for sentence in open_sentences(shard.source, shard.form, shard.settings, tell, shard.conventions):
                self._owners.append(number)
                yield sentence

    def _take(self) -> tuple[int, ParsedSentence] | None:
        try:
            parsed = next(self._parsed, None)
        except LpcfgError as error:
            self._error, parsed = error, None
            # the shard of the first sentence that was not parsed, or that which was being read
            self._failed = self._owners[0] if self._owners else self._reading
        return None if parsed is None else (self._owners.popleft(), parsed)


def _write_record(shard: Shard, origin: dict[str, Any], digest: str, report: ParseReport) -> None:
    """Write the record of a finished shard; it tells an output file that is not whole, so neither need be durable."""
    counts = {
        **{name: getattr(report, name) for name in COUNTS},
        "lines": _renamed(report.places, str(shard.source), ""),
    }
    record = {"origin": origin, "trees": digest, "counts": counts}
    with atomic_writer(Path(f"{shard.target}{RECORD_SUFFIX}"), is_durable=False) as file:
        file.write(f"{json.dumps(record, indent=1, sort_keys=True)}\n".encode())


def _renamed(places: dict[str, list[str]], old: str, new: str) -> dict[str, list[str]]:
    """Places with another name of their file: records name none, so that the files can be moved."""
    return {status: [new + place.removeprefix(old) for place in found] for status, found in places.items()}


def _finished(source: str, target: str, origin: dict[str, Any]) -> ParseReport | None:
    """The report of a shard whose output file exists, is whole and has this origin; else None."""
    try:
        record = json.loads(read_bytes_if_any(Path(f"{target}{RECORD_SUFFIX}")))
        if record["origin"] != origin or record["trees"] != sha256_of_file(Path(target)):
            return None
        counts = {name: record["counts"][name] for name in COUNTS}
        places = _renamed(record["counts"].get("lines", {}), "", source)  # older records have none
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, InputError):
        return None
    return ParseReport(**{**counts, "statuses": Counter(counts["statuses"]), "places": places})
