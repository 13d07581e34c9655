"""Settings of the model of constituents by the words of the sentence."""

from __future__ import annotations

from dataclasses import dataclass

from lpcfg_cli.config.fields import at_least, setting
from lpcfg_cli.errors import ConfigError


@dataclass(frozen=True)
class SpanSettings:
    """Whether a span model is learnt, and how.

    Attributes
    ----------
    networks : int
        Networks whose posteriors are averaged; 0 for no span model.
    states : int
        Of each memory of the second layer; those of the first have half as many.
    passes : int
        Passes over the treebank.
    rate : float
        Length of the steps, before it falls.
    dropout : float
        Share of the inputs and results of memories that are left out while learning.
    tag_dropout : float
        Share of the words whose tag is taken as unknown while learning, so that tags are not relied on too much.
    """

    networks: int = setting(0, "Learn a span model too, of so many networks.", "--spans", metavar="K")
    states: int = 200
    passes: int = 20
    rate: float = 0.002
    dropout: float = 0.4
    tag_dropout: float = 0.15

    def __post_init__(self) -> None:
        at_least("spans.networks", self.networks, 0)
        at_least("spans.states", self.states, 1)
        at_least("spans.passes", self.passes, 1)
        at_least("spans.rate", self.rate, 0.0)
        for name in ("dropout", "tag_dropout"):
            if not 0.0 <= getattr(self, name) < 1.0:
                raise ConfigError(f"spans.{name} is {getattr(self, name)}; expected a share from 0 to below 1.")
