"""``lpcfg hmm predict``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.options import resolve_settings
from lpcfg_cli.cli.output_options import CheckedCommand
from lpcfg_cli.cli.text_options import MODEL, TEXT, encoding_option, json_option
from lpcfg_cli.hmm.archive import load_hmm
from lpcfg_cli.hmm.hidden_markov import as_hidden
from lpcfg_cli.hmm.prediction import Prediction, predict_line
from lpcfg_cli.text.reading import blocks_of


@click.command("predict", cls=CheckedCommand)
@click.argument("model", type=MODEL)
@click.argument("texts", nargs=-1, type=TEXT, metavar="[TEXT]...")
@click.option("--top", type=click.IntRange(min=1), default=5, show_default=True, help="Number of symbols.")
@click.option("--each", is_flag=True, help="Predict before every symbol of a line, not only after the last one.")
@click.option("--states", is_flag=True, help="Print the likeliest hidden states instead of symbols (filtering).")
@json_option
@encoding_option
def command(
    model: Path, texts: tuple[Path, ...], top: int, each: bool, states: bool, as_json: bool, **options: Any
) -> None:
    """Print the likeliest next symbols after each line, the begin of a sequence; </s> is its end.

    An empty line is the begin of any sequence.  With --states, p(h | symbols before) of a model learnt by EM; with
    --json, both, or the coordinates of a spectral model.
    """
    encoding = resolve_settings(options).read.encoding
    _, loaded = load_hmm(model)
    if states and not as_json:
        as_hidden(loaded, str(model))
    for block in blocks_of(texts or ("-",), encoding):
        for line in block.text.decode().splitlines():
            for found in predict_line(loaded, line.split(), top, each):
                click.echo(as_json_line(found) if as_json else as_text(found, states, top))


def as_json_line(found: Prediction) -> str:
    """One prediction as a line of JSON."""
    symbols = [{"symbol": symbol, "p": p} for symbol, p in found.symbols]
    return json.dumps({"after": found.after, "next": symbols, "state": found.state}, ensure_ascii=False)


def as_text(found: Prediction, states: bool, top: int) -> str:
    """One prediction as a line of columns: the symbol before, then what is likeliest with its probability."""
    if states:
        order = sorted(range(len(found.state)), key=lambda h: -found.state[h])[:top]
        parts = [f"{h} {found.state[h]:.4f}" for h in order]
    else:
        parts = [f"{symbol} {p:.4f}" for symbol, p in found.symbols]
    return "\t".join([found.after[-1] if found.after else "<s>", *parts])
