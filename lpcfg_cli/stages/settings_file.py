"""``settings.json``: all settings of a run; a stage that is run by itself starts from them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lpcfg_cli.config import Settings, settings_from_dict
from lpcfg_cli.storage.artefacts import Kind, read_json, write_json

SETTINGS_FILE = "settings.json"

SETTINGS = Kind("lpcfg-settings", 1, 1, "train")


def write_settings(run: Path, settings: Settings) -> None:
    """Record the settings of a run."""
    write_json(run / SETTINGS_FILE, SETTINGS, settings.as_dict(), {}, settings.seed, {})


def read_settings(run: Path) -> Settings | None:
    """The settings recorded in a run directory; None if there are none.

    Raises
    ------
    ArtefactError, ConfigError
        The file cannot be used, or has settings that are not valid.
    """
    path = run / SETTINGS_FILE
    if not path.exists():
        return None
    return settings_from_dict(read_json(path, SETTINGS)[1], str(path))


def changes(before: Settings, after: Settings) -> Iterator[str]:
    """Each setting that differs, as ``section.name: old → new``."""
    yield from _changes(before.as_dict(), after.as_dict(), "")


def _changes(before: dict[str, Any], after: dict[str, Any], prefix: str) -> Iterator[str]:
    for name, old in before.items():
        new = after[name]
        if isinstance(old, dict):
            yield from _changes(old, new, f"{prefix}{name}.")
        elif old != new:
            yield f"{prefix}{name}: {old} → {new}"
