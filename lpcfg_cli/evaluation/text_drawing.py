"""Trees drawn in letters: from the root down if that fits into the width, else with the root at the left."""

from __future__ import annotations

import unicodedata

from lpcfg_cli.evaluation.drawn_trees import DrawnTree, shown

MIDDLE, LAST, PASSING, NOTHING = ("├─", "└─", "│ ", "  ")
"""What stands before a node, and before what is below it, if another sister follows and if none does."""

MARGIN = 1


def text_of_tree(tree: DrawnTree, width: int = 80) -> str:
    """A tree in lines of at most `width` characters, unless it is too deep; ``()`` for a null tree."""
    if not tree.nodes:
        return "()"
    standing = _standing(tree, width)
    return "\n".join(standing or _lying(tree, width))


def _columns(text: str) -> int:
    """Width of a text in a terminal."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(bool(unicodedata.combining(letter)) for letter in text)


def _standing(tree: DrawnTree, width: int) -> list[str]:
    """The tree from the root down, its words in the last line; nothing if it is wider than `width`.

    Each node has a block of columns that holds its label and the blocks of its children, which stand side by side.
    """
    labels = [shown(node, value) or "()" for node, value in zip(tree.nodes, tree.values, strict=True)]
    children: list[list[int]] = [[] for _ in tree.nodes]
    depth = [0] * len(tree.nodes)
    roots = list[int]()
    for place, node in enumerate(tree.nodes):
        (children[node.parent] if node.parent >= 0 else roots).append(place)
        depth[place] = depth[node.parent] + 1 if node.parent >= 0 else 0
    sizes = [0] * len(tree.nodes)
    for place in range(len(tree.nodes) - 1, -1, -1):
        below = sum(sizes[child] for child in children[place])
        word = tree.nodes[place].word
        sizes[place] = max(_columns(labels[place]) + MARGIN, below, _columns(word) + MARGIN if word else 0)
    if sum(sizes[root] for root in roots) - MARGIN > width or len(roots) > 1:
        return []
    return _painted(tree, labels, children, depth, sizes)


def _painted(
    tree: DrawnTree, labels: list[str], children: list[list[int]], depth: list[int], sizes: list[int]
) -> list[str]:
    left, middle = [0] * len(labels), [0] * len(labels)
    for place, below in enumerate(children):
        position = left[place] + (sizes[place] - sum(sizes[child] for child in below)) // 2
        for child in below:
            left[child] = position
            position += sizes[child]
    for place in range(len(labels) - 1, -1, -1):
        below = children[place]
        own = left[place] + (sizes[place] - MARGIN) // 2
        middle[place] = (middle[below[0]] + middle[below[-1]]) // 2 if below else own
        half = _columns(labels[place]) // 2
        least, most = left[place] + half, left[place] + sizes[place] - MARGIN - (_columns(labels[place]) - half)
        middle[place] = min(max(middle[place], least), max(most, least))
    bottom = 2 * max(depth) + 1
    rows: list[dict[int, str]] = [{} for _ in range(bottom + 1)]
    for place, node in enumerate(tree.nodes):
        _write(rows[2 * depth[place]], middle[place], labels[place])
        if node.word is not None:
            for row in rows[2 * depth[place] + 1 : bottom]:
                row[middle[place]] = "│"
            _write(rows[bottom], max(middle[place], left[place] + _columns(node.word) // 2), node.word)
        elif children[place]:
            _branch(rows[2 * depth[place] + 1], middle[place], [middle[child] for child in children[place]])
    return [_line(row) for row in rows]


def _write(row: dict[int, str], middle: int, text: str) -> None:
    row[middle - _columns(text) // 2] = text


def _branch(row: dict[int, str], above: int, below: list[int]) -> None:
    """The line from a node to its children, in box-drawing characters."""
    ends = min(above, *below), max(above, *below)
    for column in range(ends[0], ends[1] + 1):
        arms = (
            ("u" if column == above else "")
            + ("d" if column in below else "")
            + ("l" if column > ends[0] else "")
            + ("r" if column < ends[1] else "")
        )
        row[column] = BOXES[arms]


BOXES = {
    "ud": "│", "lr": "─", "dr": "┌", "dl": "┐", "ur": "└", "ul": "┘", "udr": "├", "udl": "┤",
    "ulr": "┴", "dlr": "┬", "udlr": "┼",
}  # fmt: skip
"""The box-drawing character with arms up, down, left and right."""


def _line(row: dict[int, str]) -> str:
    text, column = "", 0
    for start, piece in sorted(row.items()):
        text += " " * (start - column) + piece
        column = max(column, start) + _columns(piece)
    return text.rstrip(" ")


def _lying(tree: DrawnTree, width: int) -> list[str]:
    """The tree with a line for each node, children indented below their parent; too long lines end in …"""
    last_child = {node.parent: place for place, node in enumerate(tree.nodes)}
    lines, before = list[str](), [""] * len(tree.nodes)
    for place, (node, value) in enumerate(zip(tree.nodes, tree.values, strict=True)):
        start = ""
        if node.parent >= 0:
            is_last = last_child[node.parent] == place
            start = before[node.parent] + (LAST if is_last else MIDDLE) + " "
            before[place] = before[node.parent] + (NOTHING if is_last else PASSING) + " "
        line = start + (shown(node, value) or "()") + (f" {node.word}" if node.word is not None else "")
        lines.append(line if _columns(line) <= width or len(start) > width - 8 else f"{line[: width - 1]}…")
    return lines
