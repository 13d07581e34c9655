"""Summary of an experiment: means over seeds, the best m of each learner, the effects of ablations."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lpcfg_cli.execution.stopwatch import NO_TIME, Spent
from lpcfg_cli.experiments.experiment_grid import ABLATED, GridResult


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation of some values.

    Attributes
    ----------
    mean : float
    sd : float or None
        Sample standard deviation (divisor n - 1); None for a single value.
    """

    mean: float
    sd: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Mean and standard deviation of one or more values."""
        return cls(statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None)


@dataclass(frozen=True)
class LearnerScore:
    """The results of a learner at one m, over its seeds.

    Attributes
    ----------
    learner : str
    states : int
    runs : list of GridResult
    """

    learner: str
    states: int
    runs: list[GridResult]

    @property
    def f1(self) -> Spread:
        """F1 on the dev trees."""
        return Spread.of([run.f1 for run in self.runs])

    @property
    def iterations(self) -> list[int]:
        """The chosen iterations of EM; empty for learners without EM."""
        return [run.chosen for run in self.runs if run.chosen is not None]

    @property
    def training(self) -> Spent:
        """Mean time of training."""
        return mean_time(run.training for run in self.runs)

    @property
    def stages(self) -> dict[str, Spent]:
        """Mean time of each stage."""
        return {stage: mean_time(run.stages[stage] for run in self.runs) for stage in self.runs[0].stages}

    @property
    def step(self) -> Spent | None:
        """Mean time of a step of EM; None for learners without EM."""
        steps = [run.step for run in self.runs if run.step is not None]
        return mean_time(steps) if steps else None

    def as_dict(self) -> dict[str, Any]:
        """The means, JSON-ready."""
        return {
            "learner": self.learner,
            "states": self.states,
            "seeds": len(self.runs),
            "f1": asdict(self.f1),
            "iterations": self.iterations,
            "training": asdict(self.training),
            "step": asdict(self.step) if self.step else None,
        }


@dataclass(frozen=True)
class ChosenScore:
    """F1 on the test trees at the m that the dev trees chose.

    Attributes
    ----------
    learner : str
    states : int
    f1 : Spread
    """

    learner: str
    states: int
    f1: Spread


@dataclass(frozen=True)
class AblationScore:
    """The effect of one ablation of the spectral learner.

    Attributes
    ----------
    result : GridResult
    against : str
        The ablation it is compared with; empty for the unchanged settings.
    difference : float
        Its F1 minus that of the other.
    p_value : float
        p-value of the difference, by approximate randomization over the dev sentences.
    """

    result: GridResult
    against: str
    difference: float
    p_value: float

    def as_dict(self) -> dict[str, Any]:
        """The score, JSON-ready."""
        point = {"ablation": self.result.point.ablation, "states": self.result.point.states, "f1": self.result.f1}
        return {**point, "against": self.against, "difference": self.difference, "p_value": self.p_value}


@dataclass(frozen=True)
class ExperimentReport:
    """All results and their summaries.

    Attributes
    ----------
    results : list of GridResult
    learners : list of LearnerScore
    tests : list of ChosenScore
        Empty without test trees.
    ablations : list of AblationScore
    """

    results: list[GridResult]
    learners: list[LearnerScore]
    tests: list[ChosenScore]
    ablations: list[AblationScore]

    @property
    def clock(self) -> str:
        """The field of `Spent` to report: CPU seconds, unless several processes shared the work."""
        return "cpu_seconds" if all(result.is_alone for result in self.results) else "seconds"

    @property
    def clock_name(self) -> str:
        """The name of that field for people."""
        return "CPU seconds" if self.clock == "cpu_seconds" else "Seconds"

    def seconds(self, spent: Spent) -> float:
        """The value of that field."""
        return float(getattr(spent, self.clock))

    def slower(self, score: LearnerScore) -> float | None:
        """Training time divided by that of the spectral learner at the same m; None if that was not run."""
        for other in self.learners:
            if (other.learner, other.states) == (ABLATED, score.states) and self.seconds(other.training) > 0:
                return self.seconds(score.training) / self.seconds(other.training)
        return None

    def as_dict(self) -> dict[str, Any]:
        """The whole report, JSON-ready."""
        return {
            "clock": self.clock,
            "learners": [{**score.as_dict(), "times_spectral": self.slower(score)} for score in self.learners],
            "test": [asdict(score) for score in self.tests],
            "ablations": [score.as_dict() for score in self.ablations],
            "results": [result.as_dict() for result in self.results],
        }


def learner_scores(results: Iterable[GridResult]) -> list[LearnerScore]:
    """The results without ablations, grouped by learner, in order of appearance, and by m."""
    groups: dict[tuple[str, int], list[GridResult]] = {}
    for result in results:
        if not result.point.ablation:
            groups.setdefault((result.point.learner, result.point.states), []).append(result)
    learners = list(dict.fromkeys(learner for learner, _ in groups))
    ordered = sorted(groups, key=lambda group: (learners.index(group[0]), group[1]))
    return [LearnerScore(learner, states, groups[learner, states]) for learner, states in ordered]


def best_states(scores: Iterable[LearnerScore]) -> list[LearnerScore]:
    """The score of each learner at the m with the best mean dev F1; among equals the smallest m."""
    best: dict[str, LearnerScore] = {}
    for score in scores:
        other = best.setdefault(score.learner, score)
        if (score.f1.mean, -score.states) > (other.f1.mean, -other.states):
            best[score.learner] = score
    return list(best.values())


def mean_time(times: Iterable[Spent]) -> Spent:
    """The mean of one or more times."""
    every = list(times)
    total = sum(every, NO_TIME)
    return Spent(total.seconds / len(every), total.cpu_seconds / len(every))
