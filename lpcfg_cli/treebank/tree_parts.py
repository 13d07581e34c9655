"""Trees of an input whose data arrive over time: each is read as soon as its brackets are closed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lpcfg_cli.config import ReadSettings
from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.treebank.brackets import join_texts, new_string_table
from lpcfg_cli.treebank.formats import format_of_file
from lpcfg_cli.treebank.recovery import REMARK, depth_change
from lpcfg_cli.treebank.tree_format import TextTrees
from lpcfg_cli.treebank.trees import Treebank
from lpcfg_cli.treebank.usable import read_usable_trees


def tree_parts(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Cut lines into texts that end where all brackets are closed.

    After a closing bracket that closes nothing, no place is certain, so that the rest is one text.

    Yields
    ------
    (int, str)
        1-based number of the first line, and the text.
    """
    waiting: list[str] = []
    first, depth, has_tree, is_certain = 1, 0, False, True
    for number, line in enumerate(lines, 1):
        waiting.append(f"{line}\n")
        if depth == 0 and REMARK.match(line):
            continue
        depth += depth_change(line, 0, len(line))
        has_tree, is_certain = has_tree or "(" in line, is_certain and depth >= 0
        if depth == 0 and has_tree and is_certain:
            yield first, "".join(waiting)
            waiting, first, has_tree = [], number + 1, False
    if waiting:
        yield first, "".join(waiting)


def read_tree_part(first: int, part: str, name: str, settings: ReadSettings) -> tuple[TextTrees, Treebank, list[int]]:
    """The trees of a part of a text, joined too, and the line of the text on which each begins.

    Raises as `read_usable_trees` does, with places in the whole text, as they are in notes.
    """
    try:
        found = _read(part, name, settings)
        if first == 1 or not (found[0].notes or found[0].skipped):
            return found[0], found[1], [line + first - 1 for line in found[2]]
    except SyntaxProblem:
        if first == 1:
            raise
    return _read("\n" * (first - 1) + part, name, settings)


def _read(text: str, name: str, settings: ReadSettings) -> tuple[TextTrees, Treebank, list[int]]:
    strings = new_string_table()
    found = read_usable_trees(text, strings, name, settings)
    lines = format_of_file(name, settings.format).lines(text, found, found.tree_place.tolist())
    return found, join_texts([found], strings), list(lines)
