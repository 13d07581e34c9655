"""Perplexity as text and as JSON, and the surprisal of each word."""

from __future__ import annotations

import json
import math
from typing import Any

import click

from lpcfg_cli.cli.console import note, table
from lpcfg_cli.text.perplexity import Figures, Scored, Tally
from lpcfg_cli.wording import counted

WORD_COLUMNS = "sentence\tposition\tword\tbits\tknown"
"""Header of what `print_words` prints as text."""


def print_words(scored: Scored, sentences: int, as_json: bool) -> None:
    """Print each event of a block; `sentences` is the number of those before."""
    sentence, position = sentences + 1, 1
    columns = (scored.events.spelling, scored.bits.tolist(), scored.events.is_known.tolist(), scored.events.is_end)
    lines = []
    for token, bits, is_known, is_end in zip(*columns, strict=True):
        word = token.decode()
        if as_json:
            value = bits if math.isfinite(bits) else None
            row = {"sentence": sentence, "position": position, "word": word, "bits": value, "known": is_known}
            lines.append(json.dumps(row, ensure_ascii=False))
        else:
            lines.append(f"{sentence}\t{position}\t{word}\t{bits:.4f}\t{'yes' if is_known else 'no'}")
        sentence, position = (sentence + 1, 1) if is_end else (sentence, position + 1)
    if lines:
        click.echo("\n".join(lines))


def report(tally: Tally) -> str:
    """The figures as text."""
    rows = [
        ("known words and ends", tally.without_unknown),
        ("the same, per word", tally.per_word),
        ("all words and ends", tally.with_unknown),
    ]
    words = counted(tally.words, "word")
    header = ["", "events", "log10 p", "bits/event", "perplexity"]
    shown = [[name, f"{x.events:,}", f"{x.log10:.4f}", *map(_shown, (x.bits, x.perplexity))] for name, x in rows]
    return "\n".join(
        [
            f"{counted(tally.sentences, 'sentence')}, {words}, {tally.unknown:,} of them unknown",
            f"{counted(tally.with_unknown.events, 'event')}: words and ends of sentences, not starts",
            "",
            table(header, shown),
            "",
            "perplexity = 10^(-log10 p / events); unknown words are scored as <unk>",
        ]
    )


def _shown(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}"


def as_dict(tally: Tally) -> dict[str, Any]:
    """The figures, JSON-ready; what is infinite or has no events is null."""

    def figures(found: Figures) -> dict[str, Any]:
        values = {"log10": found.log10, "bits": found.bits, "perplexity": found.perplexity}
        return {"events": found.events, **{k: v if math.isfinite(v) else None for k, v in values.items()}}

    return {
        "sentences": tally.sentences,
        "words": tally.words,
        "unknown": tally.unknown,
        "empty_lines": tally.empty_lines,
        "impossible": tally.impossible,
        "known_and_ends": figures(tally.without_unknown),
        "per_word": figures(tally.per_word),
        "all": figures(tally.with_unknown),
    }


def tell_oddities(tally: Tally) -> None:
    """Print notes about what the figures may hide."""
    if not tally.sentences:
        note("the text has no words: there is nothing to score")
    if tally.empty_lines:
        note(f"left out: {counted(tally.empty_lines, 'line')} without words")
    if tally.impossible:
        those = counted(tally.impossible, "event", "has", "have")
        note(f"{those} probability zero, so the perplexity with them is infinite")
    if tally.words and tally.unknown > tally.words / 2:
        those = f"{tally.unknown:,} of {counted(tally.words, 'word')}"
        note(f"the model does not know {those}: was it learnt from such text?")
