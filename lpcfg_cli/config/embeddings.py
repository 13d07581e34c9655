"""Settings of embeddings of words."""

from __future__ import annotations

from dataclasses import dataclass

from lpcfg_cli.config.fields import at_least, one_of, setting
from lpcfg_cli.config.tables import known_name

CONTEXTS = ("bag", "positions")
ROOTS = ("sqrt", "none")
WEIGHTS = ("flat", "linear", "harmonic")


@dataclass(frozen=True)
class EmbedSettings:
    """How embeddings of words are learnt from running text.

    Attributes
    ----------
    method : str
        A name of `lpcfg_cli.embeddings.methods.EMBEDDING_METHODS`.
    dimensions : int
        k: length of the vectors.
    window : int
        h: number of words on each side that are the context of a word.
    contexts : {"bag", "positions"}
        Whether the words of a side are one bag, or each position has features of its own.
    weights : {"flat", "linear", "harmonic"}
        Weight of the word at distance d: 1, (h + 1 − d) / h, or 1 / d.
    root : {"sqrt", "none"}
        Whether square roots of the counts are used, whose variance does not grow with the counts.
    context_power : float
        Counts of context words are taken to this power before they scale: more than 1 gives frequent ones less weight.
    kappa : float
        Pseudo-counts that limit the weight of rare words.
    singular_power : float
        Dimension i is multiplied by σ_i to this power.
    context_words : int
        Only so many of the most frequent words count as contexts; 0 for all.
    rare_below : int
        Words that occur less often have no vector.
    most_words : int
        Largest number of words with a vector; 0 for no limit.
    unknown : bool
        Whether words without a vector are counted as ``<unk>``, which then has one.
    lowercase : bool
        Whether words are taken in lower case.
    across_lines : bool
        Whether words of other lines are in the context too.
    powers : int
        Number of power iterations of the randomised SVD.
    rounds : int
        Number of rounds of LR-MVL.
    smoothing : float
        α of LR-MVL: the word at distance d has the weight α(1 − α)^(d − 1) in the state of its side.
    """

    method: str = setting("one-step", "How vectors are learnt", "--method", table="embedding method")
    dimensions: int = setting(200, "Length of the vectors.", "-k", "--dimensions", metavar="N")
    window: int = setting(15, "Words on each side that are the context.", "--window", metavar="N")
    contexts: str = setting("bag", "bag or positions: features of a side.", "--contexts", metavar="KIND")
    weights: str = setting("linear", "flat, linear or harmonic: weight by distance.", "--weights", metavar="KIND")
    root: str = setting("sqrt", "sqrt or none: roots of counts.", "--root", metavar="KIND")
    context_power: float = setting(1.5, "Power of the counts of contexts.", "--context-power", metavar="P")
    kappa: float = setting(0.0, "Pseudo-counts against rare words.", "--kappa", metavar="K")
    singular_power: float = setting(0.0, "Power of the singular values.", "--singular-power", metavar="P")
    context_words: int = setting(8000, "Most frequent words that are contexts; 0: all.", "--context-words", metavar="N")
    rare_below: int = setting(10, "Words that occur less often have no vector.", "--rare-below", metavar="N")
    most_words: int = setting(0, "Largest number of words; 0 for no limit.", "--most-words", metavar="N")
    unknown: bool = setting(False, "Count the other words as <unk>, with a vector.", "--unknown")
    lowercase: bool = setting(True, "Take words in lower case.", "--lowercase")
    across_lines: bool = setting(True, "Let contexts reach into other lines.", "--across-lines")
    powers: int = 4
    rounds: int = setting(5, "Rounds of lr-mvl.", "--rounds", metavar="N")
    smoothing: float = 0.5

    def __post_init__(self) -> None:
        known_name("embed.method", self.method, "embedding method")
        one_of("embed.contexts", self.contexts, CONTEXTS)
        one_of("embed.weights", self.weights, WEIGHTS)
        one_of("embed.root", self.root, ROOTS)
        for name in ("dimensions", "window", "rare_below", "rounds"):
            at_least(f"embed.{name}", getattr(self, name), 1)
        for name in ("context_power", "kappa", "singular_power", "context_words", "most_words", "powers"):
            at_least(f"embed.{name}", getattr(self, name), 0)
        at_least("embed.smoothing", self.smoothing, 0.01)
        at_least("embed.smoothing below 1: 1 - smoothing", 1 - self.smoothing, 0.0)
