"""How scores are laid out as text: a compact table, and EVALB's own layout."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from lpcfg_cli.evaluation import score_kernels as columns
from lpcfg_cli.evaluation.counts import Counts, percent
from lpcfg_cli.evaluation.score import Scores

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
"""EVALB's summary; the labels are its own, so that old scripts find their figures."""


def summary_table(scores: Scores) -> str:
    """The summary with all sentences and those up to the cut-off length side by side."""
    both = [scores.all, scores.short]
    cutoff = f"len<={scores.parameters.cutoff_length}"
    lines = [f"{'':27} {'All':>9} {cutoff:>9}"]
    lines += [f"{name} {number(figure(both[0])):>9} {number(figure(both[1])):>9}" for name, figure in FIGURES]
    for name in ("matched", "gold", "test"):
        lines.append(f"{f'Brackets, {name}':<25} = {getattr(both[0], name):>9} {getattr(both[1], name):>9}")
    return "\n".join(lines)


def number(value: float) -> str:
    """Integers as they are, other figures with two decimals, nan as ``n/a``."""
    if isinstance(value, int):
        return str(value)
    return "n/a" if math.isnan(value) else f"{value:.2f}"


def evalb_report(scores: Scores, listings: dict[int, str] | None = None) -> Iterator[str]:
    """Yield EVALB's output line by line.

    Parameters
    ----------
    scores : Scores
        What to print.
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
    yield ""


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
            # EVALB divides 0 by 0 here, and this is how C on Linux prints the result
            yield f"{name}   -nan"
        else:
            yield f"{name} {value:6.2f}"
