"""binarize: treebank files → ``trees.bin.mrg`` and ``symbols.json``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.config import Settings
from lpcfg_cli.errors import InputError
from lpcfg_cli.stages.stage import Stage, StageContext, hashes, save_json, sections
from lpcfg_cli.storage.files import make_directory, sha256_of_file, write_text
from lpcfg_cli.treebank.anomalies import no_language
from lpcfg_cli.treebank.archive import SYMBOLS, SYMBOLS_FILE, TREES_FILE
from lpcfg_cli.treebank.binarize import binarize
from lpcfg_cli.treebank.binary_text import symbols_to_json, write_binary_trees
from lpcfg_cli.treebank.checked_nodes import CheckedNodes, bare_traces
from lpcfg_cli.treebank.clean import CleaningReport, clean
from lpcfg_cli.treebank.files import read_tree_files
from lpcfg_cli.treebank.finding import find_tree_files, search_tree_files
from lpcfg_cli.treebank.folders import LeftOut
from lpcfg_cli.treebank.heads import SHIPPED, load_head_rules
from lpcfg_cli.treebank.marks import Marks
from lpcfg_cli.treebank.places import places_of_nodes, places_of_trees
from lpcfg_cli.treebank.presets import cleaning, with_preset
from lpcfg_cli.treebank.sources import sha256_of_source, source_name
from lpcfg_cli.treebank.taught import NO_TAUGHT_TREES, TAUGHT_FILE, TaughtTrees, joined, load_taught_trees
from lpcfg_cli.treebank.tree_format import Skipped


@dataclass(frozen=True)
class BinarizeReport:
    """Counts of the trees read and of the binarized trees, and what was skipped.

    Attributes
    ----------
    files, trees, words : int
        Number of tree files read; of trees and words after cleaning.
    longest : int
        Number of words of the longest sentence.
    symbols, intermediate_symbols, preterminals : int
        Number of nonterminals of the binarized grammar, and how many of them are of these kinds.
    empty_files : list of str
        Tree files without trees.
    unread : list of LeftOut
        Files in the treebank's directories that were not read, and why.
    notes : list of str
        Ignored lines of the tree files, with their places.
    left_out : list of Skipped
        Parts of tree files that are not trees, with ``read.on_error = "skip"``.
    skipped : list of str
        Places of trees without words.
    cleaning : CleaningReport
    bare_traces : list of str
        Places of words that look like traces without their tag.
    suggestion : str
        What settings the treebank may need; empty if none are known.
    no_language : list of str
        Kinds of words and tags that are no language or are written in two ways, with their numbers and the options
        that help.
    taught : int
        Number of trees of raw text that join the treebank.
    taught_weight : float
        Their total weight, in trees.
    """

    files: int
    trees: int
    words: int
    longest: int
    symbols: int
    intermediate_symbols: int
    preterminals: int
    empty_files: list[str]
    unread: list[LeftOut]
    notes: list[str]
    left_out: list[Skipped]
    skipped: list[str]
    cleaning: CleaningReport
    bare_traces: list[str]
    suggestion: str
    no_language: list[str]
    taught: int
    taught_weight: float


def binarize_treebank(context: StageContext) -> BinarizeReport:
    """Read, clean and binarize a treebank.

    Raises
    ------
    InputError, SyntaxProblem
        The treebank or the head rules cannot be read, or the treebank has no tree with words.
    """
    run, settings, roots = context.run, context.settings, context.roots
    make_directory(run)
    found = search_tree_files(roots, context.sections, settings.read.format)
    files = read_tree_files(found.paths, settings.read, context.progress)
    trees, report = clean(files.trees, cleaning(settings))
    if trees.n_trees == 0:
        lost = ", ".join(f"{count:,} {name}" for name, count in report.dropped.items() if count)
        hint = f"All words were left out: {lost}" if lost else "Check that these are treebank files"
        raise InputError(f"no tree with words in {', '.join(map(source_name, roots))}. {hint}.")
    taught = _taught_trees(run, settings)
    rules, weight = load_head_rules(settings.binarize.head_rules), settings.teach.weight * taught.share
    binary = binarize(joined(trees, taught.trees), settings.binarize, rules).with_taught(weight)
    write_text(run / TREES_FILE, "".join(f"{line}\n" for line in write_binary_trees(binary)))
    save_json(BINARIZE, context, symbols_to_json(binary), hashes(run, [TREES_FILE]))
    symbols, table = binary.symbols, CheckedNodes(files.trees)
    marks = Marks(table, cleaning(settings))
    return BinarizeReport(
        len(files.paths),
        trees.n_trees,
        trees.n_words,
        int(np.max(binary.sentence_lengths()[: trees.n_trees])),
        len(symbols),
        sum(symbol.is_intermediate for symbol in symbols),
        sum(symbol.is_preterminal for symbol in symbols),
        [str(path) for path in files.empty_files],
        found.left_out,
        [str(note) for note in files.notes],
        files.skipped,
        places_of_trees(files, report.null_trees),
        report,
        places_of_nodes(files, bare_traces(table)),
        marks.suggestion(),
        [f"{one.kind} {len(one.nodes):,}× ({one.remedy})" for one in no_language(table, marks)],
        taught.trees.n_trees,
        round(float(weight.sum()), 3),
    )


def _taught_trees(run: Path, settings: Settings) -> TaughtTrees:
    """The trees of raw text that are to join the treebank; none without text.

    Raises
    ------
    InputError
        The least confidence is above that of all sentences.
    """
    if not settings.teach.files:
        return NO_TAUGHT_TREES
    least = settings.teach.confidence
    found = load_taught_trees(run, with_preset(cleaning(settings)).wrappers)
    kept = found.confident(least)
    if kept.trees.n_trees == 0:
        raise InputError(
            f"no sentence of the text has a confidence of {least} or more; the largest is "
            f"{found.confidence.max():.3f}. Lower --text-confidence."
        )
    return kept


def treebank_hashes(context: StageContext) -> dict[str, Any]:
    """SHA-256 of each tree file in order, of the user's head rules and of the trees of raw text if any."""
    paths = find_tree_files(context.roots, context.sections, context.settings.read.format)
    taught = [sha256_of_file(context.run / TAUGHT_FILE)] if context.settings.teach.files else []
    return {"sources": source_hashes(paths, context.settings) + taught}


def _joining(settings: Settings) -> dict[str, Any]:
    """The settings by which trees of raw text join the treebank; none without text."""
    teach = settings.teach
    return {"teach": {"confidence": teach.confidence, "weight": teach.weight}} if teach.files else {}


def source_hashes(paths: Sequence[Path], settings: Settings) -> list[str]:
    """SHA-256 of each tree file in order, and of the user's head rules if any."""
    rules = settings.binarize.head_rules
    own_rules = [] if rules in SHIPPED else [Path(rules)]
    return [sha256_of_source(path) for path in [*paths, *own_rules]]


BINARIZE = Stage(
    name="binarize",
    summary="Read a treebank and binarize it.",
    reads=(),
    file=SYMBOLS_FILE,
    kind=SYMBOLS,
    version=2,
    shaped_by=lambda settings: {
        **sections("read", "binarize")(settings),
        "clean": asdict(with_preset(cleaning(settings))),
        **_joining(settings),
    },
    work=binarize_treebank,
    flags=("read", "clean", "binarize"),
    sources=treebank_hashes,
    main_file=TREES_FILE,
    log=lambda context, report: {
        "treebank": [str(root) for root in context.roots],
        "sections": context.sections,
    },
)
