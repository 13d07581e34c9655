"""parse, for a corpus in many files: each input file (shard) gives one output file, written whole or not at all."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lpcfg_cli.config import ReadSettings
from lpcfg_cli.errors import InputError
from lpcfg_cli.execution.workers import FileValue, Mapper
from lpcfg_cli.parsing.corpora import ParseReport, parse_sentences
from lpcfg_cli.storage.files import (
    atomic_writer,
    make_directory,
    read_bytes_if_any,
    sha256_of_bytes,
    sha256_of_file,
    write_text,
)
from lpcfg_cli.tagging.sentence import Teller, silent
from lpcfg_cli.tagging.sentences import open_sentences
from lpcfg_cli.tagging.text import TextConventions

TREES_SUFFIX = ".mrg"
RECORD_SUFFIX = ".json"
COUNTS = ("sentences", "words", "statuses", "negative_totals")


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
    """

    source: Path
    target: Path
    parser: FileValue
    form: str
    settings: ReadSettings
    max_length: int
    conventions: TextConventions | None = None

    @property
    def record(self) -> Path:
        """The file beside the trees that records what they were made from."""
        return self.target.with_name(self.target.name + RECORD_SUFFIX)

    def _abbreviations_digest(self) -> str:
        """A hash of the abbreviations of running text, which may be more than those of the model; else empty."""
        if self.form != "text" or self.conventions is None:
            return ""
        return sha256_of_bytes("\n".join(self.conventions.abbreviations).encode())

    def origin(self) -> dict[str, Any]:
        """What the trees depend on; an existing output file is kept only if its origin is the same."""
        return {
            "input": sha256_of_file(self.source),
            "model": self.parser.digest,
            "overrides": [list(pair) for pair in self.parser.arguments],
            "format": self.form,
            "read": {name: value for name, value in asdict(self.settings).items() if name != "clean"},  # the model's
            "max_length": self.max_length,
            "abbreviations": self._abbreviations_digest(),
        }


@dataclass(frozen=True)
class ShardOutcome:
    """The result for one shard.

    Attributes
    ----------
    source : Path
    was_finished : bool
        Whether its output file existed already.
    report : ParseReport
    notes : list of str
        Messages about its sentences.
    """

    source: Path
    was_finished: bool
    report: ParseReport
    notes: list[str]


def parse_shards(
    shards: list[Shard],
    report: ParseReport,
    tell: Teller = silent,
    mapper: Mapper = map,
) -> Iterator[ShardOutcome]:
    """Parse every shard that is not finished, and yield the result of each, in order.

    An output file appears under its name only when it is complete.  A run that was interrupted in any way can be
    repeated, and a worker that dies leaves no incomplete output file.

    Parameters
    ----------
    shards : list of Shard
        From `find_shards`.
    report : ParseReport
        Updated after each shard; finished shards are counted too.
    tell : function of str
        Called with each message about a sentence.
    mapper : callable like map
        Spreads the shards over workers, which must have access to the same files.
    """
    began = time.perf_counter()
    for outcome in mapper(parse_shard, shards):
        for note in outcome.notes:
            tell(note)
        report.merge(outcome.report)
        report.seconds = time.perf_counter() - began
        yield outcome
    for shard in shards:
        _remove_partials(shard)


def find_shards(folder: Path, output: Path, make: Callable[[Path, Path], Shard]) -> list[Shard]:
    """The shards of a folder: its files, except hidden ones, sorted by name.

    Parameters
    ----------
    folder : Path
    output : Path
        The folder for the trees; created if it does not exist.
    make : function of (source, target) to Shard

    Raises
    ------
    InputError
        The folder has no files, or is the output folder.
    """
    sources = sorted(path.absolute() for path in folder.iterdir() if path.is_file() and path.name[0] != ".")
    if not sources:
        raise InputError(f"{folder}: the folder has no files. Name a folder of files to parse.")
    if output.exists() and output.samefile(folder):
        raise InputError(f"{output}: this is the input folder. Name another folder for the trees.")
    make_directory(output)
    return [make(source, output.absolute() / (source.name + TREES_SUFFIX)) for source in sources]


def parse_shard(shard: Shard) -> ShardOutcome:
    """Parse one shard in this process, unless it is finished; raises the errors of `parse_sentences`."""
    origin = shard.origin()
    finished = _finished(shard, origin)
    if finished is not None:
        return ShardOutcome(shard.source, True, finished, [])
    report, notes = ParseReport(), list[str]()
    sentences = open_sentences(shard.source, shard.form, shard.settings, notes.append, shard.conventions)
    with atomic_writer(shard.target) as file:
        for parsed in parse_sentences(shard.parser, sentences, report, shard.max_length, notes.append):
            file.write(f"{parsed.line}\n".encode())
    counts = {name: getattr(report, name) for name in COUNTS}
    record = {"origin": origin, "trees": sha256_of_file(shard.target), "counts": counts}
    write_text(shard.record, json.dumps(record, indent=1, sort_keys=True) + "\n")
    return ShardOutcome(shard.source, False, report, notes)


def _finished(shard: Shard, origin: dict[str, Any]) -> ParseReport | None:
    """The report of a shard whose output file exists, is whole and has this origin; else None."""
    try:
        record = json.loads(read_bytes_if_any(shard.record))
        if record["origin"] != origin or record["trees"] != sha256_of_file(shard.target):
            return None
        counts = {name: record["counts"][name] for name in COUNTS}
    except (ValueError, KeyError, TypeError, InputError):
        return None
    return ParseReport(**{**counts, "statuses": Counter(counts["statuses"])})


def _remove_partials(shard: Shard) -> None:
    """Remove incomplete files of workers that died."""
    for path in shard.target.parent.glob(f".{shard.target.name}*.partial"):
        path.unlink(missing_ok=True)
