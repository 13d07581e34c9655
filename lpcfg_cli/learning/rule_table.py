"""The rules of a treebank, numbered, and probabilistic L-PCFG parameters over them (C14 §6).

The parameters of a spectral model are known only up to a linear map.  Here π(a, h) and t(a → b c, h₂, h₃ | a, h₁) are
probabilities: they can be counted, smoothed and sampled from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lpcfg_cli.arrays.grouping import Groups, group_by
from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.grammar.lexicon import Lexicon
from lpcfg_cli.grammar.model import DENSE, BinaryRules, Grammar, LexicalRules, UnaryRules
from lpcfg_cli.learning.spectral import unseen_probabilities
from lpcfg_cli.learning.tree_em_kernels import normalise
from lpcfg_cli.treebank.binary import BINARY, LEXICAL, NONE, UNARY, BinaryTreebank

LOGARITHMS = 1 << 17
"""Number of logarithms taken at a time.  All at once, one for each parameter, would double the memory needed."""


@dataclass(frozen=True)
class RuleTable:
    """The rules of a treebank: binary ones, then unary, then lexical, each kind in the order of a `Grammar`.

    Every rule is treated as a → b c with a tensor of shape (m_a, m_b, m_c).  The child of a unary rule is c.  An absent
    child has one state.  The tensors are stored one after the other, in row-major order.

    Attributes
    ----------
    binary, unary, lexical : Groups
        The nodes of each rule.
    parent, left, right : ndarray of int32, shape (n_rules,)
        Symbols a, b and c; `NONE` for an absent child.
    count : ndarray of float64, shape (n_rules,)
        Weight of the nodes of each rule: their number, if all trees have weight 1.
    frequency : ndarray of float64, shape (n_rules,)
        count(rule) / count(a).
    n_states : ndarray of int32, shape (n_symbols,)
        m_a.
    shape : ndarray of int64, shape (n_rules, 3)
        m_a, m_b and m_c.
    start : ndarray of int64, shape (n_rules + 1,)
        Rule r has the parameters ``start[r]:start[r + 1]``.
    node_rule : ndarray of int32, shape (n_nodes,)
        Rule of each node.
    root_frequency : ndarray of float64, shape (n_symbols,)
        Share of the trees, by weight, whose root has each symbol.
    """

    binary: Groups
    unary: Groups
    lexical: Groups
    parent: np.ndarray
    left: np.ndarray
    right: np.ndarray
    count: np.ndarray
    frequency: np.ndarray
    n_states: np.ndarray
    shape: np.ndarray
    start: np.ndarray
    node_rule: np.ndarray
    root_frequency: np.ndarray

    @property
    def state_start(self) -> np.ndarray:
        """Where the states of each symbol begin among all states, int64, shape (n_symbols + 1,)."""
        return starts(self.n_states)

    def blocks(self, values: np.ndarray) -> list[np.ndarray]:
        """The tensors of all rules, shape (m_a, m_b, m_c) each, as views of `values`, shape (Σ m_a m_b m_c,)."""
        pairs = zip(self.start[:-1], self.start[1:], self.shape, strict=True)
        return [values[first:last].reshape(shape) for first, last, shape in pairs]


@dataclass(frozen=True)
class RuleParameters:
    """π and t (t of rules without children is q), or expected counts of the same shapes.

    Attributes
    ----------
    root : ndarray of float64, shape (Σ m_a,)
        π(a, h); sums to 1.
    rules : ndarray of float64, shape (Σ m_a m_b m_c,)
        Tensors in the order of a `RuleTable`.  For each state of a parent symbol, the entries of all rules sum to 1.
    """

    root: np.ndarray
    rules: np.ndarray


def rule_table(trees: BinaryTreebank, lexical_entry: np.ndarray, n_states: np.ndarray) -> RuleTable:
    """Number the rules of a treebank.

    Parameters
    ----------
    trees : BinaryTreebank
    lexical_entry : ndarray of int, shape (n_nodes,)
        Entry of each preterminal's word in the lexicon.
    n_states : ndarray of int32, shape (n_symbols,)
        m_a.
    """
    symbol, left, right = trees.symbol, trees.left, trees.right
    kinds = [np.flatnonzero(trees.kind == kind) for kind in (BINARY, UNARY, LEXICAL)]
    binary = group_by(kinds[0], [symbol[left], symbol[right], symbol])
    unary = group_by(kinds[1], [symbol[left], symbol, trees.hidden])
    lexical = group_by(kinds[2], [lexical_entry, symbol])
    first = np.concatenate([binary.first, unary.first, lexical.first])
    size = np.concatenate([binary.count, unary.count, lexical.count])
    weight = trees.node_weight()
    count = np.concatenate([groups.sums(weight) for groups in (binary, unary, lexical)])
    of_child = np.append(symbol, NONE)  # index NONE, -1, is the last entry: an absent child
    is_unary = trees.kind[first] == UNARY
    lefts = of_child[np.where(is_unary, NONE, left[first])]
    rights = of_child[np.where(is_unary, left[first], right[first])]
    states_of = np.append(n_states, 1).astype(np.int64)
    shape = np.stack([states_of[symbol[first]], states_of[lefts], states_of[rights]], 1)
    node_rule = np.empty(trees.n_nodes, np.int32)
    node_rule[np.concatenate([binary.member, unary.member, lexical.member])] = np.repeat(np.arange(len(size)), size)
    is_root = trees.parent == NONE
    n_symbols = len(trees.symbols)
    return RuleTable(
        binary,
        unary,
        lexical,
        symbol[first],
        lefts.astype(np.int32),
        rights.astype(np.int32),
        count,
        count / np.bincount(symbol, weight, n_symbols)[symbol[first]],
        n_states.astype(np.int32),
        shape,
        starts(shape.prod(1)),
        node_rule,
        np.bincount(symbol[is_root], weight[is_root], n_symbols) / weight[is_root].sum(),
    )


def states_by_count(trees: BinaryTreebank, largest: int) -> np.ndarray:
    """min(m, count(a)) for each symbol, at least 1; int32, shape (n_symbols,)."""
    count = np.bincount(trees.symbol, trees.node_weight(), len(trees.symbols))
    return np.clip(np.rint(count), 1, largest).astype(np.int32)


def even_split(table: RuleTable) -> RuleParameters:
    """The relative-frequency PCFG with each symbol split into identical states."""
    root = np.repeat(table.root_frequency / table.n_states, table.n_states)
    return RuleParameters(root, np.repeat(table.frequency / table.shape[:, 1:].prod(1), np.diff(table.start)))


def maximise(table: RuleTable, counts: RuleParameters, prior: float) -> RuleParameters:
    """The parameters that make the expected counts most probable: the M-step of EM.

    Parameters
    ----------
    table : RuleTable
    counts : RuleParameters
        Expected counts.
    prior : float
        κ: the counts of each parent state get κ times the evenly split PCFG added; the result is the mode under a
        Dirichlet prior.  A state without counts gets the parameters of that PCFG.
    """
    base = table.frequency / table.shape[:, 1:].prod(1)
    rules = counts.rules.copy()
    normalise(table.parent, table.shape, table.start, table.state_start, base, prior, rules)
    return RuleParameters(counts.root / counts.root.sum(), rules)


def log_prior(table: RuleTable, parameters: RuleParameters, prior: float) -> float:
    """Logarithm, up to a constant, of the density of the Dirichlet prior that `maximise` uses."""
    if prior == 0:
        return 0.0
    logs = np.empty(len(table.count))
    for rules in _pieces(table.start, LOGARITHMS):
        offsets = table.start[rules.start : rules.stop + 1]
        values = parameters.rules[offsets[0] : offsets[-1]]
        logs[rules] = np.add.reduceat(np.log(values), offsets[:-1] - offsets[0])
    return prior * float(np.dot(logs, table.frequency / table.shape[:, 1:].prod(1)))


def _pieces(start: np.ndarray, largest: int) -> Iterator[slice]:
    """Consecutive slices of rules, each with about `largest` parameters at most, or with a single rule."""
    bounds = np.flatnonzero(np.diff(start[:-1] // largest, prepend=-1, append=-1))
    return (slice(first, last) for first, last in pairwise(bounds.tolist()))


def to_grammar(trees: BinaryTreebank, table: RuleTable, parameters: RuleParameters, lexicon: Lexicon) -> Grammar:
    """A model with these parameters.

    All tensors are dense: those of EM have no smaller factored form.  An unknown word has the same probability in
    every state of its tag.
    """
    unseen = unseen_probabilities(trees)
    n_states = table.n_states
    state_root = np.add.reduceat(parameters.root, table.state_start[:-1])
    binary, unary, lexical = _parts(table, parameters.rules)
    n_binary, n_rules = len(table.binary), len(table.parent)
    first_lexical = n_binary + len(table.unary)
    entry_start = np.searchsorted(_entries(table, trees, lexicon), np.arange(len(lexicon.entries) + 1))
    return Grammar(
        trees.symbols,
        trees.hidden_labels,
        n_states,
        table.state_start,
        state_root,
        parameters.root,
        unseen,
        np.repeat(unseen, n_states),
        BinaryRules(
            table.parent[:n_binary],
            table.left[:n_binary],
            table.right[:n_binary],
            table.frequency[:n_binary],
            np.full(n_binary, DENSE, np.int32),
            *binary,
        ),
        UnaryRules(
            table.parent[n_binary:first_lexical],
            table.right[n_binary:first_lexical],
            trees.hidden[table.unary.first],
            table.frequency[n_binary:first_lexical],
            *unary,
        ),
        LexicalRules(
            table.parent[first_lexical:n_rules],
            table.frequency[first_lexical:],
            entry_start.astype(np.int64),
            *lexical,
        ),
        lexicon,
        is_probabilistic=True,
    )


def _parts(table: RuleTable, values: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Offsets and values of the binary, of the unary and of the lexical rules; the offsets of each kind start at 0."""
    sizes = [len(table.binary), len(table.unary), len(table.lexical)]
    parts, first = [], 0
    for size in sizes:
        start = table.start[first : first + size + 1]
        parts.append((start - start[0], values[start[0] : start[-1]]))
        first += size
    return parts


def _entries(table: RuleTable, trees: BinaryTreebank, lexicon: Lexicon) -> list[int]:
    """Lexical entry of each lexical rule, ascending."""
    return [lexicon.entry(trees.strings[word]) for word in trees.word[table.lexical.first]]
