"""``lpcfg embed export``."""

from __future__ import annotations

from pathlib import Path

import click

from lpcfg_cli.cli.console import note
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.cli.text_options import MODEL
from lpcfg_cli.embeddings.archive import (
    ARCHIVE_SUFFIX,
    VECTOR_FORMATS,
    format_by_name,
    load_embeddings,
    save_embeddings,
)
from lpcfg_cli.errors import OutputError
from lpcfg_cli.text.reading import hashes_of

ENDINGS = ", ".join(suffix for one in VECTOR_FORMATS.values() for suffix in one.suffixes)


@click.command("export", cls=CheckedCommand)
@click.argument("vectors", type=MODEL)
@click.argument("output", type=OutputFile())
def command(vectors: Path, output: Path) -> None:
    """Write vectors in another form, which the ending of OUTPUT names.

    .txt and .vec are word2vec's text form, .bin its binary form, all perhaps with .gz, and .npz is the archive.  Files
    of word2vec, which other programs wrote, are read too.
    """
    target = format_by_name(output)
    if not target and output.suffix != ARCHIVE_SUFFIX:
        raise OutputError(f"{output}: no form of vectors has this ending; expected {ENDINGS}, or {ARCHIVE_SUFFIX}.")
    found = load_embeddings(vectors)
    if target:
        target.write(found, output)
    else:
        save_embeddings(found, output, {}, 0, hashes_of([vectors]))
    note(f"{len(found):,} vectors of {found.dimensions} numbers: {output}")
