"""Notes of commands that learn from text: its size, the iterations of EM."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lpcfg_cli.cli.console import note
from lpcfg_cli.em.monitor import EmRecord
from lpcfg_cli.text.counts import NgramCounts
from lpcfg_cli.wording import counted


def tell_counts(counts: NgramCounts) -> None:
    """Print the size of the text."""
    note(f"text: {counted(counts.sentences, 'sentence')}, {counted(counts.words, 'word')}")
    rare = f"; {counted(counts.n_rare, 'rare word')}, {counted(counts.unknown, 'time')}, <unk>" if counts.n_rare else ""
    note(f"      {len(counts.vocabulary):,} different words with <unk>, <s> and </s>{rare}")
    note(f"      {len(counts.rows):,} different {counts.order}-grams")


def tell_iteration(record: EmRecord) -> None:
    """Print an iteration of EM."""
    events = "" if record.dev_score is None else f", dev perplexity {math.exp(-record.dev_score):.1f}"
    note(f"EM {record.iteration:3}: log-likelihood {record.log_likelihood:,.1f}{events}, {record.spent.seconds:.2f} s")


def tell_chosen(records: Sequence[EmRecord], chosen: int | None) -> None:
    """Print which iteration of EM was chosen, if there was any."""
    if chosen is None:
        return
    if records[-1].dev_score is not None:
        note(f"EM: iteration {chosen} of {records[-1].iteration}, chosen by the dev text")
    else:
        note(f"EM: {counted(chosen, 'iteration')}; a dev text (--dev) would choose the best of them")
