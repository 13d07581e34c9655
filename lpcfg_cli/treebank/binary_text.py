"""Binarized trees as bracketed text, one tree on each line.

A binary node is written ``(NAME/l …)`` or ``(NAME/r …)`` with the side of its head, a unary node that hides the labels
A and B ``(NAME/u+A+B …)``, and a preterminal ``(NAME word)``.  Names are those of
`lpcfg_cli.treebank.symbols.Symbol`; ``symbols.json`` lists their meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from lpcfg_cli.arrays.grouping import number_rows
from lpcfg_cli.errors import WrongParentError
from lpcfg_cli.treebank.binary import BINARY, LEXICAL, NONE, UNARY, BinaryTreebank, NodeTable, assemble
from lpcfg_cli.treebank.brackets import bracket_strings, treebank_from_text
from lpcfg_cli.treebank.symbols import Symbol, escape
from lpcfg_cli.treebank.trees import NO_WORD, Treebank


def symbols_to_json(binary: BinaryTreebank) -> dict[str, Any]:
    """The tables that `read_binary_trees` needs beside the text, and the weights of trees of raw text, if any."""
    taught = binary.weight[binary.n_gold :].tolist()
    return {
        "symbols": [{"name": symbol.name, **symbol.as_json()} for symbol in binary.symbols],
        "hidden_labels": [list(labels) for labels in binary.hidden_labels],
        **({"taught": taught} if taught else {}),
    }


def tables_from_json(content: dict[str, Any]) -> tuple[list[Symbol], list[tuple[str, ...]]]:
    """The inverse of `symbols_to_json`: symbols and hidden labels.

    Raises
    ------
    KeyError, TypeError, ValueError, AttributeError
        The content was not made by `symbols_to_json`.
    """
    symbols = [Symbol.from_json(entry) for entry in content["symbols"]]
    hidden_labels = [tuple(labels) for labels in content["hidden_labels"]]
    chains = [chain for symbol in symbols for chain in (symbol.labels, symbol.ancestors, symbol.siblings)]
    if not all(isinstance(label, str) for chain in (*chains, *hidden_labels) for label in chain):
        raise TypeError("labels are not all strings")
    if not all(symbol.labels for symbol in symbols):
        raise ValueError("a symbol has no label")
    return symbols, hidden_labels


def write_binary_trees(binary: BinaryTreebank) -> Iterator[str]:
    """Yield each tree as one line."""
    number, where = number_rows([binary.symbol, binary.kind, binary.head_is_right, binary.hidden])
    tokens = [_token(binary, node) for node in where]
    word = np.where(binary.word == NONE, NO_WORD, binary.word + len(tokens)).astype(np.int32)
    text_form = Treebank(number, word, binary.parent, binary.tree_start, [*tokens, *binary.strings])
    return bracket_strings(text_form)


def read_binary_trees(
    text: str, symbols: list[Symbol], hidden_labels: list[tuple[str, ...]], path: str = "<text>"
) -> BinaryTreebank:
    """Read text written by `write_binary_trees`.

    Raises
    ------
    SyntaxProblem
        The text has anything else than trees.
    WrongParentError
        A node has a symbol that is not in the tables.
    """
    trees = treebank_from_text(text, path)
    is_word = trees.word != NO_WORD
    known = _known_tokens(symbols, hidden_labels)
    number, where = number_rows([is_word, trees.label])
    meanings = []
    for node in where:
        token = (bool(is_word[node]), trees.strings[trees.label[node]])
        if token not in known:
            raise WrongParentError(
                f"{path}: the symbol {token[1]!r} is not in the symbols.json beside it. Run `lpcfg binarize` again."
            )
        meanings.append(known[token])
    symbol, kind, head_is_right, hidden = np.array(meanings, np.int64).reshape(-1, 4)[number].T
    word = np.where(is_word, trees.word, NONE)
    nodes = NodeTable(symbol, kind, word, hidden, trees.parent, head_is_right.astype(bool), trees.tree_start)
    return assemble(nodes, symbols, hidden_labels, trees.strings)


def _token(binary: BinaryTreebank, node: int) -> str:
    name = binary.symbols[binary.symbol[node]].name
    if binary.kind[node] == LEXICAL:
        return name
    if binary.kind[node] == UNARY:
        return name + _unary_suffix(binary.hidden_labels[binary.hidden[node]])
    return name + ("/r" if binary.head_is_right[node] else "/l")


def _unary_suffix(labels: tuple[str, ...]) -> str:
    return "/u" + "".join("+" + escape(label) for label in labels)


def _known_tokens(
    symbols: list[Symbol], hidden_labels: list[tuple[str, ...]]
) -> dict[tuple[bool, str], tuple[int, int, int, int]]:
    """(has a word, token) → (symbol, kind, head is right, hidden)."""
    suffixes = [_unary_suffix(labels) for labels in hidden_labels]
    known = {}
    for k, symbol in enumerate(symbols):
        if symbol.is_preterminal:
            known[True, symbol.name] = (k, LEXICAL, 0, NONE)
            continue
        known[False, symbol.name + "/l"] = (k, BINARY, 0, NONE)
        known[False, symbol.name + "/r"] = (k, BINARY, 1, NONE)
        for b, suffix in enumerate(suffixes):
            known[False, symbol.name + suffix] = (k, UNARY, 0, b)
    return known
