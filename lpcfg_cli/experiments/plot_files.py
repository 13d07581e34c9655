"""Writing of plots, which need matplotlib (extra ``[plot]``)."""

from __future__ import annotations

import io
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lpcfg_cli.errors import ConfigError, InputError
from lpcfg_cli.storage.files import atomic_writer

PLOT_SUFFIXES = (".svg", ".png", ".pdf")
UNDATED = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""Metadata without dates, so that the same figure gives the same bytes."""


def check_plot(path: Path) -> None:
    """Check, before the work starts, that a plot can be written.

    Raises
    ------
    ConfigError
        The suffix of the file is not one of `PLOT_SUFFIXES`.
    InputError
        The folder does not exist, or matplotlib is not installed.
    """
    if path.suffix not in PLOT_SUFFIXES:
        raise ConfigError(f"--plot {path}: expected a name that ends in one of {', '.join(PLOT_SUFFIXES)}.")
    if not path.parent.is_dir():
        raise InputError(f"--plot {path}: there is no folder {path.parent}. Create it first.")
    if find_spec("matplotlib") is None:
        raise InputError("--plot needs matplotlib. Install it: pip install 'lpcfg-cli[plot]'.")


def save_figure(figure: Any, path: Path) -> None:
    """Write a matplotlib figure in the format of the file's suffix, one of `PLOT_SUFFIXES`."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "lpcfg", "svg.fonttype": "none"}):
        picture = io.BytesIO()
        figure.savefig(picture, format=path.suffix[1:], dpi=110, metadata=UNDATED.get(path.suffix))
    with atomic_writer(path) as file:
        file.write(picture.getvalue())
