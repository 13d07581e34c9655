"""Relative-frequency PCFGs: plain, and over symbols annotated with a parent and a sibling (C13 §4.3)."""

from __future__ import annotations

from lpcfg_cli.config import Settings
from lpcfg_cli.learning.learner import Learner, LearningContext, Learnt
from lpcfg_cli.learning.rule_table import even_split, rule_table, states_by_count, to_grammar
from lpcfg_cli.learning.training_data import TrainingData


def fit_frequencies(data: TrainingData, settings: Settings, context: LearningContext) -> Learnt:
    """Relative frequencies of rules, with one state for each nonterminal."""
    table = rule_table(data.trees, data.entry, states_by_count(data.trees, 1))
    return Learnt(to_grammar(data.trees, table, even_split(table), data.lexicon))


PCFG = Learner(
    name="pcfg",
    summary="relative frequencies of rules, no latent states",
    fit=fit_frequencies,
    uses_chance=False,
    has_states=False,
)

MARKOV = Learner(
    name="markov",
    summary="relative frequencies over symbols annotated with parent and sibling",
    fit=fit_frequencies,
    uses_chance=False,
    has_states=False,
    binarization={"vertical": 2, "horizontal": 1},
)
