"""``lpcfg dep rerank``."""

from __future__ import annotations

from lpcfg_cli.cli.dep.parse import READING, parsing_command
from lpcfg_cli.dependency.reranking.archive import open_reranking_parser

command = parsing_command(
    "rerank",
    open_reranking_parser,
    "Parse the sentences of INPUT with MODEL, a folder of `lpcfg dep train-reranker`: of the parser's list of trees the "
    f"reranker takes the one it likes best.\n\n{READING}",
)
