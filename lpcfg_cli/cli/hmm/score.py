"""``lpcfg hmm score``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, print_json
from lpcfg_cli.cli.options import open_workers, resolve_settings, worker_options
from lpcfg_cli.cli.output_options import CheckedCommand
from lpcfg_cli.cli.perplexity_report import WORD_COLUMNS, as_dict, print_words, report, tell_oddities
from lpcfg_cli.cli.text_options import MODEL, TEXT, encoding_option, json_option
from lpcfg_cli.execution.workers import FileValue
from lpcfg_cli.hmm.archive import load_hmm
from lpcfg_cli.hmm.scoring import score_block
from lpcfg_cli.text.perplexity import Scored, Tally, score_blocks
from lpcfg_cli.text.reading import blocks_of
from lpcfg_cli.wording import counted


@click.command("score", cls=CheckedCommand)
@click.argument("model", type=MODEL)
@click.argument("texts", nargs=-1, type=TEXT, metavar="[TEXT]...")
@click.option("--per-word", is_flag=True, help="Print the surprisal of each symbol in bits; --json: as JSON lines.")
@click.option("--per-sequence", is_flag=True, help="Print ln p of each sequence; --json: as JSON lines.")
@json_option
@encoding_option
@worker_options
def command(
    model: Path,
    texts: tuple[Path, ...],
    per_word: bool,
    per_sequence: bool,
    as_json: bool,
    jobs: int,
    dask: str | None,
    **options: Any,
) -> None:
    """Print the perplexity of texts, or of standard input, and everything that it counts.

    Predicted are symbols and ends of sequences.  Lines without symbols are left out.  With --per-word and
    --per-sequence, the summary goes to standard error.
    """
    if per_word and per_sequence:
        raise click.UsageError("--per-word and --per-sequence: give one of them.")
    encoding = resolve_settings(options).read.encoding
    kept = FileValue.load(load_hmm, model)
    tally, oddities = Tally(), {"negative": 0, "lost": 0, "vanished": 0}
    if not as_json and (per_word or per_sequence):
        click.echo(WORD_COLUMNS if per_word else "sequence\tsymbols\tln p")
    with open_workers(jobs, dask) as mapper:
        for found in score_blocks(score_block, kept, blocks_of(texts or ("-",), encoding), mapper):
            if per_word:
                print_words(found.scored, tally.sentences, as_json)
            elif per_sequence:
                print_sequences(found.scored, tally.sentences, as_json)
            tally = tally + found.scored.tally
            oddities = {name: count + getattr(found, name) for name, count in oddities.items()}
    if as_json and not (per_word or per_sequence):
        print_json({**as_dict(tally), **oddities})
    else:
        click.echo(report(tally), err=per_word or per_sequence)
    tell_oddities(tally)
    if oddities["negative"]:
        note(f"{counted(oddities['negative'], 'estimate', 'was', 'were')} negative: absolute values count")
    if forgotten := oddities["lost"] + oddities["vanished"]:
        note(f"{counted(forgotten, 'total', 'was', 'were')} not positive: there the model forgets what came before")


def print_sequences(scored: Scored, before: int, as_json: bool) -> None:
    """Print each sequence of a block; `before` is the number of those before."""
    logs, sizes = sequence_logs(scored)
    for k, (log, size) in enumerate(zip(logs, sizes, strict=True), before + 1):
        if as_json:
            click.echo(json.dumps({"sequence": k, "symbols": size, "ln_p": log if log > -float("inf") else None}))
        else:
            click.echo(f"{k}\t{size}\t{log:.4f}")


def sequence_logs(scored: Scored) -> tuple[list[float], list[int]]:
    """ln p of each sequence with its end, and its number of symbols."""
    import numpy as np  # imported here so that the help needs no numpy

    ends = np.flatnonzero(scored.events.is_end)
    if not len(ends):
        return [], []
    begins = np.append(0, ends[:-1] + 1)
    return (-np.log(2) * np.add.reduceat(scored.bits, begins)).tolist(), (ends - begins).tolist()
