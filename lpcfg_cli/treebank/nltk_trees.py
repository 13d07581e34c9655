"""Conversion of flat arrays to NLTK trees, and of these to bracketed text.

NLTK takes half a second to import, so it is imported only when a tree is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lpcfg_cli.treebank.brackets import NULL_TREE, escaped
from lpcfg_cli.treebank.trees import NO_NODE, NO_WORD, Treebank

if TYPE_CHECKING:
    from nltk.tree import Tree


def to_nltk(trees: Treebank, words: Sequence[str] | None = None) -> list[Tree]:
    """Each tree as an `nltk.Tree`; a null tree has no label and no children.

    Parameters
    ----------
    trees : Treebank
    words : sequence of str, optional
        The leaves of all trees in order, in place of the treebank's own.
    """
    from nltk.tree import Tree

    nodes: list[Any] = [Tree(trees.strings[label], []) for label in trees.label]
    leaf = 0
    for node, (parent, word) in enumerate(zip(trees.parent, trees.word, strict=True)):
        if word != NO_WORD:
            nodes[node].append(trees.strings[word] if words is None else words[leaf])
            leaf += 1
        if parent != NO_NODE:
            nodes[parent].append(nodes[node])
    pairs = zip(trees.tree_start[:-1], trees.tree_start[1:], strict=True)
    return [_joined(nodes, trees, first, last) for first, last in pairs]


def _joined(nodes: list[Any], trees: Treebank, first: int, last: int) -> Tree:
    """One tree from its nodes; several roots get an unlabelled parent."""
    from nltk.tree import Tree

    roots = [nodes[node] for node in range(first, last) if trees.parent[node] == NO_NODE]
    return roots[0] if len(roots) == 1 else Tree("", roots)


def bracket_line(tree: Tree) -> str:
    """An `nltk.Tree` as one bracketed line, with words and tags escaped by `escaped`."""
    if not len(tree):
        return NULL_TREE
    pieces: list[str] = []
    stack: list[Any] = [tree]
    while stack:
        node = stack.pop()
        if node is None:
            pieces[-1] += ")"
        elif len(node) == 1 and isinstance(node[0], str):
            pieces.append(f"({escaped(node.label())} {_word(node[0])})")
        else:
            pieces.append(f"({escaped(node.label())}")
            stack.append(None)  # the bracket closes after the children
            stack.extend(reversed(list(node)))
    return " ".join(pieces)


def _word(word: str) -> str:
    """A word before a closing bracket; a blank prevents a final backslash from escaping the bracket."""
    text = escaped(word)
    return f"{text} " if text.endswith("\\") else text
