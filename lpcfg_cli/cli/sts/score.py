"""``lpcfg sts score``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, print_json, progress
from lpcfg_cli.cli.groups import nearest
from lpcfg_cli.cli.options import resolve_settings
from lpcfg_cli.cli.text_options import MODEL, TEXT, encoding_option, json_option
from lpcfg_cli.sts.archive import load_similarity
from lpcfg_cli.sts.correlation import pearson
from lpcfg_cli.sts.model import ALL, SimilarityModel
from lpcfg_cli.sts.sentence_pairs import read_pair_set
from lpcfg_cli.wording import counted


@click.command("score")
@click.argument("model", type=MODEL)
@click.argument("pairs", type=TEXT)
@click.option("--set", "wanted", metavar="NAME", help="Use the regression of this training set, or all.")
@encoding_option
@json_option
def command(model: Path, pairs: Path, wanted: str | None, as_json: bool, **options: Any) -> None:
    """Print the similarity of each pair of sentences, a line each; and Pearson's r if PAIRS has scores.

    PAIRS has lines of two sentences between tabs, perhaps after a score; - is standard input. A file called as a
    training set is scored by the regression of that set, others by that of all sets together.
    """
    encoding = resolve_settings(options).read.encoding
    loaded = load_similarity(model)[1]
    if wanted is not None:
        check_set(wanted, loaded)
    read = read_pair_set(pairs, encoding)
    name = loaded.regression_for(read.name if wanted is None else wanted)
    found = loaded.predict(read.pairs, name, progress)
    r = None if read.score is None else pearson(found, read.score)
    r = r if r is not None and math.isfinite(r) else None
    if as_json:
        print_json({"set": name, "pairs": len(read), "r": r, "similarity": found.tolist()})
    else:
        click.echo("\n".join(f"{value:.4f}" for value in found.tolist()))
    note(f"{counted(len(read), 'pair')} scored by the regression of {'all sets' if name == ALL else f'the set {name}'}")
    if read.score is not None:
        note("Pearson's r is not defined for these scores" if r is None else f"Pearson's r: {r:.4f}")


def check_set(name: str, model: SimilarityModel) -> None:
    """Raise a usage error unless the model has a regression of that name."""
    if name not in model.regressions:
        known = ", ".join(model.regressions)
        raise click.UsageError(f"--set {name}: the model has {known}.{nearest(name, model.regressions)}")
