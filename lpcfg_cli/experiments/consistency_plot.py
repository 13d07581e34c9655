"""Plot of the consistency experiment: error against sample size, a panel for each grammar (extra ``[plot]``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lpcfg_cli.experiments.consistency_curves import LIKELIEST, UNLIKELIEST, Curve
from lpcfg_cli.experiments.plot_files import save_figure

PANEL = (3.6, 3.8)
"""Width and height of a panel, in inches."""


def write_plot(curves: list[Curve], path: Path) -> None:
    """Plot errors against M, with logarithmic axes, and write the file.

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
                _draw(axes, curve, colours[_colour_name(curve)])
        axes.set(title=Path(grammar).stem, xscale="log", yscale="log")
        axes.grid(True, alpha=0.25)
        axes.legend(fontsize=7)
    figure.supxlabel("M, sampled trees", fontsize=9)
    figure.supylabel("Σ |p̂(t) − p(t)| over short trees", fontsize=9)
    save_figure(figure, path)


def _colour_name(curve: Curve) -> str:
    """The name that determines a curve's colour; the curves of EM share one."""
    return LIKELIEST if curve.learner == UNLIKELIEST else curve.learner


def _draw(axes: Any, curve: Curve, colour: str) -> None:
    means = curve.mean_errors()
    slope = "" if curve.slope is None else f" ({curve.slope:.2f})"
    dashes = "--" if curve.learner == UNLIKELIEST else "-"
    axes.plot(list(means), list(means.values()), dashes, color=colour, linewidth=1, label=f"{curve.learner}{slope}")
    axes.plot(curve.sizes, curve.errors, ".", color=colour, markersize=4)
    if curve.learner == "spectral":
        first = min(means)
        theory = [means[first] * (size / first) ** -0.5 for size in means]
        axes.plot(list(means), theory, ":", color="grey", label="M^(−1/2)")
