"""``lpcfg check``."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import capped, print_json
from lpcfg_cli.cli.options import resolve_settings, setting_options
from lpcfg_cli.cli.output_options import CheckedCommand
from lpcfg_cli.treebank.check import CheckReport, run_check
from lpcfg_cli.treebank.finding import OTHER
from lpcfg_cli.wording import counted

WIDTH = 80
MOST_LISTED = 20
MOST_OF_A_KIND = 8
"""Largest number of entries of a list, and of findings of one kind, in the report."""


@click.command(cls=CheckedCommand)
@click.argument("treebank", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--sections", help="LDC sections, such as 02-21 or 00,22.")
@click.option(
    "--against", multiple=True, type=click.Path(path_type=Path), help="Another treebank: find sentences in both."
)
@click.option("--places", type=click.IntRange(min=0), default=5, show_default=True, help="Places for each finding.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@setting_options("read", "clean")
def command(
    treebank: tuple[Path, ...],
    sections: str | None,
    against: tuple[Path, ...],
    places: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Report the contents of TREEBANK and what looks wrong in it, with file and line; changes nothing."""
    report = run_check(treebank, resolve_settings(options), sections, against, places)
    if as_json:
        print_json(asdict(report))
    else:
        for line in page(report):
            click.echo(line)


def page(report: CheckReport) -> Iterator[str]:
    """The report as text, line by line."""
    figures = report.figures
    yield ", ".join(
        counted(n, noun) for n, noun in ((report.files, "file"), (figures["trees"], "tree"), (figures["words"], "word"))
    )
    yield ""
    for name, text in (
        ("longest", "words in the longest sentence"),
        ("widest", "children of the widest node"),
        ("deepest", "nodes on the longest path from root to word"),
        ("longest_chain", "phrases in the longest chain over one span"),
    ):
        yield from _wrapped(f"{figures[name]['size']:>9,}  ", f"{text}: {figures[name]['place']}")
    for name, text in (
        ("one_word", "trees of one word"),
        ("traces", "traces, to be removed"),
        ("emptied", "phrases with no words but traces, to be removed"),
        ("with_function", "phrase labels with function tags or indices, to be cut"),
        ("self_loops", "phrases whose only child is a phrase with the same label, to be removed"),
        ("unlabelled", "phrases without a label inside a tree, to be replaced by their children"),
    ):
        yield from _wrapped(f"{figures[name]:>9,}  ", text)
    for name, count in figures["dropped"].items():
        yield from _wrapped(f"{count:>9,}  ", f"words to be left out: {name}")
    for name, text in (("roots", "root labels"), ("phrases", "phrase labels"), ("tags", "tags")):
        entries = [f"{label or '(none)'} {count:,}" for label, count in figures[name]]
        yield ""
        yield f"{len(entries)} {text}:"
        yield from _wrapped("  ", capped(entries, 40))
        if name == "roots" and (n_unlabelled := dict(figures[name]).get("", 0)):
            yield from _wrapped("  ", _about_unlabelled_roots(n_unlabelled))
    yield ""
    yield from _anomalies(report)


def _about_unlabelled_roots(count: int) -> str:
    trees = counted(count, "tree", "has", "have")
    return (
        f"{trees} an outer bracket without a label. Training removes it. `lpcfg eval` counts it, as EVALB does, in "
        "files of one tree a line: against trees without it, use --drop-unlabelled."
    )


def _anomalies(report: CheckReport) -> Iterator[str]:
    for title, entries in (
        ("files without trees", report.empty_files),
        ("files of other kinds, not read", [one.path if one.why == OTHER else str(one) for one in report.unread]),
        ("ignored", report.notes),
        ("not trees, skipped", report.left_out),
    ):
        if entries:
            yield f"{len(entries):,} {title}:"
            for entry in entries[:MOST_LISTED]:
                yield from _wrapped("  ", entry)
            if len(entries) > MOST_LISTED:
                yield f"  … and {len(entries) - MOST_LISTED:,} more"
    yield counted(len(report.findings), "anomaly") + (":" if report.findings else "")
    shown: Counter[str] = Counter()
    for finding in report.findings:
        shown[finding.kind] += 1
        if shown[finding.kind] > MOST_OF_A_KIND:
            continue
        yield from _wrapped("* ", finding.text)
        for place in finding.places:
            yield from _wrapped("    ", place)
    for kind, count in shown.items():
        if count > MOST_OF_A_KIND:
            yield f"* {count - MOST_OF_A_KIND:,} more of kind {kind}; --json lists all"


def _wrapped(start: str, text: str) -> list[str]:
    """The text in lines of at most `WIDTH` characters; paths are not broken."""
    wrapper = textwrap.TextWrapper(WIDTH, start, " " * len(start), break_long_words=False, break_on_hyphens=False)
    return wrapper.wrap(text) or [start.rstrip()]
