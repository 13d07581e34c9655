"""inspect --states: the latent states of a nonterminal, as the training trees show them."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lpcfg_cli.errors import ConfigError, InputError
from lpcfg_cli.grammar.archive import load_members, model_file
from lpcfg_cli.grammar.state_summary import StateSummary, summarise
from lpcfg_cli.grammar.tree_values import state_posteriors
from lpcfg_cli.learning.learners import LEARNERS
from lpcfg_cli.stages.estimate import load_training_data
from lpcfg_cli.stages.inspect import origin
from lpcfg_cli.treebank.archive import SYMBOLS_FILE, load_binary_trees

FEWEST_EXTREME, EXTREME_SHARE = 10, 0.02
"""How many nodes are at each end of a projected dimension: this share of them, but at least so many."""


@dataclass(frozen=True)
class StatesReport:
    """The states of a nonterminal.

    Attributes
    ----------
    symbol : str
    learner : str
    nodes : int
        Number of its nodes in the training trees.
    is_probabilistic : bool
        Whether states are states, with the posterior of each node; otherwise they are the two ends of each projected
        dimension, with the nodes that are there.
    states : list of StateSummary
    """

    symbol: str
    learner: str
    nodes: int
    is_probabilistic: bool
    states: list[StateSummary]


def inspect_states(path: Path, name: str, most: int = 8) -> StatesReport:
    """Summarise the states of a nonterminal in the training trees of a run directory.

    Parameters
    ----------
    path : Path
        A run directory, or the model file in it; of an ensemble, the first model is taken.
    name : str
        The nonterminal, as `Symbol.shown`.
    most : int
        Largest number of words, rules and contexts of a state.

    Raises
    ------
    InputError, ArtefactError
        There is no model, or its training trees are not beside it.
    ConfigError
        The model has no such nonterminal.
    """
    file = model_file(path)
    header, grammars = load_members(file)
    run, _ = origin(file, header)
    if not (run / SYMBOLS_FILE).is_file():
        raise InputError(f"{file}: its training trees are not beside it. Name the run directory of `lpcfg train`.")
    _, trees = load_binary_trees(run)
    shown = [symbol.shown for symbol in trees.symbols]
    nodes = np.flatnonzero(np.isin(trees.symbol, [a for a, own in enumerate(shown) if own == name]))
    if not len(nodes):
        near = difflib.get_close_matches(name, shown, 3, 0.5)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"`lpcfg inspect {path}` lists them."
        raise ConfigError(f"{file}: has no nonterminal {name!r}. {hint}")
    grammar, settings = grammars[0], header.settings.get("members", [header.settings])[0]
    learner = settings["estimate"]["learner"]
    if grammar.is_probabilistic:
        m = int(grammar.n_states[[symbol.shown for symbol in grammar.symbols].index(name)])
        weights = state_posteriors(grammar, trees)[nodes, :m]
        states = sorted(summarise(trees, nodes, weights, list(map(str, range(m))), most), key=lambda s: -s.share)
    else:
        projected = load_training_data(run, LEARNERS[learner]).projections()
        m = int(projected.n_states[trees.symbol[nodes[0]]])
        weights = extremes(projected.inside[nodes, :m])
        states = summarise(trees, nodes, weights, [f"{k}{end}" for k in range(m) for end in "+-"], most)
    return StatesReport(name, learner, len(nodes), grammar.is_probabilistic, states)


def extremes(inside: np.ndarray) -> np.ndarray:
    """Whether each node is at either end of each dimension, float64, (n, 2m): the first end, the second, and so on.

    Projections are compared by their directions: their lengths depend on the number of features.

    Parameters
    ----------
    inside : ndarray of float64, shape (n, m)
        Projected nodes.
    """
    n, m = inside.shape
    length = np.linalg.norm(inside, axis=1, keepdims=True)
    unit = np.divide(inside, length, out=np.zeros_like(inside), where=length > 0)
    count = min(n, max(FEWEST_EXTREME, round(EXTREME_SHARE * n)))
    weights = np.zeros((n, 2 * m))
    for k in range(m):
        order = np.argsort(unit[:, k], kind="stable")
        weights[order[n - count :], 2 * k] = 1
        weights[order[:count], 2 * k + 1] = 1
    return weights
