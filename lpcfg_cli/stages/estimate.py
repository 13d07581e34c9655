"""estimate: trees, features and, for some learners, projections → ``model.lpcfg.npz``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.config import Settings
from lpcfg_cli.em.run import CHECKPOINT_FILE, EmRecord, ignore_record
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.stopwatch import Stopwatch
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.grammar.model import DENSE
from lpcfg_cli.stages.journal import logged_stage
from lpcfg_cli.stages.learners import PERTURBED, PROJECTING, Learning, learn, learner_settings
from lpcfg_cli.stages.run_directory import MODEL_FILE, save_model
from lpcfg_cli.stages.spectra import RankWarning, SymbolSpectrum, rank_warnings, read_spectra
from lpcfg_cli.stages.tagger import wanted_tagger
from lpcfg_cli.stages.training_data import load_training_data
from lpcfg_cli.storage.files import sha256_of_file


@dataclass(frozen=True)
class EstimateReport:
    """Size of the model, and how EM came to it.

    Attributes
    ----------
    learner : str
    binary_rules, unary_rules, lexical_rules : int
    dense_rules : int
        Binary rules whose tensor is stored densely; the others are sums of outer products.
    parameters : int
        Numbers in the model.
    bytes : int
        Size of the model file.
    em : list of EmRecord
        EM's iterations, if the learner takes any.
    chosen : int or None
        The iteration whose parameters the model has.
    spectra : list of SymbolSpectrum
        Of each nonterminal, with the model's m_a.
    warnings : list of RankWarning
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


def run_estimate(
    run: Path,
    settings: Settings,
    progress: Progress = no_progress,
    mapper: Mapper = map,
    on_step: Callable[[EmRecord], None] = ignore_record,
) -> EstimateReport:
    """Estimate the parameters and write the model file.

    Parameters
    ----------
    run : Path
        A run directory with the output of ``lpcfg features``, and of ``lpcfg svd`` if the learner wants it.
    settings : Settings
    progress : Progress
        Sees the binary rules.
    mapper : callable like map
        Spreads EM's trees over workers; results do not depend on it.
    on_step : function of EmRecord
        Told of each iteration of EM.
    """
    learner = settings.estimate.learner
    with logged_stage(run, "estimate", learner=learner) as entry:
        stage = Stopwatch()
        data = load_training_data(run, learner in PROJECTING, learner in PERTURBED)
        watch = Stopwatch()
        learnt = learn(data, settings, Learning(run, mapper, progress, on_step))
        learning = watch.lap()
        grammar = learnt.grammar
        # the model tells how it was made, from the first stage on
        made_by = {**data.settings, **estimate_settings(settings), "parse": asdict(settings.parse)}
        tagger = wanted_tagger(run, settings)
        inputs = {**data.inputs, **tagger.inputs}
        save_model(run / MODEL_FILE, [grammar], {**made_by, **tagger.settings}, settings.seed, inputs, tagger.tagger)
        (run / CHECKPOINT_FILE).unlink(missing_ok=True)
        training = stage.lap() - learning + (learnt.training or learning)
        entry |= {
            "learning_seconds": round(learning.seconds, 3),
            "training": asdict(training),
            "em": [asdict(record) for record in learnt.records],
            "chosen": learnt.chosen,
            "model": sha256_of_file(run / MODEL_FILE),
        }
    spectra = read_spectra(run, grammar, data.inputs)
    return EstimateReport(
        learner,
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
    )


def estimate_settings(settings: Settings) -> dict[str, Any]:
    """The settings that shape this stage's output."""
    return learner_settings(settings)
