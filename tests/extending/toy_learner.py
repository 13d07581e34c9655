"""A learner: all rules of a symbol are equally probable."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lpcfg_cli.learning.learner import Learner, Learnt
from lpcfg_cli.learning.rule_table import even_split, rule_table, states_by_count, to_grammar


def fit(data, settings, context):
    table = rule_table(data.trees, data.entry, states_by_count(data.trees, 1))
    table = replace(table, frequency=1 / np.bincount(table.parent)[table.parent])
    return Learnt(to_grammar(data.trees, table, even_split(table), data.lexicon))


TOY = Learner("toy", "all rules of a symbol equally probable", fit, uses_chance=False, has_states=False)
