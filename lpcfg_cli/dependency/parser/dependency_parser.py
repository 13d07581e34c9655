"""A graph-based parser of projective dependency trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from lpcfg_cli.dependency.parser.chart_kernels import best_tree, best_trees
from lpcfg_cli.dependency.parser.encoding import sentence_rows
from lpcfg_cli.dependency.parser.feature_kernels import part_scores
from lpcfg_cli.dependency.parser.orders import ORDERS
from lpcfg_cli.dependency.parser.plan_kernels import make_plan
from lpcfg_cli.dependency.parser.relations import RelationModel
from lpcfg_cli.dependency.parser.weights import TEMPLATES
from lpcfg_cli.dependency.trees.sentence import EMPTY, DependencySentence
from lpcfg_cli.tagging.tagger import Tagger
from lpcfg_cli.tagging.text import TextConventions

BETWEEN_TAGS = "\t"
"""Stands between fine and coarse tag in the tags of the tagger: no tag has a tab."""


@dataclass(frozen=True)
class DependencyParser:
    """The tree of a sentence is the projective one whose parts have the largest sum of weights of features.

    Attributes
    ----------
    order : str
        A name of `lpcfg_cli.dependency.parser.orders.ORDERS`.
    has_one_root : bool
        Whether the root has one child.
    weight : (2 ** bits,) float32 array
        Of the features of parts.
    coarse : mapping of str to str
        The coarse tag of each fine one; empty if the treebank has only one kind of tags.
    relations : RelationModel
    tagger : Tagger or None
        Its tags are fine tags, or fine and coarse ones with `BETWEEN_TAGS`.
    conventions : TextConventions
        Of the words of the treebank.
    """

    order: str
    has_one_root: bool
    weight: np.ndarray
    coarse: Mapping[str, str]
    relations: RelationModel
    tagger: Tagger | None
    conventions: TextConventions

    def parse(self, sentence: DependencySentence) -> DependencySentence:
        """The sentence with the heads and relations of its best tree; words need tags.  O(n³) time."""
        n = len(sentence)
        if not n:
            return replace(sentence, heads=np.zeros(0, np.int32), relations=())
        rows = sentence_rows(sentence, self.coarse)
        return self._labelled(sentence, rows, best_tree(self._plan(n), self._scores(rows), n))

    def k_best(self, sentence: DependencySentence, k: int) -> list[tuple[np.ndarray, float]]:
        """The k best trees, best first, each with its score; fewer if the sentence has fewer trees.

        Returns
        -------
        list of ((n,) int32 array, float)
        """
        n = len(sentence)
        if not n:
            return [(np.zeros(0, np.int32), 0.0)]
        scores = self._scores(sentence_rows(sentence, self.coarse))
        heads, totals = best_trees(self._plan(n), scores, n, k)
        return list(zip(heads, totals.tolist(), strict=True))

    def labelled(self, sentence: DependencySentence, heads: np.ndarray) -> DependencySentence:
        """The sentence with these heads, int32, (n,), and the likeliest relations."""
        return self._labelled(sentence, sentence_rows(sentence, self.coarse), heads) if len(sentence) else sentence

    def tagged(self, sentence: DependencySentence) -> DependencySentence:
        """The sentence with the likeliest tags in place of its own."""
        assert self.tagger is not None, "the parser was trained with a tagger"
        pairs = [tag.split(BETWEEN_TAGS) for tag in self.tagger.best_tags(sentence.forms)]
        fine, coarse = tuple(pair[0] for pair in pairs), tuple(pair[-1] for pair in pairs)
        return replace(sentence, tags=fine, columns={**sentence.columns, "upos": coarse, "xpos": fine})

    def _labelled(self, sentence: DependencySentence, rows: np.ndarray, heads: np.ndarray) -> DependencySentence:
        return replace(sentence, heads=heads, relations=self.relations.best(rows, heads))

    def _plan(self, n: int) -> np.ndarray:
        return make_plan(n, ORDERS[self.order].has_siblings, self.has_one_root)

    def _scores(self, rows: np.ndarray) -> np.ndarray:
        return part_scores(rows, self.weight, TEMPLATES, ORDERS[self.order].has_siblings)


def flat_tree(sentence: DependencySentence) -> DependencySentence:
    """The sentence with each word the head of the word after it, and no relations: for one that cannot be parsed."""
    n = len(sentence)
    return replace(sentence, heads=np.arange(n, dtype=np.int32), relations=(EMPTY,) * n)
