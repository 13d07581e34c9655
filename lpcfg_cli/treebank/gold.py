"""Gold trees for scoring, without the words that training left out."""

from __future__ import annotations

from pathlib import Path

from lpcfg_cli.config import CleanSettings, ReadSettings
from lpcfg_cli.treebank.brackets import bracket_strings
from lpcfg_cli.treebank.clean import with_named_roots
from lpcfg_cli.treebank.dropping import drops_more_than_traces, without_marks
from lpcfg_cli.treebank.files import bracket_text, read_tree_files


def gold_text(path: Path, read: ReadSettings, clean: CleanSettings) -> str:
    """A tree file in brackets, without the words that cleaning drops; a null tree stands for a tree of such words only.

    Without such words the text is that of `bracket_text`.

    Raises
    ------
    InputError, SyntaxProblem
        The file cannot be read.
    """
    if not drops_more_than_traces(clean):
        return bracket_text(path, read)
    trees, _ = without_marks(read_tree_files([path], read).trees, clean)
    return "".join(f"{line}\n" for line in bracket_strings(with_named_roots(trees)))
