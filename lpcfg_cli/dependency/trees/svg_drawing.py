"""Dependency trees as SVG: the words in a row, with an arc above them from each head to each of its words.

The picture needs nothing else: its style is in it, for light and dark screens.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from lpcfg_cli.dependency.trees.sentence import EMPTY, DependencySentence
from lpcfg_cli.dependency.trees.text_drawing import display_width

LETTER, SMALL_LETTER = 8.5, 6.8
"""Width of a letter of words and of labels, in pixels."""

MARGIN, GAP, PORT, LEVEL, RADIUS, LINE, ARROW = 16.0, 18.0, 9.0, 26.0, 7.0, 18.0, 5.0
"""Sizes in pixels: margin, least space between words, between the ends of arcs at a word, between heights of arcs,
radius of their corners, height of a line of text, height of an arrowhead."""

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1c2430; --soft: #5c6673; --edge: #7b8794; }
@media (prefers-color-scheme: dark) { :root { --paper: #14181d; --ink: #e6eaf0; --soft: #9aa5b1; --edge: #8793a1; } }
.paper { fill: var(--paper); } text { text-anchor: middle; font-family: ui-monospace, "DejaVu Sans Mono", monospace; }
.word { font-size: 14px; fill: var(--ink); } .tag, .place { font-size: 11px; fill: var(--soft); }
.place { text-anchor: start; } .arc { fill: none; stroke: var(--edge); } .arrow { fill: var(--edge); }
.label { font-size: 11px; fill: var(--ink); stroke: var(--paper); stroke-width: 5px; paint-order: stroke; }
"""


CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ufffe\uffff]")
"""Characters that no XML file may have, or that are not seen."""


@dataclass(frozen=True)
class Arc:
    """An arc from a head to a word.

    Attributes
    ----------
    head, word : int
        Counted from 0; -1 for the head of the root.
    label : str
    """

    head: int
    word: int
    label: str

    @property
    def span(self) -> tuple[int, int]:
        """The word at the left and that at the right end."""
        return min(self.head, self.word), max(self.head, self.word)


def svg_drawing(sentences: Sequence[DependencySentence], titles: Sequence[str]) -> str:
    """An SVG file with sentences below each other.

    Parameters
    ----------
    sentences : sequence of DependencySentence
    titles : sequence of str
        What is written above each; may be empty.
    """
    parts, top, width = [], 0.0, 0.0
    for sentence, title in zip(sentences, titles, strict=True):
        drawing, right, height = _sentence(sentence, title)
        parts.append(f'<g transform="translate(0 {top:.0f})">\n{drawing}</g>\n')
        top, width = top + height, max(width, right)
    told = _shown("; ".join(" ".join(sentence.forms) for sentence in sentences))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{told}" width="{width:.0f}" '
        f'height="{top:.0f}" viewBox="0 0 {width:.0f} {top:.0f}">\n<style>{STYLE}</style>\n'
        f'<rect class="paper" width="100%" height="100%"/>\n{"".join(parts)}</svg>\n'
    )


def _sentence(sentence: DependencySentence, title: str) -> tuple[str, float, float]:
    """The elements of one sentence, and the width and height that they take."""
    arcs = arcs_of(sentence)
    levels = arc_levels(arcs)
    x = word_places(sentence, arcs)
    base = MARGIN + (LINE if title else 0.0) + LEVEL * (max(levels, default=0) + 0.5)
    lines = [f'<text class="place" x="{MARGIN:.1f}" y="{MARGIN + 4:.1f}">{_shown(title)}</text>'] if title else []
    ends = _ends(len(sentence), arcs, levels, x)
    for arc, level, (start, stop) in zip(arcs, levels, ends, strict=True):
        lines += _arc(arc, start, stop, base, base - LEVEL * level)
    for place, form, tag in zip(x, sentence.forms, sentence.tags, strict=True):
        lines.append(f'<text class="word" x="{place:.1f}" y="{base + LINE:.1f}">{_shown(form)}</text>')
        lines.append(f'<text class="tag" x="{place:.1f}" y="{base + 2 * LINE - 2:.1f}">{_shown(tag)}</text>')
    right = max((place + size / 2 for place, size in zip(x, _widths(sentence), strict=True)), default=0.0)
    right = max(right, MARGIN + SMALL_LETTER * display_width(title))
    return "".join(f"{line}\n" for line in lines), right + MARGIN, base + 2 * LINE + MARGIN


def arcs_of(sentence: DependencySentence) -> list[Arc]:
    """The arcs of the words that have a head, with their relations as labels."""
    pairs = zip(sentence.heads.tolist(), sentence.relations, strict=True)
    return [
        Arc(head - 1, word, "" if relation == EMPTY else relation)
        for word, (head, relation) in enumerate(pairs)
        if head >= 0
    ]


def arc_levels(arcs: Sequence[Arc]) -> list[int]:
    """The height of each arc, from 1: above all arcs between its ends, and not that of an arc that it crosses.

    An arc from the root is above all arcs that end at its word.
    """
    levels = [0] * len(arcs)
    order = sorted(range(len(arcs)), key=lambda k: (arcs[k].head < 0, arcs[k].span[1] - arcs[k].span[0]))
    done: list[int] = []
    for k in order:
        if arcs[k].head < 0:
            levels[k] = max((levels[other] for other in done if arcs[k].word in arcs[other].span), default=0) + 1
            continue
        low, high = arcs[k].span
        inside = (levels[other] for other in done if low <= arcs[other].span[0] and arcs[other].span[1] <= high)
        crossed = {levels[other] for other in done if _cross(arcs[k].span, arcs[other].span)}
        level = max(inside, default=0) + 1
        while level in crossed:
            level += 1
        levels[k] = level
        done.append(k)
    return levels


def _cross(one: tuple[int, int], other: tuple[int, int]) -> bool:
    (a, b), (c, d) = sorted((one, other))
    return a < c < b < d


def _widths(sentence: DependencySentence) -> list[float]:
    """The width of each word with its tag, and with room for the ends of its arcs."""
    n_ends = np.bincount(np.maximum(sentence.heads, 0), minlength=len(sentence) + 1)[1:] + 1
    return [
        max(LETTER * display_width(form), SMALL_LETTER * display_width(tag), PORT * ends)
        for form, tag, ends in zip(sentence.forms, sentence.tags, n_ends.tolist(), strict=True)
    ]


def word_places(sentence: DependencySentence, arcs: Sequence[Arc]) -> list[float]:
    """The middle of each word: so far apart that words do not overlap and each label fits into its arc."""
    widths = _widths(sentence)
    room: dict[int, list[tuple[int, float]]] = {}
    for arc in arcs:
        low, high = arc.span
        if low >= 0:
            room.setdefault(high, []).append((low, SMALL_LETTER * display_width(arc.label) + 2 * PORT + 2 * RADIUS))
    x: list[float] = []
    for word, width in enumerate(widths):
        least = x[-1] + (widths[word - 1] + width) / 2 + GAP if x else MARGIN + width / 2
        x.append(max([least, *(x[low] + size for low, size in room.get(word, ()))]))
    return x


def _ends(n: int, arcs: Sequence[Arc], levels: Sequence[int], x: Sequence[float]) -> list[tuple[float, float]]:
    """Where each arc starts and ends: side by side at a word, higher arcs farther from the other end."""
    at_word: list[list[tuple[int, int, int]]] = [[] for _ in range(n)]
    for k, (arc, level) in enumerate(zip(arcs, levels, strict=True)):
        low, high = arc.span
        if low < 0:
            at_word[high].append((1, 0, k))
            continue
        at_word[high].append((0, level, k))  # goes to the left
        at_word[low].append((2, -level, k))
    places: dict[tuple[int, int], float] = {}
    for word, found in enumerate(at_word):
        for order, (_, _, k) in enumerate(sorted(found)):
            places[word, k] = x[word] + PORT * (order - (len(found) - 1) / 2)
    return [
        (places[arc.head, k] if arc.head >= 0 else places[arc.word, k], places[arc.word, k])
        for k, arc in enumerate(arcs)
    ]


def _arc(arc: Arc, start: float, stop: float, base: float, top: float) -> list[str]:
    """The line of an arc from its head to its word, its arrowhead and its label."""
    foot = base - ARROW
    if arc.head < 0:
        path, middle, height = f"M{stop:.1f} {top:.1f}V{foot:.1f}", stop, top - 4
    else:
        turn = RADIUS if stop > start else -RADIUS
        path = (
            f"M{start:.1f} {base:.1f}V{top + RADIUS:.1f}q0 {-RADIUS:.1f} {turn:.1f} {-RADIUS:.1f}"
            f"H{stop - turn:.1f}q{turn:.1f} 0 {turn:.1f} {RADIUS:.1f}V{foot:.1f}"
        )
        middle, height = (start + stop) / 2, top + 4
    lines = [
        f'<path class="arc" d="{path}"/>',
        f'<path class="arrow" d="M{stop - 3.5:.1f} {foot:.1f}h7L{stop:.1f} {base:.1f}z"/>',
    ]
    if arc.label:
        lines.append(f'<text class="label" x="{middle:.1f}" y="{height:.1f}">{_shown(arc.label)}</text>')
    return lines


def _shown(text: str) -> str:
    return escape(CONTROL.sub("\ufffd", text))
