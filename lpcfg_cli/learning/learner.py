"""The interface of learners: a function from training data to a model, and the facts that other code needs about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from lpcfg_cli.config import Settings
from lpcfg_cli.em.monitor import EmRecord, OnStep, ignore_record
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.stopwatch import Spent
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.learning.training_data import TrainingData
from lpcfg_cli.treebank.finding import find_tree_files
from lpcfg_cli.treebank.sources import sha256_of_source


@dataclass(frozen=True)
class LearningContext:
    """What a learner gets besides data and settings: workers, callbacks and the place of its checkpoint.

    Attributes
    ----------
    mapper : callable like map
        Spreads work; results do not depend on it.
    progress : Progress
        Reports the progress of long loops.
    on_step : function of EmRecord
        Called after each iteration of EM.
    checkpoint : Path or None
        File from which EM resumes after an interruption; None for no checkpoint.
    """

    mapper: Mapper = map
    progress: Progress = no_progress
    on_step: OnStep = ignore_record
    checkpoint: Path | None = None


@dataclass(frozen=True)
class Learnt:
    """A model and how it was trained.

    Attributes
    ----------
    grammar : Grammar
    records : list of EmRecord
        The iterations of EM; empty if the learner does not use EM.
    chosen : int or None
        The iteration whose parameters the model has.
    training : Spent, optional
        Time needed for this model, if it is less than the time passed: it excludes scoring the dev treebank and the
        iterations after the chosen one.
    """

    grammar: Grammar
    records: list[EmRecord] = field(default_factory=list)
    chosen: int | None = None
    training: Spent | None = None


@dataclass(frozen=True)
class Learner:
    """A method that estimates the parameters of an L-PCFG.

    Attributes
    ----------
    name : str
        Value of ``estimate.learner``.
    summary : str
        One line for help pages.
    fit : function of (TrainingData, Settings, LearningContext) to Learnt
    shaped_by : mapping of str to tuple of str
        Sections and settings, besides ``[estimate]``, that its model depends on: a model is stale only if one of them
        has changed.
    needs_projections : bool
        Whether it reads projected nodes.
    projects_as_decomposed : bool
        Whether features that the SVD ignored are also ignored when nodes are projected.
    takes_em_steps : bool
        Whether it uses EM: then it can choose among iterations by a dev treebank, and resumes from a checkpoint.
    uses_chance : bool
        Whether its model depends on the seed.
    has_states : bool
        Whether its nonterminals have latent states.
    gives_probabilities : bool
        Whether its parameters are probabilities, in the basis of the states.  Otherwise they are moments, known up to a
        linear map (C14 Theorem 6), and sampling noise can make them negative.
    binarization : mapping of str to object
        Settings of ``[binarize]`` that it requires.
    """

    name: str
    summary: str
    fit: Callable[[TrainingData, Settings, LearningContext], Learnt]
    shaped_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    needs_projections: bool = False
    projects_as_decomposed: bool = False
    takes_em_steps: bool = False
    uses_chance: bool = True
    has_states: bool = True
    gives_probabilities: bool = True
    binarization: Mapping[str, Any] = field(default_factory=dict)

    def reads(self, section: str, name: str) -> bool:
        """Whether its model depends on a setting, other than by way of earlier stages."""
        return name in self.shaped_by.get(section, ())

    def adapted(self, settings: Settings) -> Settings:
        """The settings with the binarization that the learner requires."""
        return replace(settings, binarize=replace(settings.binarize, **self.binarization))

    def shaping(self, settings: Settings) -> dict[str, Any]:
        """The settings that its model depends on, JSON-ready: the model is current while they are unchanged."""
        found: dict[str, Any] = {"estimate": asdict(settings.estimate)}
        for section, names in self.shaped_by.items():
            values = asdict(getattr(settings, section))
            found[section] = {name: values[name] for name in names}
        if self.takes_em_steps:
            found["dev_sources"] = [sha256_of_source(path) for path in dev_files(settings)]
        return found

    def check_binarization(self, binarized: Mapping[str, Any]) -> None:
        """Raise a `ConfigError` unless `binarized`, the recorded ``[binarize]`` settings, are those it requires."""
        if any(binarized[name] != value for name, value in self.binarization.items()):
            options = " ".join(f"--{name} {value}" for name, value in self.binarization.items())
            raise ConfigError(
                f"the learner {self.name} needs trees binarized with {options}. Run `lpcfg train --learner "
                f"{self.name}`, or `lpcfg binarize` and `lpcfg features` with these options first."
            )


def dev_files(settings: Settings) -> list[Path]:
    """The files of the dev treebank; an empty list if there is none."""
    return find_tree_files([settings.em.dev], form=settings.read.format) if settings.em.dev else []


def names_of(section: type, *without: str) -> tuple[str, ...]:
    """Names of the settings of a section, except those in `without`; for `Learner.shaped_by`."""
    return tuple(entry.name for entry in fields(section) if entry.name not in without)
