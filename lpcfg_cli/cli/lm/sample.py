"""``lpcfg lm sample``."""

from __future__ import annotations

from pathlib import Path

import click

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.cli.output_options import CheckedCommand
from lpcfg_cli.cli.text_options import MODEL
from lpcfg_cli.lm.archive import load_lm
from lpcfg_cli.lm.sampling import sample_sentence


@click.command("sample", cls=CheckedCommand)
@click.argument("model", type=MODEL)
@click.option("-n", "number", type=click.IntRange(min=0), default=10, show_default=True, help="Number of sentences.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the random stream.")
@click.option(
    "--max-words", type=click.IntRange(min=0), default=100, show_default=True, help="Longer sentences are cut off."
)
def command(model: Path, number: int, seed: int, max_words: int) -> None:
    """Write sentences drawn from a model, one a line; <unk> is never drawn."""
    _, loaded = load_lm(model)
    rng = stream(seed, Purpose.LM_SAMPLE)
    for _ in range(number):
        click.echo(" ".join(sample_sentence(loaded, rng, max_words)))
