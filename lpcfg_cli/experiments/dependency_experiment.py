"""lpcfg dep experiment: parsers of dependency trees with and without rerankers, as D12 Table 1."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from lpcfg_cli.config import Settings
from lpcfg_cli.dependency.parser.orders import ORDERS
from lpcfg_cli.dependency.reranking.jackknife import RerankPlan, jackknifed_lists, list_maker, with_words
from lpcfg_cli.dependency.reranking.learners import train_reranker
from lpcfg_cli.dependency.reranking.linear import RerankTask
from lpcfg_cli.dependency.reranking.lists import CandidateLists, best_candidates
from lpcfg_cli.dependency.trees.scores import HEADS, AttachmentCounts, count_rows, pair_words, paired_counts
from lpcfg_cli.dependency.trees.sentence import DependencySentence
from lpcfg_cli.evaluation.significance import Significance, compare_counts
from lpcfg_cli.execution.stopwatch import Stopwatch
from lpcfg_cli.execution.workers import Mapper

NONE, BASELINE, LATENT, ORACLE = "no reranking", "baseline features", "baseline features + log p", "oracle of the list"


@dataclass(frozen=True)
class DependencyResult:
    """The scores of one system without punctuation.

    Attributes
    ----------
    order : str
        Of the parser; empty for trees that were read.
    system : str
        `NONE`, `BASELINE`, `LATENT`, `ORACLE`, or the name of trees that were read.
    counts : AttachmentCounts
    compared : Significance or None
        UAS compared with the system before it in the table.
    seconds : float
        Wall time of what is new in this system, training and parsing.
    """

    order: str
    system: str
    counts: AttachmentCounts
    compared: Significance | None
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """The result, JSON-ready."""
        figures = {**vars(self), "counts": self.counts.as_dict()}
        return {**figures, "compared": asdict(self.compared) if self.compared else None}


def run_dependency_experiment(
    train: Sequence[DependencySentence],
    gold: Sequence[DependencySentence],
    settings: Settings,
    orders: Sequence[str] = tuple(ORDERS),
    others: Mapping[str, Sequence[DependencySentence]] | None = None,
    workers: Mapper = map,
    tell: Callable[[DependencyResult], None] = lambda result: None,
) -> list[DependencyResult]:
    """Train parsers and rerankers, parse the gold sentences, and score all systems.

    Parameters
    ----------
    train, gold : sequence of DependencySentence
        With heads and tags.
    settings : Settings
    orders : sequence of str
        Names of `ORDERS`.
    others : mapping of str to sequence of DependencySentence, optional
        Further parses of the gold sentences, by name.
    workers : callable like map
        Spreads work over processes; results do not depend on it.
    tell : function of DependencyResult
        Called with each result.

    Raises
    ------
    InputError
        Further parses do not have the gold words, or the treebank is too small.
    """
    task = _Task(with_words(gold), settings, workers)
    results = []
    for name, parses in (others or {}).items():
        rows = task.rows(with_words(parses))
        results.append(DependencyResult("", name, count_rows(rows), None, 0.0))
    for order in orders:
        for result in task.results(with_words(train), order):
            results.append(result)
            tell(result)
    return results


@dataclass(frozen=True)
class _Task:
    """The gold sentences, and how systems are trained and scored."""

    gold: list[DependencySentence]
    settings: Settings
    workers: Mapper

    def results(self, train: list[DependencySentence], order: str) -> Iterator[DependencyResult]:
        """The results of the systems of one order."""
        settings, watch = self.settings.dependency_rerank, Stopwatch()
        plan = RerankPlan(
            train,
            replace(self.settings.dependency_parser, order=order),
            self.settings.dependency,
            settings,
            self.settings.seed,
        )
        maker = list_maker(plan, train)
        lists = maker.lists(self.gold)
        before = self.chosen(lists, lists.first[:-1])
        yield DependencyResult(order, NONE, count_rows(before), None, watch.lap().seconds)
        parts = jackknifed_lists(plan, self.workers)
        for system, uses_model in ((BASELINE, False), (LATENT, True)):
            reranker = train_reranker(RerankTask(parts, maker.n_tags, uses_model, settings, plan.seed))
            rows = self.chosen(lists, reranker.choose(lists))
            compared = compare_counts(paired_counts(before, rows, HEADS))
            yield DependencyResult(order, system, count_rows(rows), compared, watch.lap().seconds)
            before = rows
        yield DependencyResult(order, ORACLE, count_rows(self.chosen(lists, best_candidates(lists))), None, 0.0)

    def chosen(self, lists: CandidateLists, candidates: np.ndarray) -> np.ndarray:
        """Counts of each sentence when it has the tree of this candidate; int64, shape (S, 4)."""
        heads = (lists.heads_of(candidate) for candidate in candidates)
        return self.rows([replace(one, heads=own) for one, own in zip(self.gold, heads, strict=True)])

    def rows(self, test: Sequence[DependencySentence]) -> np.ndarray:
        """Counts of each sentence without punctuation; int64, shape (S, 4)."""
        pairs = pair_words(self.gold, test, self.settings.dependency_rerank.punctuation)
        return pairs.rows(~pairs.is_punctuation)
