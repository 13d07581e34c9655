"""Notes of commands that learn from text: its size, the iterations of EM."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lpcfg_cli.cli.console import note
from lpcfg_cli.em.monitor import EmRecord
from lpcfg_cli.text.counts import NgramCounts


def tell_counts(counts: NgramCounts) -> None:
    """Print the size of the text."""
    note(f"text: {counts.sentences:,} sentences, {counts.words:,} words")
    rare = f"; {counts.n_rare:,} rare words, {counts.unknown:,} times, are <unk>" if counts.n_rare else ""
    note(f"      {len(counts.vocabulary):,} different words with <unk>, <s> and </s>{rare}")
    note(f"      {len(counts.rows):,} different {counts.order}-grams")


def tell_iteration(record: EmRecord) -> None:
    """Print an iteration of EM."""
    events = "" if record.dev_score is None else f", dev perplexity {math.exp(-record.dev_score):.1f}"
    note(f"EM {record.iteration:3}: log-likelihood {record.log_likelihood:,.1f}{events}, {record.spent.seconds:.2f} s")


def tell_chosen(records: Sequence[EmRecord], chosen: int | None) -> None:
    """Print which iteration of EM was chosen, if there was any."""
    if chosen is not None:
        last = records[-1].iteration
        how = "by the dev text" if records[-1].dev_score is not None else "when its bound stopped rising"
        note(f"EM: iteration {chosen} of {last}, chosen {how}")
