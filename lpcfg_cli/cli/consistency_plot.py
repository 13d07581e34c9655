"""The plot of errors against sample sizes; matplotlib is an optional extra."""

from __future__ import annotations

import importlib.util
import io
from pathlib import Path

from lpcfg_cli.errors import ConfigError
from lpcfg_cli.stages.consistency_curves import Curve
from lpcfg_cli.storage.files import atomic_writer

FORMATS = (".png", ".svg", ".pdf")
PANEL_INCHES = 4.2


def check_plot_file(path: Path) -> None:
    """Say before any work is done that a plot cannot be written (`ConfigError`)."""
    if path.suffix not in FORMATS:
        raise ConfigError(f"--plot {path}: cannot tell the format. End the name in {', '.join(FORMATS)}.")
    if not path.parent.is_dir():
        raise ConfigError(f"--plot {path}: there is no folder {path.parent}. Make it first.")
    if importlib.util.find_spec("matplotlib") is None:
        raise ConfigError("--plot needs matplotlib, which is not installed. Run: pip install 'lpcfg-cli[plot]'")


def save_plot(curves: list[Curve], path: Path) -> None:
    """One panel a grammar, both axes logarithmic, with a line of slope −1/2 through the first spectral error."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "lpcfg"  # the same results give the same bytes
    from matplotlib import pyplot

    grammars = list(dict.fromkeys(curve.grammar for curve in curves))
    figure, panels = pyplot.subplots(
        1, len(grammars), figsize=(PANEL_INCHES * len(grammars), PANEL_INCHES), sharey=True, squeeze=False
    )
    for panel, grammar in zip(panels[0], grammars, strict=True):
        _draw(panel, [curve for curve in curves if curve.grammar == grammar])
        panel.set(title=Path(grammar).stem, xlabel="M, sampled trees", xscale="log", yscale="log")
    panels[0][0].set_ylabel("Σ |p̂(t) − p(t)| over short trees")
    panels[0][-1].legend(fontsize="small")
    image = io.BytesIO()
    undated = {"Date": None} if path.suffix == ".svg" else {"CreationDate": None} if path.suffix == ".pdf" else {}
    figure.savefig(image, format=path.suffix[1:], dpi=110, bbox_inches="tight", metadata=undated)
    pyplot.close(figure)
    with atomic_writer(path) as file:
        file.write(image.getvalue())


def _draw(panel, curves: list[Curve]) -> None:  # type: ignore[no-untyped-def]
    for curve in curves:
        means = curve.mean_errors()
        slope = "" if curve.slope is None else f" ({curve.slope:.2f})"
        (line,) = panel.plot(list(means), list(means.values()), label=f"{curve.learner}{slope}")
        panel.plot(curve.sizes, curve.errors, ".", color=line.get_color(), alpha=0.4)
    spectral = [curve.mean_errors() for curve in curves if curve.learner == "spectral"]
    for means in spectral:
        sizes = list(means)
        theory = [means[sizes[0]] * (size / sizes[0]) ** -0.5 for size in sizes]
        panel.plot(sizes, theory, "--", color="grey", label="M^(−1/2)")
