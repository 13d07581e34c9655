"""calibrate: are the posteriors of a model's brackets shares of right ones, and with which correction?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.optimize import isotonic_regression

from lpcfg_cli.config import ReadSettings
from lpcfg_cli.errors import InputError
from lpcfg_cli.evaluation.reliability import Reliability, reliability
from lpcfg_cli.grammar.archive import MODEL, model_file
from lpcfg_cli.parsing.calibration import STORED_AS, UNCORRECTED, Calibration
from lpcfg_cli.parsing.corpora import MAX_LENGTH, open_parser, read_calibration, read_cleaning
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.storage.artefacts import Array, read_arrays, write_arrays
from lpcfg_cli.tagging.tagger import OPEN_TAG
from lpcfg_cli.treebank.clean import clean
from lpcfg_cli.treebank.files import read_tree_files
from lpcfg_cli.treebank.finding import find_tree_files
from lpcfg_cli.treebank.trees import NO_WORD, Treebank

MOST_GROUPS, LEAST_IN_GROUP = 40, 50
"""Largest number of groups of brackets for a correction, and least number of brackets in each."""

GoldBrackets = set[tuple[str, int, int]]
"""Label and half-open span of words of the phrases of a tree."""


@dataclass(frozen=True)
class CalibrationReport:
    """The reliability of a model's brackets on some trees.

    Attributes
    ----------
    sentences : int
    uncorrected : Reliability
        Of the posteriors themselves.
    stored : Reliability or None
        With the correction that the model has.
    crossed : Reliability
        With a correction that is fitted to the other half of the trees.
    fitted : Calibration
        The correction fitted to all of the trees.
    """

    sentences: int
    uncorrected: Reliability
    stored: Reliability | None
    crossed: Reliability
    fitted: Calibration


def calibrate(
    model: Path,
    trees: Sequence[Path],
    read: ReadSettings,
    without_tags: bool = False,
    advance: Callable[[int], object] = lambda n: None,
) -> CalibrationReport:
    """Parse the sentences of gold trees, and compare the posteriors of brackets with what is right.

    Parameters
    ----------
    model : Path
        A model file or run directory.
    trees : sequence of Path
        Tree files or directories; the model must not have been trained on them.
    read : ReadSettings
    without_tags : bool
        Whether words are parsed without their tags.
    advance : function of int
        Called with the number of sentences parsed since the last call.

    Raises
    ------
    InputError, SyntaxProblem, ArtefactError
        Model or trees cannot be read, or the trees have no brackets to judge.
    """
    parser: Parser = open_parser(model, {}).get()
    if without_tags and parser.tagger is None:
        raise InputError(f"{model}: has no tagger, so it can parse tagged words only. Leave out --raw.")
    parser.calibration = UNCORRECTED
    gold, _ = clean(read_tree_files(find_tree_files(trees, None, read.format), read).trees, read_cleaning(model))
    judged = list(_judged(parser, gold, without_tags, advance))
    posterior = np.array([p for _, p, _ in judged])
    is_right = np.array([right for _, _, right in judged], bool)
    if not len(posterior):
        raise InputError(f"{', '.join(map(str, trees))}: no parse has a bracket with a posterior. Give more trees.")
    is_odd = np.array([number % 2 for number, _, _ in judged], bool)
    crossed = posterior.copy()
    for half in (is_odd, ~is_odd):
        crossed[half] = fit_calibration(posterior[~half], is_right[~half]).of(posterior[half])
    stored = read_calibration(model)
    return CalibrationReport(
        gold.n_trees,
        reliability(posterior, is_right),
        None if stored.changes_nothing else reliability(stored.of(posterior), is_right),
        reliability(crossed, is_right),
        fit_calibration(posterior, is_right),
    )


def _judged(
    parser: Parser, gold: Treebank, without_tags: bool, advance: Callable[[int], object]
) -> Iterator[tuple[int, float, bool]]:
    """Number of the sentence, posterior, and whether it is right, of every bracket of the best trees."""
    for number, (tokens, right) in enumerate(zip(gold.tagged_sentences(), gold_brackets(gold), strict=True)):
        if len(tokens) <= MAX_LENGTH:
            sentence = [(word, OPEN_TAG if without_tags else tag) for word, tag in tokens]
            parse = parser.parse(sentence, 1, with_confidence=True)
            for confidence in parse.confidences:
                for one in confidence.brackets:
                    yield number, one.posterior, (one.label, one.start, one.stop) in right
        advance(1)


def gold_brackets(gold: Treebank) -> Iterator[GoldBrackets]:
    """The phrases of each tree."""
    start, stop = gold.spans()
    for first, last in zip(gold.tree_start[:-1].tolist(), gold.tree_start[1:].tolist(), strict=True):
        phrases = [node for node in range(first, last) if gold.word[node] == NO_WORD]
        yield {(gold.strings[gold.label[node]], int(start[node]), int(stop[node])) for node in phrases}


def fit_calibration(posterior: np.ndarray, is_right: np.ndarray) -> Calibration:
    """The correction by isotonic regression over groups of brackets with neighbouring posteriors.

    Parameters
    ----------
    posterior : ndarray of float64, shape (n,)
        Uncorrected posteriors of brackets.
    is_right : ndarray of bool, shape (n,)
        Whether each of them is in the gold tree.
    """
    n_groups = max(1, min(MOST_GROUPS, len(posterior) // LEAST_IN_GROUP))
    order = np.argsort(posterior, kind="stable")
    groups = np.array_split(order, n_groups)
    size = np.array([len(group) for group in groups])
    # one bracket that is right by its posterior keeps small groups from 0 and 1
    mean = np.array([posterior[group].mean() for group in groups])
    share = (np.array([is_right[group].sum() for group in groups]) + mean) / (size + 1)
    rising, first = np.unique(mean, return_index=True)
    corrected = isotonic_regression(share, weights=size).x[first]
    return Calibration((0.0, *rising.tolist()), (0.0, *corrected.tolist()), len(posterior))


def store_calibration(model: Path, calibration: Calibration) -> Path:
    """Write the correction into the model file, which is otherwise unchanged; returns its path."""
    path = model_file(model)
    header, arrays = read_arrays(path, MODEL)
    named = {name: Array(values, tuple(header.arrays[name]["dims"])) for name, values in arrays.items()}
    settings = {**header.settings, STORED_AS: vars(calibration)}
    is_packed = header.version == MODEL.version  # programs for older formats read plain arrays only
    kind = replace(MODEL, version=header.version, is_packed=is_packed)
    write_arrays(path, kind, named, settings, header.seed, header.inputs, header.stage_version)
    return path
