"""``lpcfg hmm info``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import print_json, progress
from lpcfg_cli.cli.learning_notes import rank_lines, spectrum_lines
from lpcfg_cli.cli.options import resolve_settings
from lpcfg_cli.cli.output_options import CheckedCommand
from lpcfg_cli.cli.state_lines import state_lines
from lpcfg_cli.cli.text_options import MODEL, json_option
from lpcfg_cli.hmm.accuracy import Accuracy, accuracy, tagged_sentences
from lpcfg_cli.hmm.archive import load_hmm
from lpcfg_cli.hmm.description import describe_states
from lpcfg_cli.hmm.hidden_markov import HiddenMarkov, as_hidden
from lpcfg_cli.hmm.model import SequenceModel
from lpcfg_cli.hmm.operators import SpectralModel
from lpcfg_cli.text.description import StateWords

STATE_TITLE = "state  share  likeliest words with p(x | h)"


@click.command("info", cls=CheckedCommand)
@click.argument("model", type=MODEL)
@click.option("--top", type=click.IntRange(min=1), default=8, show_default=True, help="Number of symbols of a state.")
@click.option(
    "--tags", "treebank", type=click.Path(path_type=Path), help="Compare the states with the tags of this treebank."
)
@click.option("--lowercase", is_flag=True, help="Lower-case the treebank's words first.")
@json_option
def command(model: Path, top: int, treebank: Path | None, lowercase: bool, as_json: bool) -> None:
    """Show what was learnt: the words of each state, or the singular values of a spectral model."""
    header, loaded = load_hmm(model)
    found = None
    if treebank is not None:
        hidden = as_hidden(loaded, str(model))
        found = accuracy(hidden, tagged_sentences(treebank, resolve_settings({}), progress), lowercase)
    states = describe_states(loaded, top) if isinstance(loaded, HiddenMarkov) else []
    if as_json:
        print_json(as_dict(loaded, header.settings, states, found))
        return
    click.echo(f"{model}: {len(loaded.vocabulary):,} words with <unk>, <s> and </s>; {header.settings['form']}")
    click.echo("\n".join(["", *model_lines(loaded, states)]))
    if found is not None:
        click.echo("\n".join(["", *accuracy_lines(found)]))


def as_dict(
    loaded: SequenceModel, settings: dict[str, Any], states: Sequence[StateWords], found: Accuracy | None
) -> dict[str, Any]:
    """What was learnt, JSON-ready."""
    result: dict[str, Any] = {"settings": settings, "states": [asdict(state) for state in states]}
    if isinstance(loaded, HiddenMarkov):
        result["transition"] = loaded.parameters.transition.tolist()
    if isinstance(loaded, SpectralModel):
        own = loaded.observable
        result |= {"singular_values": own.singular_values.tolist(), "chance": own.chance}
    return result if found is None else {**result, "accuracy": {**asdict(found), "many_to_one": found.many_to_one}}


def model_lines(loaded: SequenceModel, states: Sequence[StateWords]) -> Iterator[str]:
    """The contents of a model."""
    if isinstance(loaded, SpectralModel):
        own = loaded.observable
        yield f"{loaded.n_states} dimensions; singular values of the bigrams:"
        yield from spectrum_lines(own.singular_values)
        yield from rank_lines(own, loaded.n_states, loaded.n_states, "bigrams", "text")
    else:
        yield f"{loaded.n_states} hidden states"
        yield from state_lines(states, STATE_TITLE)


def accuracy_lines(found: Accuracy) -> Iterator[str]:
    """The tags of each state, and how many words have the commonest tag of their state."""
    yield "state  words  commonest tags"
    for state in found.states:
        tags = "  ".join(f"{tag} {count:,}" for tag, count in state.tags)
        yield f"{state.state:5}  {state.words:5}  {tags}"
    yield ""
    yield (
        f"many-to-one accuracy: {100 * found.many_to_one:.2f} % of {found.words:,} words of {found.sentences:,} "
        f"sentences, {found.unknown:,} of them unknown"
    )
