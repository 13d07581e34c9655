"""Plots of experiments, which need matplotlib (extra ``[plot]``)."""

from __future__ import annotations

import io
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lpcfg_cli.errors import ConfigError, InputError
from lpcfg_cli.execution.stopwatch import Spent
from lpcfg_cli.experiments.consistency_curves import LIKELIEST, UNLIKELIEST, Curve
from lpcfg_cli.experiments.experiment_summary import ExperimentReport, LearnerScore
from lpcfg_cli.experiments.learning_curve import LearningCurve
from lpcfg_cli.learning.learners import LEARNERS
from lpcfg_cli.storage.files import make_directory
from lpcfg_cli.storage.outputs import output_writer

PLOT_SUFFIXES = (".svg", ".png", ".pdf")
UNDATED = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""Metadata without dates, so that the same figure gives the same bytes."""

PANEL = (3.6, 3.8)
"""Width and height of a panel, in inches."""

MARKERS = "osD^vPX*"


def check_plot(path: Path) -> None:
    """Check, before the work starts, that a plot can be written.

    Raises
    ------
    ConfigError
        The suffix of the file is not one of `PLOT_SUFFIXES`.
    InputError
        matplotlib is not installed.
    """
    if path.suffix not in PLOT_SUFFIXES:
        raise ConfigError(f"--plot {path}: expected a name that ends in one of {', '.join(PLOT_SUFFIXES)}.")
    if find_spec("matplotlib") is None:
        raise InputError("--plot needs matplotlib. Install it: pip install 'lpcfg-cli[plot]'.")


def plot_experiment(report: ExperimentReport, path: Path) -> None:
    """Plot dev F1 against training time, a line for each learner, and write the file.

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


def plot_consistency(curves: list[Curve], path: Path) -> None:
    """Plot errors against M, with logarithmic axes and a panel for each grammar, and write the file.

    Parameters
    ----------
    curves : list of Curve
        Each is drawn as a line through its means; a grey line falls like M^(−1/2) from the first spectral error.
    path : Path
        Must have passed `check_plot`.
    """
    from matplotlib.figure import Figure

    grammars = list(dict.fromkeys(curve.grammar for curve in curves))
    colours = {name: f"C{k}" for k, name in enumerate(dict.fromkeys(_colour_name(curve) for curve in curves))}
    figure = Figure(figsize=(PANEL[0] * len(grammars), PANEL[1]), layout="constrained")
    all_axes = figure.subplots(1, len(grammars), sharey=True, squeeze=False)[0]
    for axes, grammar in zip(all_axes, grammars, strict=True):
        for curve in curves:
            if curve.grammar == grammar:
                _draw_curve(axes, curve, colours[_colour_name(curve)])
        axes.set(title=Path(grammar).stem, xscale="log", yscale="log")
        axes.grid(True, alpha=0.25)
        axes.legend(fontsize=7)
    figure.supxlabel("M, sampled trees", fontsize=9)
    figure.supylabel("Σ |p̂(t) − p(t)| over short trees", fontsize=9)
    save_figure(figure, path)


def _colour_name(curve: Curve) -> str:
    """The name that determines a curve's colour; the curves of EM share one."""
    return LIKELIEST if curve.learner == UNLIKELIEST else curve.learner


def _draw_curve(axes: Any, curve: Curve, colour: str) -> None:
    means = curve.mean_errors()
    slope = "" if curve.slope is None else f" ({curve.slope:.2f})"
    dashes = "--" if curve.learner == UNLIKELIEST else "-"
    axes.plot(list(means), list(means.values()), dashes, color=colour, linewidth=1, label=f"{curve.learner}{slope}")
    axes.plot(curve.sizes, curve.errors, ".", color=colour, markersize=4)
    if curve.learner == "spectral":
        first = min(means)
        theory = [means[first] * (size / first) ** -0.5 for size in means]
        axes.plot(list(means), theory, ":", color="grey", label="M^(−1/2)")


def plot_learning_curve(curve: LearningCurve, path: Path) -> None:
    """Plot F1 against the number of training trees with its interval, the forecast dashed, and write the file.

    Parameters
    ----------
    curve : LearningCurve
    path : Path
        Must have passed `check_plot`.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2, 3.8), layout="constrained")
    axes = figure.subplots()
    trees, f1, low, high = zip(*((p.trees, p.f1, p.low, p.high) for p in curve.points), strict=True)
    axes.plot(trees[:-1], f1[:-1], "o-", color="C0", markersize=4, linewidth=1, label="F1")
    axes.plot(
        trees[-2:], f1[-2:], "o--", color="C0", markersize=4, linewidth=1, markerfacecolor="white", label="forecast"
    )
    axes.fill_between(trees, low, high, color="C0", alpha=0.2, linewidth=0, label="95 % interval")
    axes.set_xscale("log", base=2)
    axes.set_xticks(trees, [f"{count:,}" for count in trees], fontsize=8)
    axes.grid(True, alpha=0.25)
    axes.set_xlabel("training trees", fontsize=9)
    axes.set_ylabel("F1", fontsize=9)
    axes.legend(fontsize=8, loc="lower right")
    save_figure(figure, path)


def save_figure(figure: Any, path: Path) -> None:
    """Write a matplotlib figure in the format of the file's suffix, one of `PLOT_SUFFIXES`."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "lpcfg", "svg.fonttype": "none"}):
        picture = io.BytesIO()
        figure.savefig(picture, format=path.suffix[1:], dpi=110, metadata=UNDATED.get(path.suffix))
    make_directory(path.parent)
    with output_writer(path, has_lines=False) as file:
        file.write(picture.getvalue())
