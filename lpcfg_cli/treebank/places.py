"""Places in the files of the trees and nodes of a treebank; computed on demand for the few that are reported."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from lpcfg_cli.treebank.bracket_tokens import lines_and_columns
from lpcfg_cli.treebank.files import TreeFiles, read_text
from lpcfg_cli.treebank.recovery import without_remarks


def places_of_trees(files: TreeFiles, trees: Sequence[int] | np.ndarray) -> list[str]:
    """``path:line`` of each of the given trees, numbered as in ``files.trees``; null trees have a place too."""
    first = np.cumsum([0, *files.trees_per_file])
    file = np.searchsorted(first, trees, "right") - 1
    tokens = [int(files.texts[f].tree_token[tree - first[f]]) for tree, f in zip(trees, file, strict=True)]
    return _places(files, file.tolist(), tokens)


def places_of_nodes(files: TreeFiles, nodes: Sequence[int] | np.ndarray) -> list[str]:
    """``path:line`` of each of the given nodes, numbered as in ``files.trees``."""
    first = np.cumsum([0, *(len(text.label) for text in files.texts)])
    file = np.searchsorted(first, nodes, "right") - 1
    tokens = [int(files.texts[f].node_token[node - first[f]]) for node, f in zip(nodes, file, strict=True)]
    return _places(files, file.tolist(), tokens)


def _places(files: TreeFiles, file: list[int], tokens: list[int]) -> list[str]:
    """``path:line`` of each token; every file concerned is read again, because the trees do not store its text."""
    wanted: dict[int, list[int]] = defaultdict(list)
    for place, f in enumerate(file):
        wanted[f].append(place)
    places = [""] * len(file)
    for f, entries in wanted.items():
        path = files.paths[f]
        text = read_text(path, files.settings.encoding)
        if files.texts[f].notes:
            text, _ = without_remarks(text, str(path))
        found = lines_and_columns(text, [tokens[place] for place in entries])
        for place, (line, _) in zip(entries, found, strict=True):
            places[place] = f"{path}:{line}"
    return places
