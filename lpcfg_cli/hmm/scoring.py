"""The surprisal of the symbols of a text under a model of sequences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lpcfg_cli.hmm.model import SequenceModel
from lpcfg_cli.text.events import events_of
from lpcfg_cli.text.perplexity import Scored
from lpcfg_cli.treebank.lines import LineBlock


@dataclass(frozen=True)
class HmmScored:
    """The events of a block with their surprisal, and how often an estimate was no probability.

    Attributes
    ----------
    scored : Scored
    negative, lost, vanished : int
        As in `Predicted`.
    """

    scored: Scored
    negative: int
    lost: int
    vanished: int


def score_block(model: SequenceModel, block: LineBlock) -> HmmScored:
    """The surprisal of each event of a block of lines; raises as `events_of` does."""
    events = events_of(block, model.vocabulary, 1)
    found = model.predict(events.rows[:, 0])
    with np.errstate(divide="ignore"):
        bits = -np.log2(found.probability)
    return HmmScored(Scored(events, bits + 0.0), found.negative, found.lost, found.vanished)  # + 0.0: no negative zeros
