"""estimate: trees, features and, for some learners, projections → ``model.lpcfg.npz``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.config import FeatureSettings, Settings, SvdSettings
from lpcfg_cli.em.checkpoint import CHECKPOINT_FILE
from lpcfg_cli.em.monitor import EmRecord
from lpcfg_cli.execution.stopwatch import Spent, Stopwatch
from lpcfg_cli.features.archive import FEATURES, FEATURES_FILE, features_from_arrays
from lpcfg_cli.grammar.archive import MODEL, MODEL_FILE, lexicon_from_arrays, save_model
from lpcfg_cli.grammar.model import DENSE, Grammar, with_significant_bits
from lpcfg_cli.learning.learner import Learner, LearningContext
from lpcfg_cli.learning.learners import learn, learner_of
from lpcfg_cli.learning.projected_nodes import project_nodes
from lpcfg_cli.learning.training_data import TrainingData
from lpcfg_cli.spectral.archive import PROJECTIONS, PROJECTIONS_FILE, projections_from_arrays
from lpcfg_cli.spectral.projection import perturbed
from lpcfg_cli.spectral.spectra import RankWarning, SymbolSpectrum, rank_warnings
from lpcfg_cli.stages.inspect import spectra_of_grammar
from lpcfg_cli.stages.stage import Stage, StageContext, hashes, made
from lpcfg_cli.stages.stored_spans import span_settings, stored_spans
from lpcfg_cli.stages.tagger import stored_tagger, tagger_settings
from lpcfg_cli.storage.artefacts import check_parents, read_arrays
from lpcfg_cli.storage.files import sha256_of_file
from lpcfg_cli.treebank.archive import SYMBOLS_FILE, TREES_FILE, load_binary_trees


@dataclass(frozen=True)
class EstimateReport:
    """Size of the model, the iterations of EM, the spectra and the times.

    Attributes
    ----------
    learner : str
    binary_rules, unary_rules, lexical_rules : int
    dense_rules : int
        Number of binary rules with a dense tensor; the tensors of the others are sums of outer products.
    parameters : int
        Number of parameters of the model.
    bytes : int
        Size of the model file.
    em : list of EmRecord
        The iterations of EM; empty if the learner does not use EM.
    chosen : int or None
        The iteration whose parameters the model has.
    spectra : list of SymbolSpectrum
        One of each nonterminal, with the model's m_a.
    warnings : list of RankWarning
    learning : Spent
        Time of the learner.
    training : Spent
        Time of the stage that the model needed: it excludes scoring the dev treebank and the iterations of EM after the
        chosen one.
    """

    learner: str
    binary_rules: int
    unary_rules: int
    lexical_rules: int
    dense_rules: int
    parameters: int
    bytes: int
    em: list[EmRecord]
    chosen: int | None
    spectra: list[SymbolSpectrum]
    warnings: list[RankWarning]
    learning: Spent
    training: Spent


def estimate_model(context: StageContext) -> EstimateReport:
    """Estimate the parameters and write the model file."""
    run, settings, stage = context.run, context.settings, Stopwatch()
    learner = learner_of(settings)
    data = load_training_data(run, learner)
    watch = Stopwatch()
    checkpoint = run / CHECKPOINT_FILE
    learnt = learn(data, settings, LearningContext(context.mapper, context.progress, context.on_step, checkpoint))
    learning = watch.lap()
    _save(context, data, learnt.grammar)
    checkpoint.unlink(missing_ok=True)
    training = stage.lap() - learning + (learnt.training or learning)
    grammar = learnt.grammar
    spectra = spectra_of_grammar(run, data.inputs, grammar)
    return EstimateReport(
        learner.name,
        len(grammar.binary),
        len(grammar.unary),
        len(grammar.lexical),
        int(np.count_nonzero(grammar.binary.rank == DENSE)),
        grammar.n_parameters,
        (run / MODEL_FILE).stat().st_size,
        learnt.records,
        learnt.chosen,
        spectra,
        rank_warnings(spectra),
        learning,
        training,
    )


def _save(context: StageContext, data: TrainingData, grammar: Grammar) -> None:
    """Write the model file, with the settings and inputs of all stages in its header."""
    run, settings = context.run, context.settings
    tagger, spans = stored_tagger(run, settings), stored_spans(run, settings)
    inputs = {**data.inputs, **tagger.inputs, **spans.inputs}
    shaping, seed, inputs, version = made(ESTIMATION, context, data.settings, inputs)
    stored = with_significant_bits(grammar, settings.estimate.bits)
    shaping |= tagger.settings | spans.settings
    save_model(run / MODEL_FILE, [stored], shaping, seed, inputs, version, tagger.tagger, spans.arrays)


def load_training_data(run: Path, learner: Learner) -> TrainingData:
    """Read the files of a run directory from which its model is made.

    Parameters
    ----------
    run : Path
    learner : Learner
        Determines whether projections are read, and how nodes are projected.

    Raises
    ------
    InputError, ArtefactError
        A file is missing, cannot be used, or was made from other files than those beside it.
    """
    tree_header, trees = load_binary_trees(run)
    header, arrays = read_arrays(run / FEATURES_FILE, FEATURES)
    check_parents(run / FEATURES_FILE, FEATURES, header)
    settings = {**tree_header.settings, **header.settings}
    del settings["sources"]  # the hashes of the tree files; the trees made from them are among the inputs
    names = [TREES_FILE, SYMBOLS_FILE, FEATURES_FILE]
    features = features_from_arrays(arrays)
    projected = None
    if learner.needs_projections:
        projection_header, projection_data = read_arrays(run / PROJECTIONS_FILE, PROJECTIONS)
        check_parents(run / PROJECTIONS_FILE, PROJECTIONS, projection_header)
        svd = SvdSettings(**projection_header.settings["svd"]) if learner.projects_as_decomposed else SvdSettings()
        projected = project_nodes(
            projections_from_arrays(projection_data),
            features,
            settings=FeatureSettings(**header.settings["features"]),
            seen=lambda pair, symbol: perturbed(pair, svd, projection_header.seed, symbol),
        )
        settings |= projection_header.settings
        names.append(PROJECTIONS_FILE)
    lexicon = lexicon_from_arrays(arrays, header.settings)
    return TrainingData(trees, arrays["node_entry"], lexicon, features, projected, settings, hashes(run, names))


def model_settings(settings: Settings) -> dict[str, Any]:
    """The settings on which the part of the model file that this stage adds depends."""
    return {
        **learner_of(settings).shaping(settings),
        **tagger_settings(settings),
        **span_settings(settings),
        "parse": asdict(settings.parse),
    }


def _log(context: StageContext, report: EstimateReport) -> dict[str, Any]:
    return {
        "learner": report.learner,
        "learning_seconds": round(report.learning.seconds, 3),
        "training": asdict(report.training),
        "em": [asdict(record) for record in report.em],
        "chosen": report.chosen,
        "model": sha256_of_file(context.run / MODEL_FILE),
    }


ESTIMATION = Stage(
    name="estimate",
    summary="Estimate the model's parameters.",
    reads=(TREES_FILE, SYMBOLS_FILE, FEATURES_FILE),
    file=MODEL_FILE,
    kind=MODEL,
    version=3,
    shaped_by=model_settings,
    work=estimate_model,
    flags=("svd", "estimate", "em", "parse"),
    is_wanted=lambda settings: settings.ensemble.members == 1,
    log=_log,
)
