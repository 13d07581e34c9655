"""span-examples: one part of a treebank → its constituents, as found by a model of the other parts."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from lpcfg_cli.parsing.spans.archive import EXAMPLES, EXAMPLES_FILE, example_arrays
from lpcfg_cli.parsing.spans.examples import make_examples
from lpcfg_cli.stages.features import embedding_hashes
from lpcfg_cli.stages.parts import HELD_OUT_FILE, TRAINING_FILE, model_of_others, settings_of_models
from lpcfg_cli.stages.stage import Stage, StageContext, save_arrays
from lpcfg_cli.treebank.chains import tree_chains
from lpcfg_cli.treebank.clean import clean
from lpcfg_cli.treebank.files import read_tree_files
from lpcfg_cli.treebank.presets import cleaning


@dataclass(frozen=True)
class SpanExamplesReport:
    """Number of sentences with constituents, and of those.

    Attributes
    ----------
    sentences, constituents : int
    """

    sentences: int
    constituents: int


def make_span_examples(context: StageContext) -> SpanExamplesReport:
    """Train a model of the other parts, and let it find the constituents of this one.

    A run that was interrupted goes on with what it has of the model.
    """
    run, settings = context.run, context.settings
    parser = model_of_others(context)
    trees, _ = clean(read_tree_files([run / HELD_OUT_FILE], settings.read).trees, cleaning(settings))
    made = make_examples(parser, tree_chains(trees), context.mapper)
    examples = [example for some in context.progress(made, "examples", None, "chunk") for example in some]
    save_arrays(SPAN_EXAMPLES, context, example_arrays(examples))
    parser.forget()
    return SpanExamplesReport(len(examples), sum(len(example.is_gold) for example in examples))


SPAN_EXAMPLES = Stage(
    name="span-examples",
    summary="Find the constituents of one part of a treebank by a model of the others.",
    reads=(TRAINING_FILE, HELD_OUT_FILE),
    file=EXAMPLES_FILE,
    kind=EXAMPLES,
    version=1,
    shaped_by=lambda settings: {"models": settings_of_models(settings)},
    sources=lambda context: embedding_hashes([context.settings.lexicon]),
    work=make_span_examples,
    log=lambda context, report: asdict(report),
)
