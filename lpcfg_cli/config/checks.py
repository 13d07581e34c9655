"""Checks of the values of settings."""

from __future__ import annotations

import difflib
import math

from lpcfg_cli.errors import ConfigError


def one_of(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raise a `ConfigError`, which suggests the nearest choice, unless the value is one of the choices."""
    if value not in choices:
        near = difflib.get_close_matches(str(value), choices, 1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise ConfigError(f"{name} is {value!r}; expected one of {', '.join(choices)}.{hint}")


def at_least(name: str, value: float, least: float) -> None:
    """Raise a `ConfigError` unless the value is finite and at least `least`."""
    if not least <= value < math.inf:
        raise ConfigError(f"{name} is {value}; expected a finite number, at least {least}.")


def share(name: str, value: float) -> None:
    """Raise a `ConfigError` unless the value is between 0 and 1."""
    if not 0 <= value <= 1:
        raise ConfigError(f"{name} is {value}; expected a share between 0 and 1.")
