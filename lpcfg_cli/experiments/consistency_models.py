"""The table of kinds of known models that ``lpcfg consistency`` learns from samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lpcfg_cli.config import Settings, Table
from lpcfg_cli.execution.progress import Progress
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.experiments.consistency import ConsistencyReport, run_consistency
from lpcfg_cli.experiments.dependency_consistency import run_dependency_consistency
from lpcfg_cli.experiments.hmm_consistency import run_hmm_consistency


@dataclass(frozen=True)
class ConsistencyModel:
    """A kind of known models.

    Attributes
    ----------
    name : str
        Value of ``consistency.model``.
    summary : str
        One line for help pages.
    observations : str
        What is sampled, in the plural.
    has_nonterminals : bool
        Whether the models have nonterminals, which warnings name.
    run : function of (Settings, Mapper, Progress) to ConsistencyReport
    """

    name: str
    summary: str
    observations: str
    has_nonterminals: bool
    run: Callable[[Settings, Mapper, Progress], ConsistencyReport]


CONSISTENCY_MODELS: Table[ConsistencyModel] = Table(
    "consistency model",
    ConsistencyModel("lpcfg", "L-PCFGs, from trees", "trees", True, run_consistency),
    ConsistencyModel("hmm", "HMMs, from sequences", "sequences", False, run_hmm_consistency),
    ConsistencyModel("dependency", "dependency trees", "trees", False, run_dependency_consistency),
)
