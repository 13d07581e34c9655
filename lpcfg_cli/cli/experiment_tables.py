"""The tables of ``lpcfg experiment``: those of C13 and CC14, as text or Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from lpcfg_cli.cli.console import table
from lpcfg_cli.experiments.ablations import ABLATIONS
from lpcfg_cli.experiments.experiment_grid import ABLATED, GridResult
from lpcfg_cli.experiments.experiment_summary import AblationScore, ExperimentReport, LearnerScore, Spread
from lpcfg_cli.learning.learners import LEARNERS
from lpcfg_cli.wording import counted

WIDTH = 80
"""Largest width of a table as text, in characters; wider tables are split."""

SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes
    ----------
    title : str
    header : list of str
    rows : list of list of str
    """

    title: str
    header: list[str]
    rows: list[list[str]]

    def as_text(self) -> str:
        """Title and table as text; columns beyond `WIDTH` follow in further tables, each with at least two columns."""
        texts = [
            table([self.header[k] for k in part], [[row[k] for k in part] for row in self.rows])
            for part in self._parts()
        ]
        return "\n\n".join([textwrap.fill(self.title, WIDTH), *texts])

    def as_markdown(self) -> str:
        """Title and table in Markdown."""
        lines = [self.header, ["---", *["---:"] * (len(self.header) - 1)], *self.rows]
        escaped = ([point.strip().replace("|", "\\|") for point in line] for line in lines)
        return "\n".join([self.title, "", *(f"| {' | '.join(line)} |" for line in escaped)])

    def _parts(self) -> Iterator[list[int]]:
        widths = [max(len(line[k]) for line in (self.header, *self.rows)) for k in range(len(self.header))]
        part, width = [0], widths[0]
        for k in range(1, len(widths)):
            if len(part) > 1 and width + 2 + widths[k] > WIDTH:
                yield part
                part, width = [0], widths[0]
            part, width = [*part, k], width + 2 + widths[k]
        yield part


def tables(report: ExperimentReport) -> list[Table]:
    """All tables that have rows."""
    found = [
        accuracy(report),
        *iterations(report),
        stage_times(report),
        total_times(report),
        *ablations(report),
    ]
    return [part for part in found if part.rows]


def accuracy(report: ExperimentReport) -> Table:
    """F1 by learner and m, and on the test trees (C13 Table 2, CC14 Table 1)."""
    tested = {score.learner: score for score in report.tests}

    def point(score: LearnerScore) -> str:
        return _spread(score.f1)

    def steps(score: LearnerScore) -> str:
        return " ".join(map(str, score.iterations))

    header, rows = _by_states(report.learners, point)
    _, below = _by_states(report.learners, steps)
    lines = []
    for row, chosen in zip(rows, below, strict=True):
        test = tested.get(row[0])
        at = f" (m={test.states})" if test and LEARNERS[test.learner].has_states else ""
        lines.append([*row, f"{_spread(test.f1)}{at}" if test else ""])
        if any(chosen[1:]):
            lines.append(["", *chosen[1:], ""])
    n = report.results[0].sentences if report.results else 0
    title = (
        f"F1 on the dev trees ({counted(n, 'sentence')}) by learner and m, "
        "with the standard deviation over seeds; below it the "
        "iteration of EM that the dev trees chose for each seed."
    )
    if not tested:
        return Table(title, header, [line[:-1] for line in lines])
    return Table(f"{title} Test: at the m that the dev trees chose.", [*header, "test"], lines)


def iterations(report: ExperimentReport) -> Iterator[Table]:
    """F1 by iteration of EM, one table for each learner (C13 Table 1)."""
    for learner in dict.fromkeys(score.learner for score in report.learners):
        runs = [run for score in report.learners if score.learner == learner for run in score.runs if run.by_iteration]
        steps = sorted({int(k) for run in runs for k in run.by_iteration})
        rows = [[run.point.name.removeprefix(f"{learner} "), *(_f1_at(run, k) for k in steps)] for run in runs]
        yield Table(f"F1 on the dev trees by iteration of {learner}; * is the best.", ["", *map(str, steps)], rows)


def _f1_at(run: GridResult, iteration: int) -> str:
    f1 = run.by_iteration.get(str(iteration))
    return "" if f1 is None else f"{f1:.2f}{'*' if iteration == run.chosen else ' '}"


def stage_times(report: ExperimentReport) -> Table:
    """Seconds of each stage, and of a step of EM (C13 Table 3)."""
    stages = list(dict.fromkeys(stage for score in report.learners for stage in score.stages))
    rows = []
    for score in report.learners:
        spent = [score.step, *(score.stages.get(stage) for stage in stages), score.training]
        seconds = ["" if time is None else f"{report.seconds(time):.2f}" for time in spent]
        states = f" m={score.states}" if LEARNERS[score.learner].has_states else ""
        rows.append([f"{score.learner}{states}", *seconds])
    title = (
        f"{report.clock_name} of training by stage, mean over seeds. With EM, `estimate` is the time to the best "
        "iteration; finding the best one takes longer."
    )
    return Table(title, ["", "EM step", *stages, "total"], rows)


def total_times(report: ExperimentReport) -> Table:
    """Training time by learner and m, compared with the spectral learner."""

    def point(score: LearnerScore) -> str:
        times = report.slower(score)
        seconds = f"{report.seconds(score.training):.1f}"
        return seconds if times is None or score.learner == ABLATED else f"{seconds} ({_times(times)})"

    learners = [score for score in report.learners if LEARNERS[score.learner].has_states]
    header, rows = _by_states(learners, point)
    title = f"{report.clock_name} of training by learner and m; in brackets, how many times the spectral learner's."
    return Table(title, header, rows)


def ablations(report: ExperimentReport) -> Iterator[Table]:
    """F1 of the ablations of the spectral learner, and the number of negative totals (C13 §4.3)."""
    scores = report.ablations
    names = list(dict.fromkeys(score.result.point.ablation for score in scores))
    states = list(dict.fromkeys(score.result.point.states for score in scores))
    whole = {score.states: score.runs[0] for score in report.learners if score.learner == ABLATED}
    found = {(score.result.point.ablation, score.result.point.states): score for score in scores}
    header = ["spectral", *(f"m={m}" for m in states)]

    def rows(first: list[str], point: Callable[[AblationScore], str]) -> list[list[str]]:
        return [
            ["as it is", *first],
            *([ABLATIONS[name].title, *(point(found[name, m]) for m in states)] for name in names),
        ]

    if scores:
        yield Table(
            "F1 on the dev trees with one thing changed, and the difference that it makes; * p < 0.05 (approximate "
            "randomization).",
            header,
            rows([f"{whole[m].f1:.2f}{' ' * 7}" for m in states], _difference),
        )
        yield Table(
            f"Sentences, of {scores[0].result.sentences:,}, whose inside total is negative.",
            header,
            rows([str(whole[m].negative_totals) for m in states], lambda score: str(score.result.negative_totals)),
        )


def _difference(score: AblationScore) -> str:
    mark = "*" if score.p_value < SIGNIFICANT else " "
    return f"{score.result.f1:.2f} {score.difference:+.2f}{mark}"


def _by_states(
    scores: Sequence[LearnerScore], point: Callable[[LearnerScore], str]
) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a table with one row for each learner and one column for each m."""
    states = sorted({score.states for score in scores})
    found = {(score.learner, score.states): point(score) for score in scores}
    learners = dict.fromkeys(score.learner for score in scores)
    return (
        ["learner", *(f"m={m}" for m in states)],
        [[learner, *(found.get((learner, m), "") for m in states)] for learner in learners],
    )


def _spread(value: Spread) -> str:
    return f"{value.mean:.2f}" if value.sd is None else f"{value.mean:.2f} ±{value.sd:.2f}"


def _times(value: float) -> str:
    return f"{value:.0f}×" if value >= 10 else f"{value:.1f}×"
