"""Options that commands on sentences share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from lpcfg_cli.cli.table_options import FreshHelpOption, TableName, with_summaries
from lpcfg_cli.config import AUTO_FORMAT
from lpcfg_cli.tagging.sentences import SENTENCE_FORMATS
from lpcfg_cli.treebank.formats import TREE_FORMATS

Decorator = Callable[[Any], Any]


def format_option(default: str) -> Decorator:
    """``--format``, a name of `SENTENCE_FORMATS`, as ``form``."""
    return click.option(
        "-f",
        "--format",
        "form",
        type=TableName(SENTENCE_FORMATS),
        default=default,
        show_default=True,
        cls=FreshHelpOption,
        text=lambda: f"Format of INPUT.  {with_summaries(SENTENCE_FORMATS)}.",
    )


raw_option = click.option(
    "--raw", "form", flag_value="raw", help="INPUT has words without tags, one sentence on each line."
)

text_option = click.option(
    "--text", "form", flag_value="text", help="INPUT is running text: split it into sentences and words."
)


def max_length_option(default: int, text: str) -> Decorator:
    """``--max-length``, with what becomes of a longer sentence."""
    return click.option(
        "--max-length", type=click.IntRange(min=1), default=default, show_default=True, metavar="WORDS", help=text
    )


def on_error_option(text: str) -> Decorator:
    """``--on-error``, with what the two values mean."""
    return click.option("--on-error", type=click.Choice(["stop", "skip"]), default="stop", show_default=True, help=text)


input_encoding_option = click.option(
    "--encoding", default="utf-8", show_default=True, metavar="NAME", help="Encoding of INPUT."
)

tree_format_option = click.option(
    "--tree-format",
    type=TableName(TREE_FORMATS, AUTO_FORMAT),
    default=AUTO_FORMAT,
    show_default=True,
    help="Of -f trees; auto goes by the ending of INPUT.",
)
