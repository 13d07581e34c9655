"""spans: binarized trees → networks that read sentences, in one file, each trained in its own folder."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from lpcfg_cli.errors import ConfigError
from lpcfg_cli.parsing.spans.archive import SPANS, SPANS_FILE, load_network, span_arrays
from lpcfg_cli.parsing.spans.parameters import states_of_layers
from lpcfg_cli.parsing.spans.span_model import SpanModel
from lpcfg_cli.parsing.spans.vocabulary import vocabulary_of
from lpcfg_cli.stages.span_network import train_network, trees_of_run
from lpcfg_cli.stages.stage import Stage, StageContext, save_arrays, sections
from lpcfg_cli.treebank.archive import SYMBOLS_FILE, TREES_FILE


@dataclass(frozen=True)
class SpansReport:
    """What was learnt.

    Attributes
    ----------
    sentences : int
    words, chains : int
        Number of those that are known.
    networks, parameters : int
        Number of networks, and of the parameters of each.
    likelihood : list of list of float
        Mean log-likelihood of a tree in each pass, of each network.
    bytes : int
        Size of the file.
    """

    sentences: int
    words: int
    chains: int
    networks: int
    parameters: int
    likelihood: list[list[float]]
    bytes: int


def learn_spans(context: StageContext) -> SpansReport:
    """Train the networks that are not current, and write all of them into one file.

    Raises
    ------
    ConfigError
        ``spans.networks`` is 0.
    """
    run, settings = context.run, context.settings
    n_networks = settings.spans.networks
    if n_networks == 0:
        raise ConfigError("spans.networks is 0, which means no span model; give --spans 1.")
    loaded = [load_network(file) for file in _trained(context, n_networks)]
    trees = trees_of_run(run)
    vocabulary, _ = vocabulary_of(trees)
    states = states_of_layers(settings.spans.states)
    model = SpanModel(vocabulary, states, np.stack([parameters for parameters, _ in loaded]))
    save_arrays(SPANNING, context, span_arrays(model))
    return SpansReport(
        len(trees),
        len(vocabulary.words),
        len(vocabulary.chains),
        n_networks,
        model.networks.shape[1],
        [likelihood for _, likelihood in loaded],
        (run / SPANS_FILE).stat().st_size,
    )


def _trained(context: StageContext, n_networks: int) -> list[Path]:
    """The files of the networks.

    A network takes minutes.  So one that is trained by itself shows its passes; of several that are trained side by
    side only the whole ones are counted.
    """
    tasks = [(context.run, context.settings, number) for number in range(n_networks)]
    if n_networks == 1 or context.mapper is map:
        return [train_network(task, context.progress) for task in tasks]
    return list(context.progress(context.mapper(train_network, tasks), "spans", n_networks, "network"))


SPANNING = Stage(
    name="spans",
    summary="Learn networks that find constituents by the words of the sentence.",
    reads=(TREES_FILE, SYMBOLS_FILE),
    file=SPANS_FILE,
    kind=SPANS,
    version=4,
    shaped_by=sections("spans"),
    work=learn_spans,
    flags=("spans",),
    is_wanted=lambda settings: settings.spans.networks > 0,
    log=lambda context, report: asdict(report),
)
