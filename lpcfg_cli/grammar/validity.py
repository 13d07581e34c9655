"""Checks that the arrays of a grammar fit together; needed before they are passed to kernels, which check nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from lpcfg_cli.grammar.model import DENSE, Grammar

MAX_STATES = 1 << 20
"""Largest number of states of a symbol: the size of a tensor then fits into 63 bits."""

_TYPES = {
    "n_states": np.int32,
    "parent": np.int32,
    "left": np.int32,
    "right": np.int32,
    "child": np.int32,
    "hidden": np.int32,
    "symbol": np.int32,
    "rank": np.int32,
    "state_start": np.int64,
    "start": np.int64,
    "entry_start": np.int64,
}
"""Type of each array; all others are float64, and `values` may be float32."""


def check_grammar(grammar: Grammar) -> None:
    """Raise a `ValueError` that names the first array that does not fit the others; O(parameters)."""
    for part in (grammar, grammar.binary, grammar.unary, grammar.lexical):
        _check_types(part)
    labels = [symbol.labels for symbol in grammar.symbols]
    names = [name for chain in (*labels, *grammar.hidden_labels) for name in chain]
    _require(all(labels) and all(isinstance(name, str) for name in names), "symbols")
    n_symbols, m = grammar.n_symbols, grammar.n_states.astype(np.int64)
    _require(len(m) == n_symbols and bool(np.all((m >= 0) & (m <= MAX_STATES))), "n_states")
    for name in ("root_probability", "unseen_probability"):
        _require(len(getattr(grammar, name)) == n_symbols, name)
    for name in ("root_vector", "unseen_vector"):
        _check_blocks(grammar.state_start, m, getattr(grammar, name), name)
    _check_rules(grammar, m)
    _check_numbers(grammar)


SAME_RULES = {
    "binary": ("parent", "left", "right"),
    "unary": ("parent", "child", "hidden"),
}
"""The arrays that must be equal in grammars that share a forest."""


def groups_of_same_rules(members: Sequence[Grammar]) -> list[list[Grammar]]:
    """The members of an ensemble, grouped by their symbols and rules; groups and members keep their order."""
    groups: list[list[Grammar]] = []
    for member in members:
        group = next((group for group in groups if has_same_rules(group[0], member)), None)
        if group is None:
            groups.append([member])
        else:
            group.append(member)
    return groups


def has_same_rules(one: Grammar, other: Grammar) -> bool:
    """Whether two grammars have the same symbols and rules, so that they can share a forest."""
    return (
        one.symbols == other.symbols
        and one.hidden_labels == other.hidden_labels
        and all(
            np.array_equal(getattr(getattr(one, part), name), getattr(getattr(other, part), name))
            for part, names in SAME_RULES.items()
            for name in names
        )
    )


def _check_rules(grammar: Grammar, m: np.ndarray) -> None:
    binary, unary, lexical = grammar.binary, grammar.unary, grammar.lexical
    for name in ("parent", "left", "right"):
        _check_indices(getattr(binary, name), len(binary), grammar.n_symbols, f"binary {name}")
    for name in ("parent", "child"):
        _check_indices(getattr(unary, name), len(unary), grammar.n_symbols, f"unary {name}")
    _check_indices(unary.hidden, len(unary), len(grammar.hidden_labels), "unary hidden")
    _check_indices(lexical.symbol, len(lexical), grammar.n_symbols, "lexical symbol")
    for part, name in ((binary, "binary"), (unary, "unary"), (lexical, "lexical")):
        _require(len(part.probability) == len(part), f"{name} probability")
    _require(len(binary.rank) == len(binary) and bool(np.all(binary.rank >= 0)), "binary rank")
    m_a, m_b, m_c = m[binary.parent], m[binary.left], m[binary.right]
    factored = binary.rank.astype(np.int64) * (m_a + m_b + m_c)
    _check_blocks(
        binary.start, np.where(binary.rank == DENSE, m_a * m_b * m_c, factored), binary.values, "binary values"
    )
    _check_blocks(unary.start, m[unary.parent] * m[unary.child], unary.values, "unary values")
    _check_blocks(lexical.start, m[lexical.symbol], lexical.values, "lexical values")
    entries = lexical.entry_start
    _require(len(entries) == len(grammar.lexicon.entries) + 1, "lexical entry_start")
    _check_blocks(entries, np.diff(entries), lexical.symbol, "lexical entry_start")


def _check_numbers(grammar: Grammar) -> None:
    """Check that probabilities are between 0 and 1, up to rounding, and that all parameters are finite."""
    parts = (("binary", grammar.binary), ("unary", grammar.unary), ("lexical", grammar.lexical))
    probabilities = {f"{name} probability": part.probability for name, part in parts}
    probabilities |= {name: getattr(grammar, name) for name in ("root_probability", "unseen_probability")}
    for name, values in probabilities.items():
        _require(bool(np.all((values >= 0) & (values <= 1 + 1e-9))), name)
    numbers = {f"{name} values": part.values for name, part in parts}
    numbers |= {name: getattr(grammar, name) for name in ("root_vector", "unseen_vector")}
    for name, values in numbers.items():
        _require(bool(np.isfinite(values).all()), name)


def _check_types(part: Any) -> None:
    for field in fields(part):
        array = getattr(part, field.name)
        if isinstance(array, np.ndarray):
            is_single = field.name == "values" and array.dtype == np.float32
            is_right = is_single or array.dtype == _TYPES.get(field.name, np.float64)
            _require(is_right and array.ndim == 1, f"type of {field.name}")


def _check_indices(index: np.ndarray, length: int, n: int, name: str) -> None:
    _require(len(index) == length and bool(np.all((index >= 0) & (index < n))), name)


def _check_blocks(start: np.ndarray, size: np.ndarray, values: np.ndarray, name: str) -> None:
    """Check that consecutive blocks of the given sizes make up all of the values."""
    is_whole = len(start) == len(size) + 1 and start[0] == 0 and start[-1] == len(values)
    _require(is_whole and bool(np.all(size >= 0)) and np.array_equal(np.diff(start), size), name)


def _require(holds: bool, name: str) -> None:
    if not holds:
        raise ValueError(f"{name} does not fit the rest")
