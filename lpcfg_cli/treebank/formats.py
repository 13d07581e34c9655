"""The table of tree formats: a new one is a file with a `TreeFormat` in it and a line here."""

from __future__ import annotations

from pathlib import Path

from lpcfg_cli.config import AUTO_FORMAT, Table
from lpcfg_cli.treebank.brackets import BRACKETS
from lpcfg_cli.treebank.discbracket import DISCBRACKET
from lpcfg_cli.treebank.indented import INDENTED
from lpcfg_cli.treebank.json_trees import JSON_TREES
from lpcfg_cli.treebank.negra_export import EXPORT
from lpcfg_cli.treebank.sources import without_packing
from lpcfg_cli.treebank.tiger_xml import TIGER_XML
from lpcfg_cli.treebank.tree_format import TreeFormat

TREE_FORMATS: Table[TreeFormat] = Table("tree format", BRACKETS, INDENTED, DISCBRACKET, EXPORT, TIGER_XML, JSON_TREES)


def format_of_file(path: str | Path, name: str = AUTO_FORMAT) -> TreeFormat:
    """The format in which a file is read.

    Parameters
    ----------
    path : path
    name : str
        A name of `TREE_FORMATS`; or `AUTO_FORMAT` for the format of the file's ending, in capitals or not;
        brackets if no format has it.

    Raises
    ------
    ConfigError
        There is no such format.
    """
    if name != AUTO_FORMAT:
        return TREE_FORMATS.named(name, "read.format")
    file = without_packing(Path(path).name).lower()
    return next((form for form in TREE_FORMATS.values() if file.endswith(form.suffixes)), BRACKETS)


def suffixes_of(name: str) -> tuple[str, ...]:
    """The file endings of a format, or of all formats with `AUTO_FORMAT`; raises as `format_of_file`."""
    if name != AUTO_FORMAT:
        return TREE_FORMATS.named(name, "read.format").suffixes
    return tuple(suffix for form in TREE_FORMATS.values() for suffix in form.suffixes)
