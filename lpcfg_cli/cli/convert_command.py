"""``lpcfg convert``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, opened_output, progress
from lpcfg_cli.cli.options import resolve_settings, setting_options
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.cli.table_options import TableName
from lpcfg_cli.config import AUTO_FORMAT
from lpcfg_cli.treebank.convert import Steps, converted, written
from lpcfg_cli.treebank.files import TreeFiles, read_tree_files
from lpcfg_cli.treebank.finding import find_tree_files
from lpcfg_cli.treebank.formats import TREE_FORMATS, format_of_file
from lpcfg_cli.wording import counted


@click.command(cls=CheckedCommand)
@click.argument("treebank", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--output", type=OutputFile(), help="File to write; default standard output.")
@click.option(
    "--to", "form", type=TableName(TREE_FORMATS, AUTO_FORMAT), default=AUTO_FORMAT, show_default=True,
    help="Format to write; auto: that of the ending of -o, or brackets.",
)  # fmt: skip
@click.option("--clean", "cleans", is_flag=True, help="Clean the trees as training does: no traces, no functions.")
@click.option("--binarize", "binarizes", is_flag=True, help="Give each node at most two children.")
@click.option("--unbinarize", "unbinarizes", is_flag=True, help="Undo an earlier --binarize.")
@click.option("--sections", help="LDC sections, such as 02-21 or 00,22.")
@setting_options("read", "clean", "binarize")
def command(
    treebank: tuple[Path, ...],
    output: Path | None,
    form: str,
    cleans: bool,
    binarizes: bool,
    unbinarizes: bool,
    sections: str | None,
    **options: Any,
) -> None:
    """Write the trees of TREEBANK in another format, in order.

    \b
    lpcfg convert wsj -o wsj.export                 one file of all trees
    lpcfg convert a.mrg --to indented               for people
    lpcfg convert a.mrg --binarize --horizontal 1   with nodes @NP~DT
    lpcfg convert b.mrg --unbinarize                and back, exactly

    Trees stay as annotated unless --clean is given.  Nodes that --binarize makes are called @ and the label of their
    phrase; ~ precedes siblings, ^ ancestors, and | joins collapsed unary chains.  --unbinarize needs no other options.
    """
    _check_usage(options, "clean", cleans)
    _check_usage(options, "binarize", binarizes)
    settings = resolve_settings(options)
    files = read_tree_files(find_tree_files(treebank, sections, settings.read.format), settings.read, progress)
    trees = converted(files, Steps(unbinarizes, cleans, binarizes), settings)
    with opened_output(output) as file:
        file.writelines(written(trees, format_of_file(output or "-", form)))
    note(f"converted {counted(trees.n_trees, 'tree')}, {counted(trees.n_words, 'word')}")
    tell_skipped(files)


def tell_skipped(files: TreeFiles) -> None:
    """Name what was ignored or skipped while the files were read."""
    for part in [*files.notes, *files.skipped]:
        note(f"note: {part}")


def _check_usage(options: dict[str, Any], section: str, is_wanted: bool) -> None:
    given = [name for name, value in options.items() if name.startswith(f"{section}__") and value is not None]
    if given and not is_wanted:
        params = click.get_current_context().command.params
        found = next(param for param in params if param.name == given[0])
        flag = (found.opts if options[given[0]] is not False else found.secondary_opts)[0]
        raise click.UsageError(f"{flag} has no effect without --{section}.")
