"""span-network: binarized trees → one network of a span model, in a folder of its own."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path

from lpcfg_cli.arrays.streams import Purpose, derived_seed, stream
from lpcfg_cli.config import Settings
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.grammar.model import round_bits
from lpcfg_cli.parsing.spans.archive import NETWORK, NETWORK_FILE, network_arrays
from lpcfg_cli.parsing.spans.learning import example_of, learn, sizes_of
from lpcfg_cli.parsing.spans.parameters import states_of_layers
from lpcfg_cli.parsing.spans.vocabulary import vocabulary_of
from lpcfg_cli.stages.stage import Stage, StageContext, run_stage, save_arrays
from lpcfg_cli.storage.files import make_directory, share_file
from lpcfg_cli.treebank.archive import SYMBOLS_FILE, TREES_FILE, load_binary_trees
from lpcfg_cli.treebank.binarize import unbinarize
from lpcfg_cli.treebank.chains import TreeChains, tree_chains

BITS = 8
"""Significant bits of a parameter, so that files pack well; F1 stays the same (scripts/accuracy.md)."""


@dataclass(frozen=True)
class SpanNetworkReport:
    """Number of sentences, and the mean log-likelihood of a tree in each pass.

    Attributes
    ----------
    sentences : int
    likelihood : list of float
    """

    sentences: int
    likelihood: list[float]


def network_folder(run: Path, number: int) -> Path:
    """The folder of a network, inside the run directory."""
    return run / "spans" / f"network-{number}"


def train_network(task: tuple[Path, Settings, int], progress: Progress = no_progress) -> Path:
    """Train a network of a run, from 0, unless its file is current; returns the file."""
    run, settings, number = task
    folder = network_folder(run, number)
    make_directory(folder)
    for name in (TREES_FILE, SYMBOLS_FILE):
        share_file(run / name, folder / name)
    stage = span_network(number)
    run_stage(stage, StageContext(folder, settings, progress=progress))
    return folder / stage.file


def trees_of_run(run: Path) -> list[TreeChains]:
    """The trees of a run's treebank as chains.

    Those of raw text are left out: they made learning three times as long, and the networks no better
    (scripts/accuracy.md).
    """
    _, binary = load_binary_trees(run)
    return list(islice(tree_chains(unbinarize(binary)), binary.n_gold))


def span_network(number: int) -> Stage:
    """The stage that learns one network from the treebank; it does not depend on how many networks there are."""

    def learn_network(context: StageContext) -> SpanNetworkReport:
        trees = trees_of_run(context.run)
        vocabulary, counts = vocabulary_of(trees)
        settings = context.settings.spans
        examples = [example_of(tree, vocabulary, counts) for tree in trees]
        rng = stream(derived_seed(context.settings.seed, Purpose.SPANS, number), Purpose.SPANS)
        learnt = learn(
            examples, sizes_of(vocabulary, states_of_layers(settings.states)), settings, rng, context.progress
        )
        save_arrays(stage, context, network_arrays(round_bits(learnt.parameters, BITS), learnt.likelihood))
        return SpanNetworkReport(len(examples), learnt.likelihood)

    stage = Stage(
        name="span-network",
        summary="Learn one network of a span model.",
        reads=(TREES_FILE, SYMBOLS_FILE),
        file=NETWORK_FILE,
        kind=NETWORK,
        version=4,
        shaped_by=lambda settings: {"spans": asdict(replace(settings.spans, networks=1)), "network": number},
        work=learn_network,
        log=lambda context, report: asdict(report),
    )
    return stage
