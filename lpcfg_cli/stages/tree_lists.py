"""tree-lists: one part of a treebank → the n best trees of its sentences, by a model of the other parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from lpcfg_cli.config import Settings
from lpcfg_cli.parsing.reranking.archive import LISTS, LISTS_FILE, lists_arrays
from lpcfg_cli.parsing.reranking.lists import join_lists, make_lists
from lpcfg_cli.stages.parts import HELD_OUT_FILE, TRAINING_FILE, model_of_others, settings_of_models
from lpcfg_cli.stages.stage import Stage, StageContext, hashes, save_arrays
from lpcfg_cli.tagging.sentence import InputSettings, Sentence
from lpcfg_cli.tagging.sentences import open_sentences
from lpcfg_cli.treebank.lines import read_lines
from lpcfg_cli.treebank.presets import cleaning


@dataclass(frozen=True)
class TreeListsReport:
    """Size of the lists.

    Attributes
    ----------
    lists, trees : int
    """

    lists: int
    trees: int


def make_tree_lists(context: StageContext) -> TreeListsReport:
    """Train a model of the other parts, and write the lists of this one.

    A run that was interrupted goes on with what it has of the model.
    """
    run, settings = context.run, context.settings
    parser = model_of_others(context, nbest=settings.rerank.trees)
    gold = list(read_lines(run / HELD_OUT_FILE))
    made = make_lists(parser, _sentences(run / HELD_OUT_FILE, settings), gold, context.mapper)
    lists = join_lists(list(context.progress(made, "lists", None, "chunk")))
    save_arrays(TREE_LISTS, context, lists_arrays(lists), inputs=hashes(run, TREE_LISTS.reads))
    parser.forget()
    return TreeListsReport(len(lists), len(lists.trees))


def _sentences(path: Path, settings: Settings) -> Iterator[Sentence]:
    reading = InputSettings(**{**vars(settings.read), "on_error": "stop"}, clean=cleaning(settings))
    for sentence in open_sentences(path, "trees", reading):
        yield sentence.tokens


TREE_LISTS = Stage(
    name="tree-lists",
    summary="Parse one part of a treebank by a model of the others.",
    reads=(TRAINING_FILE, HELD_OUT_FILE),
    file=LISTS_FILE,
    kind=LISTS,
    version=1,
    shaped_by=lambda settings: {"models": settings_of_models(settings), "trees": settings.rerank.trees},
    work=make_tree_lists,
    log=lambda context, report: asdict(report),
)
