"""Pictures in files, for those who have matplotlib (extra ``[plot]``)."""

from __future__ import annotations

import io
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lpcfg_cli.errors import ConfigError, InputError
from lpcfg_cli.storage.files import atomic_writer

PLOT_SUFFIXES = (".svg", ".png", ".pdf")
UNDATED = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""Metadata that let the same figure give the same bytes."""


def check_plot(path: Path) -> None:
    """Tell before the work begins that a plot could not be drawn.

    Raises
    ------
    ConfigError
        The file's ending is none that can be drawn.
    InputError
        There is no such folder, or matplotlib is not installed.
    """
    if path.suffix not in PLOT_SUFFIXES:
        raise ConfigError(f"--plot {path}: expected a name that ends in one of {', '.join(PLOT_SUFFIXES)}.")
    if not path.parent.is_dir():
        raise InputError(f"--plot {path}: there is no folder {path.parent}. Make it first.")
    if find_spec("matplotlib") is None:
        raise InputError("--plot needs matplotlib. Install it: pip install 'lpcfg-cli[plot]'.")


def save_figure(figure: Any, path: Path) -> None:
    """Write a matplotlib figure; the ending of the name, one of `PLOT_SUFFIXES`, is the format."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "lpcfg", "svg.fonttype": "none"}):
        picture = io.BytesIO()
        figure.savefig(picture, format=path.suffix[1:], dpi=110, metadata=UNDATED.get(path.suffix))
    with atomic_writer(path) as file:
        file.write(picture.getvalue())
