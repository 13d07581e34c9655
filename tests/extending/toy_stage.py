"""A stage in one file: counts the trees of a run."""

from __future__ import annotations

from dataclasses import dataclass

from lpcfg_cli.stages.stage import Stage, StageContext, save_json, sections
from lpcfg_cli.storage.artefacts import Kind
from lpcfg_cli.treebank.archive import SYMBOLS_FILE, TREES_FILE, load_binary_trees


@dataclass(frozen=True)
class Tally:
    """How many trees and words there are."""

    trees: int
    words: int


def tally(context: StageContext) -> Tally:
    """Count trees and words, and write the counts."""
    _, trees = load_binary_trees(context.run)
    report = Tally(trees.n_trees, int(trees.sentence_lengths().sum()))
    save_json(TOY, context, {"trees": report.trees, "words": report.words})
    return report


TOY = Stage(
    name="tally",
    summary="Count trees and words.",
    reads=(TREES_FILE, SYMBOLS_FILE),
    file="tally.json",
    kind=Kind("toy-tally", 1, 1, "tally"),
    version=1,
    shaped_by=sections("binarize"),
    work=tally,
)
