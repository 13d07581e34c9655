"""Settings of learning from raw text that a teacher has parsed."""

from __future__ import annotations

from dataclasses import dataclass

from lpcfg_cli.config.fields import at_least, one_of, setting, share
from lpcfg_cli.errors import ConfigError

TEXT_FORMS = ("raw", "text")
"""Formats of text: one tokenised sentence on each line, or running text."""


@dataclass(frozen=True)
class TeachSettings:
    """How a teacher parses raw text, and what of it joins the treebank.

    Attributes
    ----------
    files : tuple of str
        Texts, possibly compressed; without any, only the treebank is learnt from.
    form : {"raw", "text"}
        One tokenised sentence on each line, or running text.
    teacher : str
        Configuration of the teacher, which is learnt from the treebank alone: a TOML file, or the name of a shipped
        one.  Empty for eight models with the settings of the student and at least `TEACHER_DROPOUT`.  How trees are
        read and cleaned, and the seed, are the student's.
    sentences : int
        Number of sentences to draw from the texts.
    shortest, longest : int
        Number of words of these sentences.
    trees : int
        Number of trees of each sentence, best first, which share its weight by their posteriors.
    confidence : float
        Sentences with a smaller mean posterior of the brackets of their best tree are left out.
    weight : float
        Weight of a sentence in all counts and moments; a tree of the treebank has weight 1.
    """

    files: tuple[str, ...] = setting(
        (), "Learn from this raw text too; may be given several times.", "--text", metavar="FILE", repeats=True
    )
    form: str = setting("raw", "raw: a tokenised sentence on each line; text: running text.", "--text-format")
    teacher: str = setting("", "Configuration of the parser of the text.", "--teacher", metavar="FILE")
    sentences: int = setting(8_000, "Sentences drawn from the text.", "--text-sentences", metavar="N")
    shortest: int = 5
    longest: int = setting(30, "Words of the longest sentence of the text.", "--text-longest", metavar="N")
    trees: int = 1
    confidence: float = setting(0.0, "Least mean posterior of a tree's brackets.", "--text-confidence", metavar="P")
    weight: float = setting(0.5, "Weight of a sentence of the text.", "--text-weight", metavar="W")

    def __post_init__(self) -> None:
        one_of("teach.form", self.form, TEXT_FORMS)
        for name in ("sentences", "shortest", "trees"):
            at_least(f"teach.{name}", getattr(self, name), 1)
        at_least("teach.longest", self.longest, self.shortest)
        share("teach.confidence", self.confidence)
        at_least("teach.weight", self.weight, 0.0)
        if self.weight == 0:
            raise ConfigError("teach.weight is 0, so that the text would count nothing; expected a number above 0.")
