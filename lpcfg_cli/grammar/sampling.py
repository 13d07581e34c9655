"""Sampling of trees from an L-PCFG in any basis: exact for true parameters, with clipping for estimated ones.

A spectral estimate is known only up to a linear map for each nonterminal and may have negative entries (C14
Theorem 6), so that states cannot be sampled.  Trees can be.  The mass ι_a is the sum of the inside vectors of all trees
with root a; masses are the fixed point of ι_a = Σ T(ι_b, ι_c) + Σ lexical vectors (+ unary rules).  With them, every
choice of a rule is conditioned on the part of the tree that has been sampled.
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
from lpcfg_cli.wording import counted

MASS_TOLERANCE = 1e-12
MAX_STEPS = 5000
LARGEST_MASS = 1e6
"""Larger masses count as diverging: those of a true L-PCFG are at most 1 in the basis of its states."""

ROUGH_CHANGE = 0.05
"""The masses of a diverging estimate are used if any step changed them by less, relative to the largest."""

CLIP_TOLERANCE = 1e-9
NODES_PER_WORD = 4
"""A binary tree over n words has n lexical, n − 1 binary and at most 2n − 1 unary nodes."""

MAX_FAILURES = 1000
"""Number of failed draws in a row after which sampling stops with an error."""

RARE_WORD = "<rare>"
_NOT_IN_TREES = str.maketrans("() \t\r\n\f\v", "........")


@dataclass(frozen=True)
class Masses:
    """Summed inside vectors of all trees of each symbol.

    Attributes
    ----------
    top : ndarray of float64, shape (Σ m_a,)
        ι of top items, after unary rules.
    option : ndarray of float64, shape (Σ m_a over options,)
        The contribution of each rule, as returned by `kernels.next_masses`.
    steps : int
        Number of steps: trees up to this height are counted.
    change : float
        Largest change of the masses in the last step, relative to the largest mass.
    """

    top: np.ndarray
    option: np.ndarray
    steps: int
    change: float

    @property
    def is_converged(self) -> bool:
        """Whether the masses count all trees, up to rounding."""
        return self.change <= MASS_TOLERANCE


@dataclass(frozen=True)
class SampleReport:
    """Counts of sampling.

    Attributes
    ----------
    trees, words : int
    mass : float
        Total probability of all trees: 1 for a consistent grammar.
    height : int
        0 if the masses converged; else the height up to which trees were counted.
    is_plain : bool
        Whether the masses of the L-PCFG diverged, so that its plain PCFG was sampled instead.
    too_long : int
        Number of draws that failed because the tree was too long.
    dead_ends : int
        Number of draws that failed because no rule had a positive weight.
    choices, clipped : int
        Number of choices of a rule, and of those in which negative weights were replaced by zero.
    classes : int
        Number of words that are shown by their class, because the grammar has no word of their own.
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
    classes: int


class Sampler:
    """Samples trees from one grammar.

    Parameters
    ----------
    grammar : Grammar
        If the masses of the L-PCFG diverge, its plain PCFG is sampled.
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
            Number of trees.
        generator : numpy.random.Generator
        max_words : int
            Longer trees are rejected and drawn again.

        Returns
        -------
        BinaryTreebank
            Its words are the lexical entries, written by `placeholder`.
        SampleReport

        Raises
        ------
        InputError
            `MAX_FAILURES` draws in a row failed.
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
                limit = f"at most {counted(max_words, 'word')}"
                raise InputError(f"no tree of {limit} in {counted(failures, 'draw')}. Allow longer ones.")
        treebank = self._treebank(trees)
        words = int(np.count_nonzero(treebank.kind == LEXICAL))
        is_class = np.array([entry.startswith(CLASS_MARK) for entry in self.grammar.lexicon.entries], bool)
        classes = int(np.count_nonzero(is_class[treebank.word[treebank.kind == LEXICAL]]))
        again = (outcomes[kernels.TOO_LONG], outcomes[kernels.DEAD_END])
        report = SampleReport(n, words, self.mass, self.height, self.is_plain, *again, choices, clipped, classes)
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
    """Compute the masses ι by fixed-point iteration: step k counts the trees of height k at most.

    The iteration converges linearly for the parameters of an L-PCFG in any basis.  For estimates it may come near a
    fixed point and then diverge; the result is that of the step with the smallest change.
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
    """The rules of all kinds in one list, in the form of the kernels.

    Returns
    -------
    Options
    rule : ndarray of int64, shape (n_options,)
        Number of each option's rule among the rules of its kind.
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
    """The plain PCFG of a grammar, as an L-PCFG with one state for each symbol."""
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
    """Buffers for trees of at most `n_nodes` nodes and symbols of at most `largest` states."""
    symbol, option, parent, right, phase, stack = np.zeros((6, n_nodes), np.int64)
    functional, inside = np.zeros((2, n_nodes, largest))
    return kernels.TreeBuffers(symbol, option, parent, right, phase, stack, functional, inside)


def placeholder(entry: str) -> str:
    """A lexical entry as a word of a tree: the word itself, or a class name in angle brackets, such as ``<C~ing>``."""
    if not entry.startswith(CLASS_MARK):
        return entry
    name = entry.removeprefix(CLASS_MARK).translate(_NOT_IN_TREES)
    return f"<{name}>" if name else RARE_WORD


def _looked_up(table: np.ndarray, position: np.ndarray, is_wanted: np.ndarray) -> np.ndarray:
    """``table[position]`` where wanted, `NONE` elsewhere."""
    found = np.full(len(position), NONE, np.int64)
    found[is_wanted] = table[position[is_wanted]]
    return found
