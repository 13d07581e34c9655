"""rebinarize: the binarized trees of an ensemble → those of a member that binarizes in another way."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lpcfg_cli.config import Settings
from lpcfg_cli.stages.binarize import source_hashes
from lpcfg_cli.stages.stage import Stage, StageContext, hashes, save_json, sections
from lpcfg_cli.storage.files import make_directory, share_file, write_text
from lpcfg_cli.treebank.archive import SYMBOLS, SYMBOLS_FILE, TREES_FILE, load_binary_trees
from lpcfg_cli.treebank.binarize import binarize, unbinarize
from lpcfg_cli.treebank.binary_text import symbols_to_json, write_binary_trees
from lpcfg_cli.treebank.heads import load_head_rules
from lpcfg_cli.treebank.presets import cleaning, with_preset

GIVEN = "given"
"""Folder of the member's run directory with the ensemble's trees."""

GIVEN_FILES = {name: f"{GIVEN}/{name}" for name in (TREES_FILE, SYMBOLS_FILE)}
"""The files with the ensemble's trees, and their names in the member's run directory."""


@dataclass(frozen=True)
class RebinarizeReport:
    """Size of the binarized grammar.

    Attributes
    ----------
    trees, symbols : int
    """

    trees: int
    symbols: int


def give_trees(run: Path, member: Path) -> None:
    """Share the trees of an ensemble's run directory with that of a member."""
    make_directory(member / GIVEN)
    for name, own_name in GIVEN_FILES.items():
        share_file(run / name, member / own_name)


def rebinarize(context: StageContext) -> RebinarizeReport:
    """Undo a binarization, which is exact, and binarize the trees by other settings.

    Raises
    ------
    InputError, ArtefactError
        The trees or the head rules cannot be read.
    """
    run, settings = context.run, context.settings.binarize
    _, given = load_binary_trees(run / GIVEN)
    weight = given.weight[given.n_gold :]
    binary = binarize(unbinarize(given), settings, load_head_rules(settings.head_rules)).with_taught(weight)
    write_text(run / TREES_FILE, "".join(f"{line}\n" for line in write_binary_trees(binary)))
    save_json(REBINARIZATION, context, symbols_to_json(binary), hashes(run, [TREES_FILE, *GIVEN_FILES.values()]))
    return RebinarizeReport(binary.n_trees, len(binary.symbols))


def _settings_and_cleaning(settings: Settings) -> dict[str, Any]:
    return {**sections("binarize")(settings), "clean": asdict(with_preset(cleaning(settings)))}


REBINARIZATION = Stage(
    name="rebinarize",
    summary="Binarize an ensemble's trees in another way.",
    reads=tuple(GIVEN_FILES.values()),
    file=SYMBOLS_FILE,
    kind=SYMBOLS,
    version=1,
    shaped_by=_settings_and_cleaning,
    work=rebinarize,
    sources=lambda context: {"sources": source_hashes([], context.settings)},
    main_file=TREES_FILE,
)
