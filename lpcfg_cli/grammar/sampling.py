"""Sampling of trees from an L-PCFG in any basis: exact for true parameters, clipped for estimated ones.

A spectral estimate is known only up to a linear map a nonterminal and has negative values (C14 Theorem 6), so
that states cannot be sampled.  Trees can: the masses ι_a, summed inside vectors of all trees, are the fixed
point of ι_a = Σ T(ι_b, ι_c) + Σ lexical vectors (+ unary rules), and with them every choice is conditioned on
the part of the tree that is there already.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from lpcfg_cli.arrays.ragged import starts
from lpcfg_cli.errors import InputError
from lpcfg_cli.grammar import sampling_kernels as kernels
from lpcfg_cli.grammar.lexicon import CLASS_MARK
from lpcfg_cli.grammar.model import DENSE, Grammar
from lpcfg_cli.treebank.binary import BINARY, LEXICAL, NONE, UNARY, BinaryTreebank, NodeTable, assemble

MASS_TOLERANCE = 1e-12
MAX_STEPS = 5000
LARGEST_MASS = 1e6
"""Masses beyond this diverge: those of a true L-PCFG are at most 1 in the basis of its states."""

ROUGH_CHANGE = 0.05
"""Masses of a diverging estimate are used if some step changed them by less."""

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
    top : ndarray of float64, shape (Σ m_a,)
        ι, unary rules included.
    option : ndarray of float64
        The part of each rule, as `kernels.next_masses` returns it.
    steps : int
        The height of the highest trees counted.
    change : float
        By how much the last step changed the masses, relative to the largest.
    """

    top: np.ndarray
    option: np.ndarray
    steps: int
    change: float

    @property
    def is_converged(self) -> bool:
        """Whether the masses are those of all trees, up to rounding."""
        return self.change <= MASS_TOLERANCE


@dataclass(frozen=True)
class SampleReport:
    """What sampling did.

    Attributes
    ----------
    trees, words : int
    mass : float
        Probability of all trees together: 1 for a consistent grammar.
    height : int
        0, or, if the masses of all trees diverge, the height of the trees that were counted.
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
    height: int
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
        self.options, self.rule = rule_options(grammar)
        self.masses = tree_masses(self.options)
        self.height = 0 if self.masses.is_converged else self.masses.steps
        self.mass = float(grammar.root_vector @ self.masses.top)
        self.is_plain = not (self.masses.change <= ROUGH_CHANGE and self.mass > 0)
        if self.is_plain:
            grammar = plain_grammar(grammar)
            self.options, self.rule = rule_options(grammar)
            self.masses = tree_masses(self.options)
        self.grammar = grammar

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
        buffers = tree_buffers(max_words * NODES_PER_WORD, int(self.options.n_states.max()))
        trees: list[np.ndarray] = []
        outcomes: Counter[int] = Counter()
        choices = clipped = failures = 0
        while len(trees) < n:
            size, outcome, n_clipped = self._draw(generator, max_words, buffers)
            outcomes[outcome] += 1
            choices, clipped = choices + size, clipped + n_clipped
            failures = 0 if outcome == kernels.COMPLETE else failures + 1
            if outcome == kernels.COMPLETE:
                trees.append(np.stack([buffers.symbol[:size], buffers.option[:size], buffers.parent[:size]]))
            elif failures == MAX_FAILURES:
                raise InputError(f"no tree of at most {max_words} words in {failures} draws. Allow longer ones.")
        treebank = self._treebank(trees)
        words = int(np.count_nonzero(treebank.kind == LEXICAL))
        again = (outcomes[kernels.TOO_LONG], outcomes[kernels.DEAD_END])
        report = SampleReport(n, words, self.mass, self.height, self.is_plain, *again, choices, clipped)
        return treebank, report

    def _draw(
        self, generator: np.random.Generator, max_words: int, buffers: kernels.TreeBuffers
    ) -> tuple[int, int, int]:
        uniforms = generator.random(max_words * NODES_PER_WORD + 1)
        root, masses = self.grammar.root_vector, self.masses
        return kernels.sample_tree(
            self.options, root, masses.top, masses.option, uniforms, max_words, CLIP_TOLERANCE, buffers
        )

    def _treebank(self, trees: list[np.ndarray]) -> BinaryTreebank:
        first = starts(np.array([tree.shape[1] for tree in trees], np.int64))
        symbol, option, parent = np.concatenate([np.zeros((3, 0), np.int64), *trees], axis=1)
        kind, rule = self.options.kind[option], self.rule[option]
        lexical, unary = self.grammar.lexical, self.grammar.unary
        entry = np.repeat(np.arange(len(lexical.entry_start) - 1), np.diff(lexical.entry_start))
        nodes = NodeTable(
            symbol,
            kind,
            _looked_up(entry, rule, kind == LEXICAL),
            _looked_up(unary.hidden, rule, kind == UNARY),
            np.where(parent == NONE, NONE, parent + np.repeat(first[:-1], np.diff(first))),
            np.zeros(len(symbol), bool),
            first,
        )
        strings = [placeholder(entry) for entry in self.grammar.lexicon.entries]
        return assemble(nodes, self.grammar.symbols, self.grammar.hidden_labels, strings)


def tree_masses(options: kernels.Options) -> Masses:
    """The masses ι by fixed-point iteration: step k counts the trees of height k at most.

    Converges linearly for the parameters of an L-PCFG in any basis.  Estimates may come near a fixed point and
    then diverge; the masses are then those of the step that changed least.
    """
    top = np.zeros(options.state_start[-1])
    best = Masses(top, np.zeros(options.mass_start[-1]), 0, np.inf)
    for step in range(1, MAX_STEPS + 1):
        before = top
        top, option = kernels.next_masses(options, before)
        largest = np.abs(top).max(initial=0.0)
        if not largest <= LARGEST_MASS:
            break
        change = np.abs(top - before).max(initial=0.0) / max(1.0, largest)
        if change < best.change:
            best = Masses(top, option, step, float(change))
        if change <= MASS_TOLERANCE:
            break
    return best


def rule_options(grammar: Grammar) -> tuple[kernels.Options, np.ndarray]:
    """The rules of all kinds together, as kernels take them.

    Returns
    -------
    Options
    rule : ndarray of int64, shape (n_options,)
        Number of each option's rule among those of its kind.
    """
    binary, unary, lexical = grammar.binary, grammar.unary, grammar.lexical
    n_rules = [len(lexical), len(binary), len(unary)]
    kind = np.repeat([LEXICAL, BINARY, UNARY], n_rules)
    symbol = np.concatenate([lexical.symbol, binary.parent, unary.parent])
    left = np.concatenate([np.full(len(lexical), NONE), binary.left, unary.child])
    right = np.full(len(kind), NONE)
    right[kind == BINARY] = binary.right
    rank = np.zeros(len(kind), np.int64)
    rank[kind == BINARY] = binary.rank
    order = np.lexsort([kind, symbol])  # a stable order in which unary rules come last
    sizes = np.concatenate([np.diff(part.start) for part in (lexical, binary, unary)])
    values = np.concatenate([lexical.values, binary.values, unary.values])
    start = starts(sizes[order])
    moved = np.arange(len(values)) + np.repeat(starts(sizes)[:-1][order] - start[:-1], sizes[order])
    first = np.searchsorted(symbol[order], np.arange(grammar.n_symbols + 1)).astype(np.int64)
    first_unary = first[1:] - np.bincount(unary.parent, minlength=grammar.n_symbols)
    options = kernels.Options(
        grammar.n_states.astype(np.int64),
        grammar.state_start,
        first,
        first_unary,
        kind[order],
        left[order],
        right[order],
        rank[order],
        start,
        values[moved],
        starts(grammar.n_states[symbol[order]]),
    )
    return options, np.concatenate([np.arange(n) for n in n_rules])[order]


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
    symbol, option, parent, right, phase, stack = np.zeros((6, n_nodes), np.int64)
    functional, inside = np.zeros((2, n_nodes, largest))
    return kernels.TreeBuffers(symbol, option, parent, right, phase, stack, functional, inside)


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
