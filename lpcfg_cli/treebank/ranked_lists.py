"""What tells lists of the n best trees of each sentence from trees: scores on the trees' lines or before them."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|inf)"
SCORED_TREE = re.compile(rf"{_NUMBER}[ \t]+(?=\()")
"""What precedes a tree of a list on its line: its score."""

SCORE = re.compile(rf"{_NUMBER}\s*")
LIST_HEAD = re.compile(r"\d+\s+\S+\s*")
"""The first line of a list in BLLIP's form, of the number of its trees and the sentence's name; scores of trees have
lines of their own there."""

HEAD = 3
"""Number of lines by which lists are told."""


def are_ranked_lists(head: Sequence[str]) -> bool:
    """Whether a text whose first `HEAD` lines that are not blank are these has lists of trees."""
    if head and SCORED_TREE.match(head[0]):
        return True
    if len(head) < HEAD:
        return False
    return bool(LIST_HEAD.fullmatch(head[0]) and SCORE.fullmatch(head[1]) and head[2].lstrip().startswith("("))
