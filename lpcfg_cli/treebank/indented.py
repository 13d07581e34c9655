"""Trees in brackets over several lines, for people: a phrase too long for a line has a line for each child."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.treebank.brackets import NULL_TREE, lines_of_tokens, node_texts, parse_brackets
from lpcfg_cli.treebank.tree_format import TreeFormat
from lpcfg_cli.treebank.trees import NO_NODE, Treebank

WIDTH = 79
INDENT = 2


def indented_strings(treebank: Treebank) -> Iterator[str]:
    """Yield each tree as lines of at most `WIDTH` characters where brackets and depth allow it; in O(n)."""
    pieces, depth = node_texts(treebank), depths(treebank.parent)
    total = starts([len(piece) + 1 for piece in pieces])
    fits = INDENT * depth + total[treebank.subtree_end()] - total[:-1] - 1 <= WIDTH
    is_bare = np.array([piece == "(" for piece in pieces], bool)  # as in ``( (S`` of the Penn Treebank
    stays = (treebank.parent != NO_NODE) & (fits | is_bare)[treebank.parent]
    between = [" " if same else f"\n{' ' * indent}" for same, indent in zip(stays, INDENT * depth, strict=True)]
    for start, stop in zip(treebank.tree_start[:-1], treebank.tree_start[1:], strict=True):
        lines = "".join(f"{gap}{piece}" for gap, piece in zip(between[start:stop], pieces[start:stop], strict=True))
        yield lines.removeprefix("\n") or NULL_TREE


def depths(parent: np.ndarray) -> np.ndarray:
    """Number of ancestors of each node, int64, (n_nodes,); parents come before their children."""
    depth = [0] * (len(parent) + 1)
    for node, above in enumerate(parent.tolist()):
        depth[node] = depth[above] + 1 if above != NO_NODE else 0
    return np.array(depth[:-1], np.int64)


INDENTED = TreeFormat(
    name="indented",
    summary="trees in brackets over several lines",
    suffixes=(".indented",),
    read=parse_brackets,
    write=indented_strings,
    lines=lines_of_tokens,
    is_bracketed=True,
)
