"""``lpcfg lm score``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import print_json
from lpcfg_cli.cli.options import open_workers, resolve_settings, worker_options
from lpcfg_cli.cli.output_options import CheckedCommand
from lpcfg_cli.cli.perplexity_report import WORD_COLUMNS, as_dict, print_words, report, tell_oddities
from lpcfg_cli.cli.text_options import MODEL, TEXT, encoding_option, json_option
from lpcfg_cli.execution.workers import FileValue
from lpcfg_cli.lm.archive import load_lm
from lpcfg_cli.lm.scoring import score_block
from lpcfg_cli.text.perplexity import Tally, score_blocks
from lpcfg_cli.text.reading import blocks_of


@click.command("score", cls=CheckedCommand)
@click.argument("model", type=MODEL)
@click.argument("texts", nargs=-1, type=TEXT, metavar="[TEXT]...")
@click.option("--per-word", is_flag=True, help="Print the surprisal of each word in bits; --json: as JSON lines.")
@json_option
@encoding_option
@worker_options
def command(
    model: Path,
    texts: tuple[Path, ...],
    per_word: bool,
    as_json: bool,
    jobs: int,
    dask: str | None,
    **options: Any,
) -> None:
    """Print the perplexity of texts, or of standard input, and everything that it counts.

    Predicted are words and ends of sentences.  Lines without words are left out.  With --per-word, the summary goes to
    standard error.
    """
    encoding = resolve_settings(options).read.encoding
    kept = FileValue.load(load_lm, model)
    tally = Tally()
    if per_word and not as_json:
        click.echo(WORD_COLUMNS)
    with open_workers(jobs, dask) as mapper:
        for scored in score_blocks(score_block, kept, blocks_of(texts or ("-",), encoding), mapper):
            if per_word:
                print_words(scored, tally.sentences, as_json)
            tally = tally + scored.tally
    if as_json and not per_word:
        print_json(as_dict(tally))
    else:
        click.echo(report(tally), err=per_word)
    tell_oddities(tally)
