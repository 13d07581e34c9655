"""Projective trees, of which no two arcs cross, and trees that are made so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lpcfg_cli.dependency.trees.flat import flat_heads
from lpcfg_cli.dependency.trees.projectivity_kernels import crossing_arcs, lift_arcs
from lpcfg_cli.dependency.trees.sentence import DependencySentence
from lpcfg_cli.wording import counted


@dataclass(frozen=True)
class Projectivised:
    """Sentences whose trees were made projective.

    Attributes
    ----------
    sentences : list of DependencySentence
        All sentences, in order.
    lifts : (S,) int32 array
        Number of arcs that were lifted in each.
    crossings : (S, 2, 2) int32 array
        The ends of two arcs that crossed in each, as (head, word); zeros if none did.
    """

    sentences: list[DependencySentence]
    lifts: np.ndarray
    crossings: np.ndarray

    @property
    def n_changed(self) -> int:
        """Number of sentences that had crossing arcs."""
        return int(np.count_nonzero(self.lifts))

    def message(self) -> str:
        """What was changed, with the place of the first sentence concerned; empty if nothing was."""
        if not self.n_changed:
            return ""
        first = int(np.flatnonzero(self.lifts)[0])
        one, other = (f"{min(arc)}-{max(arc)}" for arc in self.crossings[first].tolist())
        told = counted(self.n_changed, "sentence", "has", "have")
        return (
            f"crossing arcs: {told} some, first sentence {first + 1:,} at {self.sentences[first].place} "
            f"(arcs {one} and {other}); {counted(int(self.lifts.sum()), 'word')} moved to a higher head"
        )


def is_projective(heads: np.ndarray) -> bool:
    """Whether no two arcs of a tree cross, the root's own arc from the left of the sentence included.

    Parameters
    ----------
    heads : (n,) int array
        As in `DependencySentence.heads`; a word without a head has no arc.
    """
    start = np.array([0, len(heads)])
    return not crossing_arcs(np.asarray(heads, np.int32), start).any()


def projectivise(sentences: Sequence[DependencySentence]) -> Projectivised:
    """The sentences with projective trees: the shortest arc that is not projective is lifted until all are.

    See `lift_arcs`.  Relations are kept as they are.

    Parameters
    ----------
    sentences : sequence of DependencySentence
        Each word has a head.
    """
    head, start = flat_heads(sentences)
    pairs = crossing_arcs(head, start)
    above = np.where(pairs > 0, head[start[:-1, None] + pairs - 1] if len(head) else 0, 0)
    lifts = lift_arcs(head, start)
    changed = [
        replace(sentence, heads=head[begin:end]) if lift else sentence
        for sentence, begin, end, lift in zip(sentences, start[:-1], start[1:], lifts, strict=True)
    ]
    return Projectivised(changed, lifts, np.stack([above, pairs], axis=2))
