"""What is asked of the parser about a sentence, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

import numpy as np

from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.parsing.confidence import Confidence
from lpcfg_cli.parsing.layout import Words
from lpcfg_cli.parsing.viterbi import Derivation
from lpcfg_cli.tagging.constraints import Constraints
from lpcfg_cli.tagging.tagger import OPEN_TAG, OpenTags

TaggedWord = tuple[str, str]


class Status(StrEnum):
    """How a sentence got its tree.

    `PARSED`: by the L-PCFG over the pruned forest; `UNPRUNED`: by the L-PCFG, after pruning left no tree; `COARSE`: by
    the plain PCFG, because no grammar had a usable Z; `BACKED_OFF`: by the plain PCFG with rules that the treebank does
    not have, because the grammar has no tree; `PARTIAL`: by constituents side by side, because these rules had no tree
    either or would have taken too long; `EMPTY`: no words; `FLAT`: words side by side under the root, because the
    sentence is too long or needs too much memory; `FAILED`: no tree, because the input has an error.
    """

    PARSED = "parsed"
    UNPRUNED = "unpruned"
    COARSE = "coarse"
    BACKED_OFF = "backed-off"
    PARTIAL = "partial"
    EMPTY = "empty"
    FLAT = "flat"
    FAILED = "failed"


@dataclass(frozen=True)
class Parse:
    """The result of parsing one sentence.

    Attributes
    ----------
    derivations : list of Derivation
        One derivation, or, for a sentence outside the grammar, those of the constituents that cover it, left to right.
    status : Status
    log_probability : float
        Natural logarithm of |Z|: of the first grammar with a usable Z, of the plain PCFG if none has; NaN without a
        tree.
    is_negative : bool
        Whether Z of any grammar is negative, as sampling noise in spectral estimates can make it.
    n_applications : int
        Number of binary rule applications that survived pruning.
    ranked : list of (float, Derivation)
        The `nbest` best trees with their scores, best first; empty if the grammar has none.
    confidences : list of Confidence
        Of each of these trees, if it was asked for.
    unmet : tuple of str
        The constraints that were left out because no tree meets them all.
    """

    derivations: list[Derivation]
    status: Status
    log_probability: float = float("nan")
    is_negative: bool = False
    n_applications: int = 0
    ranked: list[tuple[float, Derivation]] = field(default_factory=list)
    confidences: list[Confidence] = field(default_factory=list)
    unmet: tuple[str, ...] = ()


@dataclass(frozen=True)
class Request:
    """What is asked of the parser about one sentence.

    Attributes
    ----------
    sentence : list of (word, tag)
    open_tags : list of OpenTags
        The tags of its words, as in `WordCandidates.open_tags`.
    words : Words
        The candidates of its words.
    nbest : int
    constraints : Constraints
    with_confidence : bool
        As for `Parser.parse`.
    by_spans : ndarray of float32, shape (n_spans, n_chains), optional
        From `SpanModel.posteriors`.
    """

    sentence: list[TaggedWord]
    open_tags: list[OpenTags]
    words: Words
    nbest: int
    constraints: Constraints
    with_confidence: bool
    by_spans: np.ndarray | None = None

    @property
    def n(self) -> int:
        """Number of words."""
        return len(self.sentence)

    @property
    def is_open(self) -> np.ndarray:
        """Whether each word's tag is chosen by the parser; bool, shape (n,)."""
        return np.array([tag == OPEN_TAG for _, tag in self.sentence], bool)


class Reranker(Protocol):
    """What puts the best trees of a sentence in another order; see `lpcfg_cli.parsing.reranking`."""

    @property
    def n_trees(self) -> int:
        """Number of trees that it chooses among."""

    def reranked(
        self, parse: Parse, sentence: list[TaggedWord], grammar: Grammar, nbest: int, with_confidence: bool
    ) -> Parse:
        """The parse with its best `nbest` trees in the new order, and their confidences if they are wanted."""
