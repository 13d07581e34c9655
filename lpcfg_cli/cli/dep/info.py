"""``lpcfg dep info``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import print_json
from lpcfg_cli.cli.learning_notes import rank_lines, spectrum_lines
from lpcfg_cli.cli.output_options import CheckedCommand
from lpcfg_cli.cli.state_lines import state_lines
from lpcfg_cli.cli.text_options import MODEL, json_option
from lpcfg_cli.dependency.latent.archive import read_tree_model
from lpcfg_cli.dependency.latent.description import describe_states
from lpcfg_cli.dependency.latent.model import HiddenTreeModel, TreeModel
from lpcfg_cli.dependency.latent.observable import SpectralTreeModel
from lpcfg_cli.text.description import StateWords
from lpcfg_cli.text.vocabulary import MARKS

STATE_TITLE = "state  share  likeliest symbols with p(x | h)"


@click.command("info", cls=CheckedCommand)
@click.argument("model", type=MODEL)
@click.option("--top", type=click.IntRange(min=1), default=8, show_default=True, help="Number of symbols of a state.")
@json_option
def command(model: Path, top: int, as_json: bool) -> None:
    """Show what was learnt: the words of each state, or the singular values of a spectral model."""
    header, loaded = read_tree_model(model)
    states = describe_states(loaded, top) if isinstance(loaded, HiddenTreeModel) else []
    if as_json:
        print_json(as_dict(loaded, header.settings, states))
        return
    click.echo(f"{model}: {len(loaded.vocabulary) - len(MARKS):,} different {loaded.symbols}")
    click.echo("\n".join(["", *model_lines(loaded, states)]))


def as_dict(loaded: TreeModel, settings: dict[str, Any], states: Sequence[StateWords]) -> dict[str, Any]:
    """What was learnt, JSON-ready."""
    result: dict[str, Any] = {"settings": settings, "states": [asdict(state) for state in states]}
    if isinstance(loaded, HiddenTreeModel):
        own = loaded.parameters
        result |= {"initial": own.initial[0].tolist(), "transitions": own.transitions.tolist()}
    if isinstance(loaded, SpectralTreeModel):
        spectrum = loaded.observable
        result |= {"singular_values": spectrum.singular_values.tolist(), "chance": spectrum.chance}
    return result


def model_lines(loaded: TreeModel, states: Sequence[StateWords]) -> Iterator[str]:
    """The contents of a model."""
    if isinstance(loaded, SpectralTreeModel):
        yield f"{loaded.n_states} dimensions, the constant and these singular values of words' neighbours:"
        yield from spectrum_lines(loaded.observable.singular_values)
        yield from rank_lines(loaded.observable, loaded.n_states, loaded.n_states, "neighbours", "text")
    else:
        yield f"{loaded.n_states} hidden states"
        yield from state_lines(states, STATE_TITLE)
