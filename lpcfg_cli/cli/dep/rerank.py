"""``lpcfg dep rerank``."""

from __future__ import annotations

from typing import Any

import click

from lpcfg_cli.cli.dep.parse import parse, parsing_options
from lpcfg_cli.cli.output_options import CheckedCommand
from lpcfg_cli.dependency.reranking.archive import open_reranking_parser


@click.command("rerank", cls=CheckedCommand)
@parsing_options
def command(**options: Any) -> None:
    """Parse the sentences of INPUT with MODEL, a folder of `lpcfg dep train-reranker`.

    Of the parser's list of trees, the reranker takes the one it likes best; --nbest gives the list in its order.  INPUT
    and the other options are those of `lpcfg dep parse`.
    """
    parse(open_reranking_parser, **options)
