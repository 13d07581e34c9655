"""Slow and simple counterparts of parts of the package, for comparison; they import nothing of it.

A tree is a nested tuple: ``(tag, word)`` for a preterminal, ``(label, (tree, …))`` for a phrase.
"""

from __future__ import annotations

import re

BLANKS = " \t\r\n\f\v"


# --- bracketed text ---------------------------------------------------------------------------------------


def read_trees(text):
    """All trees of a well-formed text, None for a null tree; one character after the other."""
    trees, place = [], _skip_blanks(text, 0)
    while place < len(text):
        tree, place = _read_node(text, place)
        trees.append(tree)
        place = _skip_blanks(text, place)
    return trees


def _read_node(text, place):
    assert text[place] == "("
    label, place = _read_string(text, _skip_blanks(text, place + 1))
    children, words = [], []
    while text[place := _skip_blanks(text, place)] != ")":
        if text[place] == "(":
            child, place = _read_node(text, place)
            children += [] if child is None else [child]
        else:
            word, place = _read_string(text, place)
            words.append(word)
    if words:
        return (label, words[0]), place + 1
    return ((label, tuple(children)) if children else None), place + 1


def _read_string(text, place):
    start = place
    while text[place] not in BLANKS + "()":
        place += 2 if text[place] == "\\" and text[place + 1] in "()" else 1
    return text[start:place], place


def _skip_blanks(text, place):
    while place < len(text) and text[place] in BLANKS:
        place += 1
    return place


def write_tree(tree):
    """The tree as one line; a blank prevents a final backslash of a word from escaping the bracket."""
    if tree is None:
        return "(())"
    label, below = tree
    if isinstance(below, str):
        return f"({label} {below} )" if below.endswith("\\") else f"({label} {below})"
    return f"({label} {' '.join(map(write_tree, below))})"


def tuples_of(treebank):
    """The trees of the package's flat arrays, None for a null tree."""
    names = treebank.strings
    trees = []
    for start, stop in zip(treebank.tree_start[:-1].tolist(), treebank.tree_start[1:].tolist(), strict=True):
        below = {node: [] for node in range(start, stop)}
        for node in reversed(range(start, stop)):
            word = treebank.word[node]
            content = names[word] if word >= 0 else tuple(reversed(below[node]))
            tree = (names[treebank.label[node]], content)
            if treebank.parent[node] >= 0:
                below[int(treebank.parent[node])].append(tree)
        trees.append(tree if stop > start else None)
    return trees


def leaves(tree):
    """The (tag, word) pairs of a tree."""
    if tree is None:
        return []
    return [tree] if isinstance(tree[1], str) else [leaf for child in tree[1] for leaf in leaves(child)]


def phrases(tree):
    """All phrases of a tree, top down."""
    if tree is None or isinstance(tree[1], str):
        return []
    return [tree, *(phrase for child in tree[1] for phrase in phrases(child))]


# --- cleaning ---------------------------------------------------------------------------------------------


def clean_tree(tree, wrappers=("TOP", "ROOT", "S1"), strip=True):
    """The cleaned tree, None when it has no words left."""
    tree = _without_traces(tree)
    if tree is None:
        return None
    tree = _relabelled(tree, strip)
    tree = (tree[0], tree[1] if isinstance(tree[1], str) else _without_nameless(tree[1]))
    while _is_wrapper(tree, wrappers) and len(tree[1]) == 1:
        tree = tree[1][0]
    if _is_wrapper(tree, wrappers):
        tree = ("TOP", tree[1])
    return _without_loops(tree)


def _is_wrapper(tree, wrappers):
    return not isinstance(tree[1], str) and tree[0] in ("", *wrappers)


def _without_traces(tree):
    if tree is None:
        return None
    label, below = tree
    if isinstance(below, str):
        return None if label == "-NONE-" else tree
    kept = tuple(child for child in map(_without_traces, below) if child)
    return (label, kept) if kept else None


def _relabelled(tree, strip):
    label, below = tree
    if isinstance(below, str):
        while match := re.fullmatch(r"(.+)[-=][0-9]+", label):
            label = match[1]
        return label, below
    if strip and label[:1] not in ("-", "="):
        label = label.split("-")[0].split("=")[0]
    return label, tuple(_relabelled(child, strip) for child in below)


def _without_nameless(children):
    kept = []
    for label, below in children:
        if isinstance(below, str):
            kept.append((label, below))
        elif label == "":
            kept += _without_nameless(below)
        else:
            kept.append((label, _without_nameless(below)))
    return tuple(kept)


def _without_loops(tree):
    chain = [tree]
    while not isinstance(chain[-1][1], str) and len(chain[-1][1]) == 1:
        chain.append(chain[-1][1][0])
    bottom = chain[-1]
    if not isinstance(bottom[1], str):
        bottom = (bottom[0], tuple(map(_without_loops, bottom[1])))
        if all(node[0] == bottom[0] for node in chain):
            return bottom
    for node in reversed(chain[:-1]):
        bottom = (node[0], (bottom,))
    return bottom


# --- word spans -------------------------------------------------------------------------------------------


def node_spans(tree, start=0):
    """(label, i, j) of every node in preorder."""
    label, below = tree
    if isinstance(below, str):
        return [(label, start, start + 1)]
    spans, place = [], start
    for child in below:
        inner = node_spans(child, place)
        place = inner[0][2]
        spans += inner
    return [(label, start, place), *spans]
