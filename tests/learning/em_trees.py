"""A few trees and their rules, for tests of EM and of its initialisation."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.config import BinarizeSettings, CleanSettings, LexiconSettings
from lpcfg_cli.learning.preparation import lexical_entries, lexicon_of
from lpcfg_cli.learning.rule_table import rule_table, states_by_count
from lpcfg_cli.treebank.binarize import binarize
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.clean import clean
from lpcfg_cli.treebank.heads import load_head_rules

TREES = [
    "(S (NP (DT the) (NN dog)) (VP (VBZ barks)))",
    "(S (NP (PRP it)) (VP (VBZ barks) (RB loudly)))",
    "(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat))))",
    "(NP (NN dog))",
    "(S (VP (VBZ barks)) (NP (NN dog)))",
]


def binarized(lines):
    trees, _ = clean(treebank_from_text("\n".join(lines)), CleanSettings())
    return binarize(trees, BinarizeSettings(), load_head_rules("neutral"))


def tabulate(trees, n_states):
    lexicon = lexicon_of(trees, LexiconSettings(rare_below=1, lowercase=False))
    entry = lexical_entries(trees, lexicon)
    n_states = states_by_count(trees, n_states) if isinstance(n_states, int) else np.asarray(n_states, np.int32)
    return rule_table(trees, entry, n_states), lexicon
