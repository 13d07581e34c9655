"""The templates of features: which fields of which words are joined.

A template is written as fields of positions, such as ``head.word modifier.tag``.  A new feature is a line here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lpcfg_cli.arrays.ragged import starts

FIELDS = ("word", "tag", "coarse", "prefix", "suffix")
"""Of each word: its form, its fine and its coarse tag, its first five and its last three letters."""

POSITIONS = (
    *("head", "before-head", "after-head"),
    *("modifier", "before-modifier", "after-modifier"),
    *("between", "sibling"),
    *("grandparent", "left-sibling", "right-sibling", "first-child", "last-child"),
)
"""Words that templates may name: head and modifier of an arc, the words next to them, each word between them, and the
modifier's sibling, which is the head itself for the first child.  The last row is for relations only."""


class Templates(NamedTuple):
    """Templates as arrays.

    Attributes
    ----------
    start : ndarray of int64, shape (n_templates + 1,)
    slot : ndarray of int64, shape (start[n_templates],)
        Template t joins the values at ``slot[start[t]:start[t + 1]]``: position times number of fields, plus field.
    """

    start: np.ndarray
    slot: np.ndarray


def compiled(templates: tuple[str, ...]) -> Templates:
    """The arrays of templates.

    Raises
    ------
    ValueError
        A template names an unknown field or position.
    """
    slots = [[_slot(part) for part in template.split()] for template in templates]
    return Templates(starts([len(own) for own in slots]), np.array([k for own in slots for k in own], np.int64))


def _slot(part: str) -> int:
    position, _, field = part.rpartition(".")
    return POSITIONS.index(position) * len(FIELDS) + FIELDS.index(field)


ARC = (
    "head.word",
    "head.tag",
    "head.word head.tag",
    "modifier.word",
    "modifier.tag",
    "modifier.word modifier.tag",
    "modifier.suffix modifier.tag",
    "head.word head.tag modifier.word modifier.tag",
    "head.tag modifier.word modifier.tag",
    "head.word modifier.word modifier.tag",
    "head.word head.tag modifier.tag",
    "head.word head.tag modifier.word",
    "head.word modifier.word",
    "head.word modifier.tag",
    "head.tag modifier.word",
    "head.tag modifier.tag",
    "head.coarse modifier.coarse",
    "head.word modifier.coarse",
    "head.coarse modifier.word",
    "head.prefix modifier.prefix",
    "head.prefix modifier.tag",
    "head.tag modifier.prefix",
    "head.prefix head.tag modifier.prefix modifier.tag",
    "head.tag after-head.tag before-modifier.tag modifier.tag",
    "before-head.tag head.tag before-modifier.tag modifier.tag",
    "head.tag after-head.tag modifier.tag after-modifier.tag",
    "before-head.tag head.tag modifier.tag after-modifier.tag",
    "head.tag after-head.tag modifier.tag",
    "before-head.tag head.tag modifier.tag",
    "head.tag modifier.tag after-modifier.tag",
    "head.tag before-modifier.tag modifier.tag",
    "before-head.tag head.tag after-head.tag modifier.tag",
    "head.tag before-modifier.tag modifier.tag after-modifier.tag",
    "head.coarse after-head.coarse before-modifier.coarse modifier.coarse",
    "before-head.coarse head.coarse before-modifier.coarse modifier.coarse",
    "head.coarse after-head.coarse modifier.coarse after-modifier.coarse",
    "before-head.coarse head.coarse modifier.coarse after-modifier.coarse",
)
"""Of an arc; each is joined with its direction, and with direction and length."""

BETWEEN = ("head.tag between.tag modifier.tag", "head.coarse between.coarse modifier.coarse")
"""Of an arc and each word between its ends; joined with the direction."""

SIBLING = (
    "head.tag sibling.tag modifier.tag",
    "head.coarse sibling.coarse modifier.coarse",
    "sibling.tag modifier.tag",
    "sibling.word modifier.word",
    "sibling.word modifier.tag",
    "sibling.tag modifier.word",
    "head.word sibling.tag modifier.tag",
    "head.tag sibling.word modifier.tag",
    "head.tag sibling.tag modifier.word",
    "head.word sibling.coarse modifier.coarse",
)
"""Of an arc and the sibling of its modifier; each is joined with the direction, and with the distance of the two."""

RELATION = (
    "modifier.word",
    "modifier.tag",
    "modifier.word modifier.tag",
    "modifier.suffix modifier.tag",
    "modifier.prefix modifier.coarse",
    "head.word",
    "head.tag",
    "head.word modifier.word",
    "head.tag modifier.tag",
    "head.coarse modifier.coarse",
    "head.word modifier.tag",
    "head.tag modifier.word",
    "head.suffix head.tag modifier.tag",
    "head.tag modifier.suffix modifier.tag",
    "before-modifier.word modifier.tag",
    "before-modifier.tag modifier.tag head.tag",
    "after-modifier.word modifier.tag",
    "after-modifier.tag modifier.tag head.tag",
    "before-head.tag head.tag modifier.tag",
    "after-head.tag head.tag modifier.tag",
    "grandparent.tag head.tag modifier.tag",
    "left-sibling.tag head.tag modifier.tag",
    "right-sibling.tag head.tag modifier.tag",
    "left-sibling.word head.word modifier.tag",
    "right-sibling.word head.word modifier.tag",
    "left-sibling.tag right-sibling.tag head.tag modifier.tag",
    "first-child.tag modifier.tag head.tag",
    "first-child.word modifier.tag head.tag",
    "first-child.word modifier.word",
    "first-child.word modifier.tag head.word",
    "last-child.tag modifier.tag head.tag",
    "last-child.word modifier.tag head.tag",
    "first-child.tag last-child.tag modifier.tag",
)
"""Of an arc of a tree, for its relation; each is joined with its direction, and with direction and length."""
