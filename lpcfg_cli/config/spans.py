"""Settings of the model of constituents by the words in and around their spans."""

from __future__ import annotations

from dataclasses import dataclass

from lpcfg_cli.config.fields import at_least, setting
from lpcfg_cli.errors import ConfigError


@dataclass(frozen=True)
class SpanSettings:
    """Whether a span model is learnt, and how.

    Attributes
    ----------
    parts : int
        Parts of the treebank: the grammars' posteriors for each are those of grammars learnt from the others.  0 for no
        span model.
    member : int
        Of an ensemble, the number of the model whose posteriors it is learnt with, from 0.
    passes : int
        Passes over the treebank.
    rate : float
        Length of the first steps.
    """

    parts: int = setting(
        0, "Learn a span model too, from models of so many parts of the treebank.", "--spans", metavar="K"
    )
    member: int = 0
    passes: int = 4
    rate: float = 0.05

    def __post_init__(self) -> None:
        at_least("spans.parts", self.parts, 0)
        if self.parts == 1:
            raise ConfigError("spans.parts is 1; expected 0 for no span model, or at least 2. Try 5.")
        at_least("spans.member", self.member, 0)
        at_least("spans.passes", self.passes, 1)
        at_least("spans.rate", self.rate, 0.0)
