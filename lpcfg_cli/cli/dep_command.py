"""``lpcfg dep``: the group of commands on dependency trees.  A new one is a module in ``cli/dep/`` and a line here."""

from __future__ import annotations

import click

from lpcfg_cli.cli.groups import LazyGroup

COMMANDS = {
    "train-parser": ("dep.train_parser", "Train a parser on dependency trees."),
    "parse": ("dep.parse", "Parse sentences, tagged or raw."),
    "eval": ("dep.eval", "Score dependency trees against gold trees."),
    "train": ("dep.train", "Learn a latent-variable model of trees (D12)."),
    "score": ("dep.score", "Print the probabilities of trees under a model."),
    "info": ("dep.info", "Show what a model has learnt."),
    "train-reranker": ("dep.train_reranker", "Train a parser whose list of trees is reranked."),
    "rerank": ("dep.rerank", "Parse sentences, and rerank the list of trees."),
    "experiment": ("dep.experiment", "Compare parsers and rerankers, as D12 Table 1 does."),
    "from-trees": ("dep.from_trees", "Convert constituency trees by head rules."),
    "draw": ("dep.draw", "Draw dependency trees, as text or as a picture."),
}
"""Subcommand → (module in ``cli/``, one line of help)."""


@click.group(cls=LazyGroup, table=COMMANDS)
def command() -> None:
    """Dependency trees: models, a parser, reranking, scores.

    Files are in CoNLL-X or CoNLL-U, which `lpcfg help formats` describes; they may be compressed, and - is standard
    input.  The page `lpcfg help dependency` has examples and figures.
    """
