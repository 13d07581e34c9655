"""The table of learners of rerankers.  A new one is a file that defines a `RerankLearner`, and an entry."""

from __future__ import annotations

from lpcfg_cli.config import Table
from lpcfg_cli.dependency.reranking.linear import LinearReranker, RerankLearner, RerankTask
from lpcfg_cli.dependency.reranking.log_linear import LOG_LINEAR
from lpcfg_cli.dependency.reranking.perceptron import PERCEPTRON

RERANK_LEARNERS: Table[RerankLearner] = Table("rerank learner", LOG_LINEAR, PERCEPTRON)


def train_reranker(task: RerankTask) -> LinearReranker:
    """Learn a reranker by the learner of the settings."""
    return RERANK_LEARNERS.named(task.settings.learner, "dependency_rerank.learner").learn(task)
