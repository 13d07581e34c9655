"""Plot of an experiment: F1 against training time, a line for each learner (extra ``[plot]``)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from lpcfg_cli.execution.stopwatch import Spent
from lpcfg_cli.experiments.experiment_summary import ExperimentReport, LearnerScore
from lpcfg_cli.experiments.plot_files import save_figure
from lpcfg_cli.learning.learners import LEARNERS

MARKERS = "osD^vPX*"


def write_plot(report: ExperimentReport, path: Path) -> None:
    """Plot dev F1 against training time, and write the file.

    Learners without states, whose F1 is far below the others', have a separate panel.

    Parameters
    ----------
    report : ExperimentReport
    path : Path
        Must have passed `check_plot`.
    """
    from matplotlib.figure import Figure

    panels = [[score for score in report.learners if LEARNERS[score.learner].has_states != is_low] for is_low in (0, 1)]
    panels = [scores for scores in panels if scores]
    figure = Figure(figsize=(6.4, 4.6), layout="constrained")
    all_axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False, height_ratios=[4, 1][: len(panels)])[:, 0]
    styles = iter(enumerate(MARKERS * len(report.learners)))
    for axes, scores in zip(all_axes, panels, strict=True):
        for learner in dict.fromkeys(score.learner for score in scores):
            _draw_learner(axes, [score for score in scores if score.learner == learner], report.seconds, next(styles))
        axes.set_xscale("log")
        axes.margins(y=0.08 if LEARNERS[scores[0].learner].has_states else 0.4)
        axes.grid(True, which="both", alpha=0.25)
        for which in (axes.xaxis.set_major_formatter, axes.xaxis.set_minor_formatter):
            which(lambda x, _: f"{x:g}" if f"{x:e}"[0] in "125" else "")
    figure.supylabel("F1 on the dev trees", fontsize=9)
    all_axes[-1].set_xlabel(f"{report.clock_name} of training (numbers at the points: m)", fontsize=9)
    figure.legend(loc="outside right upper", fontsize=8)
    save_figure(figure, path)


def _draw_learner(
    axes: Any, scores: list[LearnerScore], seconds: Callable[[Spent], float], style: tuple[int, str]
) -> None:
    colour, marker = style
    x = [seconds(score.training) for score in scores]
    y = [score.f1.mean for score in scores]
    spread = [score.f1.sd or 0.0 for score in scores]
    look = {"marker": marker, "markersize": 4, "capsize": 2, "linewidth": 1, "color": f"C{colour}"}
    axes.errorbar(x, y, yerr=spread if any(spread) else None, label=scores[0].learner, **look)
    for score, at in zip(scores, zip(x, y, strict=True), strict=True):
        if score.states > 1:
            axes.annotate(str(score.states), at, (4, 3), textcoords="offset points", fontsize=7)
