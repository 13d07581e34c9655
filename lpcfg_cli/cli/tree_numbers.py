"""Values of options that choose trees by their numbers."""

from __future__ import annotations

from typing import Any

import click


class TreeNumbers(click.ParamType):
    """Numbers of trees from 1, such as ``1,5-7``."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> set[int]:
        """The numbers as a set."""
        if isinstance(value, set):
            return value
        numbers = set[int]()
        for part in value.split(","):
            first, _, last = part.partition("-")
            if not (first.strip().isdecimal() and (last or first).strip().isdecimal()):
                self.fail(f"{part!r}; expected numbers and ranges joined by commas, such as 1,5-7.", param, ctx)
            numbers.update(range(int(first), int(last or first) + 1))
        return numbers
