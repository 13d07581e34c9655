"""The surprisal of the events of a text under a language model."""

from __future__ import annotations

import numpy as np

from lpcfg_cli.lm.model import LanguageModel
from lpcfg_cli.text.events import Events, events_of
from lpcfg_cli.text.perplexity import Scored
from lpcfg_cli.treebank.lines import LineBlock


def score_block(model: LanguageModel, block: LineBlock) -> Scored:
    """The surprisal of each event of a block of lines; raises as `events_of` does."""
    return score_events(model, events_of(block, model.vocabulary, model.order))


def score_events(model: LanguageModel, events: Events) -> Scored:
    """The surprisal of events, whose rows have at least the model's order."""
    with np.errstate(divide="ignore"):
        bits = -np.log2(model.probabilities(events.rows)) if len(events) else np.zeros(0)
    return Scored(events, bits + 0.0)  # + 0.0: no negative zeros
