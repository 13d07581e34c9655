"""``lpcfg grep``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import print_json
from lpcfg_cli.cli.convert_command import tell_skipped
from lpcfg_cli.cli.options import resolve_settings, setting_options
from lpcfg_cli.cli.output_options import CheckedCommand
from lpcfg_cli.config import ReadSettings
from lpcfg_cli.treebank.files import read_tree_files
from lpcfg_cli.treebank.finding import find_tree_files
from lpcfg_cli.treebank.grep import Match, Predicate, compiled_pattern, matches
from lpcfg_cli.treebank.sources import source_name

EXIT_NO_MATCH = 1


@dataclass(frozen=True)
class Wanted:
    """What is searched for, and how much of it.

    Attributes
    ----------
    invert, whole : bool
        As in `matches`.
    most : int or None
        Largest number of matches of a file.
    """

    invert: bool
    whole: bool
    most: int | None


@click.command("grep", cls=CheckedCommand)
@click.argument("pattern")
@click.argument("treebank", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-c", "--count", "counts", is_flag=True, help="Print the number of matches of each file.")
@click.option("-l", "--files-with-matches", "names", is_flag=True, help="Print the names of files with a match.")
@click.option("-v", "--invert-match", "invert", is_flag=True, help="Print the trees without a match.")
@click.option("-m", "--max-count", "most", type=click.IntRange(0), metavar="N", help="Stop after N matches of a file.")
@click.option("-w", "--whole", is_flag=True, help="Print whole trees, each once.")
@click.option("-t", "--trees-only", is_flag=True, help="Print no file and line before the trees.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON, with spans and words.")
@click.option("--sections", help="LDC sections, such as 02-21 or 00,22.")
@setting_options("read", has_short_config=False)
def command(
    pattern: str,
    treebank: tuple[Path, ...],
    counts: bool,
    names: bool,
    trees_only: bool,
    as_json: bool,
    sections: str | None,
    invert: bool,
    whole: bool,
    most: int | None,
    **options: Any,
) -> None:
    r"""Print the parts of the trees of TREEBANK that match PATTERN, each behind its file and line.

    \b
    lpcfg grep 'NP < PP' wsj               an NP that has a child PP
    lpcfg grep 'VP << /^sa[iy]/' wsj -c    "say" or "said" below a VP
    lpcfg grep 'NN . (IN < of)' a.mrg      a noun before "of"
    lpcfg grep S a.mrg -v                  the trees without an S

    Patterns are those of tgrep as NLTK reads them: `lpcfg help looking`.

    \b
    Exit status: 0 if something matched, 1 if nothing did.
    """
    predicate, read = compiled_pattern(pattern), resolve_settings(options).read
    paths = find_tree_files(treebank, sections, read.format)
    found, n_matches = [], 0
    for path, some in search(paths, read, predicate, Wanted(invert, whole, most)):
        n_matches += len(some)
        if as_json:
            found += [{"file": source_name(path), "line": int(m.place.rpartition(":")[2]), **asdict(m)} for m in some]
        elif names:
            click.echo(source_name(path)) if some else None
        elif counts:
            click.echo(f"{source_name(path)}:{len(some)}" if len(paths) > 1 else len(some))
        else:
            for match in some:
                click.echo(match.text if trees_only else f"{match.place}: {match.text}")
    if as_json:
        print_json({"pattern": pattern, "count": n_matches, "matches": found})
    click.get_current_context().exit(0 if n_matches else EXIT_NO_MATCH)


def search(
    paths: list[Path], read: ReadSettings, predicate: Predicate, wanted: Wanted
) -> Iterator[tuple[Path, list[Match]]]:
    """Each file with its matches, as it is read."""
    for path in paths:
        files = read_tree_files([path], read)
        tell_skipped(files)
        yield path, matches(files, predicate, invert=wanted.invert, whole=wanted.whole)[: wanted.most]
