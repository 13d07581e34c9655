"""The table of drawings of trees: a new one is a function from trees to bytes, and a line here."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

from lpcfg_cli.config import Table
from lpcfg_cli.errors import InputError
from lpcfg_cli.evaluation.drawn_trees import COLOURS, DrawnTree, level, shown
from lpcfg_cli.evaluation.text_drawing import text_of_tree
from lpcfg_cli.evaluation.tree_drawing import GAP, PAD, DrawnNode, draw_tree, label_width, lay_out

INK, SOFT, EDGE = "#1c2430", "#5c6673", "#8a95a1"

SVG_STYLE = (
    f"path{{stroke:{EDGE};fill:none}}text{{font:12px ui-monospace,'DejaVu Sans Mono',monospace;fill:{INK}}}"
    f"text.phrase{{font-weight:600}}text.tag{{fill:{SOFT}}}"
    + "".join(f"rect.{name}{{fill:{colour};stroke:{EDGE}}}" for name, colour in COLOURS.items())
    + "@media(prefers-color-scheme:dark){text{fill:#e6eaf0}text.tag{fill:#9aa5b1}"
    + f"{','.join(f'text.{name}' for name in COLOURS)}{{fill:{INK}}}}}"
)

LARGEST_PNG = 32_000
"""Largest height and width of a picture in pixels."""

SCALE = 2
"""Pixels of a picture for each pixel of the layout."""


@dataclass(frozen=True)
class Drawing:
    """A form in which trees are drawn.

    Attributes
    ----------
    name, summary : str
    suffix : str
        Ending of its files.
    draw : function of (sequence of DrawnTree, int) to bytes
        The file; the number is the width in characters, which only text heeds.
    is_text : bool
        Whether the file is text in UTF-8.
    """

    name: str
    summary: str
    suffix: str
    draw: Callable[[Sequence[DrawnTree], int], bytes]
    is_text: bool = True


def draw_text(trees: Sequence[DrawnTree], width: int) -> bytes:
    """Trees in letters, an empty line between them."""
    return "\n".join(f"{text_of_tree(tree, width)}\n" for tree in trees).encode()


def draw_svg(trees: Sequence[DrawnTree], width: int) -> bytes:
    """One SVG file, the trees below each other; it has colours for dark screens too."""
    text = draw_tree(_joined(trees), "tree").replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    head, start, rest = text.partition("><path")
    return f"{head}><style>{SVG_STYLE}</style>{start[1:]}{rest}\n".encode()


def draw_png(trees: Sequence[DrawnTree], width: int) -> bytes:
    """One picture as `draw_svg`.

    Raises
    ------
    InputError
        matplotlib is not installed, or the picture would be too large.
    """
    if find_spec("matplotlib") is None:
        raise InputError("PNG pictures need matplotlib. Install it: pip install 'lpcfg-cli[plot]'; or draw SVG.")
    from matplotlib.figure import Figure

    nodes = _joined(trees)
    layout = lay_out(nodes)
    if SCALE * max(layout.width, layout.height) > LARGEST_PNG:
        raise InputError("the picture would be too large. Choose fewer trees with --trees, or draw SVG.")
    figure = Figure((layout.width / 72, layout.height / 72), dpi=72 * SCALE, facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, layout.width), ylim=(layout.height, 0))
    axes.axis("off")
    for place, node in enumerate(nodes):
        left, middle = layout.left[place], layout.middle(place)
        if node.parent >= 0:
            above = node.parent
            edge = layout.left[above] + label_width(nodes[above].label)
            half = edge + GAP / 2
            ys = [layout.middle(above)] * 2 + [middle] * 2
            axes.plot([edge, half, half, left], ys, color=EDGE, linewidth=1, solid_joinstyle="miter")
        box = {"facecolor": COLOURS[node.style], "edgecolor": EDGE, "pad": 2} if node.style else None
        font: dict[str, Any] = {
            "family": "monospace",
            "fontsize": 12 * 7.22 / 7.3,
            "va": "center_baseline",
            "parse_math": False,
        }
        colour = SOFT if node.word is not None else INK
        axes.text(left + PAD, middle, node.label or "()", color=colour, bbox=box, **font)
        if node.word is not None:
            axes.text(left + label_width(node.label) + PAD, middle, node.word, color=INK, **font)
    file = io.BytesIO()
    figure.savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()


def draw_latex(trees: Sequence[DrawnTree], width: int) -> bytes:
    """A LaTeX document with an environment of the package forest for each tree."""
    colours = "".join(f"\\definecolor{{{name}}}{{HTML}}{{{hue[1:].upper()}}}\n" for name, hue in COLOURS.items())
    head = (
        "\\documentclass[varwidth=\\maxdimen]{standalone}\n\\usepackage[T1]{fontenc}\n\\usepackage{forest}\n"
        f"{colours}\\begin{{document}}\n"
    )
    return (head + "\n".join(map(_forest, trees)) + "\\end{document}\n").encode()


def _forest(tree: DrawnTree) -> str:
    closes = [0] * (len(tree.nodes) + 1)
    depth, lines, last_of = list[int](), list[str](), list(range(len(tree.nodes)))
    for node in tree.nodes:
        depth.append(depth[node.parent] + 1 if node.parent >= 0 else 0)
    for place in range(len(tree.nodes) - 1, -1, -1):
        closes[last_of[place]] += 1
        above = tree.nodes[place].parent
        if above >= 0:
            last_of[above] = max(last_of[above], last_of[place])
    for place, (node, value) in enumerate(zip(tree.nodes, tree.values, strict=True)):
        style = level(value)
        fill = f", fill={style}" if style else ""
        word = f" [{{{latex(node.word)}}}, tier=word, font=\\itshape]" if node.word is not None else ""
        text = f"[{{{latex(shown(node, value))}}}{fill}{word}{']' * closes[place]}"
        lines.append(f"{'  ' * (depth[place] + 1)}{text}")
    return "\\begin{forest}\n" + "".join(f"{line}\n" for line in lines) + "\\end{forest}\n"


_LATEX = {ord(char): f"\\{char}" for char in "#$%&_{}"} | {
    ord("\\"): "\\textbackslash{}",
    ord("~"): "\\textasciitilde{}",
    ord("^"): "\\textasciicircum{}",
    ord("<"): "\\textless{}",
    ord(">"): "\\textgreater{}",
    ord("|"): "\\textbar{}",
    ord('"'): "\\textquotedbl{}",
}
_LIGATURE = re.compile(r"([-`',])(?=\1)")


def latex(text: str) -> str:
    """A text with the characters escaped that mean something in LaTeX, and without ligatures such as -- and ``."""
    return _LIGATURE.sub(r"\1{}", text.translate(_LATEX))


def _joined(trees: Sequence[DrawnTree]) -> list[DrawnNode]:
    """The nodes of all trees as one forest."""
    nodes = list[DrawnNode]()
    for tree in trees:
        before = len(nodes)
        nodes += [replace(n, parent=n.parent + before if n.parent >= 0 else -1) for n in tree.styled()]
    return nodes


DRAWINGS: Table[Drawing] = Table(
    "drawing",
    Drawing("text", "letters and lines, at most --width wide if the tree allows it", ".txt", draw_text),
    Drawing("svg", "a scalable picture", ".svg", draw_svg),
    Drawing("png", "a picture, by matplotlib", ".png", draw_png, is_text=False),
    Drawing("latex", "a document for the package forest", ".tex", draw_latex),
)
