"""The results of training on a case, and the tree of a line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from command_line import Outcome
from oracles import leaves, phrases, read_trees

from lpcfg_cli.grammar.archive import load_model
from lpcfg_cli.treebank.archive import load_binary_trees
from lpcfg_cli.treebank.binarize import unbinarize
from lpcfg_cli.treebank.brackets import bracket_strings


@dataclass(frozen=True)
class Run:
    """The results of training on a case."""

    outcome: Outcome
    folder: Path

    @property
    def message(self) -> str:
        """Standard error, each run of blanks as one."""
        assert "Traceback" not in self.outcome.err
        return " ".join(self.outcome.err.split())

    @property
    def has_model(self) -> bool:
        return (self.folder / "model.lpcfg.npz").exists()

    @property
    def trees(self) -> list[str]:
        """The trees that were learnt from, a line each."""
        return list(bracket_strings(unbinarize(load_binary_trees(self.folder)[1])))

    @property
    def symbols(self):
        return load_model(self.folder)[1].symbols

    @property
    def tags(self) -> set[str]:
        return {symbol.tag for symbol in self.symbols if symbol.tag is not None}

    @property
    def categories(self) -> set[str]:
        return {label for symbol in self.symbols if not symbol.is_preterminal for label in symbol.labels}

    @property
    def words(self) -> set[str]:
        return {word for line in self.trees for _, word in leaves(tree_of(line))}


def tree_of(line):
    """The one tree of a line, as nested tuples."""
    (tree,) = read_trees(line)
    return tree


def labels_of(line):
    return [label for label, _ in phrases(tree_of(line))]
