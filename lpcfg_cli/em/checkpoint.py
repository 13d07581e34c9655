"""A file from which EM resumes after an interruption."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Generic

import numpy as np

from lpcfg_cli.em.loop import EmStep, P
from lpcfg_cli.em.monitor import EmRecord, EmState
from lpcfg_cli.errors import LpcfgError
from lpcfg_cli.execution.stopwatch import Spent
from lpcfg_cli.storage.artefacts import Array, Kind, read_arrays, write_arrays

CHECKPOINT_FILE = "em.npz"
CHECKPOINT = Kind("lpcfg-em", 3, 3, "estimate")

BEST = "best_"
"""Prefix of the array names of the best parameters."""


@dataclass(frozen=True)
class Checkpoint(Generic[P]):
    """A file with an `EmState`, valid only for the same settings, seed and inputs.

    Attributes
    ----------
    path : Path or None
        None to save nothing.
    parameters : type
        The dataclass of the parameters.
    sizes : mapping of str to int
        Length of each of its arrays, which have one dimension.
    settings : dict
        All settings that the iterations depend on, JSON-ready.
    seed : int
    inputs : dict of str to str
        SHA-256 of each input file.
    """

    path: Path | None
    parameters: type[P]
    sizes: Mapping[str, int]
    settings: dict[str, Any]
    seed: int
    inputs: dict[str, str]

    @property
    def names(self) -> list[str]:
        """Names of the parameters' arrays."""
        return [field.name for field in fields(self.parameters)]  # type: ignore[arg-type]

    def save(self, state: EmState[P]) -> None:
        """Write the file, whole or not at all."""
        if self.path is None:
            return
        records, last = state.records, state.step.parameters
        scores = np.array([r.dev_score is not None for r in records])
        arrays = {name: Array(getattr(last, name), (name,)) for name in self.names}
        for name in self.names:  # parameters that are both the last and the best are written once
            best = np.zeros(0) if state.best is last else getattr(state.best, name)
            arrays[f"{BEST}{name}"] = Array(best, (f"{BEST}{name}",))
        columns = {
            "log_likelihood": [r.log_likelihood for r in records],
            "bound": [r.bound for r in records],
            "dev_score": [r.dev_score or 0.0 for r in records],
            "seconds": [r.spent.seconds for r in records],
            "cpu_seconds": [r.spent.cpu_seconds for r in records],
        }
        arrays |= {name: Array(np.array(values), ("iteration",)) for name, values in columns.items()}
        arrays["is_scored"] = Array(scores, ("iteration",))
        write_arrays(self.path, CHECKPOINT, arrays, self.settings, self.seed, self.inputs)

    def load(self) -> EmState[P] | None:
        """The saved state; None if there is none, or if it is of other settings, seed or inputs."""
        if self.path is None:
            return None
        try:
            header, arrays = read_arrays(self.path, CHECKPOINT)
        except LpcfgError:
            return None
        is_same = header.settings == self.settings and header.seed == self.seed and header.inputs == self.inputs
        if not is_same or any(len(arrays[name]) != size for name, size in self.sizes.items()):
            return None
        names = ("log_likelihood", "bound", "dev_score", "is_scored", "seconds", "cpu_seconds")
        columns = zip(*(arrays[name].tolist() for name in names), strict=True)
        records = [
            EmRecord(k, likelihood, bound, score if is_scored else None, Spent(*spent))
            for k, (likelihood, bound, score, is_scored, *spent) in enumerate(columns)
        ]
        last, best = (
            self.parameters(**{name: arrays[f"{prefix}{name}"] for name in self.names}) for prefix in ("", BEST)
        )
        is_last = len(arrays[f"{BEST}{self.names[0]}"]) == 0
        step = EmStep(records[-1].iteration, records[-1].log_likelihood, records[-1].bound, last)
        return EmState(step, records, last if is_last else best)
