"""A parser whose list of trees is reranked (D12 §4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lpcfg_cli.config import TaggerSettings
from lpcfg_cli.dependency.parser.training import NO_TAGGER
from lpcfg_cli.dependency.reranking.jackknife import ListMaker, RerankPlan, jackknifed_lists, list_maker
from lpcfg_cli.dependency.reranking.learners import train_reranker
from lpcfg_cli.dependency.reranking.linear import LinearReranker, RerankTask
from lpcfg_cli.dependency.trees.sentence import DependencySentence
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.tagging.tagger import Tagger
from lpcfg_cli.tagging.text import TextConventions


@dataclass(frozen=True)
class RerankingParser:
    """Parses as a `DependencyParser` does, and takes the tree of the list that the reranker likes best.

    Attributes
    ----------
    maker : ListMaker
    linear : LinearReranker
    """

    maker: ListMaker
    linear: LinearReranker

    @property
    def tagger(self) -> Tagger | None:
        """The parser's tagger."""
        return self.maker.parser.tagger

    @property
    def conventions(self) -> TextConventions:
        """Of the words of the treebank."""
        return self.maker.parser.conventions

    def parse(self, sentence: DependencySentence) -> DependencySentence:
        """The sentence with the heads and relations of its best tree; words need tags."""
        return self.labelled(sentence, self.k_best(sentence, 1)[0][0])

    def k_best(self, sentence: DependencySentence, k: int) -> list[tuple[np.ndarray, float]]:
        """The k best trees of the parser's list, best first, each with the reranker's score.

        Returns
        -------
        list of ((n,) int32 array, float)
        """
        if not len(sentence):
            return self.maker.parser.k_best(sentence, k)
        lists = self.maker.lists([sentence])
        scores = self.linear.scores(lists)
        return [(lists.heads_of(c), float(scores[c])) for c in np.argsort(-scores, kind="stable")[:k]]

    def labelled(self, sentence: DependencySentence, heads: np.ndarray) -> DependencySentence:
        """The sentence with these heads, int32, (n,), and the likeliest relations."""
        return self.maker.parser.labelled(sentence, heads)

    def tagged(self, sentence: DependencySentence) -> DependencySentence:
        """The sentence with the likeliest tags in place of its own."""
        return self.maker.parser.tagged(sentence)


def train_reranking_parser(
    plan: RerankPlan, tagger: TaggerSettings = NO_TAGGER, workers: Mapper = map
) -> RerankingParser:
    """Train a parser, a latent-variable model, and the reranker that joins them.

    Parameters
    ----------
    plan : RerankPlan
    tagger : TaggerSettings
        How the tagger is trained that raw text needs; by default there is none.
    workers : callable like map
        Spreads the parts of the treebank over processes; results do not depend on it.

    Raises
    ------
    InputError
        The treebank is too small.
    """
    parts = jackknifed_lists(plan, workers)
    maker = list_maker(plan, plan.sentences, tagger)
    return RerankingParser(maker, train_reranker(RerankTask(parts, maker.n_tags, True, plan.rerank, plan.seed)))
