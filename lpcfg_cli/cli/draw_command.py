"""``lpcfg draw``."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import note, opened_output
from lpcfg_cli.cli.options import resolve_settings, setting_options
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.cli.table_options import FreshHelpOption, TableName, with_summaries
from lpcfg_cli.cli.tree_numbers import TreeNumbers
from lpcfg_cli.config import AUTO_FORMAT
from lpcfg_cli.evaluation.drawings import DRAWINGS, Drawing
from lpcfg_cli.evaluation.drawn_trees import read_drawn_trees
from lpcfg_cli.treebank.finding import find_tree_files
from lpcfg_cli.wording import counted


@click.command(cls=CheckedCommand)
@click.argument("trees", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--output", type=OutputFile(), help="File to write; default standard output.")
@click.option(
    "--to", "form", type=TableName(DRAWINGS, AUTO_FORMAT), default=AUTO_FORMAT, cls=FreshHelpOption,
    text=lambda: f"{with_summaries(DRAWINGS)}.  [by the ending of -o, or text]",
)  # fmt: skip
@click.option("--trees", "only", type=TreeNumbers(), metavar="N,N-N", help="Only these trees, counted from 1.")
@click.option("--width", type=click.IntRange(10), help="Width of text in characters.  [the terminal's, or 80]")
@setting_options("read")
def command(
    trees: tuple[Path, ...],
    output: Path | None,
    form: str,
    only: set[int] | None,
    width: int | None,
    **options: Any,
) -> None:
    """Draw trees: in letters, as SVG, PNG or LaTeX.

    \b
    lpcfg draw trees.mrg --trees 1-3          to look at
    lpcfg draw trees.mrg --trees 5 -o a.svg   for a page; a.png, a.tex
    lpcfg parse RUN a.txt --to jsonl | lpcfg draw -

    TREES are tree files, or JSON lines of `lpcfg parse`, whose brackets get colours by their posteriors, and numbers
    if they are below 99 %.
    """
    read = resolve_settings(options).read
    found = list(read_drawn_trees(find_tree_files(trees, None, read.format), read))
    chosen = [tree for number, tree in enumerate(found, 1) if only is None or number in only]
    if not chosen:
        raise click.UsageError(f"there is nothing to draw: {counted(len(found), 'tree')} in the files.")
    columns = width or shutil.get_terminal_size((80, 24)).columns
    with opened_output(output) as file:
        file.write(drawing_of(output, form).draw(chosen, columns))
    if output is not None:
        note(f"drew {counted(len(chosen), 'tree')}")


def drawing_of(output: Path | None, form: str) -> Drawing:
    """The drawing that is named, or that the ending of the output tells."""
    if form != AUTO_FORMAT:
        return DRAWINGS[form]
    suffix = output.suffix.lower() if output is not None else ""
    return next((drawing for drawing in DRAWINGS.values() if drawing.suffix == suffix), DRAWINGS["text"])
