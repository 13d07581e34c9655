"""Trees of formats that name the parent of each node: their nodes are brought into preorder, and checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count, pairwise

import numpy as np

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.treebank.tree_format import Note, Skipped, TextTrees
from lpcfg_cli.treebank.trees import NO_NODE, NO_WORD, StringTable, Treebank

ROOT = ""
"""Name of the root as a parent, and its label if it has several children."""


@dataclass
class GraphNode:
    """A node of a tree.

    Attributes
    ----------
    name : str
        By which its children name it.
    label : str
        Its label or tag.
    word : str or None
        None for phrases.
    line : int
        1-based line of the text.
    children : list of GraphNode
    first, last, n_words : int
        First and last position of the words below it in the sentence, and how many they are.
    """

    name: str
    label: str
    word: str | None
    line: int
    children: list[GraphNode] = field(default_factory=list)
    first: int = 0
    last: int = -1
    n_words: int = 0


@dataclass(frozen=True)
class GraphTree:
    """A tree as it stands in a file.

    Attributes
    ----------
    line : int
        Where it begins.
    nodes : list of GraphNode
        The words in order, then the phrases.
    parents : list of str
        The name of each node's parent; `ROOT` for none.
    problem : SyntaxProblem or None
        Why it could not be read.
    """

    line: int
    nodes: list[GraphNode]
    parents: list[str]
    problem: SyntaxProblem | None = None


def flat_arrays(trees: Iterable[GraphTree], strings: StringTable, path: str, on_error: str) -> TextTrees:
    """The trees as flat arrays; places are lines.

    A word that hangs from the root between words of a phrase, as punctuation does in many treebanks, is moved into the
    lowest phrase around it, with a note.

    Raises
    ------
    SyntaxProblem
        A tree is not valid or has crossing branches, with ``on_error = "stop"``.
    """
    arrays = TreeArrays(strings)
    skipped: list[Skipped] = []
    moved: list[int] = []
    for tree in trees:
        try:
            if tree.problem is not None:
                raise tree.problem
            roots = _linked(tree, path)
            moved += _lowered(roots)
            _check_spans(roots, path)
            arrays.add(roots, tree.line)
        except SyntaxProblem as problem:
            if on_error == "stop":
                raise
            found = f"{problem.line}:{problem.column}: {problem.found}"
            words = " ".join(node.word for node in tree.nodes if node.word is not None)
            skipped.append(Skipped(path, tree.line, 1, found, words[:60]))
    what = "words moved from the root into the phrases around them"
    notes = [Note(path, moved[0], len(moved), what)] if moved else []
    return arrays.text_trees(tuple(notes), tuple(skipped))


def _linked(tree: GraphTree, path: str) -> list[GraphNode]:
    """The nodes without a parent, after all nodes have been given their children, in the order of their words."""
    named = {node.name: node for node in tree.nodes}
    roots: list[GraphNode] = []
    for position, (node, parent) in enumerate(zip(tree.nodes, tree.parents, strict=True)):
        if node.word is not None:
            node.first, node.last, node.n_words = position, position, 1
        if parent != ROOT and (parent not in named or named[parent].word is not None):
            hint = "Each node needs a parent that is a phrase of the same tree, or the root."
            raise SyntaxProblem(path, node.line, 1, f"the parent {parent!r}", "the name of a phrase", hint)
        (roots if parent == ROOT else named[parent].children).append(node)
    order = list(_below(roots))
    if len(order) < len(tree.nodes):
        lost = next(node for node in tree.nodes if not any(node is other for other in order))
        hint = "Follow its parents: they must lead to the root."
        raise SyntaxProblem(path, lost.line, 1, f"{lost.label!r} is below itself", "a node below the root", hint)
    for node in reversed(order):
        _measure(node, path)
    return sorted(roots, key=lambda node: node.first)


def _below(roots: list[GraphNode]) -> Iterator[GraphNode]:
    """All nodes, each before its children."""
    stack = list(reversed(roots))
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))


def _measure(node: GraphNode, path: str) -> None:
    if node.word is not None:
        return
    if not node.children:
        hint = "Remove the phrase, or give it words."
        raise SyntaxProblem(path, node.line, 1, f"the phrase {node.label!r} without words", "words below it", hint)
    node.children.sort(key=lambda child: child.first)
    node.first = node.children[0].first
    node.last = max(child.last for child in node.children)
    node.n_words = sum(child.n_words for child in node.children)


def _lowered(roots: list[GraphNode]) -> list[int]:
    """Move words of the root that stand inside phrases into these; returns the lines of these words."""
    lines = []
    for word in [node for node in roots if node.word is not None]:
        path = [node for node in roots if node.first < word.first < node.last and node.word is None]
        if len(path) != 1:  # none, or phrases that cross each other
            continue
        while inner := [n for n in path[-1].children if n.word is None and n.first < word.first < n.last][:1]:
            path += inner
        roots.remove(word)
        path[-1].children = sorted([*path[-1].children, word], key=lambda node: node.first)
        for node in path:
            node.n_words += 1
        lines.append(word.line)
    return lines


def _check_spans(roots: list[GraphNode], path: str) -> None:
    for node in _below(roots):
        if node.last - node.first + 1 != node.n_words:
            found = f"the phrase {node.label!r}, whose words are not next to each other"
            hint = (
                "Remove crossing branches, as `discodop treetransforms --splitdisc` does, or skip such trees with "
                "--on-error skip."
            )
            raise SyntaxProblem(path, node.line, 1, found, "a tree without crossing branches", hint)


class TreeArrays:
    """The flat arrays of trees, as they grow."""

    def __init__(self, strings: StringTable):
        self._strings = strings
        self._label, self._word, self._parent = list[int](), list[int](), list[int]()
        self._tree_start, self._tree_line, self._node_line = [0], list[int](), list[int]()

    def add(self, roots: list[GraphNode], line: int) -> None:
        """Add a tree; several roots get a root without a label."""
        top = roots if len(roots) < 2 else [GraphNode(ROOT, ROOT, None, line, roots)]
        start = len(self._label)
        stack = [(node, NO_NODE) for node in top]
        while stack:
            node, parent = stack.pop()
            number = len(self._label) - start
            self._label.append(self._strings[node.label])
            self._word.append(NO_WORD if node.word is None else self._strings[node.word])
            self._parent.append(parent if parent == NO_NODE else parent + start)
            self._node_line.append(node.line)
            stack.extend((child, number) for child in reversed(node.children))
        self._tree_start.append(len(self._label))
        self._tree_line.append(line)

    def text_trees(self, notes: tuple[Note, ...], skipped: tuple[Skipped, ...]) -> TextTrees:
        """The arrays, with what was ignored or skipped."""
        nodes = (np.array(values, np.int32) for values in (self._label, self._word, self._parent))
        lines = (np.array(values, np.int64) for values in (self._tree_start, self._tree_line, self._node_line))
        return TextTrees(*nodes, *lines, notes=notes, skipped=skipped)


BRACKET_ESCAPES = (("\\(", "("), ("\\)", ")"))
"""Brackets in labels and words, in memory and in files that need no escape."""


def with_escapes(text: str) -> str:
    """A label or word of a file in the form in which it is kept: brackets behind backslashes, blanks as ``_``."""
    for inside, written in BRACKET_ESCAPES:
        text = text.replace(written, inside)
    return "_".join(text.split(" ")) if " " in text else text


def without_escapes(text: str) -> str:
    """A label or word with its brackets as they are."""
    for inside, written in BRACKET_ESCAPES:
        text = text.replace(inside, written)
    return text


def numbered_phrases(treebank: Treebank, first: int) -> Iterator[dict[int, int]]:
    """For each tree, its nodes in preorder with numbers: words from 0 and phrases from `first`."""
    for start, stop in pairwise(treebank.tree_start.tolist()):
        is_word = (treebank.word[start:stop] != NO_WORD).tolist()
        words, phrases = count(), count(first)
        yield {
            node: next(words if is_leaf else phrases) for node, is_leaf in zip(range(start, stop), is_word, strict=True)
        }
