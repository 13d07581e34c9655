"""Scores as text: a compact table, and EVALB's own layout."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import zip_longest

from lpcfg_cli.cli.console import table
from lpcfg_cli.evaluation import score_kernels as columns
from lpcfg_cli.evaluation.align import AlignedScore
from lpcfg_cli.evaluation.counts import Counts, percent
from lpcfg_cli.evaluation.evaluate import ComparisonReport, EvaluationReport, FurtherScores
from lpcfg_cli.evaluation.score import Scores
from lpcfg_cli.wording import counted

RULE = "=" * 76

FIGURES: list[tuple[str, Callable[[Counts], int | float]]] = [
    ("Number of sentence        =", lambda c: c.sentences),
    ("Number of Error sentence  =", lambda c: c.errors),
    ("Number of Skip  sentence  =", lambda c: c.skipped),
    ("Number of Valid sentence  =", lambda c: c.valid),
    ("Bracketing Recall         =", lambda c: c.recall),
    ("Bracketing Precision      =", lambda c: c.precision),
    ("Bracketing FMeasure       =", lambda c: c.f1),
    ("Complete match            =", lambda c: c.complete_match),
    ("Average crossing          =", lambda c: c.average_crossing),
    ("No crossing               =", lambda c: c.share_without_crossing),
    ("2 or less crossing        =", lambda c: c.share_two_or_less_crossing),
    ("Tagging accuracy          =", lambda c: c.tagging_accuracy),
]
"""EVALB's summary, with EVALB's own labels, so that existing scripts can read the figures."""


def summary_table(scores: Scores) -> str:
    """The summary, with columns for all sentences and for those up to the cut-off length."""
    both = [scores.all, scores.short]
    cutoff = f"len<={scores.parameters.cutoff_length}"
    lines = [f"{'':27} {'All':>9} {cutoff:>9}"]
    lines += [f"{name} {number(figure(both[0])):>9} {number(figure(both[1])):>9}" for name, figure in FIGURES]
    for name in ("matched", "gold", "test"):
        lines.append(f"{f'Brackets, {name}':<25} = {getattr(both[0], name):>9} {getattr(both[1], name):>9}")
    return "\n".join(lines)


def number(value: float) -> str:
    """A figure as text: integers unchanged, others with two decimals, nan as ``n/a``."""
    if isinstance(value, int):
        return str(value)
    return "n/a" if math.isnan(value) else f"{value:.2f}"


ORACLE_SIZES = (1, 2, 3, 4, 5, 10, 20, 50, 100, 200, 500)
"""The numbers of trees, besides that of the longest list, for which the oracle is shown."""


def oracle_table(report: EvaluationReport) -> str:
    """Scores of the best of the first N trees of each list."""
    shown = [score for score in report.oracle if score.n in ORACLE_SIZES or score.n == len(report.oracle)]
    rows = []
    for score in shown:
        counts = score.counts
        figures = (counts.recall, counts.precision, counts.f1, counts.complete_match, counts.tagging_accuracy)
        rows.append([score.n, *map(number, figures)])
    return table(["N", "recall", "prec", "F1", "complete", "tags"], rows)


def unlabelled_lines(report: EvaluationReport) -> list[str]:
    """How many brackets of each side have no label and what F1 would be without them, if that is of interest."""
    if report.without_unlabelled is None:
        return []
    row = next(row for row in report.labels if not row.label)
    return [
        f"Brackets without a label: gold {row.gold}, test {row.test}. They count, as in EVALB;",
        f"F1 without them: {number(report.without_unlabelled.f1)} (--drop-unlabelled).",
    ]


def label_table(report: EvaluationReport) -> str:
    """Scores by label."""
    rows = [
        [
            row.label or "(none)",
            row.gold,
            row.test,
            row.matched,
            *map(number, (row.recall, row.precision, row.f1)),
        ]
        for row in report.labels
    ]
    return table(["label", "gold", "test", "matched", "recall", "prec", "F1"], rows)


def length_table(report: EvaluationReport) -> str:
    """Scores by sentence length."""
    rows = []
    for row in report.lengths:
        counts = row.counts
        figures = (counts.recall, counts.precision, counts.f1, counts.complete_match, counts.tagging_accuracy)
        rows.append([f"{row.shortest}-{row.longest}", counts.valid, counts.gold, *map(number, figures)])
    return table(["length", "valid", "gold", "recall", "prec", "F1", "complete", "tags"], rows)


def confusion_tables(more: FurtherScores, most: int = 15) -> str:
    """The most frequent label confusions, and labels of crossing brackets, side by side."""
    both = []
    for title, rows in (("same span:", more.confusions), ("crossing:", more.crossings)):
        shown = [[row.gold or "(none)", row.test or "(none)", row.count] for row in rows[:most]]
        both.append([title, *table(["gold", "test", "count"], shown).split("\n")])
    width = max(len(line) for line in both[0])
    pairs = zip_longest(*both, fillvalue="")
    return "\n".join(f"{left:<{width}}      {right}".rstrip() for left, right in pairs)


def other_scores(more: FurtherScores) -> str:
    """Unlabelled and leaf-ancestor scores."""
    plain, words = more.unlabelled, more.leaf_ancestor
    figures = [
        ("Unlabelled recall", plain.recall),
        ("Unlabelled precision", plain.precision),
        ("Unlabelled FMeasure", plain.f1),
        ("Leaf-ancestor, by word", words.by_word),
        ("Leaf-ancestor, by sentence", words.by_sentence),
    ]
    return "\n".join(f"{name:<27}= {number(value):>9}" for name, value in figures)


def aligned_scores(aligned: AlignedScore) -> str:
    """Scores by character spans."""
    counts = aligned.counts
    figures: list[tuple[str, int | float]] = [
        ("Sentences aligned", counts.valid),
        ("Sentences that differ", counts.errors),
        ("Sentences skipped", counts.skipped),
        ("Bracketing Recall", counts.recall),
        ("Bracketing Precision", counts.precision),
        ("Bracketing FMeasure", counts.f1),
        ("Tokens, F1", aligned.token_f1),
        ("Tokens with tags, F1", aligned.tagging_f1),
    ]
    return "\n".join(f"{name:<27}= {number(value):>9}" for name, value in figures)


def comparison_table(report: ComparisonReport) -> str:
    """The summaries of two parses side by side, and the tests of their difference."""
    a, b, found = report.a.scores.all, report.b.scores.all, report.significance
    lines = [f"{'':27} {'A':>9} {'B':>9} {'B - A':>9}"]
    for name, figure in FIGURES:
        values = figure(a), figure(b)
        lines.append(f"{name} {number(values[0]):>9} {number(values[1]):>9} {number(values[1] - values[0]):>9}")
    settings = found.settings
    lines += [
        "",
        f"F1 of the {counted(found.sentences, 'sentence')} valid in both: A {found.f1_a:.2f}, B {found.f1_b:.2f}",
        f"Difference B - A           = {found.difference:9.2f}",
        f"{f'{100 * settings.confidence:g} % bootstrap interval':<26} = {found.low:9.2f} {found.high:9.2f}",
        f"Approximate randomization  : p = {found.p_value:.4f}",
        f"({settings.samples} samples each, seed {settings.seed})",
    ]
    return "\n".join(lines)


def evalb_report(scores: Scores, listings: dict[int, str] | None = None) -> Iterator[str]:
    """Yield EVALB's output line by line.

    Parameters
    ----------
    scores : Scores
        The scores to print.
    listings : dict of int to str, optional
        Text to print after the row of a sentence, as EVALB does with DEBUG.
    """
    yield from per_sentence_table(scores, listings)
    yield _total_line(scores.all)
    yield "=== Summary ==="
    yield ""
    yield "-- All --"
    yield from _evalb_figures(scores.all)
    yield ""
    yield f"-- len<={scores.parameters.cutoff_length} --"
    yield from _evalb_figures(scores.short)


def per_sentence_table(scores: Scores, listings: dict[int, str] | None = None) -> Iterator[str]:
    """Yield EVALB's table of sentences with its head and rules."""
    yield "  Sent.                        Matched  Bracket   Cross        Correct Tag"
    yield " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy"
    yield RULE
    for place, (row, length) in enumerate(scores.sentence_rows(), 1):
        yield _sentence_line(place, length, row)
        if listings and place in listings:
            yield listings[place]
    yield RULE


def _sentence_line(place: int, length: int, row: list[int]) -> str:
    matched, gold, test = row[columns.MATCHED], row[columns.GOLD], row[columns.TEST]
    words, tags = row[columns.WORDS], row[columns.TAGS]
    return (
        f"{place:4d}  {length:3d}    {row[columns.STATUS]}  "
        f"{percent(matched, gold):6.2f} {percent(matched, test):6.2f}   {matched:3d}    {gold:3d}  {test:3d}"
        f"    {row[columns.CROSSING]:3d}   {words:4d}  {tags:4d}   {percent(tags, words):6.2f}"
    )


def _total_line(total: Counts) -> str:
    brackets = ""
    if total.gold > 0 and total.test > 0:
        brackets = (
            f"                {total.recall:6.2f} {total.precision:6.2f} {total.matched:6d} {total.gold:5d} "
            f"{total.test:5d}  {total.crossing:5d}"
        )
    return f"{brackets}  {total.words:5d} {total.correct_tags:5d}   {total.tagging_accuracy:6.2f}"


def _evalb_figures(counts: Counts) -> Iterator[str]:
    for name, figure in FIGURES:
        value = figure(counts)
        if isinstance(value, int):
            yield f"{name} {value:6d}"
        elif "FMeasure" in name and counts.matched == 0:
            # EVALB divides 0 by 0 here, which C on Linux prints so
            yield f"{name}   -nan"
        else:
            yield f"{name} {value:6.2f}"
