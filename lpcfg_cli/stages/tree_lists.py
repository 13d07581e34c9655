"""tree-lists: one part of a treebank → the n best trees of its sentences, by a model of the other parts."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from lpcfg_cli.config import ReadSettings, Settings, SpanSettings
from lpcfg_cli.parsing.corpora import open_parser
from lpcfg_cli.parsing.reranking.archive import LISTS, LISTS_FILE, lists_arrays
from lpcfg_cli.parsing.reranking.lists import join_lists, make_lists
from lpcfg_cli.stages.run import TREEBANK_STAGES, run_stages
from lpcfg_cli.stages.stage import Stage, StageContext, hashes, save_arrays
from lpcfg_cli.tagging.sentence import InputSettings, Sentence
from lpcfg_cli.tagging.sentences import open_sentences
from lpcfg_cli.treebank.lines import read_lines
from lpcfg_cli.treebank.presets import cleaning

TRAINING_FILE, HELD_OUT_FILE = "train.mrg", "held-out.mrg"

MODEL_FOLDER = "model"
"""The run directory of the model of the other parts, which is removed when the lists are made."""


@dataclass(frozen=True)
class TreeListsReport:
    """Size of the lists.

    Attributes
    ----------
    lists, trees : int
    """

    lists: int
    trees: int


def fold_settings(settings: Settings) -> Settings:
    """The settings of a model of some parts: no tagger, since lists are of words with their tags, and no span model."""
    return replace(settings, tagger=replace(settings.tagger, epochs=0), read=ReadSettings(), spans=SpanSettings())


def make_tree_lists(context: StageContext) -> TreeListsReport:
    """Train a model of the other parts, and write the lists of this one.

    A run that was interrupted goes on with what it has of the model.
    """
    run, settings = context.run, context.settings
    model = run / MODEL_FOLDER
    run_stages(TREEBANK_STAGES, replace(context, run=model, roots=[run / TRAINING_FILE], sections=None))
    parser = open_parser(model, {"nbest": settings.rerank.trees})
    gold = list(read_lines(run / HELD_OUT_FILE))
    made = make_lists(parser, _sentences(run / HELD_OUT_FILE, settings), gold, context.mapper)
    lists = join_lists(list(context.progress(made, "lists", None, "chunk")))
    parser.forget()
    save_arrays(TREE_LISTS, context, lists_arrays(lists), inputs=hashes(run, TREE_LISTS.reads))
    shutil.rmtree(model)
    return TreeListsReport(len(lists), len(lists.trees))


def _sentences(path: Path, settings: Settings) -> Iterator[Sentence]:
    reading = InputSettings(**{**vars(settings.read), "on_error": "stop"}, clean=cleaning(settings))
    for sentence in open_sentences(path, "trees", reading):
        yield sentence.tokens


def model_settings(settings: Settings) -> dict[str, Any]:
    """All settings that a model depends on, by stage; JSON-ready."""
    return {stage.name: stage.shaped_by(settings) for stage in TREEBANK_STAGES if stage.is_wanted(settings)}


TREE_LISTS = Stage(
    name="tree-lists",
    summary="Parse one part of a treebank by a model of the others.",
    reads=(TRAINING_FILE, HELD_OUT_FILE),
    file=LISTS_FILE,
    kind=LISTS,
    version=1,
    shaped_by=lambda settings: {"models": model_settings(settings), "trees": settings.rerank.trees},
    work=make_tree_lists,
    log=lambda context, report: asdict(report),
)
