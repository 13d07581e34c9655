"""Tables and plots of measurements."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Figure:
    """One figure of the report.

    Attributes
    ----------
    what : str
    value : float
    unit : str
    bound : float, optional
        The project's requirement.
    is_least : bool
        Whether the bound is a lower bound.
    cpu : float, optional
        CPU seconds, besides the wall seconds of `value`.
    """

    what: str
    value: float
    unit: str
    bound: float | None = None
    is_least: bool = False
    cpu: float | None = None

    @property
    def verdict(self) -> str:
        """Whether the bound holds."""
        if self.bound is None:
            return ""
        holds = self.value >= self.bound if self.is_least else self.value <= self.bound
        return "yes" if holds else "no"

    def cells(self) -> list[str]:
        """The row of a table."""
        sign = "≥" if self.is_least else "≤"
        bound = "" if self.bound is None else f"{sign} {self.bound:g}"
        cpu = "" if self.cpu is None else f"{self.cpu:.2f}"
        return [self.what, f"{self.value:,.2f} {self.unit}".strip(), cpu, bound, self.verdict]


def growth(rows: list[dict[str, Any]], x: str, y: str) -> float:
    """The exponent p of y ~ xᵖ, by least squares on logarithms."""
    xs, ys = ([math.log(row[name]) for row in rows] for name in (x, y))
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    above = sum((a - mean_x) * (b - mean_y) for a, b in zip(xs, ys, strict=True))
    return above / sum((a - mean_x) ** 2 for a in xs)


def write_tables(rows: list[dict[str, Any]], figures: list[Figure], path: Path) -> str:
    """Write the figures as a table in Markdown; returns it."""
    machine = rows[0]
    lines = [
        f"{machine['cpu']}, {machine['cores']} cores, one thread of linear algebra, Python {machine['python']}, "
        f"numpy {machine['numpy']}, scipy {machine['scipy']}, numba {machine['numba']}; medians; load average "
        f"{min(row['load'] for row in rows)} to {max(row['load'] for row in rows)} while measuring.",
        "",
        "| what | measured | CPU s | asked | holds |",
        "| --- | ---: | ---: | ---: | --- |",
        *(f"| {' | '.join(figure.cells())} |" for figure in figures),
    ]
    text = "\n".join(lines) + "\n"
    path.write_text(text, "utf-8")
    return text


CURVES = {
    "trees": ("training", "trees", "cpu", "CPU seconds", lambda row: row.get("treebank")),
    "states": ("training and parsing against m", "m", "cpu", "CPU seconds", lambda row: _only(row, "states")),
    "length": ("parsing one sentence, m = 16", "words", "cpu_seconds", "CPU seconds", lambda row: _only(row, "length")),
}


def _only(row: dict[str, Any], word: str) -> str | None:
    return row["name"] if word in row["name"] else None


def write_plots(rows: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Plot measurements against sizes, with logarithmic axes; does nothing without matplotlib (extra ``[plot]``)."""
    try:
        import matplotlib as mpl

        mpl.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        print("no plots: matplotlib is not installed (pip install 'lpcfg-cli[plot]')")
        return []
    paths = []
    for name, (title, x, y, label, group) in CURVES.items():
        curves: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            if row["name"] != "machine" and x in row and row.get(y) and row[x] and (key := group(row)):
                curves.setdefault(key, []).append(row)
        curves = {key: points for key, points in curves.items() if len(points) > 2}
        if not curves:
            continue
        figure, axes = pyplot.subplots(figsize=(6, 4))
        for key, points in curves.items():
            exponent = growth(points, x, y)
            axes.loglog([p[x] for p in points], [p[y] for p in points], "o-", label=f"{key}: exponent {exponent:.2f}")
        axes.set(title=title, xlabel=x, ylabel=label)
        axes.grid(True, which="both", alpha=0.3)
        axes.legend()
        figure.tight_layout()
        paths.append(folder / f"bench-{name}.png")
        figure.savefig(paths[-1], dpi=120)
        pyplot.close(figure)
    return paths
