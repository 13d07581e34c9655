"""Lists of candidates: of new sentences, and of a treebank's own, each part by models of the other parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from lpcfg_cli.arrays.ragged import positions_of
from lpcfg_cli.config import DependencyModelSettings, DependencyParserSettings, DependencyRerankSettings, TaggerSettings
from lpcfg_cli.dependency.latent.model import TreeModel
from lpcfg_cli.dependency.latent.scoring import tree_log_probabilities
from lpcfg_cli.dependency.latent.training import learn_tree_model
from lpcfg_cli.dependency.latent.tree_arrays import TreeArrays
from lpcfg_cli.dependency.parser.dependency_parser import DependencyParser
from lpcfg_cli.dependency.parser.training import NO_TAGGER, train_parser
from lpcfg_cli.dependency.reranking.lists import CandidateLists, lists_of
from lpcfg_cli.dependency.trees.punctuation import PUNCTUATION
from lpcfg_cli.dependency.trees.sentence import DependencySentence
from lpcfg_cli.errors import InputError
from lpcfg_cli.execution.workers import Mapper


@dataclass(frozen=True)
class RerankPlan:
    """What the models of a reranker are learnt from, and how.

    Attributes
    ----------
    sentences : sequence of DependencySentence
        With heads, none of them without words.
    parser : DependencyParserSettings
    model : DependencyModelSettings
    rerank : DependencyRerankSettings
    seed : int
    """

    sentences: Sequence[DependencySentence]
    parser: DependencyParserSettings
    model: DependencyModelSettings
    rerank: DependencyRerankSettings
    seed: int = 0

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of the sentences, sorted."""
        return tuple(sorted({tag for sentence in self.sentences for tag in sentence.tags}))

    @property
    def fold_of(self) -> np.ndarray:
        """The part of each sentence: ranges of the treebank, so that few documents are in two; int64, shape (S,)."""
        return np.arange(len(self.sentences)) * self.rerank.folds // len(self.sentences)


@dataclass(frozen=True)
class ListMaker:
    """Makes the lists of candidates of sentences.

    Attributes
    ----------
    parser : DependencyParser
    model : TreeModel or None
        Without one there are no log-probabilities.
    tags : tuple of str
    candidates : int
        k: largest number of trees of a sentence.
    punctuation : str
        A name of `PUNCTUATION`: its words are not counted as errors.
    """

    parser: DependencyParser
    model: TreeModel | None
    tags: tuple[str, ...]
    candidates: int
    punctuation: str

    @property
    def n_tags(self) -> int:
        """T: the tags, the tag of others, and that of the root."""
        return len(self.tags) + 2

    def lists(self, sentences: Sequence[DependencySentence]) -> CandidateLists:
        """The lists of sentences with tags and at least one word."""
        found = [self.parser.k_best(sentence, self.candidates) for sentence in sentences]
        is_punctuation = map(PUNCTUATION[self.punctuation].of_words, sentences)
        counted = [~np.array(own, bool) for own in is_punctuation]
        lists = lists_of(sentences, found, {tag: number for number, tag in enumerate(self.tags)}, counted)
        if self.model is None:
            return lists
        return replace(lists, log_probabilities=candidate_logs(self.model, sentences, lists))


def candidate_logs(model: TreeModel, sentences: Sequence[DependencySentence], lists: CandidateLists) -> np.ndarray:
    """ln p of each candidate by a model; float64, shape (C,)."""
    first = [replace(one, heads=lists.heads_of(c)) for one, c in zip(sentences, lists.first[:-1], strict=True)]
    words = model.arrays(first)
    owner = np.repeat(np.arange(len(lists)), np.diff(lists.first))
    symbols = words.symbols[positions_of(words.offsets, owner)]
    return tree_log_probabilities(model, TreeArrays(symbols, lists.heads, lists.start))


def jackknifed_lists(plan: RerankPlan, workers: Mapper = map) -> list[CandidateLists]:
    """The lists of each part of a treebank, by a parser and a model of the other parts (D12 §4.3).

    Parameters
    ----------
    plan : RerankPlan
    workers : callable like map
        Spreads the parts over processes; results do not depend on it.

    Raises
    ------
    InputError
        There are fewer sentences than parts.
    """
    if len(plan.sentences) < plan.rerank.folds:
        raise InputError(
            f"{len(plan.sentences)} sentences for {plan.rerank.folds} parts (--folds): lists for training need more."
        )
    return list(workers(partial(_part_lists, plan), range(plan.rerank.folds)))


def _part_lists(plan: RerankPlan, fold: int) -> CandidateLists:
    parts = list(zip(plan.fold_of, plan.sentences, strict=True))
    own, others = ([one for part, one in parts if (part == fold) == is_own] for is_own in (True, False))
    return list_maker(plan, others).lists(own)


def list_maker(
    plan: RerankPlan, sentences: Sequence[DependencySentence], tagger: TaggerSettings = NO_TAGGER
) -> ListMaker:
    """A maker of lists by a parser and a model of some sentences; by default the parser has no tagger."""
    parser = train_parser(sentences, plan.parser, seed=plan.seed, tagger=tagger)
    model = learn_tree_model(sentences, plan.model, plan.seed)
    return ListMaker(parser, model, plan.tags, plan.rerank.candidates, plan.rerank.punctuation)


def with_words(sentences: Iterable[DependencySentence]) -> list[DependencySentence]:
    """The sentences that have words: others have one tree, of which nothing can be learnt."""
    return [sentence for sentence in sentences if len(sentence)]
