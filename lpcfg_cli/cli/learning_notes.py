"""Notes of commands that learn from text: its size, the iterations of EM."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from lpcfg_cli.cli.console import note
from lpcfg_cli.em.learnt import LearntModel
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


class Spectrum(Protocol):
    """What spectral models tell of their singular values."""

    @property
    def singular_values(self) -> np.ndarray:
        """In decreasing order; empty if there was no decomposition."""

    @property
    def chance(self) -> float:
        """Singular values up to this one could be due to chance."""

    @property
    def lacking(self) -> int:
        """Number of such singular values."""


def tell_learnt(learnt: LearntModel[Any], wanted: int, spectrum: Spectrum | None, counts: str) -> None:
    """Print the size of a model, what looks wrong with its rank, and the chosen iteration of EM.

    Parameters
    ----------
    learnt : LearntModel
        Of a model with ``n_states``.
    wanted : int
        The number of states that was asked for.
    spectrum : Spectrum or None
        Of a spectral model.
    counts : str
        What was decomposed, for messages.
    """
    found = learnt.model.n_states
    if spectrum is not None:
        note(f"model: {counted(found, 'dimension')}")
        for line in rank_lines(spectrum, found, wanted, counts, "text"):
            note(line)
    else:
        fewer = f" of {wanted}: too few symbols are frequent enough for anchors" if found < wanted else ""
        note(f"model: {counted(found, 'state')}{fewer}")
    tell_chosen(learnt.records, learnt.chosen)


def rank_lines(own: Spectrum, found: int, wanted: int, counts: str, data: str) -> list[str]:
    """Warnings about a low rank of the counts, which spectral learning needs to be at least the number of states.

    Parameters
    ----------
    own : Spectrum
    found, wanted : int
        m as it is, and as it was asked for.
    counts, data : str
        What was decomposed, and what there was too little of, for the message.
    """
    lines = []
    if not len(own.singular_values):
        return []
    if found < wanted:
        lines.append(f"warning: the {counts} have rank {found}, so fewer dimensions than {wanted}")
    if own.lacking:
        lines.append(
            f"warning: {own.lacking} of {len(own.singular_values)} singular values of the {counts} are no larger than "
            f"chance\n         makes them ({own.chance:.3g}): fewer states than -m {wanted}, or too little {data}"
        )
    return lines


def spectrum_lines(values: Sequence[float] | np.ndarray) -> list[str]:
    """Singular values, eight in a line."""
    shown = [f"{value:.4g}" for value in values] or ["none, as vectors of words were given"]
    return ["  " + "  ".join(shown[k : k + 8]) for k in range(0, len(shown), 8)]
