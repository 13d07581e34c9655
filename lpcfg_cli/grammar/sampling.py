"""Sampling of trees from an L-PCFG in any basis: exact for true parameters, clipped for estimated ones.

A spectral estimate is known only up to a linear map a nonterminal and has negative values (C14 Theorem 6), so
that states cannot be sampled.  Trees can: the masses ι_a, summed inside vectors of all trees, are the fixed
point of ι_a = Σ T(ι_b, ι_c) + Σ lexical vectors (+ unary rules), and with them every choice is conditioned on
the part of the tree that is there already.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lpcfg_cli.errors import InputError
from lpcfg_cli.grammar import sampling_kernels as kernels
from lpcfg_cli.grammar.contraction_kernels import SamplingRules
from lpcfg_cli.grammar.lexicon import CLASS_MARK
from lpcfg_cli.grammar.model import DENSE, Grammar, starts
from lpcfg_cli.treebank.binary import LEXICAL, NONE, UNARY, BinaryTreebank, NodeTable, assemble

MASS_TOLERANCE = 1e-12
MAX_STEPS = 5000
LARGEST_MASS = 1e6
"""Masses beyond this diverge: those of a true L-PCFG are at most 1 in the basis of its states."""

CLIP_TOLERANCE = 1e-9
NODES_PER_WORD = 4
"""A binary tree over n words has n lexical, n − 1 binary and at most 2n − 1 unary nodes."""

MAX_FAILURES = 1000
"""Draws in a row that may fail before sampling gives up."""

RARE_WORD = "<rare>"
_NOT_IN_TREES = str.maketrans("() \t\r\n\f\v", "........")


@dataclass(frozen=True)
class Masses:
    """Summed inside vectors of all trees of each symbol.

    Attributes
    ----------
    bottom, top : ndarray of float64, shape (Σ m_a,)
        Without and with a unary rule at the root.
    steps : int
    is_converged : bool
    """

    bottom: np.ndarray
    top: np.ndarray
    steps: int
    is_converged: bool


@dataclass(frozen=True)
class SampleReport:
    """What sampling did.

    Attributes
    ----------
    trees, words : int
    mass : float
        Probability of all trees together: 1 for a consistent grammar; NaN when it could not be computed.
    is_plain : bool
        Whether the L-PCFG's masses diverged, so that the plain PCFG inside it was sampled instead.
    too_long : int
        Trees drawn again because they were longer than allowed.
    dead_ends : int
        Trees drawn again because no rule had a positive weight.
    choices, clipped : int
        Choices of a rule, and those in which negative weights were taken for zero.
    """

    trees: int
    words: int
    mass: float
    is_plain: bool
    too_long: int
    dead_ends: int
    choices: int
    clipped: int


class Sampler:
    """Samples trees from one grammar.

    Parameters
    ----------
    grammar : Grammar
        If the masses of its L-PCFG diverge, the plain PCFG inside it is sampled.
    """

    def __init__(self, grammar: Grammar):
        self.rules = sampling_rules(grammar)
        masses = tree_masses(self.rules)
        self.mass = float(grammar.root_vector @ masses.top) if masses.is_converged else float("nan")
        self.is_plain = not self.mass > 0
        if self.is_plain:
            grammar = plain_grammar(grammar)
            self.rules = sampling_rules(grammar)
            masses = tree_masses(self.rules)
        self.grammar, self.top = grammar, masses.top
        self.option_mass = kernels.option_masses(self.rules, masses.bottom, masses.top)

    def sample(self, n: int, generator: np.random.Generator, max_words: int) -> tuple[BinaryTreebank, SampleReport]:
        """Sample trees.

        Parameters
        ----------
        n : int
            How many.
        generator : numpy.random.Generator
        max_words : int
            Longer trees are drawn again.

        Returns
        -------
        BinaryTreebank
            Its strings are the lexical entries; classes are written as `placeholder` does.
        SampleReport

        Raises
        ------
        InputError
            Too many draws in a row failed.
        """
        buffers = tree_buffers(max_words * NODES_PER_WORD, int(self.rules.n_states.max()))
        trees: list[tuple[np.ndarray, ...]] = []
        outcomes = np.zeros(3, np.int64)
        choices = clipped = failures = 0
        while len(trees) < n:
            uniforms = generator.random(max_words * NODES_PER_WORD + 1)
            size, outcome, n_clipped = kernels.sample_tree(
                self.rules, self.top, self.option_mass, uniforms, max_words, CLIP_TOLERANCE, buffers
            )
            outcomes[outcome] += 1
            choices, clipped = choices + size, clipped + n_clipped
            failures = 0 if outcome == kernels.COMPLETE else failures + 1
            if outcome == kernels.COMPLETE:
                trees.append(tuple(column[:size].copy() for column in buffers[:4]))
            elif failures == MAX_FAILURES:
                raise InputError(f"no tree of at most {max_words} words in {failures} draws. Allow longer ones.")
        treebank = self._treebank(trees)
        words = int(np.count_nonzero(treebank.kind == LEXICAL))
        too_long, dead_ends = int(outcomes[kernels.TOO_LONG]), int(outcomes[kernels.DEAD_END])
        report = SampleReport(n, words, self.mass, self.is_plain, too_long, dead_ends, choices, clipped)
        return treebank, report

    def _treebank(self, trees: list[tuple[np.ndarray, ...]]) -> BinaryTreebank:
        first = starts(np.array([len(tree[0]) for tree in trees], np.int64))
        parts = [np.concatenate([np.zeros(0, np.int32), *column]) for column in zip(*trees, strict=True)]
        symbol, kind, rule, parent = parts or [np.zeros(0, np.int32)] * 4
        offset = np.repeat(first[:-1], np.diff(first))
        lexical, unary = self.grammar.lexical, self.grammar.unary
        entry = np.repeat(np.arange(len(lexical.entry_start) - 1), np.diff(lexical.entry_start))
        nodes = NodeTable(
            symbol,
            kind,
            _looked_up(entry, rule, kind == LEXICAL),
            _looked_up(unary.between, rule, kind == UNARY),
            np.where(parent == NONE, NONE, parent + offset),
            np.zeros(len(symbol), bool),
            first,
        )
        strings = [placeholder(entry) for entry in self.grammar.lexicon.entries]
        return assemble(nodes, self.grammar.symbols, self.grammar.betweens, strings)


def tree_masses(rules: SamplingRules) -> Masses:
    """The masses ι by fixed-point iteration: step k counts the trees of height k at most.

    Converges linearly for the parameters of an L-PCFG in any basis; estimates may diverge.
    """
    symbol = np.repeat(np.arange(len(rules.n_states)), np.diff(rules.option_start))
    lexical = np.zeros(len(rules.root_vector))
    for option in np.flatnonzero(rules.option_kind == kernels.LEXICAL):
        rule, at = rules.option_rule[option], rules.state_start[symbol[option]]
        vector = rules.lexical_values[rules.lexical_start[rule] : rules.lexical_start[rule + 1]]
        lexical[at : at + len(vector)] += vector
    bottom, top = np.zeros((2, len(lexical)))
    for step in range(1, MAX_STEPS + 1):
        before = top
        bottom, top = kernels.next_masses(rules, lexical, before)
        largest = np.abs(top).max(initial=0.0)
        if not largest <= LARGEST_MASS:
            break
        if np.abs(top - before).max(initial=0.0) <= MASS_TOLERANCE * max(1.0, largest):
            return Masses(bottom, top, step, True)
    return Masses(bottom, top, step, False)


def sampling_rules(grammar: Grammar) -> SamplingRules:
    """The grammar as kernels take it, with the options of every symbol."""
    binary, unary, lexical = grammar.binary, grammar.unary, grammar.lexical
    kind = np.repeat([kernels.LEXICAL, kernels.BINARY, kernels.UNARY], [len(lexical), len(binary), len(unary)])
    symbol = np.concatenate([lexical.symbol, binary.parent, unary.parent])
    rule = np.concatenate([np.arange(len(lexical)), np.arange(len(binary)), np.arange(len(unary))])
    order = np.lexsort([rule, kind, symbol])  # unary options last, as SamplingRules says
    option_start = np.searchsorted(symbol[order], np.arange(grammar.n_symbols + 1)).astype(np.int64)
    n_unary = np.bincount(unary.parent, minlength=grammar.n_symbols)
    return SamplingRules(
        grammar.n_states.astype(np.int64),
        grammar.state_start,
        grammar.root_vector,
        binary.parent,
        binary.left,
        binary.right,
        binary.rank.astype(np.int64),
        binary.start,
        binary.values,
        unary.parent,
        unary.child,
        unary.start,
        unary.values,
        lexical.start,
        lexical.values,
        option_start,
        option_start[1:] - n_unary,
        kind[order].astype(np.int64),
        rule[order].astype(np.int64),
        starts(np.diff(option_start) * grammar.n_states),
    )


def plain_grammar(grammar: Grammar) -> Grammar:
    """The plain PCFG inside a grammar, as an L-PCFG of one state a symbol."""
    binary, unary, lexical = grammar.binary, grammar.unary, grammar.lexical
    return replace(
        grammar,
        n_states=np.ones(grammar.n_symbols, np.int32),
        state_start=np.arange(grammar.n_symbols + 1),
        root_vector=grammar.root_probability,
        unseen_vector=grammar.unseen_probability,
        binary=replace(
            binary,
            rank=np.full(len(binary), DENSE, np.int32),
            start=np.arange(len(binary) + 1),
            values=binary.probability,
        ),
        unary=replace(unary, start=np.arange(len(unary) + 1), values=unary.probability),
        lexical=replace(lexical, start=np.arange(len(lexical) + 1), values=lexical.probability),
    )


def tree_buffers(n_nodes: int, largest: int) -> kernels.TreeBuffers:
    """Buffers for trees of at most the given number of nodes and of states."""
    columns = [np.empty(n_nodes, np.int32) for _ in range(7)]
    return kernels.TreeBuffers(*columns, np.zeros((n_nodes, largest)), np.zeros((n_nodes, largest)))


def placeholder(entry: str) -> str:
    """A lexical entry as a word of a tree: itself, or for a class its name in angle brackets, like ``<C~ing>``."""
    if not entry.startswith(CLASS_MARK):
        return entry
    name = entry.removeprefix(CLASS_MARK).translate(_NOT_IN_TREES)
    return f"<{name}>" if name else RARE_WORD


def _looked_up(table: np.ndarray, position: np.ndarray, is_wanted: np.ndarray) -> np.ndarray:
    """``table[position]`` where wanted, `NONE` elsewhere."""
    found = np.full(len(position), NONE, np.int64)
    found[is_wanted] = table[position[is_wanted]]
    return found
