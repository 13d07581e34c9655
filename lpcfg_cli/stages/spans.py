"""spans: the constituents of all parts of the treebank, each found by a model of the others → ``spans.npz``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.config import Settings, member_settings
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.parsing.spans.archive import SPANS, SPANS_FILE, load_examples, span_arrays
from lpcfg_cli.parsing.spans.learning import learn_span_model
from lpcfg_cli.stages.features import embedding_hashes
from lpcfg_cli.stages.parts import part_settings, run_part, settings_of_models, write_parts
from lpcfg_cli.stages.span_examples import SPAN_EXAMPLES
from lpcfg_cli.stages.stage import Stage, StageContext, save_arrays
from lpcfg_cli.treebank.archive import SYMBOLS_FILE, TREES_FILE

FOLDER = "spans"
"""Folder of a run directory with the examples of each part."""


@dataclass(frozen=True)
class SpansReport:
    """What was learnt.

    Attributes
    ----------
    sentences, constituents : int
        Examples, and their constituents.
    found : float
        Share of the constituents that are in their trees.
    likelihood : list of float
        Mean log-likelihood of a tree in each pass.
    trust : float
        As in `SpanModel`.
    weights : int
        Number of weights that are not 0.
    bytes : int
        Size of the file.
    """

    sentences: int
    constituents: int
    found: float
    likelihood: list[float]
    trust: float
    weights: int
    bytes: int


def learn_spans(context: StageContext) -> SpansReport:
    """Make the examples of the parts that have none yet, and learn the span model from all.

    Raises
    ------
    ConfigError
        ``spans.parts`` is 0, the treebank has fewer trees than parts, or the models of the parts have no tree for any
        sentence.
    """
    run, settings = context.run, context.settings
    n_parts = settings.spans.parts
    if n_parts == 0:
        raise ConfigError("spans.parts is 0, which means no span model; give --spans 5.")
    folders = write_parts(run, FOLDER, n_parts)
    n_folders = n_parts + bool(settings.teach.files)
    own = examples_settings(settings)
    files = (run_part(SPAN_EXAMPLES, context, folder, own) for folder in folders)
    parts = context.progress(files, "spans", n_folders, "part")
    examples = [example for part in parts for example in load_examples(part)]
    if not examples:
        raise ConfigError(
            f"{run / TREES_FILE}: no sentence of any of {n_parts} parts has a tree by the model of the other parts. "
            "Give a larger treebank, or --spans 0 for no span model."
        )
    learnt = learn_span_model(examples, settings.spans, stream(settings.seed, Purpose.SPANS), context.progress)
    save_arrays(SPANNING, context, span_arrays(learnt.model))
    constituents = sum(len(example.is_gold) for example in examples)
    return SpansReport(
        len(examples),
        constituents,
        sum(int(example.is_gold.sum()) for example in examples) / max(constituents, 1),
        learnt.likelihood,
        learnt.model.trust,
        int(np.count_nonzero(learnt.model.weight)),
        (run / SPANS_FILE).stat().st_size,
    )


def examples_settings(settings: Settings) -> Settings:
    """The settings of the models of parts: those of the model whose posteriors the span model is given."""
    return part_settings(member_settings(settings, settings.spans.member))


def spans_settings(settings: Settings) -> dict[str, Any]:
    """The settings that the span model depends on."""
    return {"spans": asdict(settings.spans), "models": settings_of_models(examples_settings(settings))}


SPANNING = Stage(
    name="spans",
    summary="Learn how probable constituents are by the words in and around them.",
    reads=(TREES_FILE, SYMBOLS_FILE),
    file=SPANS_FILE,
    kind=SPANS,
    version=1,
    shaped_by=spans_settings,
    sources=lambda context: embedding_hashes([examples_settings(context.settings).lexicon]),
    work=learn_spans,
    flags=("spans",),
    is_wanted=lambda settings: settings.spans.parts > 0,
    log=lambda context, report: asdict(report),
)
