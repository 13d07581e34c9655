"""Settings of ensembles, tuning, parsing and experiments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lpcfg_cli.config.data import TEMPLATE_KINDS
from lpcfg_cli.config.fields import at_least, setting, share
from lpcfg_cli.config.tables import known_name
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.wording import counted

VARIED = ("binarize", "lexicon", "features", "svd", "estimate", "em", "pivot")
"""Sections in which the members of an ensemble may differ: all but those that determine the trees, which they share."""


@dataclass(frozen=True)
class EnsembleSettings:
    """Several models of the same trees that parse together.

    Attributes
    ----------
    members : int
        Number of models; each has its own seed, derived from the seed of the run, which the first one has.
    vary : tuple of dict
        Further settings in which members differ: member k has entry k, starting again after the last.
    """

    members: int = setting(1, "Train K models that parse together.", "--ensemble", metavar="K")
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
    """The settings that ``lpcfg train --tune`` tries, and the trees that it holds out.

    Attributes
    ----------
    vary : tuple of dict
        Settings to try, each as changes of the others; the model is trained with the best.
    folds : int
        Number of folds of the treebank.
    only : tuple of int
        Folds that are held out in turn; empty for all.
    """

    vary: tuple[dict[str, Any], ...] = field(default_factory=_lexicons)
    folds: int = 10
    only: tuple[int, ...] = (0, 5)

    def __post_init__(self) -> None:
        at_least("tune.folds", self.folds, 2)
        if not self.vary:
            raise ConfigError("tune.vary is empty: there is nothing to choose from.")


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
        In an ensemble, items and rule applications with a smaller posterior under the first model are pruned for the
        others, and brackets with a smaller one under all models of its binarization for the other binarizations.
    tag_threshold : float
        In raw text, the candidate tags of a word are those whose probability is at least this share of the best one's;
        1 for a single tag.
    nbest : int
        Number of trees for each sentence; more than 1 changes the output format.
    scores : bool
        Whether trees are written with their scores, as several always are, even if there is one for each sentence.
    output : str
        A name of `lpcfg_cli.parsing.output_forms.OUTPUT_FORMS`.
    decoder : str
        A name of `lpcfg_cli.parsing.decoders.DECODERS`.
    bracket_threshold : float
        For ``expected-f1``: a larger threshold gives fewer brackets, with higher precision and lower recall.
    tree_weight : float
        For ``expected-f1``: weight of ln of the probability of the whole tree, beside the expected brackets.
    span_weight : float
        For ``expected-f1`` with a span model: its share in the posteriors of brackets; the grammars have the rest.
    rerank : bool
        Whether a model's reranker, if it has one, orders the best trees.
    """

    threshold: float = setting(5e-5, "Posterior below which items are pruned.", "--threshold")
    rule_threshold: float = 1e-5
    fine_threshold: float = 1e-5
    tag_threshold: float = 0.1
    nbest: int = setting(1, "Give the N best trees of each sentence, with scores.", metavar="N")
    scores: bool = False
    output: str = setting("trees", "Form of the output", "--to", table="output form")
    decoder: str = setting("expected-f1", "Criterion for the best tree", "--decoder", table="decoder")
    bracket_threshold: float = setting(
        0.45, "For expected-f1: more gives fewer brackets and higher precision.", metavar="P"
    )
    tree_weight: float = setting(
        0.03, "For expected-f1: more makes more trees correct as a whole, too much fewer brackets.", "--tree-weight"
    )
    span_weight: float = setting(
        0.4, "For expected-f1: share of the span model in the posteriors, if there is one.", "--span-weight"
    )
    rerank: bool = True

    def __post_init__(self) -> None:
        known_name("parse.decoder", self.decoder, "decoder")
        known_name("parse.output", self.output, "output form")
        share("parse.bracket_threshold", self.bracket_threshold)
        at_least("parse.tree_weight", self.tree_weight, 0.0)
        share("parse.span_weight", self.span_weight)
        share("parse.threshold", self.threshold)
        share("parse.rule_threshold", self.rule_threshold)
        at_least("parse.fine_threshold", self.fine_threshold, 0.0)
        share("parse.tag_threshold", self.tag_threshold)
        at_least("parse.nbest", self.nbest, 1)


@dataclass(frozen=True)
class ExperimentSettings:
    """The runs of ``lpcfg experiment``.

    Attributes
    ----------
    learners : tuple of str
    states : tuple of int
        Values of m.
    seeds : tuple of int
        Number of seeds for learners with a random start: one for each m, or a single number for all.
    train_sections, dev_sections, test_sections : str
        LDC sections, such as ``02-21``; empty for all.
    ablations : tuple of str
        Names of `lpcfg_cli.experiments.ablations.ABLATIONS`, for the spectral learner.
    ablation_states : tuple of int
        Values of m for the ablations.
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
        known_name("experiment.learners", self.learners, "learner")
        for states in (*self.states, *self.ablation_states):
            at_least("experiment.states", states, 1)
        for seeds in self.seeds:
            at_least("experiment.seeds", seeds, 1)
        if len(self.seeds) not in (1, len(self.states)):
            numbers = f"{counted(len(self.seeds), 'number')} for {counted(len(self.states), 'value')} of m"
            raise ConfigError(f"experiment.seeds has {numbers}; give one number, or one for each of experiment.states.")


@dataclass(frozen=True)
class ConsistencySettings:
    """The runs of ``lpcfg consistency``.

    Attributes
    ----------
    model : str
        A name of `lpcfg_cli.experiments.consistency_models.CONSISTENCY_MODELS`.
    grammars : tuple of str
        Known L-PCFGs: names of shipped grammars, or files in text form (``*.grammar``); or names of known HMMs.
    learners : tuple of str
        Any but ``markov``, whose symbols are not those of the known grammar.
    hmm_learners : tuple of str
        Learners of HMMs.
    dependency_learners : tuple of str
        Learners of models of dependency trees.
    smallest, largest : int
        Smallest and largest M, the number of sampled trees or sequences.
    steps : int
        Number of sizes in a decade.
    em_largest : int
        Largest M for learners that use EM: one such sample takes longer than everything else.
    seeds : int
        Number of independent samples of each size.
    starts : int
        Number of random starts of the learner ``em`` on each sample.
    iterations : int
        Largest number of EM steps.
    words : int
        Errors are summed over all trees or sequences of at most so many words.
    templates : str or tuple of str
        φ and ψ, as in `FeatureSettings.templates`.
    """

    model: str = setting("lpcfg", "Known models to learn", "--model", table="consistency model")
    grammars: tuple[str, ...] = setting(
        ("separable", "blurred", "hidden"), "Names or *.grammar files, joined by commas.", "--grammars"
    )
    learners: tuple[str, ...] = setting(
        ("spectral", "pivot", "pivot+em", "em", "cluster", "pcfg"), "Names, joined by commas.", "--learners"
    )
    hmm_learners: tuple[str, ...] = setting(
        ("spectral", "full", "em"), "Learners of HMMs, joined by commas.", "--hmm-learners", table="hmm learner"
    )
    dependency_learners: tuple[str, ...] = setting(
        ("spectral", "em"), "Learners of dependency trees.", "--dependency-learners", table="tree learner"
    )
    smallest: int = setting(1_000, "Smallest M.", "--smallest")
    largest: int = setting(1_000_000, "Largest M.", "--largest")
    steps: int = 2
    em_largest: int = setting(100_000, "Largest M for EM.", "--em-largest")
    seeds: int = setting(3, "Samples of each size.", "--seeds")
    starts: int = setting(4, "Random starts of EM.", "--starts")
    iterations: int = 100
    words: int = setting(4, "Errors are over trees of so many words at most.", "--words")
    templates: str | tuple[str, ...] = setting(
        "simple", "Templates of features, or sets of them, joined by commas", "--templates", table=TEMPLATE_KINDS
    )

    def __post_init__(self) -> None:
        known_name("consistency.model", self.model, "consistency model")
        known_name("consistency.learners", self.learners, "learner")
        known_name("consistency.hmm_learners", self.hmm_learners, "hmm learner")
        known_name("consistency.dependency_learners", self.dependency_learners, "tree learner")
        known_name("consistency.templates", self.templates, TEMPLATE_KINDS)
        for name in ("smallest", "steps", "seeds", "starts", "iterations", "words"):
            at_least(f"consistency.{name}", getattr(self, name), 1)
        at_least("consistency.largest", self.largest, self.smallest)
        at_least("consistency.em_largest", self.em_largest, 0)
