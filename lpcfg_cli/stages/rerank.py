"""rerank: lists of all parts of the treebank, each by a model of the others → a reranker for the run's model."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from lpcfg_cli.config import Settings
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.grammar.archive import MODEL_FILE
from lpcfg_cli.parsing.reranking.archive import (
    RERANKER,
    RERANKER_FILE,
    load_lists,
    reranker_arrays,
    reranker_settings,
)
from lpcfg_cli.parsing.reranking.learning import RerankedLists, learn_reranker
from lpcfg_cli.stages.binarize import source_hashes
from lpcfg_cli.stages.parts import part_settings, run_part, settings_of_models, write_parts
from lpcfg_cli.stages.stage import Stage, StageContext, hashes, save_arrays
from lpcfg_cli.stages.tree_lists import TREE_LISTS
from lpcfg_cli.treebank.archive import SYMBOLS_FILE, TREES_FILE
from lpcfg_cli.treebank.heads import load_head_rules

FOLDER = "reranking"
"""Folder of a run directory with the lists of each part."""


@dataclass(frozen=True)
class RerankReport:
    """What was learnt, and what it gains.

    Attributes
    ----------
    lists, trees : int
        Lists, and trees of all lists.
    features : int
    bytes : int
        Size of the reranker's file.
    held_out : RerankedLists
        Scores of lists that are reranked by what is learnt from the other parts.
    """

    lists: int
    trees: int
    features: int
    bytes: int
    held_out: RerankedLists


def rerank(context: StageContext) -> RerankReport:
    """Make the lists that are not made yet, and learn the reranker from them.

    Raises
    ------
    ConfigError
        The treebank has fewer trees than parts, or parts have no trees to choose among.
    """
    run, settings = context.run, context.settings
    n_folds = settings.rerank.folds
    own = part_settings(settings)
    files = (run_part(TREE_LISTS, context, folder, own) for folder in write_parts(run, FOLDER, n_folds))
    lists = map(load_lists, context.progress(files, "rerank", n_folds, "part"))
    parts = [part for part in lists if len(part)]
    if len(parts) < 2:
        raise ConfigError(
            f"--rerank: the models of parts of {run / TREES_FILE} have trees for {len(parts)} of {n_folds} parts; "
            "expected at least 2. Give a larger treebank."
        )
    reranker, held_out = learn_reranker(parts, settings.rerank, load_head_rules(settings.binarize.head_rules))
    made = {"reranker": reranker_settings(reranker, run / MODEL_FILE), "decoder": settings.parse.decoder}
    save_arrays(RERANKING, context, reranker_arrays(reranker), made, hashes(run, RERANKING.reads))
    n_lists, n_trees = sum(map(len, parts)), sum(len(part.trees) for part in parts)
    size = (run / RERANKER_FILE).stat().st_size
    return RerankReport(n_lists, n_trees, len(reranker.features), size, held_out)


def _shaping(settings: Settings) -> dict[str, Any]:
    return {"models": settings_of_models(part_settings(settings)), "rerank": asdict(settings.rerank)}


RERANKING = Stage(
    name="rerank",
    summary="Learn to rerank the best trees of the model.",
    reads=(TREES_FILE, SYMBOLS_FILE, MODEL_FILE),
    file=RERANKER_FILE,
    kind=RERANKER,
    version=1,
    shaped_by=_shaping,
    work=rerank,
    flags=("rerank",),
    sources=lambda context: {"sources": source_hashes([], context.settings)},
    is_wanted=lambda settings: settings.rerank.use,
    log=lambda context, report: asdict(report),
)
