"""Parts of the treebank of a run, each with the model that is learnt from the others."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.config import ReadSettings, Settings, SpanSettings, TeachSettings
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.execution.workers import FileValue
from lpcfg_cli.parsing.corpora import open_parser
from lpcfg_cli.stages.run import TREEBANK_STAGES, run_stages
from lpcfg_cli.stages.stage import Stage, StageContext, run_stage
from lpcfg_cli.storage.files import make_directory, write_text
from lpcfg_cli.treebank.archive import load_binary_trees
from lpcfg_cli.treebank.binarize import unbinarize
from lpcfg_cli.treebank.brackets import bracket_strings

TRAINING_FILE, HELD_OUT_FILE = "train.mrg", "held-out.mrg"
"""In the folder of a part: the trees of the other parts, and its own."""

MODEL_FOLDER = "model"
"""The run directory of the model of the other parts."""


def write_parts(run: Path, folder: str, n_parts: int) -> Iterator[Path]:
    """Write the trees of each part and of the others; yields the folders.

    Parts are stretches of the treebank, so that few documents are in two.

    Parameters
    ----------
    run : Path
        With binarized trees.
    folder : str
        Folder in the run directory for those of the parts.
    n_parts : int
        Parts of the treebank.

    Raises
    ------
    ConfigError
        There are fewer trees than parts.
    """
    _, binary = load_binary_trees(run)
    n = binary.n_trees
    if n < n_parts:
        raise ConfigError(f"{run}: {n} trees are too few for {n_parts} parts; expected one for each at least.")
    lines, part_of = list(bracket_strings(unbinarize(binary))), np.arange(n) * n_parts // n
    for part in range(n_parts):
        own = run / folder / f"part-{part}"
        make_directory(own)
        for name, chosen in ((TRAINING_FILE, part_of != part), (HELD_OUT_FILE, part_of == part)):
            write_text(own / name, "".join(f"{lines[k]}\n" for k in np.flatnonzero(chosen)))
        yield own


def part_settings(settings: Settings) -> Settings:
    """The settings of the models of parts: no tagger, and no raw text; words have their tags."""
    tagger = replace(settings.tagger, epochs=0)
    return replace(settings, tagger=tagger, read=ReadSettings(), spans=SpanSettings(), teach=TeachSettings())


def model_of_others(context: StageContext, **overrides: Any) -> FileValue:
    """Train the model of the other parts, unless it is there; returns its parser, with some settings changed."""
    model = context.run / MODEL_FOLDER
    run_stages(TREEBANK_STAGES, replace(context, run=model, roots=[context.run / TRAINING_FILE], sections=None))
    return open_parser(model, overrides)


def run_part(stage: Stage, context: StageContext, part: Path, settings: Settings) -> Path:
    """Run a stage in the folder of a part, unless its file is current, and remove the model; returns the file.

    The model is removed here, since an earlier run may have been killed after the stage.
    """
    run_stage(stage, replace(context, run=part, settings=settings))
    shutil.rmtree(part / MODEL_FOLDER, ignore_errors=True)
    return part / stage.file


def settings_of_models(settings: Settings) -> dict[str, Any]:
    """What models with these settings depend on, by stage, with the stages' versions; JSON-ready."""
    wanted = [stage for stage in TREEBANK_STAGES if stage.is_wanted(settings)]
    return {stage.name: {"version": stage.version, **stage.shaped_by(settings)} for stage in wanted}
