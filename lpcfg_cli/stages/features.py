"""features: binarized trees → ``features.npz``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lpcfg_cli.config import EIGENWORDS, LexiconSettings
from lpcfg_cli.features.archive import FEATURES, FEATURES_FILE, feature_arrays
from lpcfg_cli.features.templates import choose_templates
from lpcfg_cli.grammar.archive import lexicon_arrays
from lpcfg_cli.grammar.lexicon import CLASS_MARK
from lpcfg_cli.learning.preparation import describe
from lpcfg_cli.stages.stage import Stage, StageContext, save_arrays, sections
from lpcfg_cli.storage.files import sha256_of_file
from lpcfg_cli.treebank.archive import SYMBOLS_FILE, TREES_FILE, load_binary_trees


@dataclass(frozen=True)
class FeaturesReport:
    """Number of nodes, features and lexical entries.

    Attributes
    ----------
    nodes : int
        Number of nodes of the binarized trees.
    inside_features, outside_features : int
        Number of different features, summed over nonterminals: Σ d and Σ d′.
    words, classes : int
        Number of words with an entry of their own, and of classes that replace all other words.
    suffixes : int
        Number of suffixes that word classes distinguish.
    """

    nodes: int
    inside_features: int
    outside_features: int
    words: int
    classes: int
    suffixes: int


def extract_features(context: StageContext) -> FeaturesReport:
    """Learn the lexicon and extract inside and outside features of every node."""
    settings = context.settings
    templates = choose_templates(settings.features.templates)
    _, trees = load_binary_trees(context.run)
    lexicon, entry, found = describe(trees, templates, settings.lexicon, context.progress)
    save_arrays(EXTRACTION, context, {**feature_arrays(found, entry), **lexicon_arrays(lexicon)})
    kinds = Counter(entry.startswith(CLASS_MARK) for entry in lexicon.entries)
    sizes = len(found.inside.count), len(found.outside.count)
    return FeaturesReport(trees.n_nodes, *sizes, kinds[False], kinds[True], len(lexicon.suffixes))


def embedding_hashes(lexicons: Iterable[LexiconSettings]) -> dict[str, Any]:
    """SHA-256 of the files of embeddings that lexicons are learnt with, for headers; empty if there are none."""
    names = sorted({one.embeddings for one in lexicons if one.classes == EIGENWORDS})
    return {"embeddings": {name: sha256_of_file(Path(name)) for name in names}} if names else {}


EXTRACTION = Stage(
    name="features",
    summary="Extract inside and outside features.",
    reads=(TREES_FILE, SYMBOLS_FILE),
    file=FEATURES_FILE,
    kind=FEATURES,
    version=2,
    shaped_by=sections("lexicon", "features"),
    sources=lambda context: embedding_hashes([context.settings.lexicon]),
    work=extract_features,
    flags=("lexicon", "features"),
    is_wanted=lambda settings: settings.ensemble.members == 1,
)
