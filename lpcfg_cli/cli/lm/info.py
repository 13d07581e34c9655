"""``lpcfg lm info``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import print_json
from lpcfg_cli.cli.output_options import CheckedCommand
from lpcfg_cli.cli.state_lines import state_lines, wrapped
from lpcfg_cli.cli.text_options import MODEL, json_option
from lpcfg_cli.lm.archive import load_lm
from lpcfg_cli.lm.backoff import BackoffModel
from lpcfg_cli.lm.description import WordStates, describe_states, describe_word, parts_of
from lpcfg_cli.lm.latent import LatentBigram
from lpcfg_cli.lm.mixed import MixedModel
from lpcfg_cli.lm.model import LanguageModel
from lpcfg_cli.wording import counted

STATE_TITLE = "state  share  likeliest words with s(w | h), after the anchor in brackets"


@click.command("info", cls=CheckedCommand)
@click.argument("model", type=MODEL)
@click.option("--word", "words", multiple=True, help="Show the states of this word; repeatable.")
@click.option("--top", type=click.IntRange(min=1), default=8, show_default=True, help="Number of words of a state.")
@json_option
def command(model: Path, words: tuple[str, ...], top: int, as_json: bool) -> None:
    """Show what was learnt: states with anchors and words, or the states of a word."""
    header, loaded = load_lm(model)
    if as_json:
        print_json({"settings": header.settings if header else {}, "models": as_dicts(loaded, words, top)})
        return
    click.echo(f"{model}: {counted(len(loaded.vocabulary), 'word')} with <unk>, <s> and </s>; order {loaded.order}")
    if isinstance(loaded, MixedModel):
        click.echo("\n".join(weight_lines(loaded)))
    for part in parts_of(loaded):
        click.echo("\n".join(["", *part_lines(part, words, top)]))


def as_dicts(loaded: LanguageModel, words: Sequence[str], top: int) -> list[dict[str, Any]]:
    """Each model, JSON-ready."""
    found: list[dict[str, Any]] = []
    for part in parts_of(loaded):
        if isinstance(part, LatentBigram):
            states = [asdict(state) for state in describe_states(part, top)]
            found.append({"states": states, "words": [asdict(describe_word(part, word, top)) for word in words]})
        elif isinstance(part, BackoffModel):
            found.append({"ngrams": [len(level) for level in part.levels]})
    return found


def weight_lines(model: MixedModel) -> Iterator[str]:
    """The weights of a mixture, by how often the word before was seen."""
    forms = ", ".join("latent bigrams" if isinstance(part, LatentBigram) else "n-grams" for part in model.models)
    yield f"mixture of {forms}"
    yield "weights by how often the word before was seen:"
    for k, row in enumerate(model.weights):
        yield f"  {f'from {1 << k >> 1:,}' if k else 'never':>12}: {'  '.join(f'{value:.3f}' for value in row)}"


def part_lines(part: LanguageModel, words: Sequence[str], top: int) -> Iterator[str]:
    """The contents of one model."""
    if isinstance(part, BackoffModel):
        sizes = (f"{len(level):,} {k}-grams" for k, level in enumerate(part.levels, 1))
        yield f"n-grams with backoff: {', '.join(sizes)}"
    elif isinstance(part, LatentBigram):
        lag = f", chosen by the word {part.lag} before" if part.lag > 1 else ""
        yield f"latent bigrams: {counted(part.n_states, 'state')}{lag}"
        if words:
            for word in words:
                yield from word_lines(describe_word(part, word, top))
        else:
            yield from state_lines(describe_states(part, top), STATE_TITLE)


def word_lines(found: WordStates) -> Iterator[str]:
    """The states after a word, and those of it."""
    for title, states in (("r(h | w), the states after", found.after), ("p(h | w), the states of", found.of)):
        shown = [f"{h}: {p:.3f}" for h, p in states] or ["none, as it never follows a word"]
        yield from wrapped(f"{title} {found.word!r}: ", shown, 2)
