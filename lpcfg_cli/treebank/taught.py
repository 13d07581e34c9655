"""The file form of trees that a teacher gave to raw text: ``taught.mrg``, and ``taught.json`` with their posteriors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lpcfg_cli.config import CleanSettings
from lpcfg_cli.errors import NotAnArtefactError
from lpcfg_cli.storage.artefacts import Kind, check_parents, read_json
from lpcfg_cli.treebank.brackets import join_texts, treebank_from_text
from lpcfg_cli.treebank.clean import clean
from lpcfg_cli.treebank.files import read_text
from lpcfg_cli.treebank.trees import StringTable, Treebank, renumbered

TAUGHT_TREES_FILE = "taught.mrg"
TAUGHT_FILE = "taught.json"

TAUGHT = Kind("lpcfg-taught", 1, 1, "train")


@dataclass(frozen=True)
class TaughtTrees:
    """Trees of raw text.

    Attributes
    ----------
    trees : Treebank
        Without null trees.
    confidence : ndarray of float64, shape (n_trees,)
        Mean posterior of the brackets of each sentence's best tree.
    share : ndarray of float64, shape (n_trees,)
        Share of each tree in the weight of its sentence; those of a sentence sum to 1.
    """

    trees: Treebank
    confidence: np.ndarray
    share: np.ndarray

    def confident(self, least: float) -> TaughtTrees:
        """The trees of sentences with at least this confidence."""
        kept = np.flatnonzero(self.confidence >= least)
        return TaughtTrees(self.trees.subset(kept), self.confidence[kept], self.share[kept])


_NO_NODES = np.zeros(0, np.int32)
NO_TAUGHT_TREES = TaughtTrees(
    Treebank(_NO_NODES, _NO_NODES, _NO_NODES, np.zeros(1, np.int64), []), np.zeros(0), np.zeros(0)
)


def load_taught_trees(run: Path, wrappers: tuple[str, ...]) -> TaughtTrees:
    """Read the taught trees of a run directory.

    Parameters
    ----------
    run : Path
    wrappers : tuple of str
        Labels of roots that are no phrases, as in `CleanSettings`.

    Raises
    ------
    InputError, ArtefactError
        A file is missing, cannot be used, or does not belong to the other.
    """
    path = run / TAUGHT_FILE
    header, content = read_json(path, TAUGHT)
    check_parents(path, TAUGHT, header)
    trees = treebank_from_text(read_text(run / TAUGHT_TREES_FILE), str(run / TAUGHT_TREES_FILE))
    cleaned, report = clean(trees, CleanSettings(strip_functions=False, wrappers=wrappers))
    try:
        confidence, share = (np.array(content[name], float) for name in ("confidence", "share"))
        fits = confidence.shape == share.shape == (cleaned.n_trees,) and not report.null_trees
    except (KeyError, TypeError, ValueError):
        fits = False
    if not fits:
        raise NotAnArtefactError(f"{path}: does not fit to {TAUGHT_TREES_FILE}. Run `lpcfg {TAUGHT.command}` again.")
    return TaughtTrees(cleaned, confidence, share)


def joined(first: Treebank, second: Treebank) -> Treebank:
    """The trees of the first treebank, then those of the second."""
    if second.n_trees == 0:
        return first
    strings = StringTable({name: k for k, name in enumerate(first.strings)})
    label, word = (renumbered(numbers, second.strings, strings) for numbers in (second.label, second.word))
    return join_texts([first, Treebank(label, word, second.parent, second.tree_start, list(strings))], strings)
