"""Search of trees by the patterns of tgrep, through NLTK: ``NP < (NN . VBZ)``."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import numpy as np

from lpcfg_cli.errors import ConfigError, InputError
from lpcfg_cli.treebank.brackets import bracket_strings
from lpcfg_cli.treebank.files import TreeFiles
from lpcfg_cli.treebank.graph_trees import without_escapes
from lpcfg_cli.treebank.places import places_of_nodes, places_of_trees
from lpcfg_cli.treebank.trees import NO_NODE, NO_WORD, Treebank

Predicate = Callable[[Any], bool]
"""Whether a node, an `nltk.tree.ParentedTree`, matches."""


@dataclass(frozen=True)
class Match:
    """A part of a treebank that matches.

    Attributes
    ----------
    place : str
        ``path:line`` where it begins.
    tree : int
        Number of its tree in the file, from 1.
    start, stop : int
        Half-open word span within the tree.
    words : list of str
    text : str
        In brackets.
    """

    place: str
    tree: int
    start: int
    stop: int
    words: list[str]
    text: str


def compiled_pattern(pattern: str) -> Predicate:
    """The predicate of a pattern.

    Raises
    ------
    InputError
        pyparsing, by which NLTK reads patterns, is not installed.
    ConfigError
        It is no pattern.
    """
    if find_spec("pyparsing") is None:
        raise InputError("tree patterns need pyparsing. Install it: pip install 'lpcfg-cli[grep]'.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # NLTK uses old names of pyparsing
        from nltk.tgrep import TgrepException, tgrep_compile
        from pyparsing import ParseBaseException

        try:
            return tgrep_compile(pattern)
        except ParseBaseException as error:
            rest = pattern[error.loc :]
            raise _no_pattern(
                pattern, f"it cannot be read from {rest!r} on" if rest else "it ends too early"
            ) from error
        except (TgrepException, re.error, ValueError, RecursionError) as error:
            raise _no_pattern(pattern, str(error)) from error


def _no_pattern(pattern: str, why: str) -> ConfigError:
    hint = "Write for instance 'NP < (NN . VBZ)'; `lpcfg help looking` lists names and relations."
    return ConfigError(f"{pattern!r}: no tree pattern: {why}. {hint}")


def matching_nodes(trees: Treebank, predicate: Predicate) -> Iterator[list[int]]:
    """For each tree, the nodes that match, in preorder; a preterminal also if its word matches.

    Raises
    ------
    ConfigError
        The pattern gives a name to a node without a macro, which NLTK reads but cannot match.
    """
    nodes = _parented(trees)
    try:
        for first, stop in pairwise(trees.tree_start.tolist()):
            yield [node for node in range(first, stop) if any(predicate(part) for part in nodes[node])]
    except TypeError as error:
        hint = "Define one, as in '@ N /^NN/; NP < @N=n'."
        raise ConfigError(f"the tree pattern has a node with = and a name, as only macros can have. {hint}") from error


def _parented(trees: Treebank) -> list[list[Any]]:
    """The NLTK nodes of each node: its own, and that of its word, which has a parent and no children."""
    from nltk.tree import ParentedTree

    names = [without_escapes(name) for name in trees.strings]
    found: list[list[Any]] = []
    for label, word, parent in zip(trees.label.tolist(), trees.word.tolist(), trees.parent.tolist(), strict=True):
        node = ParentedTree(names[label], [])
        parts = [node]
        if word != NO_WORD:
            parts.append(ParentedTree(names[word], []))
            node.append(parts[1])
        if parent != NO_NODE:
            found[parent][0].append(node)
        found.append(parts)
    return found


def matches(files: TreeFiles, predicate: Predicate, *, invert: bool = False, whole: bool = False) -> list[Match]:
    """The matches in one file, in order.

    Parameters
    ----------
    files : TreeFiles
        One file.
    predicate : Predicate
    invert : bool
        Whether to give the trees without a match.
    whole : bool
        Whether to give the trees with a match, instead of each part that matches.
    """
    trees = files.trees
    found = list(matching_nodes(trees, predicate))
    if invert or whole:
        numbers = np.array([t for t, nodes in enumerate(found) if bool(nodes) != invert], np.int64)
        return _matches(trees.subset(numbers), places_of_trees(files, numbers), numbers, np.zeros(len(numbers), int))
    chosen = np.array([node for nodes in found for node in nodes], np.int64)
    numbers = trees.tree_of_node()[chosen]
    return _matches(trees.subtrees(chosen), places_of_nodes(files, chosen), numbers, trees.spans()[0][chosen])


def _matches(parts: Treebank, places: list[str], trees: np.ndarray, starts: np.ndarray) -> list[Match]:
    lines, sentences = bracket_strings(parts), parts.tagged_sentences()
    return [
        Match(place, tree + 1, start, start + len(pairs), [without_escapes(word) for word, _ in pairs], line)
        for place, tree, start, line, pairs in zip(
            places, trees.tolist(), starts.tolist(), lines, sentences, strict=True
        )
    ]
