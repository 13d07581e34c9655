"""The file form of binarized trees: ``trees.bin.mrg``, and ``symbols.json`` with the meaning of its symbols."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

import numpy as np

from lpcfg_cli.arrays.recent import Recent
from lpcfg_cli.errors import NotAnArtefactError
from lpcfg_cli.storage.artefacts import Header, Kind, check_parents, read_json
from lpcfg_cli.storage.files import sha256_of_file
from lpcfg_cli.treebank.binary import BinaryTreebank
from lpcfg_cli.treebank.binary_text import read_binary_trees, tables_from_json
from lpcfg_cli.treebank.files import read_text

TREES_FILE = "trees.bin.mrg"
SYMBOLS_FILE = "symbols.json"

SYMBOLS = Kind("lpcfg-symbols", 2, 2, "binarize")


Kept = Recent[tuple[str, str], tuple[Header, BinaryTreebank]]

_KEPT: ContextVar[Kept | None] = ContextVar("_KEPT", default=None)


@contextmanager
def trees_read_once() -> Iterator[None]:
    """While this lasts, the trees that were read last are kept, and not read anew while their files are the same.

    Each stage reads them: with 25,000 trees that takes a quarter of the time of training without a tagger.
    """
    before = _KEPT.set(Recent(1))
    try:
        yield
    finally:
        _KEPT.reset(before)


def load_binary_trees(run: Path) -> tuple[Header, BinaryTreebank]:
    """Read the binarized trees of a run directory; nothing of them is to be changed.

    Raises
    ------
    InputError, ArtefactError
        A file is missing or cannot be used.
    WrongParentError
        The two files do not belong together.
    """
    kept = _KEPT.get()
    if kept is None:
        return _read_binary_trees(run)
    files = sha256_of_file(run / TREES_FILE), sha256_of_file(run / SYMBOLS_FILE)
    return kept.get(files, lambda: _read_binary_trees(run))


def _read_binary_trees(run: Path) -> tuple[Header, BinaryTreebank]:
    header, content = read_json(run / SYMBOLS_FILE, SYMBOLS)
    check_parents(run / SYMBOLS_FILE, SYMBOLS, header)
    try:
        symbols, hidden_labels = tables_from_json(content)
        taught = np.array(content.get("taught", []), float)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise NotAnArtefactError(
            f"{run / SYMBOLS_FILE}: its parts do not fit together ({error}). Run `lpcfg {SYMBOLS.command}` again."
        ) from error
    path = run / TREES_FILE
    return header, read_binary_trees(read_text(path), symbols, hidden_labels, str(path)).with_taught(taught)
