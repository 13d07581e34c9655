"""tagger: trees → ``tagger.npz``, which parsing of raw text needs besides the grammar."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.config import Settings
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.stages.stage import Stage, StageContext, save_arrays
from lpcfg_cli.storage.artefacts import check_parents, read_header
from lpcfg_cli.storage.files import sha256_of_file
from lpcfg_cli.tagging.archive import TAGGER, TAGGER_FILE, load_tagger, tagger_arrays
from lpcfg_cli.tagging.tagger import Tagger
from lpcfg_cli.tagging.text import learn_conventions
from lpcfg_cli.tagging.training import train_tagger
from lpcfg_cli.treebank.archive import SYMBOLS_FILE, TREES_FILE, load_binary_trees
from lpcfg_cli.treebank.binary import LEXICAL, BinaryTreebank
from lpcfg_cli.treebank.trees import TaggedSentence


@dataclass(frozen=True)
class TaggerReport:
    """Size of the tagger, and the text conventions learnt from the treebank.

    Attributes
    ----------
    tags, features, weights : int
    abbreviations : int
        Number of words with a full stop that does not end a sentence.
    spellings : list of (str, str)
        Characters of raw text, and how the treebank writes them.
    has_directed_quotes : bool
    clitics : list of str
        As in `lpcfg_cli.tagging.text.TextConventions`.
    """

    tags: int
    features: int
    weights: int
    abbreviations: int
    spellings: list[tuple[str, str]]
    has_directed_quotes: bool
    clitics: list[str]


def train_tagger_stage(context: StageContext) -> TaggerReport:
    """Train the tagger on the words and tags of the trees.

    Raises
    ------
    ConfigError
        ``tagger.epochs`` is 0.
    """
    run, settings = context.run, context.settings
    if settings.tagger.epochs == 0:
        raise ConfigError("tagger.epochs is 0, which means no tagger; set it to 1 or more.")
    _, trees = load_binary_trees(run)
    sentences = list(tagged_sentences(trees))
    # of the treebank only: raw text has been written as in the treebank before
    gold = sentences[: trees.n_gold]
    conventions = learn_conventions([word for word, _ in sentence] for sentence in gold)
    tagger = train_tagger(sentences, settings.tagger, settings.seed, context.progress, trees.weight)
    save_arrays(TAGGING, context, tagger_arrays(tagger), {"text": asdict(conventions)})
    return TaggerReport(
        len(tagger.tags),
        len(tagger.features),
        len(tagger.weight),
        len(conventions.abbreviations),
        list(conventions.spellings),
        conventions.has_directed_quotes,
        list(conventions.clitics),
    )


@dataclass(frozen=True)
class StoredTagger:
    """The tagger of a run directory, with its provenance, for a model file.

    Attributes
    ----------
    tagger : Tagger or None
    settings : dict
        The settings it was trained with, and its text conventions.
    inputs : dict of str to str
        The hash of its file.
    """

    tagger: Tagger | None
    settings: dict[str, Any]
    inputs: dict[str, str]


def stored_tagger(run: Path, settings: Settings) -> StoredTagger:
    """The tagger of a run directory; without a `Tagger` if the settings exclude it or it has not been trained."""
    path = run / TAGGER_FILE
    if settings.tagger.epochs == 0 or not path.exists():
        return StoredTagger(None, {"tagger": None}, {})
    header = read_header(path, TAGGER)
    check_parents(path, TAGGER, header)
    found = load_tagger(path, TAGGER)
    assert found is not None, "a tagger file always has a tagger"
    made_by = {name: header.settings[name] for name in ("tagger", "text")}
    return StoredTagger(found[0], made_by, {TAGGER_FILE: sha256_of_file(path)})


def tagger_settings(settings: Settings) -> dict[str, Any]:
    """The settings that the tagger depends on; None without a tagger."""
    return {"tagger": asdict(settings.tagger) if settings.tagger.epochs else None}


def tagged_sentences(trees: BinaryTreebank) -> Iterator[TaggedSentence]:
    """The (word, tag) pairs of each tree."""
    leaves = np.flatnonzero(trees.kind == LEXICAL)
    words = [trees.strings[k] for k in trees.word[leaves]]
    tags = [trees.symbols[a].tag or "" for a in trees.symbol[leaves]]
    for first, last in pairwise(np.searchsorted(leaves, trees.tree_start)):
        yield list(zip(words[first:last], tags[first:last], strict=True))


TAGGING = Stage(
    name="tagger",
    summary="Train the tagger that raw text needs.",
    reads=(TREES_FILE, SYMBOLS_FILE),
    file=TAGGER_FILE,
    kind=TAGGER,
    version=4,
    shaped_by=tagger_settings,
    work=train_tagger_stage,
    is_wanted=lambda settings: settings.tagger.epochs > 0,
)
