"""Trees to draw, perhaps with a number between 0 and 1 for each phrase, such as its posterior."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lpcfg_cli.config import ReadSettings
from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.evaluation.tree_drawing import DrawnNode
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.files import read_tree_files, text_of
from lpcfg_cli.treebank.graph_trees import without_escapes
from lpcfg_cli.treebank.sources import source_name
from lpcfg_cli.treebank.trees import NO_WORD, Treebank

LEVELS = ((0.99, ""), (0.9, "p90"), (0.7, "p70"), (0.5, "p50"), (0.0, "p0"))
"""Least number of each colour, and its CSS class; phrases of the first level have no colour."""

COLOURS = {"p90": "#e2f0d9", "p70": "#fff0c2", "p50": "#ffd9b0", "p0": "#ffc2cc"}
"""Fill colours of the levels that have one, on light paper."""

Bracket = tuple[str, int, int]
"""Label and half-open word span."""


@dataclass(frozen=True)
class DrawnTree:
    """A tree to draw.

    Attributes
    ----------
    nodes : list of DrawnNode
        In preorder; empty for a null tree.
    values : list of float or None
        For each node a number between 0 and 1, or None.
    """

    nodes: list[DrawnNode]
    values: list[float | None]

    def styled(self) -> list[DrawnNode]:
        """The nodes with the colours of their numbers, and with the numbers in the labels of those that have one."""
        return [
            node if value is None else replace(node, label=shown(node, value), style=level(value), title=f"{value:.2%}")
            for node, value in zip(self.nodes, self.values, strict=True)
        ]


def level(value: float | None) -> str:
    """The class of a number in `LEVELS`."""
    return "" if value is None else next(name for least, name in LEVELS if value >= least)


def shown(node: DrawnNode, value: float | None) -> str:
    """The label, with the number in percent unless it is of the first level."""
    return node.label if value is None or not level(value) else f"{node.label} {value:.0%}"


def drawn_trees(trees: Treebank, values: Sequence[dict[Bracket, list[float]]] = ()) -> Iterator[DrawnTree]:
    """The trees of a treebank.

    Parameters
    ----------
    trees : Treebank
    values : sequence of dict, optional
        For each tree, the numbers of its brackets; of equal brackets, the outer one comes first.
    """
    names = [without_escapes(name) for name in trees.strings]
    start, stop = (ends.tolist() for ends in trees.spans())
    for t in range(trees.n_trees):
        first, end = int(trees.tree_start[t]), int(trees.tree_start[t + 1])
        own = {bracket: iter(numbers) for bracket, numbers in values[t].items()} if values else {}
        nodes, found = list[DrawnNode](), list[float | None]()
        for node in range(first, end):
            label, word = names[trees.label[node]], int(trees.word[node])
            nodes.append(
                DrawnNode(label, None if word == NO_WORD else names[word], max(int(trees.parent[node]) - first, -1))
            )
            is_phrase = word == NO_WORD
            found.append(next(own.get((label, start[node], stop[node]), iter(())), None) if is_phrase else None)
        yield DrawnTree(nodes, found)


def read_drawn_trees(paths: Iterable[Path], read: ReadSettings) -> Iterator[DrawnTree]:
    """The trees of files: of tree files, and of JSON lines of `lpcfg parse` with the posteriors of their brackets.

    Raises
    ------
    InputError, SyntaxProblem
        A file cannot be read, or has something that is not a tree.
    """
    for path in paths:
        text = text_of(path, read)
        if is_parses(text):
            yield from parses(text, source_name(path))
        else:
            yield from drawn_trees(read_tree_files([path], read).trees)


def is_parses(text: str) -> bool:
    """Whether a text begins as JSON lines with bracketed trees do."""
    try:
        record = json.loads(text.lstrip().split("\n", 1)[0]) if text.lstrip().startswith("{") else None
    except ValueError:
        return False
    return isinstance(record, dict) and isinstance(record.get("tree"), str)


def parses(text: str, path: str) -> Iterator[DrawnTree]:
    """The trees of JSON lines, each with ``tree`` and perhaps ``brackets``: objects of label, start, stop, posterior.

    Raises
    ------
    SyntaxProblem
        A line is no such object.
    """
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            tree, values = treebank_from_text(record["tree"], path), _numbers(record.get("brackets") or [])
        except (ValueError, KeyError, TypeError) as error:
            expected = 'an object with "tree", and perhaps "brackets" with label, start, stop and posterior from 0 to 1'
            hint = "Write such lines with `lpcfg parse`."
            raise SyntaxProblem(path, number, 1, f"{line[:40]!r}: {error}", expected, hint) from error
        yield from drawn_trees(tree, [values] * tree.n_trees)


def _numbers(brackets: list[dict[str, Any]]) -> dict[Bracket, list[float]]:
    values = defaultdict[Bracket, list[float]](list)
    for one in brackets:
        value = float(one["posterior"])
        if not 0 <= value <= 1:
            raise ValueError(f"posterior {value}")
        values[without_escapes(one["label"]), one["start"], one["stop"]].append(value)
    return dict(values)
