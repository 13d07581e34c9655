"""Settings of the similarity of sentences."""

from __future__ import annotations

from dataclasses import dataclass

from lpcfg_cli.config.fields import at_least, one_of, setting, share
from lpcfg_cli.config.tables import known_name
from lpcfg_cli.errors import ConfigError

COSINES = ("choose", "cut", "signed")
TERMS = ("linear", "squares", "interactions")


@dataclass(frozen=True)
class SimilaritySettings:
    """How the similarity of two sentences is learnt.

    Attributes
    ----------
    groups : tuple of str
        Groups of `lpcfg_cli.sts.metrics.METRICS`; those that need vectors or WordNet are used if there are any.
    terms : {"linear", "squares", "interactions"}
        What the regression sees: the metrics; also their squares and square roots; also all products of two.
    cosines : {"choose", "cut", "signed"}
        Whether negative cosines count as 0, as they are, or as cross-validation on the training pairs chooses.
    base_letters : int
        Words are cut to so many letters for a base form.
    frequent_share : float
        The most frequent words, which make up this share of the training sentences, are no content words.
    weakest, strongest : float
        Range of the strengths of the ridge that cross-validation chooses from.
    strengths : int
        Number of strengths in this range, evenly on a logarithmic scale.
    """

    groups: tuple[str, ...] = setting(
        ("surface", "wordnet", "vectors"), "Metrics that are used", "--metrics", table="similarity group"
    )
    terms: str = setting("interactions", "linear, squares or interactions of metrics.", "--terms", metavar="KIND")
    cosines: str = setting("choose", "choose, cut or signed: negative cosines.", "--cosines", metavar="KIND")
    base_letters: int = setting(3, "Letters of a word's base form.", "--base-letters", metavar="N")
    frequent_share: float = setting(
        0.4, "Share of words that are no content words.", "--frequent-share", metavar="SHARE"
    )
    weakest: float = 0.1
    strongest: float = 1e5
    strengths: int = 25

    def __post_init__(self) -> None:
        known_name("sts.groups", self.groups, "similarity group")
        if not self.groups:
            raise ConfigError("sts.groups is empty: there is no metric to learn from.")
        one_of("sts.terms", self.terms, TERMS)
        one_of("sts.cosines", self.cosines, COSINES)
        for name in ("base_letters", "strengths"):
            at_least(f"sts.{name}", getattr(self, name), 1)
        share("sts.frequent_share", self.frequent_share)
        at_least("sts.weakest", self.weakest, 1e-9)
        at_least("sts.strongest", self.strongest, self.weakest)
