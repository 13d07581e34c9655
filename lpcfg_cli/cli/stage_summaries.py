"""The reports of stages as text, line by line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from statistics import fmean
from typing import Any

from lpcfg_cli.cli.console import capped, note
from lpcfg_cli.em.monitor import EmRecord
from lpcfg_cli.stages.binarize import BinarizeReport
from lpcfg_cli.stages.ensemble import EnsembleReport
from lpcfg_cli.stages.estimate import EstimateReport
from lpcfg_cli.stages.features import FeaturesReport
from lpcfg_cli.stages.rerank import RerankReport
from lpcfg_cli.stages.spans import SpansReport
from lpcfg_cli.stages.svd import SvdReport
from lpcfg_cli.stages.tagger import TaggerReport
from lpcfg_cli.stages.teach import TeachReport
from lpcfg_cli.treebank.folders import reasons
from lpcfg_cli.wording import counted

MOST_LISTED = 20
"""Largest number of entries of a list that are shown."""


def tell_step(record: EmRecord) -> None:
    """Print the figures of an iteration of EM."""
    score = "" if record.dev_score is None else f", dev F1 {record.dev_score:.2f}"
    note(f"em: step {record.iteration}: log-likelihood {record.log_likelihood:,.1f}{score}")


def teach_summary(report: TeachReport) -> list[str]:
    """The report, line by line."""
    lines = [
        f"teach: {counted(report.texts, 'text')}, {counted(report.fitting, 'sentence')} of fitting length, "
        f"{report.others:,} others",
        f"       parsed: {counted(report.parsed, 'sentence')}, {counted(report.words, 'word')}; left out: "
        f"{report.left_out:,} without a sure tree",
        f"       {counted(report.trees, 'tree')}, mean confidence {report.confidence:.3f}",
    ]
    if report.unreadable:
        lines.append(f"       warning: left out: {counted(report.unreadable, 'line')} that are no text")
    if report.seems_running:
        lines.append("       warning: words and full stops are not apart: for running text give --text-format text")
    return lines


def binarize_summary(report: BinarizeReport) -> list[str]:
    """The report, line by line."""
    lost = report.cleaning
    lines = [
        f"binarize: {counted(report.files, 'file')}, {counted(report.trees, 'tree')}, {counted(report.words, 'word')}, "
        f"longest sentence {report.longest}",
        f"          {counted(report.symbols, 'symbol')}: {counted(report.preterminals, 'tag')}, "
        f"{counted(report.symbols - report.preterminals - report.intermediate_symbols, 'phrase')}, "
        f"{report.intermediate_symbols} intermediate",
        f"          removed: {counted(lost.traces, 'trace')}, {counted(lost.emptied, 'phrase')} left empty, "
        f"{counted(lost.self_loops, 'repeated label')}",
    ]
    if report.taught:
        weight = f"with the weight of {report.taught_weight:,.0f}"
        lines.append(f"          raw text: {counted(report.taught, 'tree')} of the teacher, {weight}")
    lines += _left_out_lines(report)
    if report.left_out:
        lines.append(f"          skipped: {counted(len(report.left_out), 'part')} of files that are not trees")
        lines += [f"            {part}" for part in report.left_out[:MOST_LISTED]]
        if len(report.left_out) > MOST_LISTED:
            lines.append(f"            … and {len(report.left_out) - MOST_LISTED:,} more; --json lists all")
    if report.skipped:
        lines.append(
            f"          skipped: {counted(len(report.skipped), 'tree')} without words: {capped(report.skipped)}"
        )
    if lost.unlabelled:
        lines.append(f"          replaced by their children: {counted(lost.unlabelled, 'phrase')} without a label")
    lines += [f"          ignored: {note}" for note in report.notes[:MOST_LISTED]]
    if report.unread:
        lines.append(f"          not read: {counted(len(report.unread), 'other file')}: {reasons(report.unread)}")
    lines += [f"          warning: no trees in {path}" for path in report.empty_files]
    return lines


def _left_out_lines(report: BinarizeReport) -> list[str]:
    """What was left out because it is no language, and what looks as if it should be."""
    lost, lines = report.cleaning, []
    if lost.dropped:
        names = ", ".join(f"{count:,} {name}" for name, count in lost.dropped.items())
        lines.append(f"          left out, in words: {names}")
    if report.bare_traces:
        n = len(report.bare_traces)
        kept = "left out" if lost.bare_traces else "kept as words (--drop-bare-traces leaves them out)"
        lines.append(f"          traces that are not tagged -NONE-: {n:,}, {kept}")
        lines += [f"            {place}" for place in report.bare_traces[:MOST_LISTED]]
        if n > MOST_LISTED:
            lines.append(f"            … and {n - MOST_LISTED:,} more; --json lists all")
    if report.suggestion:
        lines.append(f"          {report.suggestion}")
    elif report.no_language:
        lines.append(f"          no language? {', '.join(report.no_language)}; see lpcfg check")
    return lines


def tagger_summary(report: TaggerReport) -> list[str]:
    """The report, line by line."""
    spellings = [f"{found} as {written}" for found, written in report.spellings]
    spellings += ["\" as `` and ''"] * report.has_directed_quotes
    conventions = [counted(report.abbreviations, "abbreviation")]
    conventions += [f"words cut: {capped(report.clitics)}"] * bool(report.clitics)
    conventions += ["written otherwise: " + ", ".join(spellings)] * bool(spellings)
    return [
        f"tagger: {counted(report.tags, 'tag')}, {counted(report.features, 'feature')}, "
        f"{counted(report.weights, 'weight')}",
        f"        text: {'; '.join(conventions)}",
    ]


def spans_summary(report: SpansReport) -> list[str]:
    """The report, line by line."""
    first, last = (fmean(each[k] for each in report.likelihood) for k in (0, -1))
    return [
        f"spans: {counted(report.sentences, 'sentence')}, {counted(report.words, 'word')}, "
        f"{counted(report.chains, 'chain')} of labels",
        f"       {counted(report.networks, 'network')} of {counted(report.parameters, 'parameter')}, "
        f"log-likelihood of a tree {first:.2f} to {last:.2f}",
    ]


def features_summary(report: FeaturesReport) -> list[str]:
    """The report, line by line."""
    return [
        f"features: {counted(report.nodes, 'node')}, {report.inside_features:,} inside and "
        f"{report.outside_features:,} outside features",
        f"          lexicon: {counted(report.words, 'word')}, {counted(report.classes, 'class')}, "
        f"{counted(report.suffixes, 'suffix')}",
    ]


def svd_summary(report: SvdReport) -> list[str]:
    """The report, line by line."""
    states = [spectrum.states for spectrum in report.spectra]
    lines = [
        f"svd: {counted(len(states), 'nonterminal')}, "
        f"{sum(states) / len(states):.1f} states on average, {max(states)} at most"
    ]
    if report.limited:
        have = "has" if report.limited == 1 else "have"
        fewer = f"fewer than {counted(report.asked, 'state')}"
        lines.append(f"     {report.limited} {have} {fewer}: their examples or rank allow no more")
    return lines


def estimate_summary(report: EstimateReport) -> list[str]:
    """The report, line by line."""
    chosen = [] if report.chosen is None else [f"          parameters of step {report.chosen} of EM"]
    return [
        f"estimate: {report.binary_rules:,} binary ({report.dense_rules:,} dense), {report.unary_rules:,} unary, "
        f"{report.lexical_rules:,} lexical rules",
        f"          {counted(report.parameters, 'parameter')}, {report.bytes / 1e6:.1f} MB",
        *chosen,
    ]


def ensemble_summary(report: EnsembleReport) -> list[str]:
    """The report, line by line."""
    lines = []
    for number, outcomes in enumerate(report.members):
        done = ", ".join(f"{o.stage} {o.seconds:.1f} s" for o in outcomes if o.report)
        lines.append(f"member {number}: {done or 'unchanged, skipped'}")
    return [*lines, f"ensemble: {counted(report.parameters, 'parameter')}, {report.bytes / 1e6:.1f} MB"]


def rerank_summary(report: RerankReport) -> list[str]:
    """The report, line by line."""
    own = report.held_out
    return [
        f"rerank: {counted(report.lists, 'list')}, {counted(report.trees, 'tree')}, "
        f"{counted(report.features, 'feature')}, {report.bytes / 1e6:.1f} MB",
        f"        held-out lists: F1 {own.before:.2f} → {own.after:.2f}, best possible {own.best:.2f}",
        f"        trees all correct: {own.correct_before:.1f} % → {own.correct_after:.1f} %, best possible "
        f"{own.correct_best:.1f} %",
    ]


SUMMARIES: dict[str, Callable[[Any], list[str]]] = {
    "teach": teach_summary,
    "binarize": binarize_summary,
    "tagger": tagger_summary,
    "spans": spans_summary,
    "features": features_summary,
    "svd": svd_summary,
    "estimate": estimate_summary,
    "ensemble": ensemble_summary,
    "rerank": rerank_summary,
}
"""Texts made for one stage's report; others are summed up by `stage_summary` as they are."""


def stage_summary(stage: str, report: Any) -> list[str]:
    """The report of a stage, line by line; without a text of its own, its numbers and names."""
    if stage in SUMMARIES:
        return SUMMARIES[stage](report)
    values = ((entry.name, getattr(report, entry.name)) for entry in fields(report))
    told = [f"{name} {value}" for name, value in values if isinstance(value, int | float | str)]
    return [f"{stage}: {', '.join(told)}"]
