"""``lpcfg dep eval``."""

from __future__ import annotations

from typing import Any

import click

from lpcfg_cli.cli import dependency_tables as tables
from lpcfg_cli.cli.console import note, print_json
from lpcfg_cli.cli.output_options import CheckedCommand
from lpcfg_cli.cli.text_options import json_option
from lpcfg_cli.dependency.trees.evaluate import (
    DependencyComparison,
    DependencyReport,
    compare_attachment,
    evaluate_dependencies,
)
from lpcfg_cli.dependency.trees.files import read_dependency_files
from lpcfg_cli.dependency.trees.punctuation import PUNCTUATION
from lpcfg_cli.errors import InputError
from lpcfg_cli.evaluation.significance import SignificanceSettings
from lpcfg_cli.treebank.sources import STDIN

DEFAULTS = SignificanceSettings()


@click.command("eval", cls=CheckedCommand)
@click.argument("gold", type=click.Path())
@click.argument("test", type=click.Path())
@click.argument("other", type=click.Path(), required=False)
@click.option(
    "--punctuation", type=click.Choice(list(PUNCTUATION)), default="unicode", show_default=True,
    help="Which words are punctuation: by characters, Penn tag, or relation punct.",
)  # fmt: skip
@click.option("--by-relation", is_flag=True, help="Add scores by relation.")
@click.option("--by-length", is_flag=True, help="Add scores by length of sentence and of arc.")
@click.option("--full", is_flag=True, help="Add both of these.")
@click.option("--align", is_flag=True, help="Add the scores of CoNLL 2018; the words may then differ.")
@json_option
@click.option(
    "--samples", type=click.IntRange(1), default=DEFAULTS.samples, show_default=True,
    help="Number of random samples of the tests with OTHER.",
)  # fmt: skip
@click.option("--seed", type=int, default=DEFAULTS.seed, show_default=True, help="Seed of these samples.")
@click.option("--encoding", default="utf-8", show_default=True, metavar="NAME", help="Encoding of the files.")
def command(
    *,
    gold: str,
    test: str,
    other: str | None,
    punctuation: str,
    align: bool,
    as_json: bool,
    samples: int,
    seed: int,
    encoding: str,
    **options: Any,
) -> None:
    """Score dependency trees against gold trees.

    GOLD and TEST are files in CoNLL-X or CoNLL-U with the same words; one may
    be - for standard input.  The figures without punctuation equal those of
    the CoNLL-X evaluation, and the figures of --align those of CoNLL 2018.
    With OTHER, a second parse of GOLD, the significance of the difference
    between the two is tested.
    """
    paths = [gold, test, *([other] if other else [])]
    if paths.count(STDIN) > 1:
        raise click.UsageError("only one of GOLD, TEST and OTHER can be -, which is read once.")
    reports = _scored(paths, encoding, punctuation, align)
    a, b = reports[0].attachment, reports[-1].attachment
    settings = SignificanceSettings(samples=samples, seed=seed)
    compared = compare_attachment(a, b, settings) if other and a and b else None
    for report in reports:
        if report.difference:
            note(f"note: words differ, so only aligned words are scored: {report.difference}")
    if as_json:
        print_json(_as_dict(paths, punctuation, reports, compared))
        return
    wanted = {name: options[name] or options["full"] for name in ("by_relation", "by_length")}
    click.echo(f"gold         {gold}\ntest         {test}{f' (A), {other} (B)' if other else ''}")
    click.echo(f"punctuation  {PUNCTUATION[punctuation].summary}")
    if compared and a and b:
        click.echo(f"\n{tables.comparison_table(a, b)}\n\n{tables.significance_table(compared)}")
    for name, report in zip("AB", reports, strict=False):
        _print_report(report, f"{name}: " if other else "", **wanted)


def _scored(paths: list[str], encoding: str, punctuation: str, align: bool) -> list[DependencyReport]:
    """The scores of all files but the first, which is gold."""
    gold = read_dependency_files(paths[:1], encoding)
    if not gold:
        raise InputError(f"{paths[0]}: no sentences, so there is nothing to score.")
    return [
        evaluate_dependencies(gold, read_dependency_files([path], encoding, needs_heads=False), punctuation, align)
        for path in paths[1:]
    ]


def _as_dict(
    paths: list[str], punctuation: str, reports: list[DependencyReport], compared: DependencyComparison | None
) -> dict[str, Any]:
    """All figures, for JSON."""
    names = dict(zip(("gold", "test", "other"), paths, strict=False))
    tests = {"significance": compared.as_dict()} if compared else {}
    one = len(reports) == 1
    told = reports[0].as_dict() if one else {name: r.as_dict() for name, r in zip("ab", reports, strict=True)}
    return {**names, "punctuation": punctuation, **tests, **told}


def _print_report(report: DependencyReport, prefix: str, by_relation: bool, by_length: bool) -> None:
    found = report.attachment
    sections = []
    if found:
        if not prefix:
            click.echo(f"\n{tables.summary_table(found)}")
        if by_relation:
            sections.append(("By relation, without punctuation", tables.arc_table(found.relations, "relation")))
        if by_length:
            sections.append(("By length of sentence, without punctuation", tables.length_table(found.lengths)))
            sections.append(("By length of arc, without punctuation", tables.arc_table(found.arcs, "length")))
    if report.aligned:
        sections.append(("Over aligned words, as CoNLL 2018", tables.aligned_table(report.aligned)))
    for title, text in sections:
        click.echo(f"\n{prefix}{title}\n\n{text}")
