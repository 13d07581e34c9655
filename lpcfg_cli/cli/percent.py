"""Options whose value is a percentage."""

from __future__ import annotations

import math
from typing import Any

import click


class Percent(click.FloatRange):
    """A number from 0 to 100."""

    name = "percent"

    def __init__(self) -> None:
        super().__init__(0, 100)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; it is an error if it is outside, or no number at all."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not a number", param, ctx)
        return number
