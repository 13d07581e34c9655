"""Cutting of labels and tags: functions, features, indices."""

from __future__ import annotations

import re

FUNCTION_MARKS = "-="
"""Characters before functions and indices of phrase labels in the Penn Treebank."""


def strip_function_tags(label: str, marks: str = FUNCTION_MARKS) -> str:
    """The category of a label: cut at the first of the marks, unless the label begins with one."""
    if not marks or label[:1] in marks:
        return label
    return re.split(f"[{re.escape(marks)}]", label, maxsplit=1)[0]


def strip_index(tag: str) -> str:
    """A tag without the indices of co-indexed nodes: ``NNS-4=1`` becomes ``NNS``; ``NS-D`` is unchanged."""
    return re.sub(r"(?<=.)([-=][0-9]+)+$", "", tag)


def cut_tag(tag: str, marks: str = "") -> str:
    """A tag without indices, and cut at the first of the marks, unless it begins with one."""
    return strip_function_tags(strip_index(tag), marks)
