"""The chain of training: the table of stages, the choice of stages by settings, and their execution in order."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from lpcfg_cli.config import Settings, Table
from lpcfg_cli.learning.learners import learner_of
from lpcfg_cli.parsing.reranking.archive import RERANKER_FILE
from lpcfg_cli.stages.features import EXTRACTION
from lpcfg_cli.stages.rerank import RERANKING
from lpcfg_cli.stages.run import TREEBANK_STAGES, run_stages
from lpcfg_cli.stages.settings_file import write_settings
from lpcfg_cli.stages.spans import SPANNING
from lpcfg_cli.stages.stage import Stage, StageContext, StageOutcome, do_stage
from lpcfg_cli.stages.teach import TEACHING
from lpcfg_cli.storage.files import directory_for_work
from lpcfg_cli.storage.lock import LOCK_FILE

_FIRST_OF_GRAMMARS = TREEBANK_STAGES.index(EXTRACTION)

STAGES: Table[Stage] = Table(
    "stage",
    TEACHING,
    *TREEBANK_STAGES[:_FIRST_OF_GRAMMARS],
    SPANNING,
    *TREEBANK_STAGES[_FIRST_OF_GRAMMARS:],
    RERANKING,
)
"""In the order in which training runs them.  The span model becomes a part of the model file, so it comes before."""


def chain(settings: Settings) -> list[Stage]:
    """The stages of training with these settings, in order."""
    return [stage for stage in STAGES.values() if stage.is_wanted(settings)]


def train(context: StageContext, after: Callable[[StageOutcome], None] = lambda outcome: None) -> list[StageOutcome]:
    """Train a model from a treebank, and from raw text if any; stages whose files are current are skipped.

    A reranker of an earlier run is removed if none is wanted, since parsing would use it.  Parameters and errors are
    those of `run_stages`.
    """
    outcomes = run_stages(STAGES.values(), context, after)
    if not RERANKING.is_wanted(context.settings):
        (context.run / RERANKER_FILE).unlink(missing_ok=True)
    return outcomes


def run_alone(stage: Stage, context: StageContext) -> Any:
    """Do one stage's work and record the settings used; returns its report."""
    is_first = not stage.reads
    with directory_for_work(context.run, [LOCK_FILE]) if is_first else nullcontext():
        report = do_stage(stage, context)
    write_settings(context.run, context.settings)
    return report


def training_settings(settings: Settings) -> dict[str, Any]:
    """Exactly the settings that the model made by `train` depends on, JSON-ready."""
    settings = learner_of(settings).adapted(settings)
    found: dict[str, Any] = {"seed": settings.seed}
    for stage in chain(settings):
        found |= stage.shaped_by(settings)
    return found
