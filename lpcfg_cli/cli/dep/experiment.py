"""``lpcfg dep experiment``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from lpcfg_cli.cli.console import note, print_json, table
from lpcfg_cli.cli.options import open_workers, resolve_settings, setting_options, worker_options
from lpcfg_cli.cli.output_options import CheckedCommand
from lpcfg_cli.cli.text_options import json_option
from lpcfg_cli.dependency.parser.orders import ORDERS
from lpcfg_cli.dependency.trees.files import read_dependency_files
from lpcfg_cli.experiments.dependency_experiment import DependencyResult, run_dependency_experiment


@click.command("experiment", cls=CheckedCommand)
@click.argument("train", nargs=-1, required=True, type=click.Path(), metavar="CONLL...")
@click.option("--gold", required=True, type=click.Path(), metavar="CONLL", help="Trees on which systems are scored.")
@click.option(
    "--order", "orders", type=click.Choice(list(ORDERS)), multiple=True, help="Of the parsers; by default each."
)
@click.option(
    "--other", "others", multiple=True, metavar="NAME=CONLL", help="Other trees of the gold sentences, to score too."
)
@json_option
@worker_options
@setting_options("dependency", "dependency_rerank")
def command(
    train: tuple[str, ...],
    gold: str,
    orders: tuple[str, ...],
    others: tuple[str, ...],
    as_json: bool,
    jobs: int,
    dask: str | None,
    **options: Any,
) -> None:
    """Compare parsers with and without rerankers, as D12 Table 1 does.

    The rerankers learn from lists of parsers that were trained on the other parts of the treebank.  Their features are
    triples of tags, and bins of ln p of the words by the latent-variable model.  p values are those of paired tests
    against the line before.
    """
    settings = resolve_settings(options)
    parses = {name: read_dependency_files([path]) for name, path in map(_named, others)}
    sentences = read_dependency_files(train), read_dependency_files([gold])
    with open_workers(jobs, dask) as mapper:
        results = run_dependency_experiment(*sentences, settings, orders or tuple(ORDERS), parses, mapper, tell)
    if as_json:
        print_json([result.as_dict() for result in results])
    else:
        click.echo(results_table(results))


def _named(other: str) -> tuple[str, str]:
    name, equals, path = other.partition("=")
    if not (name and equals and path):
        raise click.BadParameter(f"{other!r}: expected NAME=CONLL.", param_hint="--other")
    return name, path


def tell(result: DependencyResult) -> None:
    """Print a result as soon as it is there."""
    counts = result.counts
    note(f"{result.order} order, {result.system}: UAS {counts.uas:.2f}, {result.seconds:.0f} s")


def results_table(results: Sequence[DependencyResult]) -> str:
    """Accuracy and complete matches without punctuation, with paired tests of accuracy."""
    rows = []
    for result in results:
        test = (f"{result.compared.difference:+.2f}", f"{result.compared.p_value:.4f}") if result.compared else ("", "")
        rows.append(
            [
                result.system,
                result.order,
                f"{result.counts.uas:.2f}",
                f"{result.counts.complete_match:.2f}",
                *test,
                f"{result.seconds:.0f}" if result.seconds else "",
            ]
        )
    return table(["system", "order", "accuracy", "complete", "gain", "p", "seconds"], rows)
