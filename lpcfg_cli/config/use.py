"""Settings of what is made of one model or many: ensembles, tuning, parsing, experiments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lpcfg_cli.config.checks import at_least, one_of, share
from lpcfg_cli.config.learning import LEARNERS
from lpcfg_cli.errors import ConfigError

VARIED = ("lexicon", "features", "svd", "estimate", "em", "pivot")
"""Sections in which the members of an ensemble may differ: all but what their common rules follow from."""


@dataclass(frozen=True)
class EnsembleSettings:
    """Several models of the same rules that parse together.

    Attributes
    ----------
    members : int
        How many; each has a seed of its own, counted on from the run's.
    vary : tuple of dict
        Settings by which members differ besides: the first one takes the first entry, and so on in turn.
    """

    members: int = 1
    vary: tuple[dict[str, Any], ...] = ()

    def __post_init__(self) -> None:
        at_least("ensemble.members", self.members, 1)
        for entry in self.vary:
            if odd := [section for section in entry if section not in VARIED]:
                raise ConfigError(f"ensemble.vary names {', '.join(odd)}; members may differ in {', '.join(VARIED)}.")


def _lexicons() -> tuple[dict[str, Any], ...]:
    return tuple(
        {"lexicon": {"classes": classes, "rare_below": rare}}
        for classes in ("tag", "signature")
        for rare in (5, 20, 50)
    )


@dataclass(frozen=True)
class TuneSettings:
    """What ``lpcfg train --tune`` chooses from, and on which held-out trees.

    Attributes
    ----------
    vary : tuple of dict
        Settings to try, each over the others; the best are those of the model.
    folds : int
        Parts of the treebank.
    only : tuple of int
        The parts that are held out in turn; all if empty.
    """

    vary: tuple[dict[str, Any], ...] = field(default_factory=_lexicons)
    folds: int = 10
    only: tuple[int, ...] = (0, 5)

    def __post_init__(self) -> None:
        at_least("tune.folds", self.folds, 2)
        if not self.vary:
            raise ConfigError("tune.vary is empty: there is nothing to choose from.")


DECODERS = ("expected-f1", "max-rule", "sum", "signed")
"""What the best tree of a forest is best in; `ParseSettings` says which is which."""


@dataclass(frozen=True)
class ParseSettings:
    """How sentences are parsed.

    Attributes
    ----------
    threshold : float
        Chart items with a smaller coarse posterior are pruned (C13 §4).
    rule_threshold : float
        Applications of binary rules with a smaller coarse posterior are pruned.
    fine_threshold : float
        Of several models, the first one hides from the others what has a smaller posterior by its own parameters.
    tag_threshold : float
        In raw text, a word keeps the tags whose probability is at least this share of the best one's; 1 for one
        tag a word.
    nbest : int
        How many trees to give for each sentence; more than 1 changes the form of the output.
    decoder : {"expected-f1", "max-rule", "sum", "signed"}
        Maximise the expected number of right brackets less the threshold times all, the product over the tree of |µ|
        as shares of the largest, their sum, or the sum of µ.
    bracket_threshold : float
        For ``expected-f1``: a larger one gives fewer brackets, with higher precision and lower recall.
    """

    threshold: float = 5e-5
    rule_threshold: float = 1e-5
    fine_threshold: float = 1e-5
    tag_threshold: float = 0.1
    nbest: int = 1
    decoder: str = "expected-f1"
    bracket_threshold: float = 0.45

    def __post_init__(self) -> None:
        one_of("parse.decoder", self.decoder, DECODERS)
        at_least("parse.bracket_threshold", self.bracket_threshold, 0.0)
        at_least("parse.threshold", self.threshold, 0.0)
        at_least("parse.rule_threshold", self.rule_threshold, 0.0)
        at_least("parse.fine_threshold", self.fine_threshold, 0.0)
        share("parse.tag_threshold", self.tag_threshold)
        at_least("parse.nbest", self.nbest, 1)


@dataclass(frozen=True)
class ExperimentSettings:
    """What ``lpcfg experiment`` compares.

    Attributes
    ----------
    learners : tuple of str
    states : tuple of int
        Values of m.
    seeds : tuple of int
        How many seeds learners with a random start are tried with, for each m; one number stands for all.
    train_sections, dev_sections, test_sections : str
        LDC sections, such as ``02-21``; empty for all.
    ablations : tuple of str
        Names of `lpcfg_cli.experiments.ablations.ABLATIONS`, tried on the spectral learner.
    ablation_states : tuple of int
        Values of m that they are tried with.
    """

    learners: tuple[str, ...] = ("pcfg", "markov", "spectral", "em", "cluster", "pivot", "pivot+em")
    states: tuple[int, ...] = (8, 16, 24, 32)
    seeds: tuple[int, ...] = (1,)
    train_sections: str = ""
    dev_sections: str = ""
    test_sections: str = ""
    ablations: tuple[str, ...] = ()
    ablation_states: tuple[int, ...] = (16,)

    def __post_init__(self) -> None:
        for learner in self.learners:
            one_of("experiment.learners", learner, LEARNERS)
        for states in (*self.states, *self.ablation_states):
            at_least("experiment.states", states, 1)
        for seeds in self.seeds:
            at_least("experiment.seeds", seeds, 1)
        if len(self.seeds) not in (1, len(self.states)):
            numbers = f"{len(self.seeds)} numbers for {len(self.states)} values of m"
            raise ConfigError(f"experiment.seeds has {numbers}; give one number, or one for each of experiment.states.")


@dataclass(frozen=True)
class ConsistencySettings:
    """What ``lpcfg consistency`` samples, learns and measures.

    Attributes
    ----------
    grammars : tuple of str
        Known L-PCFGs: names of shipped ones, or files in the text form of grammars (``*.grammar``).
    learners : tuple of str
        All but ``markov``, whose symbols are not those of the known grammar.
    smallest, largest : int
        M, the number of sampled trees, goes from one to the other.
    steps : int
        Sizes a decade.
    em_largest : int
        Learners that take steps of EM are given no larger samples: one sample costs them more than all else.
    seeds : int
        Independent samples of each size.
    starts : int
        Random starts of the learner ``em`` on each sample.
    iterations : int
        Steps of EM, at most.
    words : int
        Errors are summed over all trees of at most so many words.
    templates : str or tuple of str
        φ and ψ, as `FeatureSettings.templates`.
    """

    grammars: tuple[str, ...] = ("separable", "blurred", "hidden")
    learners: tuple[str, ...] = ("spectral", "pivot", "pivot+em", "em", "cluster", "pcfg")
    smallest: int = 1_000
    largest: int = 1_000_000
    steps: int = 2
    em_largest: int = 100_000
    seeds: int = 3
    starts: int = 4
    iterations: int = 100
    words: int = 4
    templates: str | tuple[str, ...] = "simple"

    def __post_init__(self) -> None:
        for learner in self.learners:
            one_of("consistency.learners", learner, tuple(name for name in LEARNERS if name != "markov"))
        for name in ("smallest", "steps", "seeds", "starts", "iterations", "words"):
            at_least(f"consistency.{name}", getattr(self, name), 1)
        at_least("consistency.largest", self.largest, self.smallest)
        at_least("consistency.em_largest", self.em_largest, 0)
