"""tune: choose settings by their F1 on held-out trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lpcfg_cli.config import RerankSettings, Settings, tuned_settings
from lpcfg_cli.evaluation.evaluate import with_defined_f1
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.experiments.cross_validation import cross_validate, score_folds


@dataclass(frozen=True)
class Trial:
    """The score of one entry of ``tune.vary``.

    Attributes
    ----------
    entry : dict
        The entry.
    f1 : float
        F1 on all held-out trees together, in percent.
    """

    entry: dict[str, Any]
    f1: float


def tune(
    roots: Sequence[Path],
    settings: Settings,
    sections: str | None = None,
    mapper: Mapper = map,
    tell: Callable[[Trial], None] = lambda trial: None,
) -> tuple[Settings, list[Trial]]:
    """Try every entry of ``tune.vary``, and return the settings with the best one.

    Parameters
    ----------
    roots : sequence of Path
    settings : Settings
    sections : str, optional
    mapper : callable like map
    tell : function of Trial
        Called after each trial.

    Returns
    -------
    Settings
        Those of the trial with the best F1; of the first among equals.
    list of Trial
        All trials.

    Raises
    ------
    ConfigError
        An entry is not valid, or ``tune.folds`` and ``tune.only`` do not fit the treebank.
    InputError
        A trial has no valid sentence or no bracket, so that it has no F1.
    """
    candidates = [tuned_settings(settings, entry) for entry in settings.tune.vary]
    trials = []
    for entry, candidate in zip(settings.tune.vary, candidates, strict=True):
        alone = replace(candidate, rerank=RerankSettings())  # a reranker takes several times as long
        with TemporaryDirectory(prefix="lpcfg-") as scratch:
            plan = (settings.tune.folds, settings.tune.only, sections, mapper)
            parts = list(cross_validate(roots, Path(scratch), alone, *plan))
            trials.append(Trial(entry, with_defined_f1(score_folds(parts, Path(scratch))).f1))
        tell(trials[-1])
    best = max(range(len(trials)), key=lambda k: trials[k].f1)
    return candidates[best], trials
