"""Smoothing across states: each state of a symbol is shrunk to their mean (Petrov et al. 2006 §2.4, "Smoothing")."""

from __future__ import annotations

from lpcfg_cli.config import EmSettings
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.learning.rule_table import RuleParameters, RuleTable, to_grammar
from lpcfg_cli.learning.training_data import TrainingData

MIXING = ("mix_rules", "mix_words")
"""Settings of EM that change the model made of its parameters, not its steps."""


def mixed_grammar(data: TrainingData, table: RuleTable, parameters: RuleParameters, settings: EmSettings) -> Grammar:
    """The model with these parameters, its states mixed by ``em.mix_rules`` and ``em.mix_words``."""
    mixed = mix_states(table, parameters, settings.mix_rules, settings.mix_words)
    return to_grammar(data.trees, table, mixed, data.lexicon)


def mix_states(table: RuleTable, parameters: RuleParameters, rules: float, words: float) -> RuleParameters:
    """Interpolate each state's parameters with the mean over the states of its symbol (Petrov et al. 2006 §2.4).

    t(r | a, h) becomes (1 − α) t(r | a, h) + α mean_h′ t(r | a, h′), for each combination of the children's states.
    The mean is over states, not weighted by their use.  A state's parameters still sum to 1, because the rules of a
    symbol are either all lexical or all not.  O(Σ m_a m_b m_c).

    Parameters
    ----------
    table : RuleTable
    parameters : RuleParameters
        Not changed.
    rules, words : float
        α of binary and unary rules, and of lexical rules: from 0, no change, to 1, identical states.
    """
    if rules == words == 0:
        return parameters
    mixed = parameters.rules.copy()
    first_lexical = len(table.binary) + len(table.unary)
    for rule, tensor in enumerate(table.blocks(mixed)):
        share = rules if rule < first_lexical else words
        if share > 0 and len(tensor) > 1:  # a single state is its own mean; skipped, it stays exactly the same
            tensor[:] = (1 - share) * tensor + share * tensor.mean(0)
    return RuleParameters(parameters.root, mixed)
