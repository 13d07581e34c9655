"""``lpcfg dep from-trees``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import capped, note, opened_output, progress
from lpcfg_cli.cli.options import resolve_settings, setting_options
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.dependency.trees.conll import conll_text
from lpcfg_cli.dependency.trees.conversion import RELATIONS, STYLES, dependencies_of_trees
from lpcfg_cli.errors import InputError
from lpcfg_cli.storage.files import utf8
from lpcfg_cli.treebank.clean import clean
from lpcfg_cli.treebank.files import read_tree_files
from lpcfg_cli.treebank.finding import search_tree_files
from lpcfg_cli.treebank.heads import load_head_rules
from lpcfg_cli.treebank.places import places_of_trees
from lpcfg_cli.treebank.presets import cleaning
from lpcfg_cli.wording import counted


@click.command("from-trees", cls=CheckedCommand)
@click.argument("treebank", nargs=-1, required=True, type=click.Path(path_type=Path, allow_dash=True))
@click.option("-o", "--output", type=OutputFile(), help="File to write; default standard output.")
@click.option(
    "--head-rules", default="penn2malt", show_default=True, metavar="FILE",
    help="A head rule file, or penn2malt, english or neutral.",
)  # fmt: skip
@click.option(
    "--relations", type=click.Choice(list(RELATIONS)), default="phrase", show_default=True,
    help="The word's largest phrase as relation, or dep for all.",
)  # fmt: skip
@click.option(
    "--format", "style", type=click.Choice(list(STYLES)), default="conllx", show_default=True,
    help="CoNLL-X, or CoNLL-U with numbers and texts in comments.",
)  # fmt: skip
@click.option("--sections", help="LDC sections, such as 02-21 or 00,22.")
@setting_options("read", "clean")
def command(
    treebank: tuple[Path, ...],
    output: Path | None,
    head_rules: str,
    relations: str,
    style: str,
    sections: str | None,
    **options: Any,
) -> None:
    """Convert constituency trees to dependency trees by head rules.

    TREEBANK is files or directories of trees, gold or from `lpcfg parse`, or -
    for standard input.  Trees are cleaned as for training.  A word hangs from
    the head word of the smallest phrase whose head it is not.
    """
    settings = resolve_settings(options)
    rules = load_head_rules(head_rules)
    files = read_tree_files(search_tree_files(treebank, sections, settings.read.format).paths, settings.read, progress)
    trees, report = clean(files.trees, cleaning(settings))
    for told in (*files.notes, *files.skipped):
        note(str(told))
    if report.null_trees:
        places = capped(places_of_trees(files, report.null_trees))
        note(f"note: {counted(len(report.null_trees), 'tree')} without words left out: {places}")
    if not trees.n_trees:
        raise InputError(f"no tree with words in {', '.join(map(str, treebank))}. Check that these are treebank files.")
    sentences = dependencies_of_trees(trees, rules, relations, style)
    with opened_output(output) as file:
        file.write(utf8(conll_text(sentences)))
    note(f"{counted(trees.n_trees, 'tree')}, {counted(trees.n_words, 'word')}")
