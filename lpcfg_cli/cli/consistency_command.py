"""``lpcfg consistency``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, print_json, progress, table
from lpcfg_cli.cli.options import open_workers, resolve_settings, setting_options, worker_options
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.cli.spectrum_table import warning_lines
from lpcfg_cli.experiments.consistency import ConsistencyReport, GrammarSummary, SampleResult
from lpcfg_cli.experiments.consistency_curves import Curve, curves, em_starts
from lpcfg_cli.experiments.consistency_models import CONSISTENCY_MODELS, ConsistencyModel
from lpcfg_cli.experiments.plots import check_plot, plot_consistency
from lpcfg_cli.experiments.state_matching import Recovery
from lpcfg_cli.wording import counted

Rows = list[list[str]]


@click.command(cls=CheckedCommand)
@click.option("--json", "as_json", is_flag=True, help="Print all results as JSON.")
@click.option("--plot", type=OutputFile(), help="Write a plot: a .png, .svg or .pdf file.")
@worker_options
@setting_options("consistency")
def command(as_json: bool, plot: Path | None, jobs: int, dask: str | None, **options: Any) -> None:
    """Test the theory: learn known L-PCFGs, HMMs or dependency trees from samples of growing size M.

    Prints the error Σ|p̂(t) − p(t)| over all short trees t, or all short sequences, and the slope of its logarithm
    against that of M, which in theory is −1/2 for spectral learning if the known model meets the rank conditions; the
    results of EM from several random starts; and, of L-PCFGs, the difference of the parameters from the true ones,
    after matching states.
    """
    settings = resolve_settings(options)
    kind = CONSISTENCY_MODELS.named(settings.consistency.model, "consistency.model")
    if plot is not None:
        check_plot(plot)
    with open_workers(jobs, dask) as mapper:
        report = kind.run(settings, mapper, progress)
    found = curves(report)
    if plot is not None:
        plot_consistency(found, plot)
        note(f"plot: {plot}")
    if as_json:
        print_json({**asdict(report), "curves": [asdict(curve) for curve in found]})
    else:
        click.echo("\n\n".join(text(report, found, kind)))


def text(report: ConsistencyReport, found: list[Curve], kind: ConsistencyModel) -> list[str]:
    """The tables of all grammars, each grammar with a title."""
    parts = []
    for grammar in report.grammars:
        samples = [sample for sample in report.samples if sample.grammar == grammar.name]
        own = [curve for curve in found if curve.grammar == grammar.name]
        parts += _grammar_text(grammar, samples, own, kind)
    return parts


def _grammar_text(
    grammar: GrammarSummary, samples: list[SampleResult], found: list[Curve], kind: ConsistencyModel
) -> list[str]:
    title = (
        f"{grammar.name}: {counted(grammar.states, 'state')}; errors over its {grammar.trees:,} shortest "
        f"{kind.observations}, which have {100 * grammar.mass:.1f} % of the probability"
    )
    last = samples[-1]
    warnings = [f"svd, M = {last.size:,}: {line}" for line in _rank_lines(last, kind)]
    parts = [f"{title}\n\n{table(*error_table(found))}", *warnings]
    for header, rows in (start_table(samples), recovery_table(samples)):
        if rows:
            parts.append(table(header, rows))
    return parts


def _rank_lines(sample: SampleResult, kind: ConsistencyModel) -> list[str]:
    """Warnings about low ranks on one sample, without the word."""
    if not kind.has_nonterminals:
        return [
            f"only {w.rank} of {w.allowed} singular values are larger than chance makes them" for w in sample.warnings
        ]
    return [line.removeprefix("warning: ") for line in warning_lines(sample.warnings)]


def error_table(found: list[Curve]) -> tuple[list[str], Rows]:
    """One row for each learner, one column for each M with the mean error over samples, then the slope."""
    sizes = sorted({size for curve in found for size in curve.sizes})
    rows = []
    for curve in found:
        means = curve.mean_errors()
        slope = "" if curve.slope is None else f"{curve.slope:.2f}"
        error = "" if curve.standard_error is None else f" ± {curve.standard_error:.2f}"
        rows.append([curve.learner, *(f"{means[m]:.4f}" if m in means else "" for m in sizes), slope + error])
    return ["Σ|p̂ − p|", *(f"{size:,}" for size in sizes), "slope"], rows


def start_table(samples: list[SampleResult]) -> tuple[list[str], Rows]:
    """One row for each of the largest samples of EM: log-likelihood of a tree, and error, from each start."""
    starts = {(sample.size, sample.seed): em_starts(sample) for sample in samples}
    largest = max((size for (size, _), found in starts.items() if found), default=0)
    chosen = {seed: found for (size, seed), found in starts.items() if size == largest and found}
    n = max((len(found) for found in chosen.values()), default=0)
    rows = [
        [f"{seed + 1}", *(f"{one.log_likelihood:.4f} ({one.error:.3f})" for one in found)]
        for seed, found in chosen.items()
    ]
    return [f"EM, M = {largest:,}: log-likelihood (error)", *(f"start {k + 1}" for k in range(n))], rows


def recovery_table(samples: list[SampleResult]) -> tuple[list[str], Rows]:
    """One row for each learner: the largest differences of t, q and π on its last, largest sample."""
    last: dict[str, tuple[int, Recovery | None]] = {}
    for sample in samples:
        for outcome in [*em_starts(sample)[:1], *(one for one in sample.outcomes if one.learner != "em")]:
            last[outcome.learner] = (sample.size, outcome.recovery)
    rows = [
        [learner, f"{size:,}", *(f"{value:.4f}" for value in (found.rules, found.words, found.roots))]
        for learner, (size, found) in last.items()
        if found is not None
    ]
    return ["largest difference", "M", "t", "q", "π"], rows
