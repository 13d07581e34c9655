"""Settings of reranking the n best trees of a constituency parser."""

from __future__ import annotations

from dataclasses import dataclass

from lpcfg_cli.config.fields import at_least, setting


@dataclass(frozen=True)
class RerankSettings:
    """Whether a reranker is learnt, and from what lists of trees.

    Attributes
    ----------
    use : bool
        Whether training learns one.
    folds : int
        Parts of the treebank; the lists of each are made by a model of the other parts.
    trees : int
        Largest number of trees of a list, in training and in parsing.
    least : int
        Features are learnt in which the trees of at least so many lists differ.
    """

    use: bool = setting(False, "Learn to rerank the best trees, too; trains models of parts first.", "--rerank")
    folds: int = setting(5, "Parts of the treebank for --rerank.", "--rerank-folds", metavar="K")
    trees: int = setting(20, "Trees of a list for --rerank.", "--rerank-trees", metavar="N")
    least: int = 5

    def __post_init__(self) -> None:
        at_least("rerank.folds", self.folds, 2)
        at_least("rerank.trees", self.trees, 2)
        at_least("rerank.least", self.least, 1)
