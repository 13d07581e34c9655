"""The plot of ``lpcfg lm experiment``: perplexity by number of states."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lpcfg_cli.experiments.lm_experiment import LmResult
from lpcfg_cli.experiments.plots import MARKERS, save_figure


def plot_lm_experiment(results: Sequence[LmResult], path: Path) -> None:
    """Plot dev perplexity against m, a line for each learner and mixture, and a level for each Kneser-Ney model.

    Parameters
    ----------
    results : sequence of LmResult
    path : Path
        Must have passed `check_plot`.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.6), layout="constrained")
    axes = figure.subplots()
    colours = {name: f"C{k}" for k, name in enumerate(dict.fromkeys(result.point.learner for result in results))}
    for name in dict.fromkeys(result.point.name for result in results):
        own = [result for result in results if result.point.name == name]
        if not own[0].point.states:
            axes.axhline(own[0].dev, color="grey", linestyle=":" if own[0].point.order == 2 else "-.", label=name)
            continue
        x, y = [result.point.states for result in own], [result.dev for result in own]
        marker, colour = MARKERS[own[0].point.order % len(MARKERS)], colours[own[0].point.learner]
        line = "--" if own[0].point.order else "-"
        axes.plot(x, y, line, marker=marker, color=colour, markersize=4, linewidth=1, label=name)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    axes.set_yscale("log")
    axes.set(xlabel="m", ylabel="perplexity of the second half of the dev text")
    axes.grid(True, which="both", alpha=0.25)
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:g}")
    axes.yaxis.set_minor_formatter(lambda y, _: f"{y:g}")
    figure.legend(loc="outside right upper", fontsize=7)
    save_figure(figure, path)
