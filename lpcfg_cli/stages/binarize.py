"""binarize: treebank files → ``trees.bin.mrg`` and ``symbols.json``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lpcfg_cli.config import Settings
from lpcfg_cli.errors import InputError
from lpcfg_cli.execution.progress import Progress, no_progress
from lpcfg_cli.stages.journal import logged_stage
from lpcfg_cli.stages.run_directory import SYMBOLS, SYMBOLS_FILE, TREES_FILE
from lpcfg_cli.storage.artefacts import write_json
from lpcfg_cli.storage.files import make_directory, sha256_of_file, write_text
from lpcfg_cli.treebank.binarize import binarize
from lpcfg_cli.treebank.binary_text import symbols_to_json, write_lines
from lpcfg_cli.treebank.clean import CleaningReport, clean
from lpcfg_cli.treebank.files import read_tree_files, search_tree_files
from lpcfg_cli.treebank.heads import SHIPPED, load_head_rules
from lpcfg_cli.treebank.places import places_of_trees
from lpcfg_cli.treebank.recovery import Skipped


@dataclass(frozen=True)
class BinarizeReport:
    """What was read and what became of it.

    Attributes
    ----------
    files, trees, words : int
        Tree files read, and trees and words kept.
    longest : int
        Words of the longest sentence.
    symbols, intermediate_symbols, preterminals : int
        Sizes of the binarized grammar's vocabulary.
    empty_files : list of str
    strangers : list of str
        Files of other kinds among the tree files, which were not read.
    notes : list of str
        Lines passed over in the tree files, and where.
    left_out : list of Skipped
        Parts of tree files that are not trees, with ``read.on_error = "skip"``.
    skipped : list of str
        Where the trees without words stand.
    cleaning : CleaningReport
    """

    files: int
    trees: int
    words: int
    longest: int
    symbols: int
    intermediate_symbols: int
    preterminals: int
    empty_files: list[str]
    strangers: list[str]
    notes: list[str]
    left_out: list[Skipped]
    skipped: list[str]
    cleaning: CleaningReport


def run_binarize(
    roots: Sequence[Path],
    run: Path,
    settings: Settings,
    sections: str | None = None,
    progress: Progress = no_progress,
) -> BinarizeReport:
    """Read, clean and binarize a treebank.

    Parameters
    ----------
    roots : sequence of Path
        Tree files, or directories of them.
    run : Path
        The run directory; made if absent.
    settings : Settings
    sections : str, optional
        LDC sections to read.
    progress : Progress
        Sees the files.

    Raises
    ------
    InputError, SyntaxProblem
        The treebank or the head rules cannot be read, or hold no tree.
    """
    make_directory(run)
    with logged_stage(run, "binarize", treebank=[str(root) for root in roots], sections=sections):
        found = search_tree_files(roots, sections)
        files = read_tree_files(found.paths, settings.read, progress)
        trees, cleaning = clean(files.trees, settings.clean)
        if trees.n_trees == 0:
            raise InputError(
                f"no tree with words in {', '.join(map(str, roots))}. Check that these are treebank files."
            )
        binary = binarize(trees, settings.binarize, load_head_rules(settings.binarize.head_rules))
        write_text(run / TREES_FILE, "".join(f"{line}\n" for line in write_lines(binary)))
        inputs = {TREES_FILE: sha256_of_file(run / TREES_FILE)}
        content = {**symbols_to_json(binary), "sources": source_hashes(files.paths, settings)}
        write_json(run / SYMBOLS_FILE, SYMBOLS, content, binarize_settings(settings), settings.seed, inputs)
    symbols = binary.symbols
    return BinarizeReport(
        len(files.paths),
        trees.n_trees,
        trees.n_words,
        int(np.max(binary.sentence_lengths())),
        len(symbols),
        sum(symbol.is_intermediate for symbol in symbols),
        sum(symbol.is_preterminal for symbol in symbols),
        [str(path) for path in files.empty_files],
        [str(path) for path in found.strangers],
        [str(note) for note in files.notes],
        files.skipped,
        places_of_trees(files, cleaning.null_trees),
        cleaning,
    )


def binarize_settings(settings: Settings) -> dict[str, Any]:
    """The settings that shape this stage's output."""
    return {"read": asdict(settings.read), "clean": asdict(settings.clean), "binarize": asdict(settings.binarize)}


def source_hashes(paths: Sequence[Path], settings: Settings) -> list[str]:
    """SHA-256 of each tree file in order, and of the user's head rules if any."""
    rules = settings.binarize.head_rules
    own_rules = [] if rules in SHIPPED else [Path(rules)]
    return [sha256_of_file(path) for path in [*paths, *own_rules]]
