"""Smoothing across states: the states of a symbol are drawn to their mean (Petrov et al. 2006 §2.4, "Smoothing")."""

from __future__ import annotations

from lpcfg_cli.config import EmSettings
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.learning.rule_table import RuleParameters, RuleTable, to_grammar
from lpcfg_cli.learning.training_data import TrainingData

MIXING = ("mix_rules", "mix_words")
"""Settings of EM that do not change its steps, but what is made of them."""


def mixed_grammar(data: TrainingData, table: RuleTable, parameters: RuleParameters, settings: EmSettings) -> Grammar:
    """The model with parameters that were found, its states mixed as the settings ask for."""
    mixed = mix_states(table, parameters, settings.mix_rules, settings.mix_words)
    return to_grammar(data.trees, table, mixed, data.lexicon)


def mix_states(table: RuleTable, parameters: RuleParameters, rules: float, words: float) -> RuleParameters:
    """Parameters whose rare states lean on the other states of their symbol (Petrov et al. 2006 §2.4); O(parameters).

    t(r | a, h) becomes (1 − α) t(r | a, h) + α mean_h′ t(r | a, h′), for the states of all children alike.  The mean
    is over states, however often each is used.  A state's parameters still sum to 1: the rules of a symbol are either
    all lexical or none of them is.

    Parameters
    ----------
    table : RuleTable
    parameters : RuleParameters
        Not changed.
    rules, words : float
        α of binary and unary rules, and of lexical ones: from 0, for the same parameters, to 1, for states alike.
    """
    if rules == words == 0:
        return parameters
    mixed = parameters.rules.copy()
    first_lexical = len(table.binary) + len(table.unary)
    for rule, tensor in enumerate(table.blocks(mixed)):
        share = rules if rule < first_lexical else words
        if share > 0 and len(tensor) > 1:  # one state is its own mean, to the last digit
            tensor[:] = (1 - share) * tensor + share * tensor.mean(0)
    return RuleParameters(parameters.root, mixed)
