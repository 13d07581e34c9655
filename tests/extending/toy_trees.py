"""A tree format: a node a line, a blank more for each node above it, and an empty line behind each tree."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.treebank.tree_format import TextTrees, TreeFormat
from lpcfg_cli.treebank.trees import NO_NODE, NO_WORD


def read(text, strings, path, on_error):
    label, word, parent, starts, lines, above = [], [], [], [0], [], []
    for number, line in enumerate(text.splitlines(), 1):
        depth = len(line) - len(line.lstrip(" "))
        names = line.split()
        if not names:
            starts.append(len(label))
        elif len(names) > 2 or depth > len(above):
            raise SyntaxProblem(path, number, 1, repr(line), "a label, or a tag and a word", "Split the line.")
        else:
            parent.append(above[depth - 1] if depth else NO_NODE)
            above[depth:] = [len(label)]
            label.append(strings[names[0]])
            word.append(strings[names[1]] if len(names) == 2 else NO_WORD)
            lines.append(number)
    arrays = [np.array(values, np.int32) for values in (label, word, parent)]
    first = np.array([lines[start] if start < len(lines) else len(lines) for start in starts[:-1]], np.int64)
    return TextTrees(*arrays, np.array(starts, np.int64), first, np.array(lines, np.int64))


def write(treebank):
    for start, stop in zip(treebank.tree_start[:-1], treebank.tree_start[1:], strict=True):
        depth, tree = {NO_NODE: -1}, ""
        for node in range(start, stop):
            depth[node] = depth[treebank.parent[node]] + 1
            word = f" {treebank.strings[treebank.word[node]]}" if treebank.word[node] != NO_WORD else ""
            tree += f"{' ' * depth[node]}{treebank.strings[treebank.label[node]]}{word}\n"
        yield tree


TOY = TreeFormat("toy", "a node a line", (".toy",), read, write)
