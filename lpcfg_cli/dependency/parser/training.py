"""Training of a parser: heads, relations and tags."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from lpcfg_cli.config import DependencyParserSettings, TaggerSettings
from lpcfg_cli.dependency.parser.dependency_parser import BETWEEN_TAGS, DependencyParser
from lpcfg_cli.dependency.parser.encoding import coarse_tags, learn_coarse_tags, sentence_rows
from lpcfg_cli.dependency.parser.relations import learn_relations
from lpcfg_cli.dependency.parser.weights import PassRecord, ignore_pass, learn_weights
from lpcfg_cli.dependency.trees.projectivity import projectivise
from lpcfg_cli.dependency.trees.sentence import DependencySentence
from lpcfg_cli.errors import InputError
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.tagging.sentence import Teller, silent
from lpcfg_cli.tagging.text import learn_conventions
from lpcfg_cli.tagging.training import train_tagger
from lpcfg_cli.wording import counted

NO_TAGGER = TaggerSettings(epochs=0)


def train_parser(
    sentences: Iterable[DependencySentence],
    settings: DependencyParserSettings,
    *,
    seed: int = 0,
    workers: Mapper = map,
    progress: Progress = no_progress,
    tagger: TaggerSettings = NO_TAGGER,
    tell: Teller = silent,
    tell_pass: Callable[[PassRecord], None] = ignore_pass,
) -> DependencyParser:
    """Train a parser on gold trees.

    Parameters
    ----------
    sentences : iterable of DependencySentence
        With heads.  Crossing arcs are lifted; sentences without words and too long ones are left out.
    settings : DependencyParserSettings
    seed : int
    workers : callable like map
        Spreads shards over processes; the parser does not depend on it.
    progress : Progress
    tagger : TaggerSettings
        How the tagger is trained that raw text needs; by default there is none.
    tell : function of str
        Called with a note about trees that were changed or left out.
    tell_pass : function of PassRecord
        Called after each pass over the trees.

    Raises
    ------
    InputError
        There is no sentence to learn from.
    """
    used = usable_trees(list(sentences), settings, tell)
    coarse = learn_coarse_tags(used)
    rows = [sentence_rows(sentence, coarse) for sentence in used]
    heads = [np.asarray(sentence.heads, np.int32) for sentence in used]
    weight = learn_weights(rows, heads, settings, seed, workers, progress, tell_pass)
    relations = learn_relations(rows, heads, [sentence.relations for sentence in used], settings, seed, progress)
    own_tagger = None
    if tagger.epochs:
        own_tagger = train_tagger([tagged(sentence, coarse) for sentence in used], tagger, seed, progress)
    conventions = learn_conventions(sentence.forms for sentence in used)
    return DependencyParser(settings.order, settings.roots == "one", weight, coarse, relations, own_tagger, conventions)


def usable_trees(
    sentences: Sequence[DependencySentence], settings: DependencyParserSettings, tell: Teller
) -> list[DependencySentence]:
    """The sentences to learn from, with projective trees; what was changed or left out is told."""
    kept = [sentence for sentence in sentences if 0 < len(sentence) <= settings.longest]
    if left_out := len(sentences) - len(kept):
        what = counted(left_out, "sentence")
        tell(f"left out: {what} without words or with more than {settings.longest} (--longest)")
    if not kept:
        raise InputError("There is no sentence to learn from. Give a file in CoNLL-X or CoNLL-U with heads.")
    made = projectivise(kept)
    if told := made.message():
        tell(told)
    if settings.roots == "one":
        rooted = [sentence for sentence in made.sentences if np.count_nonzero(sentence.heads == 0) > 1]
        if rooted:
            what = counted(len(rooted), "sentence", "has", "have")
            tell(f"{what} several roots, the first at {rooted[0].place}; --roots several allows for them")
    return made.sentences


def tagged(sentence: DependencySentence, coarse: dict[str, str]) -> list[tuple[str, str]]:
    """The words of a sentence with their tags, fine and coarse ones joined if the treebank has both."""
    if not coarse:
        return list(zip(sentence.forms, sentence.tags, strict=True))
    both = zip(sentence.forms, sentence.tags, coarse_tags(sentence, coarse), strict=True)
    return [(form, f"{tag}{BETWEEN_TAGS}{own}") for form, tag, own in both]
