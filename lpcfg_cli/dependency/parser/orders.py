"""The table of orders: which parts of a tree have scores."""

from __future__ import annotations

from dataclasses import dataclass

from lpcfg_cli.config import Table


@dataclass(frozen=True)
class Order:
    """How a tree is cut into parts.

    Attributes
    ----------
    name : str
        Value of ``--order``.
    summary : str
        One line for help pages.
    has_siblings : bool
        Whether a part is an arc with the sibling of its modifier, or an arc alone.
    """

    name: str
    summary: str
    has_siblings: bool


ORDERS: Table[Order] = Table(
    "dependency order",
    Order("first", "arcs (Eisner 1996)", has_siblings=False),
    Order("second", "arcs and pairs of siblings next to each other (McDonald and Pereira 2006)", has_siblings=True),
)
