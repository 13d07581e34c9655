"""Hidden states as text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from lpcfg_cli.text.description import StateWords

WIDTH = 79

_KEPT = "\N{NO-BREAK SPACE}"
"""Stands for blanks at which no line may end."""


def state_lines(states: Sequence[StateWords], title: str) -> Iterator[str]:
    """A title, and one paragraph for each state."""
    yield title
    for state in states:
        anchor = f"[{state.anchor}] " if state.anchor else ""
        head = f"{state.state:5}  {state.weight:5.3f}  "
        yield from wrapped(head + anchor, [f"{word} {p:.3f}" for word, p in state.words], len(head))


def wrapped(head: str, items: Sequence[str], indent: int) -> list[str]:
    """The items after a head, in lines of at most `WIDTH` characters; no item is broken."""
    text = head.replace(" ", _KEPT) + "  ".join(item.replace(" ", _KEPT) for item in items)
    lines = textwrap.wrap(text, WIDTH, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    return [line.replace(_KEPT, " ") for line in lines]
