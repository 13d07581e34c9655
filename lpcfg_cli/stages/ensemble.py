"""ensemble: binarized trees → several models in one file, each trained in its own run directory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lpcfg_cli.config import Settings, member_settings
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.grammar.archive import MODEL, MODEL_FILE, load_model, save_model
from lpcfg_cli.grammar.model import in_single_precision
from lpcfg_cli.learning.learners import learner_of
from lpcfg_cli.stages.estimate import ESTIMATION
from lpcfg_cli.stages.features import EXTRACTION, embedding_hashes
from lpcfg_cli.stages.rebinarize import REBINARIZATION, give_trees
from lpcfg_cli.stages.stage import Stage, StageContext, StageOutcome, hashes, made, run_stage
from lpcfg_cli.stages.stored_spans import span_settings, stored_spans
from lpcfg_cli.stages.svd import DECOMPOSITION
from lpcfg_cli.stages.tagger import stored_tagger, tagger_settings
from lpcfg_cli.storage.artefacts import read_header
from lpcfg_cli.storage.files import make_directory, share_file
from lpcfg_cli.treebank.archive import SYMBOLS, SYMBOLS_FILE, TREES_FILE

MEMBER_STAGES = (EXTRACTION, DECOMPOSITION, ESTIMATION)
"""The stages of each member, in order."""


@dataclass(frozen=True)
class EnsembleReport:
    """The outcomes of the members' stages, and the size of the model.

    Attributes
    ----------
    members : list of list of StageOutcome
        The stages of each member.
    parameters : int
        Number of parameters of all members.
    bytes : int
        Size of the model file.
    """

    members: list[list[StageOutcome]]
    parameters: int
    bytes: int


def member_folder(run: Path, member: int) -> Path:
    """The run directory of a member, inside the run directory of the ensemble."""
    return run / f"member-{member}"


def check_members(settings: Settings) -> None:
    """Raise a `ConfigError` if all members of an ensemble would be equal."""
    perturbed = settings.svd.dropout > 0 or settings.svd.noise > 0
    differ = perturbed or len(settings.ensemble.vary) > 1 or learner_of(settings).uses_chance
    if settings.ensemble.members > 1 and not differ:
        raise ConfigError(
            f"all {settings.ensemble.members} members of the learner {settings.estimate.learner} would be equal. "
            "Give --dropout 0.3, or --noise 0.3, or settings to vary in [ensemble] of a --config file."
        )


def train_members(context: StageContext) -> EnsembleReport:
    """Train the members whose models are not current, and write all of them into one model file.

    Raises
    ------
    ConfigError
        All members would be equal.
    """
    check_members(context.settings)
    n_members = context.settings.ensemble.members
    tasks = ((context.run, context.settings, k) for k in range(n_members))
    outcomes = list(context.progress(context.mapper(_train_member, tasks), "members", n_members, "member"))
    return _put_together(context, outcomes)


def _train_member(task: tuple[Path, Settings, int]) -> list[StageOutcome]:
    run, settings, member = task
    folder, own = member_folder(run, member), member_settings(settings, member)
    make_directory(folder)
    stages: tuple[Stage, ...] = MEMBER_STAGES
    if own.binarize == settings.binarize:
        for name in (TREES_FILE, SYMBOLS_FILE):
            share_file(run / name, folder / name)
    else:
        give_trees(run, folder)
        stages = (REBINARIZATION, *MEMBER_STAGES)
    context = StageContext(folder, own)
    return [run_stage(stage, context) for stage in stages if stage.is_wanted(own)]


def _put_together(context: StageContext, outcomes: Iterable[list[StageOutcome]]) -> EnsembleReport:
    run, settings = context.run, context.settings
    folders = [member_folder(run, k) for k in range(settings.ensemble.members)]
    loaded = [load_model(folder) for folder in folders]
    grammars = [in_single_precision(grammar) for _, grammar in loaded]
    tagger, spans = stored_tagger(run, settings), stored_spans(run, settings)
    # The trees are recorded too: if they change, the members' files stay the same, and only this record shows it.
    names = (TREES_FILE, SYMBOLS_FILE, *(f"{folder.name}/{MODEL_FILE}" for folder in folders))
    tree_settings = read_header(run / SYMBOLS_FILE, SYMBOLS).settings
    binarized = {name: tree_settings[name] for name in ("clean", "binarize")}
    inputs = {**hashes(run, names), **tagger.inputs, **spans.inputs}
    shaping, seed, inputs, version = made(ENSEMBLE, context, binarized, inputs)
    shaping |= tagger.settings | spans.settings
    save_model(run / MODEL_FILE, grammars, shaping, seed, inputs, version, tagger.tagger, spans.arrays)
    parameters = sum(grammar.n_parameters for grammar in grammars)
    return EnsembleReport(list(outcomes), parameters, (run / MODEL_FILE).stat().st_size)


def ensemble_settings(settings: Settings) -> dict[str, Any]:
    """The settings that the ensemble's file depends on: those of each member, and those that members share."""
    members = [_shaping(member_settings(settings, k)) for k in range(settings.ensemble.members)]
    return {"members": members, "parse": asdict(settings.parse), **tagger_settings(settings), **span_settings(settings)}


def _shaping(settings: Settings) -> dict[str, Any]:
    """All settings that one member's model depends on."""
    found: dict[str, Any] = {"seed": settings.seed, "binarize": asdict(settings.binarize)}
    for stage in MEMBER_STAGES:
        if stage.is_wanted(settings):
            found |= stage.shaped_by(settings)
    return found


ENSEMBLE = Stage(
    name="ensemble",
    summary="Train several models that parse together.",
    reads=(TREES_FILE, SYMBOLS_FILE),
    file=MODEL_FILE,
    kind=MODEL,
    version=3,
    shaped_by=ensemble_settings,
    sources=lambda context: embedding_hashes(
        member_settings(context.settings, k).lexicon for k in range(context.settings.ensemble.members)
    ),
    work=train_members,
    flags=("lexicon", "features", "svd", "estimate", "em", "ensemble", "parse"),
    is_wanted=lambda settings: settings.ensemble.members > 1,
    log=lambda context, report: {"members": context.settings.ensemble.members},
)
