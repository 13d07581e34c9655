"""Unary chains, binarization and Markovization of cleaned trees, and their inverse."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.arrays.grouping import number_rows
from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.config import BinarizeSettings
from lpcfg_cli.treebank import binary_kernels, tree_kernels
from lpcfg_cli.treebank.binary import BINARY, LEXICAL, NONE, UNARY, BinaryTreebank, NodeTable, assemble
from lpcfg_cli.treebank.heads import HeadRules, head_children
from lpcfg_cli.treebank.symbols import Symbol
from lpcfg_cli.treebank.trees import NO_NODE, NO_WORD, StringTable, Treebank

DIRECTIONS = {"left": binary_kernels.LEFT, "right": binary_kernels.RIGHT, "head": binary_kernels.HEAD}


def binarize(treebank: Treebank, settings: BinarizeSettings, rules: HeadRules) -> BinaryTreebank:
    """Binarize cleaned trees (C13 §4): ``VP`` over ``V NP PP SBAR`` becomes ``[VP [@VP [@VP V NP] PP] SBAR]``.

    ``settings.unaries`` determines the treatment of unary chains.  With ``latent``, the chain X₁ … X_k over a span
    becomes one unary node X₁ over X_k, which stores the labels between.  With ``collapse`` it becomes one symbol
    ``X₁|…|X_k``.

    Parameters
    ----------
    treebank : Treebank
        From `lpcfg_cli.treebank.clean.clean`; without null trees.
    settings : BinarizeSettings
    rules : HeadRules
        Heads are stored for each node, for any direction of binarization.
    """
    first, child = tree_kernels.children_in_order(treebank.parent)
    collapse = settings.unaries == "collapse"
    kind, top, bottom, low, high, parent, head_is_right = binary_kernels.binarize(
        treebank.parent,
        treebank.word != NO_WORD,
        first,
        child,
        head_children(treebank, rules),
        DIRECTIONS[settings.direction],
        collapse,
    )
    chains = _UnaryChains(treebank)
    arity = (first[1:] - first[:-1])[bottom]
    is_intermediate = (kind == BINARY) & (high - low < arity)
    context = _Context(treebank, first, child, settings)
    columns = [
        kind == LEXICAL,
        is_intermediate,
        chains.chain[bottom] if collapse else treebank.label[np.where(kind == UNARY, top, bottom)],
        *context.ancestors(top if collapse else np.where(kind == UNARY, top, bottom), kind),
        *context.siblings(bottom, low, high, is_intermediate),
    ]
    symbol, where = number_rows(columns)
    rows = np.stack([np.asarray(column)[where] for column in columns], 1).tolist()
    symbols = [_symbol(row, chains if collapse else None, treebank.strings, settings.vertical) for row in rows]
    hidden, hidden_labels = _hidden_labels(kind, bottom, chains)
    tree_start = np.append(np.flatnonzero(parent == NO_NODE), len(parent))
    word = np.where(kind == LEXICAL, treebank.word[bottom], NONE)
    nodes = NodeTable(symbol, kind, word, hidden, parent, head_is_right, tree_start)
    return assemble(nodes, symbols, hidden_labels, treebank.strings)


def unbinarize(binary: BinaryTreebank) -> Treebank:
    """Undo `binarize` exactly; also turns a parser's derivations into trees."""
    strings = StringTable({name: k for k, name in enumerate(binary.strings)})
    own = [[] if s.is_intermediate else [strings[label] for label in s.labels] for s in binary.symbols]
    inner = [[strings[label] for label in labels] for labels in binary.hidden_labels]
    return with_chains(binary, own, inner, strings)


def with_chains(
    binary: BinaryTreebank, own: list[list[int]], hidden: list[list[int]], strings: StringTable
) -> Treebank:
    """The trees of binarized ones, with given labels.

    Parameters
    ----------
    binary : BinaryTreebank
    own : list of list of int
        The labels, as positions in `strings`, of each symbol; a node without labels gives its place to its children.
    hidden : list of list of int
        The same of ``binary.hidden_labels``.
    strings : StringTable
        Starts with the strings of `binary`.
    """
    above = Ragged(own).take(binary.symbol)
    below = Ragged([[], *hidden]).take(np.where(binary.kind == UNARY, binary.hidden + 1, 0))
    label, count = _interleave(above, below)
    return expanded(label, count, binary.parent, binary.word, binary.tree_start, list(strings))


def expanded(
    label: np.ndarray,
    count: np.ndarray,
    parent: np.ndarray,
    word: np.ndarray,
    tree_start: np.ndarray,
    strings: list[str],
) -> Treebank:
    """Trees in which each node becomes a chain of nodes, or gives its place to its children if it has no label.

    Parameters
    ----------
    label : ndarray of int, shape (sum(count),)
        The labels of all chains, top down, as positions in `strings`.
    count : ndarray of int, shape (n_nodes,)
        Number of labels of each node; at least 1 for roots and for nodes with words.
    parent, word, tree_start
        As in `Treebank`; a word is that of the last node of its chain.
    strings : list of str
    """
    last = np.cumsum(count) - 1
    emits = count > 0
    outer = tree_kernels.nearest_kept_ancestor(parent, emits)
    above = np.arange(len(label), dtype=np.int32) - 1
    first = (last - count + 1)[emits]
    outer_last = np.where(outer == NO_NODE, NO_NODE, last[outer])
    above[first] = outer_last[emits]
    words = np.full(len(label), NO_WORD, np.int32)
    is_leaf = word != NO_WORD
    words[last[is_leaf]] = word[is_leaf]
    return Treebank(label.astype(np.int32), words, above, starts(count)[tree_start], strings)


class _Context:
    """Ancestors and siblings with which Markovization annotates symbols, as columns of label numbers, -1 for none."""

    def __init__(self, treebank: Treebank, first: np.ndarray, child: np.ndarray, settings: BinarizeSettings):
        self.label, self.parent = treebank.label, treebank.parent
        self.first, self.child = first, child
        self.n_ancestors = settings.vertical - 1
        self.n_siblings = settings.horizontal

    def ancestors(self, node: np.ndarray, kind: np.ndarray) -> list[np.ndarray]:
        """One column, (n,), for each annotated ancestor; preterminals have none."""
        columns = []
        above = np.where(kind == LEXICAL, NO_NODE, self.parent[node])
        for _ in range(self.n_ancestors):
            columns.append(np.where(above == NO_NODE, NONE, self.label[above]))
            above = np.where(above == NO_NODE, NO_NODE, self.parent[above])
        return columns

    def siblings(self, node: np.ndarray, low: np.ndarray, high: np.ndarray, wanted: np.ndarray) -> list[np.ndarray]:
        """One column, (n,), for each annotated sibling of the children ``low:high``.

        First come those to the left, the nearest first, then those to the right.
        """
        arity = (self.first[1:] - self.first[:-1])[node]
        left_out = arity - (high - low)
        most = int(left_out[wanted].max(initial=0))
        n_columns = most if self.n_siblings < 0 else min(self.n_siblings, most)
        columns = []
        for k in range(n_columns):
            position = np.where(k < low, low - 1 - k, high + k - low)
            is_there = wanted & (k < left_out)
            sibling = self.child[(self.first[node] + position)[is_there]]
            column = np.full(len(node), NONE, np.int64)
            column[is_there] = self.label[sibling]
            columns.append(column)
        return columns


class Ragged:
    """Lists of integers of different lengths, flattened."""

    def __init__(self, lists: list[list[int]]):
        self.values = np.array([value for values in lists for value in values], np.int64)
        self.start = starts([len(values) for values in lists])

    def take(self, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The lists with the numbers `which`, concatenated, and their lengths."""
        length = np.diff(self.start)[which]
        ends = np.cumsum(length)
        shift = np.repeat(self.start[which] - (ends - length), length)
        return self.values[np.arange(len(shift)) + shift], length


def _interleave(
    one: tuple[np.ndarray, np.ndarray], two: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """For each node its values of `one`, then its values of `two`, concatenated; and their number for each node."""
    count = one[1] + two[1]
    first = np.cumsum(count) - count
    merged = np.empty(int(count.sum()), np.int64)
    for (values, length), offset in ((one, first), (two, first + one[1])):
        ends = np.cumsum(length)
        merged[np.arange(len(values)) + np.repeat(offset - (ends - length), length)] = values
    return merged, count


class _UnaryChains:
    """Numbers of the label sequences from the top of a unary chain down to each of its nodes.

    A single label has its own number.  A longer chain is stored as its last label and the number of the chain above it,
    so that memory is O(nodes).  The loop runs once for each level of the longest chain.

    Attributes
    ----------
    chain : ndarray of int64, shape (n_nodes,)
        Number of the chain that ends in each node.
    """

    def __init__(self, treebank: Treebank):
        self.strings = treebank.strings
        self.above, self.last = [NONE] * len(self.strings), list(range(len(self.strings)))
        is_unary = (treebank.n_children() == 1) & (treebank.word == NO_WORD)
        under_unary = np.zeros(treebank.n_nodes, bool)
        under_unary[np.flatnonzero(is_unary) + 1] = True
        self.chain = treebank.label.astype(np.int64)
        level = np.flatnonzero(is_unary & ~under_unary)
        while len(level):
            below = level + 1
            number, where = number_rows([self.chain[level], treebank.label[below]])
            self.chain[below] = number + len(self.above)
            self.above += self.chain[level[where]].tolist()
            self.last += treebank.label[below[where]].tolist()
            level = below[is_unary[below]]

    def labels(self, chain: int) -> tuple[str, ...]:
        """The labels of a chain, top down."""
        upwards = []
        while chain != NONE:
            upwards.append(self.strings[self.last[chain]])
            chain = self.above[chain]
        return tuple(reversed(upwards))


def _hidden_labels(
    kind: np.ndarray, bottom: np.ndarray, chains: _UnaryChains
) -> tuple[np.ndarray, list[tuple[str, ...]]]:
    """Number the label sequences strictly inside the chains of unary nodes."""
    hidden = np.full(len(kind), NONE, np.int64)
    hidden_labels: dict[tuple[str, ...], int] = {}
    unary = np.flatnonzero(kind == UNARY)
    if len(unary):
        number, where = number_rows([chains.chain[bottom[unary]]])
        inner = [chains.labels(chain)[1:-1] for chain in chains.chain[bottom[unary[where]]].tolist()]
        hidden[unary] = np.array([hidden_labels.setdefault(labels, len(hidden_labels)) for labels in inner])[number]
    return hidden, list(hidden_labels)


def _symbol(row: list[int], chains: _UnaryChains | None, strings: list[str], vertical: int) -> Symbol:
    is_preterminal, is_intermediate, label, *context = row
    labels = chains.labels(label) if chains is not None else (strings[label],)
    ancestors = tuple(strings[k] for k in context[: vertical - 1] if k != NONE)
    siblings = tuple(strings[k] for k in context[vertical - 1 :] if k != NONE)
    return Symbol(labels, bool(is_preterminal), bool(is_intermediate), ancestors, siblings)
