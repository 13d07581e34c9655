"""Conversion of treebanks: trees cleaned, binarized or unbinarized."""

from __future__ import annotations

from dataclasses import dataclass

from lpcfg_cli.config import Settings
from lpcfg_cli.errors import InputError
from lpcfg_cli.treebank.binary_trees import binary_trees, intermediate_roots, unbinarized_trees
from lpcfg_cli.treebank.clean import clean
from lpcfg_cli.treebank.files import TreeFiles
from lpcfg_cli.treebank.heads import load_head_rules
from lpcfg_cli.treebank.places import places_of_trees
from lpcfg_cli.treebank.presets import cleaning
from lpcfg_cli.treebank.trees import Treebank


@dataclass(frozen=True)
class Steps:
    """What is done to the trees, in this order.

    Attributes
    ----------
    unbinarize : bool
        Whether to undo an earlier conversion with `binarize`.
    clean : bool
        Whether to clean them as training does.
    binarize : bool
        Whether to binarize them.
    """

    unbinarize: bool = False
    clean: bool = False
    binarize: bool = False


def converted(files: TreeFiles, steps: Steps, settings: Settings) -> Treebank:
    """The trees of some files after the steps.

    Raises
    ------
    InputError
        A tree that is to be unbinarized has a root that binarization made, or the head rules cannot be read.
    """
    trees = files.trees
    if steps.unbinarize:
        bad = places_of_trees(files, intermediate_roots(trees)[:1])
        if bad:
            hint = "Only trees of `lpcfg convert --binarize` can be unbinarized."
            raise InputError(f"{bad[0]}: a root whose label begins with @, as no root of a binarized tree does. {hint}")
        trees = unbinarized_trees(trees)
    if steps.clean:
        trees, _ = clean(trees, cleaning(settings))
    if steps.binarize:
        trees = binary_trees(trees, settings.binarize, load_head_rules(settings.binarize.head_rules))
    return trees
