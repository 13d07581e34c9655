"""Drawings of trees as SVG: the root at the left, each word in a row of its own.

Two parses of a sentence thus have each word in the same row, and fit side by side on a page.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

LETTER, PAD, GAP, ROW, MARGIN = 7.3, 4.0, 10.0, 20.0, 6.0
"""Sizes in pixels: width of a letter, space around a label, space between levels, height of a row, margin."""


@dataclass(frozen=True)
class DrawnNode:
    """A node of a drawing.

    Attributes
    ----------
    label : str
        Label or tag.
    word : str or None
        The word of a preterminal.
    parent : int
        Position of the parent among the nodes, -1 for roots; parents come before their children.
    style : str
        CSS class of the label, such as ``wrong``.
    title : str
        Tooltip of the label.
    data : tuple of (str, str)
        Names and values of attributes ``data-NAME`` of the label, for scripts on a page.
    """

    label: str
    word: str | None
    parent: int
    style: str = ""
    title: str = ""
    data: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Layout:
    """The positions of the nodes of a drawing.

    Attributes
    ----------
    left, row : list of float
        Left edge of each node's label in pixels, and its row, 0 at the top.
    right : list of float
        Right edge of each label, or of the word after it, in pixels.
    width, height : float
        Size of the drawing in pixels.
    """

    left: list[float]
    row: list[float]
    right: list[float]
    width: float
    height: float

    def middle(self, node: int) -> float:
        """Vertical middle of a node in pixels."""
        return MARGIN + (self.row[node] + 0.5) * ROW


def draw_tree(nodes: Sequence[DrawnNode], description: str, attributes: str = "") -> str:
    """An SVG element with a tree, or with several trees below each other.

    Parameters
    ----------
    nodes : sequence of DrawnNode
        In preorder.
    description : str
        Text for screen readers.
    attributes : str
        Further attributes of the element.
    """
    layout = lay_out(nodes)
    lines = [_edge(nodes, layout, place) for place, node in enumerate(nodes) if node.parent >= 0]
    texts = [_label(node, layout.left[place], layout.middle(place)) for place, node in enumerate(nodes)]
    words = [
        _text("word", layout.left[place] + label_width(node.label) + PAD, layout.middle(place), node.word)
        for place, node in enumerate(nodes)
        if node.word is not None
    ]
    size = f'width="{layout.width:.0f}" height="{layout.height:.0f}"'
    return (
        f'<svg role="{"group" if attributes else "img"}" aria-label="{escape(description)}" {attributes} {size} '
        f'viewBox="0 0 {layout.width:.0f} {layout.height:.0f}"><path d="{"".join(lines)}"/>'
        f"{''.join(texts)}{''.join(words)}</svg>"
    )


def lay_out(nodes: Sequence[DrawnNode]) -> Layout:
    """Place labels in columns by depth, and each word after its tag; nothing overlaps, as each word has its own row."""
    level: list[int] = []
    for node in nodes:
        level.append(level[node.parent] + 1 if node.parent >= 0 else 0)
    phrases = [place for place, node in enumerate(nodes) if node.word is None]
    widths = [0.0] * (max(level, default=0) + 1)
    for place in phrases:
        widths[level[place]] = max(widths[level[place]], label_width(nodes[place].label))
    edges = [MARGIN]
    for width in widths:
        edges.append(edges[-1] + (width + GAP if width else 0.0))
    left = [edges[depth] for depth in level]
    right = [
        edge + label_width(node.label) + (text_width(node.word) + PAD if node.word else 0.0)
        for edge, node in zip(left, nodes, strict=True)
    ]
    row, n_rows = _rows(nodes)
    return Layout(left, row, right, max(right, default=0.0) + MARGIN, n_rows * ROW + 2 * MARGIN)


def label_width(label: str) -> float:
    """Width of a label with the space around it, in pixels."""
    return text_width(_shown(label)) + 2 * PAD


def text_width(text: str) -> float:
    """Width of a text in the monospaced font of drawings, in pixels; wide East Asian letters count twice."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return LETTER * (len(text) + wide)


def _rows(nodes: Sequence[DrawnNode]) -> tuple[list[float], int]:
    """The row of each node, and the number of rows: a phrase is in the middle between its first and last child."""
    row = [-1.0] * len(nodes)
    first, last = row.copy(), row.copy()
    has_child = {node.parent for node in nodes}
    n_rows = 0
    for place in range(len(nodes)):
        if place not in has_child:
            row[place] = n_rows
            n_rows += 1
    for place in range(len(nodes) - 1, -1, -1):
        if place in has_child:
            row[place] = (first[place] + last[place]) / 2
        above = nodes[place].parent
        if above >= 0:
            # children come in reverse order
            first[above] = row[place]
            last[above] = row[place] if last[above] < 0 else last[above]
    return row, n_rows


def _edge(nodes: Sequence[DrawnNode], layout: Layout, place: int) -> str:
    above = nodes[place].parent
    start = layout.left[above] + label_width(nodes[above].label)
    middle, y = layout.middle(above), layout.middle(place)
    return f"M{start:.1f} {middle:.1f}h{GAP / 2:.1f}V{y:.1f}H{layout.left[place]:.1f}"


def _label(node: DrawnNode, left: float, middle: float) -> str:
    pill = ""
    if node.style:
        pill = (
            f'<rect class="{node.style}" x="{left:.1f}" y="{middle - ROW / 2 + 1.5:.1f}" '
            f'width="{label_width(node.label):.1f}" height="{ROW - 3:.0f}" rx="4"/>'
        )
    kind = "tag" if node.word is not None else "phrase"
    title = f"<title>{escape(node.title)}</title>" if node.title else ""
    data = "".join(f' data-{name}="{escape(value)}"' for name, value in node.data)
    return f"<g{data}>{title}{pill}{_text(f'{kind} {node.style}', left + PAD, middle, _shown(node.label))}</g>"


def _text(style: str, left: float, middle: float, text: str) -> str:
    return f'<text class="{style.strip()}" x="{left:.1f}" y="{middle + 4:.1f}">{escape(text)}</text>'


def _shown(label: str) -> str:
    return label or "()"
