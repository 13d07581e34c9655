"""ensemble: binarized trees → several models in one file, each trained in a run directory of its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lpcfg_cli.config import WITHOUT_CHANCE, Settings, member_settings
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.grammar.model import in_single_precision
from lpcfg_cli.grammar.validity import check_same_rules
from lpcfg_cli.stages.course import Stage, StageOutcome, ensemble_settings, is_current, model_stages
from lpcfg_cli.stages.journal import logged_stage
from lpcfg_cli.stages.run_directory import MODEL, MODEL_FILE, SYMBOLS_FILE, TREES_FILE, load_model, save_model
from lpcfg_cli.stages.tagger import wanted_tagger
from lpcfg_cli.storage.files import make_directory, sha256_of_file, share_file


@dataclass(frozen=True)
class EnsembleReport:
    """What the members took and what became of them.

    Attributes
    ----------
    members : list of list of StageOutcome
        The stages of each member.
    parameters : int
        Numbers in all members.
    bytes : int
        Size of the model file.
    """

    members: list[list[StageOutcome]]
    parameters: int
    bytes: int


def ensemble_stage(run: Path, settings: Settings, mapper: Mapper = map, progress: Progress = no_progress) -> Stage:
    """The stage that takes the place of all after binarization.

    Raises
    ------
    ConfigError
        The members would all be the same.
    """
    if not _members_differ(settings):
        raise ConfigError(
            f"{settings.ensemble.members} members of the learner {settings.estimate.learner} would all be the same. "
            "Give --dropout 0.3, or --noise 0.3, or settings to vary in [ensemble] of a --config file."
        )
    return Stage(
        "ensemble",
        MODEL_FILE,
        lambda: is_current(run / MODEL_FILE, MODEL, ensemble_settings(settings), settings),
        lambda: run_ensemble(run, settings, mapper, progress),
    )


def _members_differ(settings: Settings) -> bool:
    perturbed = settings.svd.dropout > 0 or settings.svd.noise > 0
    return perturbed or len(settings.ensemble.vary) > 1 or settings.estimate.learner not in WITHOUT_CHANCE


def member_folder(run: Path, member: int) -> Path:
    """Where a member is trained: a run directory in the run directory."""
    return run / f"member-{member}"


def run_ensemble(
    run: Path, settings: Settings, mapper: Mapper = map, progress: Progress = no_progress
) -> EnsembleReport:
    """Train the members that are not there yet and put them into one model file.

    Parameters
    ----------
    run : Path
        A run directory with the output of ``lpcfg binarize``.
    settings : Settings
    mapper : callable like map
        Spreads the members over workers; results do not depend on it.
    progress : Progress
        Sees the members.
    """
    n_members = settings.ensemble.members
    with logged_stage(run, "ensemble", members=n_members):
        tasks = ((run, settings, k) for k in range(n_members))
        outcomes = list(progress(mapper(_train_member, tasks), "members", n_members, "member"))
        return _put_together(run, settings, outcomes)


def _train_member(task: tuple[Path, Settings, int]) -> list[StageOutcome]:
    run, settings, member = task
    folder = member_folder(run, member)
    make_directory(folder)
    for name in (TREES_FILE, SYMBOLS_FILE):
        share_file(run / name, folder / name)
    return [stage.run(folder) for stage in model_stages(folder, member_settings(settings, member))]


def _put_together(run: Path, settings: Settings, outcomes: Iterable[list[StageOutcome]]) -> EnsembleReport:
    folders = [member_folder(run, k) for k in range(settings.ensemble.members)]
    loaded = [load_model(folder) for folder in folders]
    grammars = [in_single_precision(grammar) for _, grammar in loaded]
    check_same_rules(grammars)
    tagger = wanted_tagger(run, settings)
    made_by = {"binarize": loaded[0][0].settings["binarize"], **ensemble_settings(settings), **tagger.settings}
    # the trees too: members that were made from others are still what they were, and only they would tell
    names = (TREES_FILE, SYMBOLS_FILE, *(f"{folder.name}/{MODEL_FILE}" for folder in folders))
    inputs = {name: sha256_of_file(run / name) for name in names}
    save_model(run / MODEL_FILE, grammars, made_by, settings.seed, {**inputs, **tagger.inputs}, tagger.tagger)
    parameters = sum(grammar.n_parameters for grammar in grammars)
    return EnsembleReport(list(outcomes), parameters, (run / MODEL_FILE).stat().st_size)
