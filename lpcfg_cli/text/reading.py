"""Texts in blocks of lines, which may be spread over workers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.storage.files import sha256_of_file
from lpcfg_cli.text.events import Events, events_of, joined
from lpcfg_cli.text.vocabulary import Vocabulary
from lpcfg_cli.treebank.lines import LineBlock, line_blocks
from lpcfg_cli.treebank.sources import STDIN


def blocks_of(texts: Iterable[str | Path], encoding: str) -> Iterator[LineBlock]:
    """The blocks of lines of some texts, one text after the other; raises as `line_blocks` does."""
    for text in texts:
        yield from line_blocks(text, encoding)


def read_events(
    texts: Iterable[str | Path], vocabulary: Vocabulary, order: int, encoding: str, mapper: Mapper = map
) -> Events:
    """The events of some texts; raises as `line_blocks` and `events_of` do."""
    blocks = blocks_of(texts, encoding)
    return joined(mapper(partial(events_of, vocabulary=vocabulary, order=order), blocks), order)


def hashes_of(texts: Iterable[str | Path]) -> dict[str, str]:
    """SHA-256 of each text by file name, without standard input."""
    return {Path(text).name: sha256_of_file(Path(text)) for text in texts if str(text) != STDIN}
