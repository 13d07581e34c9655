"""The points of an experiment, that is models to train, with their settings; and their results."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from lpcfg_cli.config import Settings
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.execution.stopwatch import NO_TIME, Spent
from lpcfg_cli.experiments.ablations import ablate, compared_with
from lpcfg_cli.learning.learners import LEARNERS
from lpcfg_cli.stages.chain import training_settings

ABLATED = "spectral"
"""The learner to which ablations are applied."""


@dataclass(frozen=True)
class GridPoint:
    """One point of the grid: a model to train.

    Attributes
    ----------
    learner : str
    states : int
        m; 1 for learners without latent states.
    seed : int
    ablation : str
        A name of `lpcfg_cli.experiments.ablations.ABLATIONS`, or empty.
    """

    learner: str
    states: int
    seed: int
    ablation: str = ""

    @property
    def name(self) -> str:
        """Its name in messages and, with hyphens for spaces, in file names."""
        learner = LEARNERS[self.learner]
        states = f"m={self.states}" if learner.has_states else ""
        seed = f"seed={self.seed}" if learner.uses_chance else ""
        return " ".join(filter(None, (self.learner, states, seed, self.ablation)))


@dataclass(frozen=True)
class GridResult:
    """The result of a point.

    Attributes
    ----------
    point : GridPoint
    digest : str
        Hash of all settings and treebanks: a result is valid only while they are the same.
    f1, precision, recall : float
        Scores on the dev trees, in percent.
    sentences, negative_totals, fallbacks : int
        Number of dev sentences, of those with a negative inside total, and of those without a tree from the pruned
        L-PCFG.
    chosen : int or None
        The chosen iteration of EM; None for learners without EM.
    by_iteration : dict of str to float
        Dev F1 of each iteration that was scored.
    stages : dict of str to Spent
        Time of each stage of the model, also of stages that were run for another point; without scoring the dev trees
        and without the steps of EM after the chosen one.
    step : Spent or None
        Mean time of a step of EM.
    is_alone : bool
        Whether one process did all the work; otherwise CPU seconds do not measure it.
    """

    point: GridPoint
    digest: str
    f1: float
    precision: float
    recall: float
    sentences: int
    negative_totals: int
    fallbacks: int
    chosen: int | None
    by_iteration: dict[str, float]
    stages: dict[str, Spent]
    step: Spent | None
    is_alone: bool

    @property
    def training(self) -> Spent:
        """Total time of training."""
        return sum(self.stages.values(), NO_TIME)

    def as_dict(self) -> dict[str, Any]:
        """The result, JSON-ready."""
        values = asdict(self)
        return {**values.pop("point"), **values}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> GridResult:
        """The inverse of `as_dict`; raises `KeyError` or `TypeError` for anything else."""
        point = GridPoint(**{name: values.pop(name) for name in ("learner", "states", "seed", "ablation")})
        stages = {stage: Spent(**spent) for stage, spent in values.pop("stages").items()}
        step = values.pop("step")
        return cls(point, stages=stages, step=Spent(**step) if step else None, **values)


def grid(settings: Settings) -> list[GridPoint]:
    """The points of an experiment: those of the first seed, then of the next, then ablations; each point once.

    Learners without states have one point for all m, and learners without randomness one for all seeds.  Ablations that
    do not change the settings are left out.

    Raises
    ------
    ConfigError
        An ablation is unknown, or the settings ask for an ensemble.
    """
    wanted = settings.experiment
    if settings.ensemble.members > 1:
        raise ConfigError("ensemble.members is above 1; an experiment compares single models. Leave [ensemble] out.")
    seeds = wanted.seeds if len(wanted.seeds) > 1 else wanted.seeds * len(wanted.states)
    points = (
        GridPoint(learner, m if LEARNERS[learner].has_states else 1, seed if LEARNERS[learner].uses_chance else 0)
        for seed in range(max(wanted.seeds))
        for learner in wanted.learners
        for m, n_seeds in zip(wanted.states, seeds, strict=True)
        if seed < n_seeds
    )
    changing = [name for name in wanted.ablations if ablate(settings, name) != settings]
    compared = chain.from_iterable((compared_with(settings, name), name) for name in changing)
    names = dict.fromkeys(["", *compared] if changing else [])
    ablated = (GridPoint(ABLATED, m, 0, name) for name in names for m in wanted.ablation_states)
    return list(dict.fromkeys(chain(points, ablated)))


def point_settings(settings: Settings, point: GridPoint, dev: Path) -> Settings:
    """The settings of one point; the iteration of EM is chosen on the dev trees, as in the papers."""
    changed = replace(
        settings,
        seed=settings.seed + point.seed,
        svd=replace(settings.svd, states=point.states),
        estimate=replace(settings.estimate, learner=point.learner),
        em=replace(settings.em, dev=str(dev)),
        tagger=replace(settings.tagger, epochs=0),  # parsing uses gold tags
    )
    return ablate(changed, point.ablation)


def digest_of(settings: Settings, hashes: list[str]) -> str:
    """Hash that identifies a point's result: of the settings that it depends on, and of the hashes of its treebanks."""
    values = training_settings(settings)
    values.get("em", {}).pop("dev", None)  # the hash of its content is included; its path does not matter
    return hashlib.sha256(json.dumps([values, hashes], sort_keys=True).encode()).hexdigest()
