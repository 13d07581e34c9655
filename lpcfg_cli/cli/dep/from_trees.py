"""``lpcfg dep from-trees``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, opened_output, progress
from lpcfg_cli.cli.convert_command import tell_left_out, tell_skipped
from lpcfg_cli.cli.options import resolve_settings, setting_options
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.cli.table_options import TableName
from lpcfg_cli.dependency.trees.conversion import DEPENDENCY_FORMATS, RELATIONS
from lpcfg_cli.dependency.trees.written_trees import HEAD_RULES, written_dependencies
from lpcfg_cli.storage.files import utf8
from lpcfg_cli.treebank.files import read_tree_files
from lpcfg_cli.treebank.finding import search_tree_files
from lpcfg_cli.wording import counted


@click.command("from-trees", cls=CheckedCommand)
@click.argument("treebank", nargs=-1, required=True, type=click.Path(path_type=Path, allow_dash=True))
@click.option("-o", "--output", type=OutputFile(), help="File to write; default standard output.")
@click.option(
    "--head-rules", default=HEAD_RULES, show_default=True, metavar="FILE",
    help="A head rule file, or penn2malt, english or neutral.",
)  # fmt: skip
@click.option(
    "--relations", type=click.Choice(list(RELATIONS)), default="phrase", show_default=True,
    help="The word's largest phrase as relation, or dep for all.",
)  # fmt: skip
@click.option(
    "--format", "form", type=TableName(DEPENDENCY_FORMATS), default="conllx", show_default=True,
    help="CoNLL-X, or CoNLL-U with numbers and texts in comments.",
)  # fmt: skip
@click.option("--sections", help="LDC sections, such as 02-21 or 00,22.")
@setting_options("read", "clean")
def command(
    treebank: tuple[Path, ...],
    output: Path | None,
    head_rules: str,
    relations: str,
    form: str,
    sections: str | None,
    **options: Any,
) -> None:
    """Convert constituency trees to dependency trees by head rules.

    TREEBANK is files or directories of trees, gold or from `lpcfg parse`, or -
    for standard input.  Trees are cleaned as for training.  A word hangs from
    the head word of the smallest phrase whose head it is not.
    """
    settings = resolve_settings(options)
    files = read_tree_files(search_tree_files(treebank, sections, settings.read.format).paths, settings.read, progress)
    found = written_dependencies(files, DEPENDENCY_FORMATS[form], settings, head_rules, relations)
    tell_skipped(files)
    tell_left_out(found)
    with opened_output(output) as file:
        file.writelines(map(utf8, found.lines))
    note(f"{counted(found.n_trees, 'tree')}, {counted(found.n_words, 'word')}")
