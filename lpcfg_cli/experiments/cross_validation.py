"""Cross-validation: each fold of a treebank is parsed with a model trained on the other folds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.config import Settings
from lpcfg_cli.errors import ConfigError
from lpcfg_cli.evaluation.evaluate import EvaluationOptions, EvaluationReport, evaluate, nothing_valid
from lpcfg_cli.execution.stopwatch import Stopwatch
from lpcfg_cli.execution.workers import Mapper
from lpcfg_cli.parsing.corpora import ParseReport, open_parser, parse_sentences
from lpcfg_cli.stages.chain import train as train_model
from lpcfg_cli.stages.stage import StageContext
from lpcfg_cli.storage.files import make_directory, write_text
from lpcfg_cli.tagging.sentence import InputSettings, Teller, silent, without_tags
from lpcfg_cli.tagging.sentences import open_sentences
from lpcfg_cli.treebank.brackets import bracket_strings
from lpcfg_cli.treebank.clean import with_named_roots
from lpcfg_cli.treebank.dropping import drops_more_than_traces, without_marks
from lpcfg_cli.treebank.encodings import rereadable
from lpcfg_cli.treebank.files import read_tree_files
from lpcfg_cli.treebank.finding import search_tree_files
from lpcfg_cli.treebank.formats import format_of_file
from lpcfg_cli.treebank.presets import cleaning
from lpcfg_cli.treebank.survey import repeated
from lpcfg_cli.treebank.survey import sentences as sentences_of
from lpcfg_cli.treebank.trees import Treebank
from lpcfg_cli.wording import counted


@dataclass(frozen=True)
class Fold:
    """The parses of one fold.

    Attributes
    ----------
    number : int
        Number of the fold, from 0.
    gold, parsed : list of str
        Gold trees and parses as bracketed lines, in the order of the treebank.
    training_seconds, parsing_seconds : float
        Wall time.
    repeated : int
        Number of its sentences that also occur in the trees it was trained on.
    share : float
        Share of the other folds' trees that the model was trained on.
    training_trees : int
        Their number.
    """

    number: int
    gold: list[str]
    parsed: list[str]
    training_seconds: float
    parsing_seconds: float
    repeated: int
    share: float = 1.0
    training_trees: int = 0


def cross_validate(
    roots: Sequence[Path],
    folder: Path,
    settings: Settings,
    folds: int,
    only: Iterable[int] = (),
    sections: str | None = None,
    mapper: Mapper = map,
    is_raw: bool = False,
    tell: Teller = silent,
    shares: Sequence[float] = (1.0,),
) -> Iterator[Fold]:
    """Yield each fold of a treebank, parsed by a model of the other folds.

    Parameters
    ----------
    roots : sequence of Path
        Files and directories of the treebank.
    folder : Path
        Folder in which the models are trained, in one run directory.
    settings : Settings
    folds : int
        Number of folds; each is a range of consecutive trees, so that only articles at its ends are in two folds.
    only : iterable of int
        Numbers of the folds to parse; empty for all.
    sections : str, optional
        LDC sections of the treebank.
    mapper : callable like map
        Spreads the work over workers; results do not depend on it.
    is_raw : bool
        Whether words are parsed without their tags; by default with the gold tags.
    tell : function of str
        Called with what is found in the treebank's folders, if anything there is left out.
    shares : sequence of float
        Shares of the other folds' trees; each fold is parsed by a model for each share. Smaller parts are random, and
        are parts of larger ones.

    Raises
    ------
    ConfigError
        There are fewer trees than folds, no fold with such a number, or no tagger for raw words.
    """
    found = search_tree_files(roots, sections, settings.read.format)
    if found.left_out:
        tell(found.line())
    trees = with_named_roots(read_tree_files(found.paths, settings.read).trees)
    if drops_more_than_traces(cleaning(settings)):
        trees, _ = without_marks(trees, cleaning(settings))
    if not 2 <= folds <= trees.n_trees:
        raise ConfigError(
            f"{counted(folds, 'fold')} of {counted(trees.n_trees, 'tree')}: "
            "expected a number from 2 to that of the trees."
        )
    chosen = sorted(set(only)) or list(range(folds))
    if not set(chosen) <= set(range(folds)):
        raise ConfigError(f"folds {', '.join(map(str, chosen))}: expected numbers from 0 to {folds - 1}.")
    if not is_raw:
        settings = replace(settings, tagger=replace(settings.tagger, epochs=0))
    elif not settings.tagger.epochs:
        raise ConfigError("tagger.epochs is 0, but raw words are for models with a tagger; set it to 1 or more.")
    make_directory(folder)
    fold_of = np.arange(trees.n_trees) * folds // trees.n_trees
    for number in chosen:
        held_out, others = np.flatnonzero(fold_of == number), np.flatnonzero(fold_of != number)
        order = stream(settings.seed, Purpose.LEARNING_CURVE, number).permutation(others)
        for share in shares:
            training = np.sort(order[: max(1, round(share * len(order)))])
            fold = _one_fold(trees, training, held_out, number, folder, settings, mapper, is_raw)
            yield replace(fold, share=share)


def _one_fold(
    trees: Treebank,
    training_trees: np.ndarray,
    held_out_trees: np.ndarray,
    number: int,
    folder: Path,
    settings: Settings,
    mapper: Mapper,
    is_raw: bool,
) -> Fold:
    watch = Stopwatch()
    train, held_out = folder / "train.mrg", folder / "held-out.mrg"
    others, own = (trees.subset(part) for part in (training_trees, held_out_trees))
    for path, part in ((train, others), (held_out, own)):
        # in the format in which the dev treebank is read too; its encoding may be another
        write = format_of_file(path, settings.read.format).write
        write_text(path, "".join(f"{line}\n" for line in write(part)), rereadable(settings.read.encoding))
    gold = list(bracket_strings(own))
    train_model(StageContext(folder / "run", settings, [train], mapper=mapper))
    training = watch.lap()
    parser = open_parser(folder / "run", {})
    reading = InputSettings(**vars(settings.read), clean=cleaning(settings))
    sentences = open_sentences(held_out, "trees", reading)
    if is_raw:
        sentences = map(without_tags, sentences)
    parsed = [one.line for one in parse_sentences(parser, sentences, ParseReport(), mapper=mapper)]
    parser.forget()
    parsing = watch.lap()
    n_repeated = len(repeated(sentences_of(own), sentences_of(others)))
    n_trees = len(training_trees)
    return Fold(number, gold, parsed, training.seconds, parsing.seconds, n_repeated, training_trees=n_trees)


def score_folds(parts: Sequence[Fold], folder: Path) -> EvaluationReport:
    """Score several folds together; their trees are written to ``gold.mrg`` and ``parsed.mrg`` in the folder.

    Raises
    ------
    InputError
        No sentence is valid.
    """
    gold, parsed = folder / "gold.mrg", folder / "parsed.mrg"
    write_folds(parts, gold, parsed)
    report = evaluate(gold, parsed, EvaluationOptions(layout="lines"))
    if report.scores.all.valid == 0:
        raise nothing_valid(report)
    return report


def write_folds(parts: Sequence[Fold], gold: Path, parsed: Path) -> None:
    """Write the gold trees of several folds, and their parses, one tree on each line."""
    write_text(gold, "".join(f"{line}\n" for part in parts for line in part.gold))
    write_text(parsed, "".join(f"{line}\n" for part in parts for line in part.parsed))
