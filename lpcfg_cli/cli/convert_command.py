"""``lpcfg convert``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lpcfg_cli.cli.console import capped, note, opened_output, progress
from lpcfg_cli.cli.options import resolve_settings, setting_options
from lpcfg_cli.cli.output_options import CheckedCommand, OutputFile
from lpcfg_cli.cli.table_options import TableName
from lpcfg_cli.config import AUTO_FORMAT
from lpcfg_cli.dependency.trees.conversion import DEPENDENCY_FORMATS, DependencyFormat
from lpcfg_cli.dependency.trees.written_trees import HEAD_RULES, WrittenTrees, written_format, written_trees
from lpcfg_cli.storage.files import utf8
from lpcfg_cli.treebank.convert import Steps
from lpcfg_cli.treebank.files import TreeFiles, read_tree_files
from lpcfg_cli.treebank.finding import find_tree_files
from lpcfg_cli.treebank.formats import TREE_FORMATS
from lpcfg_cli.wording import counted


@click.command(cls=CheckedCommand)
@click.argument("treebank", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--output", type=OutputFile(), help="File to write; default standard output.")
@click.option(
    "--to", "form", type=TableName(TREE_FORMATS, AUTO_FORMAT, beside=DEPENDENCY_FORMATS), default=AUTO_FORMAT,
    show_default=True, help="Format to write; auto: that of the ending of -o, or brackets.",
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
    lpcfg convert a.mrg --to conllu                 dependencies

    Trees stay as annotated unless --clean is given.  Nodes that --binarize makes are called @ and the label of their
    phrase; ~ precedes siblings, ^ ancestors, and | joins collapsed unary chains.  --unbinarize needs no other options.

    Dependencies are those of `lpcfg dep from-trees`: of cleaned trees, by the head rules penn2malt or --head-rules.
    """
    settings = resolve_settings(options)
    target = written_format(output or "-", form)
    is_dependencies = isinstance(target, DependencyFormat)
    if is_dependencies and (binarizes or unbinarizes):
        raise click.UsageError(f"{target.name} has no brackets: leave out --binarize and --unbinarize.")
    _check_usage(options, "clean", cleans or is_dependencies)
    _check_usage(options, "binarize", binarizes, ("head_rules",) if is_dependencies else ())
    files = read_tree_files(find_tree_files(treebank, sections, settings.read.format), settings.read, progress)
    head_rules = options["binarize__head_rules"] or HEAD_RULES
    found = written_trees(files, target, Steps(unbinarizes, cleans, binarizes), settings, head_rules)
    with opened_output(output) as file:
        file.writelines(map(utf8, found.lines))
    note(f"converted {counted(found.n_trees, 'tree')}, {counted(found.n_words, 'word')}")
    tell_left_out(found)
    tell_skipped(files)


def tell_left_out(found: WrittenTrees) -> None:
    """Name the trees without words that were left out."""
    if found.null_trees:
        note(f"note: {counted(len(found.null_trees), 'tree')} without words left out: {capped(found.null_trees)}")


def tell_skipped(files: TreeFiles) -> None:
    """Name what was ignored or skipped while the files were read."""
    for part in [*files.notes, *files.skipped]:
        note(f"note: {part}")


def _check_usage(options: dict[str, Any], section: str, is_wanted: bool, but: tuple[str, ...] = ()) -> None:
    """Refuse options of a section that is not wanted, but for some."""
    own = {name: value for name, value in options.items() if name.startswith(f"{section}__")}
    given = [name for name, value in own.items() if value is not None and name.removeprefix(f"{section}__") not in but]
    if given and not is_wanted:
        params = click.get_current_context().command.params
        found = next(param for param in params if param.name == given[0])
        flag = (found.opts if options[given[0]] is not False else found.secondary_opts)[0]
        raise click.UsageError(f"{flag} has no effect without --{section}.")
