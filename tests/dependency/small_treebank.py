"""A treebank that a parser can learn by heart."""

from __future__ import annotations

from dependency_files import conll, sentences_of

TREES = [
    [("the", "D", 2, "det"), ("dog", "N", 3, "subj"), ("saw", "V", 0, "root"), ("Tom", "P", 3, "obj")],
    [("Tom", "P", 2, "subj"), ("saw", "V", 0, "root"), ("the", "D", 4, "det"), ("dog", "N", 2, "obj")],
    [("Hush", "V", 0, "root"), (",", ",", 1, "punct"), ("Tom", "P", 1, "voc"), (".", ".", 1, "punct")],
    [("Tom", "P", 0, "root")],
    [("old", "J", 2, "mod"), ("Tom", "P", 3, "subj"), ("saw", "V", 0, "root"), ("dogs", "N", 3, "obj")],
]


def treebank(trees=TREES):
    """The sentences of trees, each a list of (form, tag, head, relation)."""
    return sentences_of(treebank_text(trees))


def treebank_text(trees=TREES):
    """The same as the text of a file."""
    return "".join(map(conll, trees))
