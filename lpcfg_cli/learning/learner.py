"""What a learner is: training data in, model out, and what the rest of the program must know of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from lpcfg_cli.config import Settings
from lpcfg_cli.em.monitor import EmRecord, ignore_record
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.stopwatch import Spent
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.learning.training_data import TrainingData
from lpcfg_cli.storage.files import sha256_of_file
from lpcfg_cli.treebank.files import find_tree_files


@dataclass(frozen=True)
class LearningContext:
    """What a learner is given besides data and settings, and whom it tells.

    Attributes
    ----------
    mapper : callable like map
        Spreads work; results do not depend on it.
    progress : Progress
        Sees the long loops.
    on_step : function of EmRecord
        Told of each iteration of EM.
    checkpoint : Path or None
        Where EM keeps what it needs to go on after an interruption; None to keep nothing.
    """

    mapper: Mapper = map
    progress: Progress = no_progress
    on_step: Callable[[EmRecord], None] = ignore_record
    checkpoint: Path | None = None


@dataclass(frozen=True)
class Learnt:
    """A model and how it came about.

    Attributes
    ----------
    grammar : Grammar
    records : list of EmRecord
        EM's iterations, if the learner takes any.
    chosen : int or None
        The iteration whose parameters the model has.
    training : Spent, optional
        What the model took, where that is less than the time that has passed: without scoring the dev treebank, and
        without the iterations after the chosen one.
    """

    grammar: Grammar
    records: list[EmRecord] = field(default_factory=list)
    chosen: int | None = None
    training: Spent | None = None


@dataclass(frozen=True)
class Learner:
    """A way to find the parameters of an L-PCFG.

    Attributes
    ----------
    name : str
        As ``estimate.learner``.
    summary : str
        One line for help pages.
    fit : function of (TrainingData, Settings, LearningContext) to Learnt
    shaped_by : mapping of str to tuple of str
        Sections and settings, besides ``[estimate]``, that its model depends on: only they make a model stale.
    needs_projections : bool
        Whether it reads projected nodes.
    projects_as_decomposed : bool
        Whether what the SVD left out is left out of the nodes too.
    takes_em_steps : bool
        Whether it may choose among iterations by a dev treebank, and goes on from a checkpoint.
    uses_chance : bool
        Whether its model depends on the seed.
    has_states : bool
        Whether its nonterminals have latent states.
    gives_probabilities : bool
        Whether its parameters are probabilities, in the basis of the states; else they are moments, known up to a
        linear map (C14 Theorem 6), which sampling noise may make negative.
    binarization : mapping of str to object
        Settings of ``[binarize]`` that it asks for.
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
        """The settings with what the learner asks of earlier stages."""
        return replace(settings, binarize=replace(settings.binarize, **self.binarization))

    def shaping(self, settings: Settings) -> dict[str, Any]:
        """The settings that shape its model, JSON-ready: the model is current while they are unchanged."""
        found: dict[str, Any] = {"estimate": asdict(settings.estimate)}
        for section, names in self.shaped_by.items():
            values = asdict(getattr(settings, section))
            found[section] = {name: values[name] for name in names}
        if self.takes_em_steps:
            found["dev_sources"] = [sha256_of_file(path) for path in dev_files(settings)]
        return found

    def check_binarization(self, binarized: Mapping[str, Any]) -> None:
        """Raise a `ConfigError` unless the trees were binarized as it asks for; takes ``[binarize]`` as recorded."""
        if any(binarized[name] != value for name, value in self.binarization.items()):
            options = " ".join(f"--{name} {value}" for name, value in self.binarization.items())
            raise ConfigError(
                f"the learner {self.name} wants trees binarized with {options}. Run `lpcfg train --learner "
                f"{self.name}`, or `lpcfg binarize` and `lpcfg features` with these options first."
            )


def dev_files(settings: Settings) -> list[Path]:
    """The files of the dev treebank, if there is one."""
    return find_tree_files([settings.em.dev], form=settings.read.format) if settings.em.dev else []


def names_of(section: type, *without: str) -> tuple[str, ...]:
    """The settings of a section but for some, for `Learner.shaped_by`."""
    return tuple(entry.name for entry in fields(section) if entry.name not in without)
