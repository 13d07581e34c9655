"""A template: whether a node is the right child of its parent."""

from __future__ import annotations

from lpcfg_cli.features.template import ALL, Template


def is_right_child(view):
    return [view.trees.is_right]


TOY = Template("toy", "Whether a node is a right child.", False, ALL, is_right_child)
