"""check: treebank files → their figures and anomalies, before any training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.config import Settings
from lpcfg_cli.errors import InputError
from lpcfg_cli.treebank.files import TreeFiles, read_tree_files
from lpcfg_cli.treebank.finding import search_tree_files
from lpcfg_cli.treebank.folders import LeftOut
from lpcfg_cli.treebank.places import places_of_nodes, places_of_trees
from lpcfg_cli.treebank.sources import source_name
from lpcfg_cli.treebank.survey import Extreme, Survey, repeated, sentences, survey
from lpcfg_cli.wording import counted

SHORT = 3
"""Largest number of words of a sentence that may occur in two treebanks by chance."""


@dataclass(frozen=True)
class Finding:
    """An anomaly with its places.

    Attributes
    ----------
    kind, text : str
        As in `Anomaly`.
    count : int
    places : list of str
        The first ``path:line``.
    """

    kind: str
    text: str
    count: int
    places: list[str]


@dataclass(frozen=True)
class CheckReport:
    """The result of a check.

    Attributes
    ----------
    files : int
        Number of files read.
    empty_files, notes, left_out : list of str
        As in `BinarizeReport`.
    unread : list of LeftOut
        As in `BinarizeReport`.
    figures : dict
        The figures of `Survey`; extremes have ``size`` and ``place``.
    findings : list of Finding
    """

    files: int
    empty_files: list[str]
    unread: list[LeftOut]
    notes: list[str]
    left_out: list[str]
    figures: dict[str, Any]
    findings: list[Finding]


def run_check(
    roots: Sequence[Path],
    settings: Settings,
    sections: str | None = None,
    against: Sequence[Path] = (),
    most_places: int = 5,
) -> CheckReport:
    """Survey a treebank.

    Parameters
    ----------
    roots : sequence of Path
        Tree files, or directories of them.
    settings : Settings
    sections : str, optional
        LDC sections to read.
    against : sequence of Path
        Another treebank: sentences that occur in both are reported.
    most_places : int
        Largest number of places listed for each finding.

    Raises
    ------
    InputError, SyntaxProblem
        A treebank cannot be read, or the first has no words.
    """
    found = search_tree_files(roots, sections, settings.read.format)
    files = read_tree_files(found.paths, settings.read)
    if files.trees.n_words == 0:
        raise InputError(
            f"no tree with words in {', '.join(map(source_name, roots))}. Check that these are treebank files."
        )
    result = survey(files.trees, settings.clean)
    findings = _place_anomalies(files, result, most_places)
    findings += _leakage(files, against, settings, most_places)
    return CheckReport(
        len(files.paths),
        [str(path) for path in files.empty_files],
        found.left_out,
        [str(note) for note in files.notes],
        [str(part) for part in files.skipped],
        _figures(files, result),
        findings,
    )


def _figures(files: TreeFiles, result: Survey) -> dict[str, Any]:
    figures = {name: value for name, value in vars(result).items() if name not in ("anomalies", "null_trees")}
    extremes = {name: value for name, value in figures.items() if isinstance(value, Extreme)}
    places = places_of_nodes(files, [extreme.node for extreme in extremes.values()])
    for (name, extreme), place in zip(extremes.items(), places, strict=True):
        figures[name] = {"size": extreme.size, "place": place}
    return figures


def _place_anomalies(files: TreeFiles, result: Survey, most: int) -> list[Finding]:
    shown = [anomaly.nodes[:most] for anomaly in result.anomalies]
    places = iter(places_of_nodes(files, np.concatenate([*shown, np.zeros(0, np.int64)]).astype(np.int64)))
    findings = []
    if result.null_trees:
        null = result.null_trees
        text = f"{counted(len(null), 'tree')} without words, to be left out"
        findings.append(Finding("no-words", text, len(null), places_of_trees(files, null[:most])))
    for anomaly, nodes in zip(result.anomalies, shown, strict=True):
        findings.append(Finding(anomaly.kind, anomaly.text, len(anomaly.nodes), [next(places) for _ in nodes]))
    return findings


def _leakage(files: TreeFiles, against: Sequence[Path], settings: Settings, most: int) -> list[Finding]:
    if not against:
        return []
    paths = search_tree_files(against, form=settings.read.format).paths
    other = read_tree_files(paths, settings.read)
    own_sentences = sentences(files.trees)
    pairs = repeated(own_sentences, sentences(other.trees))
    if not pairs:
        return []
    long = [pair for pair in pairs if len(own_sentences[pair[0]]) > SHORT]
    shown = (long or pairs)[:most]
    own = places_of_trees(files, [pair[0] for pair in shown])
    others = places_of_trees(other, [pair[1] for pair in shown])
    name = ", ".join(map(str, against))
    text = (
        f"{len(pairs):,} of {counted(len(own_sentences), 'sentence')} also occur in {name}, "
        f"{len(long):,} of them with more than {counted(SHORT, 'word')}"
    )
    places = [f"{a} = {b}" for a, b in zip(own, others, strict=True)]
    return [Finding("repeated", text, len(pairs), places)]
