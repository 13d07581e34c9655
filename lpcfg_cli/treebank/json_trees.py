"""Trees as JSON, one object a tree: ``{"label": "NP", "children": [{"label": "DT", "word": "the"}, …]}``.

A null tree is ``null``.  Brackets in words are written as they are; in memory they are escaped with a backslash, as in
all trees.  Other keys of the objects are ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.treebank.bracket_tokens import excerpt, line_and_column
from lpcfg_cli.treebank.graph_trees import GraphNode, TreeArrays, with_escapes, without_escapes
from lpcfg_cli.treebank.tree_format import Skipped, TextTrees, TreeFormat
from lpcfg_cli.treebank.trees import NO_WORD, StringTable, Treebank

NULL = "null"
BLANK = re.compile(r"[ \t\r\n]*")
INNER_BLANK = re.compile(r"[ \t\r\n\f\v]")
SURROGATE = re.compile("[\ud800-\udfff]")

EXPECTED = 'an object with a "label", and a "word" or "children"'
HINT = 'Write {"label": "NP", "children": [{"label": "DT", "word": "the"}]}, or skip it with --on-error skip.'


def parse_json_trees(text: str, strings: StringTable, path: str = "<text>", on_error: str = "stop") -> TextTrees:
    """Read all trees of a text; the parameters are those of `parse_brackets`, and places are lines.

    Raises
    ------
    SyntaxProblem
        At the first value that is not JSON or not a tree.
    """
    arrays, skipped, decoder = TreeArrays(strings), list[Skipped](), json.JSONDecoder()
    line, end = 1, 0
    while (position := BLANK.match(text, end).end()) < len(text):  # type: ignore[union-attr]
        line += text.count("\n", end, position)
        column = position - text.rfind("\n", 0, position)
        try:
            value, end = _decoded(decoder, text, position, path)
            arrays.add([] if value is None else [_node(value, path, line, column)], line)
        except SyntaxProblem as problem:
            if on_error == "stop":
                raise
            found = f"{problem.line}:{problem.column}: {problem.found}"
            skipped.append(Skipped(path, line, column, found, excerpt(text, position, 60)))
            end = _next_line(text, position)
        line += text.count("\n", position, end)
    return arrays.text_trees((), tuple(skipped))


def _next_line(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _decoded(decoder: json.JSONDecoder, text: str, position: int, path: str) -> tuple[Any, int]:
    """The value at a position, and where it ends."""
    try:
        return decoder.raw_decode(text, position)
    except json.JSONDecodeError as error:
        found = f"{error.msg} at {excerpt(text, error.pos)!r}"
        raise SyntaxProblem(path, error.lineno, error.colno, found, "JSON", HINT) from error
    except RecursionError as error:
        hint = "Write such trees in brackets, which may have any depth."
        line, column = line_and_column(text, position)
        raise SyntaxProblem(path, line, column, "a tree that is too deep for JSON", "fewer levels", hint) from error


def _node(value: Any, path: str, line: int, column: int) -> GraphNode:
    """The node of a value, with all nodes below it."""
    root = GraphNode("", "", None, line)
    stack = [(value, root)]
    while stack:
        entry, above = stack.pop()
        fault = _fault(entry)
        if fault:
            raise SyntaxProblem(path, line, column, fault, EXPECTED, HINT)
        word = entry.get("word")
        node = GraphNode("", _inner(entry["label"]), None if word is None else _inner(word), line)
        above.children.append(node)
        stack.extend((child, node) for child in reversed(entry.get("children") or ()))
    return root.children[0]


def _fault(entry: Any) -> str:
    """Why a value is not a node; empty if it is one."""
    if not isinstance(entry, dict) or not isinstance(entry.get("label"), str):
        return f"{json.dumps(entry, ensure_ascii=False)[:60]}, not a node"
    word, children = entry.get("word"), entry.get("children")
    name = f"the node {entry['label']!r}"
    if SURROGATE.search(entry["label"]) or (isinstance(word, str) and SURROGATE.search(word)):
        return f"{name} with half a character"
    if (word is None) == (not children):
        return f"{name} with {'neither a word nor children' if word is None else 'a word and children'}"
    if not (word is None or (isinstance(word, str) and word)) or not isinstance(children, list | None):
        return f"{name} whose word is no text or whose children are no list"
    return ""


def _inner(text: str) -> str:
    """A label or word as it is kept: brackets behind backslashes, blanks as ``_``."""
    return with_escapes(INNER_BLANK.sub("_", text))


def json_strings(treebank: Treebank) -> Iterator[str]:
    """Yield each tree as one line; for any depth, in O(n)."""
    names = [json.dumps(without_escapes(name), ensure_ascii=False) for name in treebank.strings]
    end = treebank.subtree_end()
    closes = np.bincount(end - 1, minlength=treebank.n_nodes).tolist() if treebank.n_nodes else []
    pieces = []
    for label, word, n in zip(treebank.label.tolist(), treebank.word.tolist(), closes, strict=True):
        start = f'{{"label": {names[label]}, '
        pieces.append(f'{start}"children": [' if word == NO_WORD else f'{start}"word": {names[word]}}}{"]}" * (n - 1)}')
    for start, stop in zip(treebank.tree_start[:-1], treebank.tree_start[1:], strict=True):
        yield _separated(pieces[start:stop]) if stop > start else NULL


def _separated(pieces: list[str]) -> str:
    """The pieces of a tree, with commas between nodes that follow each other."""
    return "".join(
        f"{piece}, " if following and not piece.endswith("[") else piece
        for piece, following in zip(pieces, [*pieces[1:], ""], strict=True)
    )


JSON_TREES = TreeFormat(
    name="json",
    summary="JSON, one object a tree, with label and word or children",
    suffixes=(".trees.json", ".trees.jsonl"),
    read=parse_json_trees,
    write=json_strings,
)
