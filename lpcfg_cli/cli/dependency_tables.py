"""Scores of dependency trees as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lpcfg_cli.cli.console import table
from lpcfg_cli.cli.eval_tables import number
from lpcfg_cli.dependency.trees.aligned_scores import AlignedScore
from lpcfg_cli.dependency.trees.breakdowns import ArcScore, LengthScore
from lpcfg_cli.dependency.trees.evaluate import AttachmentReport, DependencyComparison
from lpcfg_cli.dependency.trees.scores import AttachmentCounts
from lpcfg_cli.evaluation.significance import Significance

FIGURES: list[tuple[str, Callable[[AttachmentCounts], int | float]]] = [
    ("Sentences", lambda c: c.sentences),
    ("Words", lambda c: c.words),
    ("Unlabelled attachment (UAS)", lambda c: c.uas),
    ("Labelled attachment (LAS)", lambda c: c.las),
    ("Label accuracy", lambda c: c.label_accuracy),
    ("Complete match, heads", lambda c: c.complete_match),
    ("Complete match, labelled", lambda c: c.labelled_complete_match),
]


def summary_table(report: AttachmentReport) -> str:
    """The figures over all words and without punctuation."""
    columns = (report.all, report.counted)
    rows = [[name, *(number(figure(counts)) for counts in columns)] for name, figure in FIGURES]
    return table(["", "all words", "no punctuation"], rows)


def comparison_table(a: AttachmentReport, b: AttachmentReport) -> str:
    """The figures of two parses side by side, without punctuation."""
    rows = []
    for name, figure in FIGURES:
        values = figure(a.counted), figure(b.counted)
        rows.append([name, *map(number, values), number(values[1] - values[0])])
    return table(["no punctuation", "A", "B", "B - A"], rows)


def significance_table(found: DependencyComparison) -> str:
    """The paired tests of UAS and LAS."""
    rows = [_significance_row(name, one) for name, one in (("UAS", found.uas), ("LAS", found.las))]
    settings = found.uas.settings
    header = ["", "B - A", f"{100 * settings.confidence:g} % interval", "p"]
    told = f"(bootstrap and approximate randomization, {settings.samples} samples each, seed {settings.seed})"
    return f"{table(header, rows)}\n{told}"


def _significance_row(name: str, found: Significance) -> list[str]:
    return [name, f"{found.difference:.2f}", f"{found.low:.2f} to {found.high:.2f}", f"{found.p_value:.4f}"]


def arc_table(rows: Sequence[ArcScore], kind: str) -> str:
    """Scores by relation, or by length of arc."""
    shown = [
        [row.name, row.gold, row.test, row.matched, *map(number, (row.recall, row.precision, row.f1))] for row in rows
    ]
    return table([kind, "gold", "test", "matched", "recall", "prec", "F1"], shown)


def length_table(rows: Sequence[LengthScore]) -> str:
    """Scores by length of the sentence."""
    shown = []
    for row in rows:
        counts = row.counts
        figures = (counts.uas, counts.las, counts.complete_match)
        shown.append([f"{row.shortest}-{row.longest}", counts.sentences, counts.words, *map(number, figures)])
    return table(["length", "sentences", "words", "UAS", "LAS", "complete"], shown)


def aligned_table(scores: Mapping[str, AlignedScore]) -> str:
    """Scores over aligned words."""
    rows = [
        [name, one.gold, one.test, one.correct, *map(number, (one.precision, one.recall, one.f1))]
        for name, one in scores.items()
    ]
    return table(["", "gold", "test", "correct", "prec", "recall", "F1"], rows)
