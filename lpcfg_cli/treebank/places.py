"""Places in the files of the trees and nodes of a treebank; computed on demand for the few that are reported."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from lpcfg_cli.treebank.files import TreeFiles, text_of
from lpcfg_cli.treebank.formats import format_of_file
from lpcfg_cli.treebank.sources import source_name


def places_of_trees(files: TreeFiles, trees: Sequence[int] | np.ndarray) -> list[str]:
    """``path:line`` of each of the given trees, numbered as in ``files.trees``; null trees have a place too."""
    first = np.cumsum([0, *files.trees_per_file])
    file = np.searchsorted(first, trees, "right") - 1
    places = [int(files.texts[f].tree_place[tree - first[f]]) for tree, f in zip(trees, file, strict=True)]
    return _named(files, file.tolist(), places)


def places_of_nodes(files: TreeFiles, nodes: Sequence[int] | np.ndarray) -> list[str]:
    """``path:line`` of each of the given nodes, numbered as in ``files.trees``."""
    first = np.cumsum([0, *(len(text.label) for text in files.texts)])
    file = np.searchsorted(first, nodes, "right") - 1
    places = [int(files.texts[f].node_place[node - first[f]]) for node, f in zip(nodes, file, strict=True)]
    return _named(files, file.tolist(), places)


def _named(files: TreeFiles, file: list[int], places: list[int]) -> list[str]:
    """``path:line`` of each place; every file concerned is read again, because the trees do not store its text."""
    wanted: dict[int, list[int]] = defaultdict(list)
    for number, f in enumerate(file):
        wanted[f].append(number)
    found = [""] * len(file)
    for f, numbers in wanted.items():
        path = files.paths[f]
        text = text_of(path, files.settings)
        form = format_of_file(path, files.settings.format)
        lines = form.lines(text, files.texts[f], [places[number] for number in numbers])
        for number, line in zip(numbers, lines, strict=True):
            found[number] = f"{source_name(path)}:{line}"
    return found
