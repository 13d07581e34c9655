"""Trees of files, written as trees in another format or as dependencies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lpcfg_cli.config import AUTO_FORMAT, Settings
from lpcfg_cli.config.fields import one_of
from lpcfg_cli.dependency.trees.conll import conll_lines
from lpcfg_cli.dependency.trees.conversion import DEPENDENCY_FORMATS, DependencyFormat, dependencies_of_trees
from lpcfg_cli.errors import InputError
from lpcfg_cli.treebank.clean import clean
from lpcfg_cli.treebank.convert import Steps, converted
from lpcfg_cli.treebank.files import TreeFiles
from lpcfg_cli.treebank.formats import TREE_FORMATS, format_of_file
from lpcfg_cli.treebank.heads import load_head_rules
from lpcfg_cli.treebank.places import places_of_trees
from lpcfg_cli.treebank.presets import cleaning
from lpcfg_cli.treebank.tree_format import TreeFormat

HEAD_RULES = "penn2malt"
"""The head rules of dependencies, unless others are named."""

WrittenFormat = TreeFormat | DependencyFormat


@dataclass(frozen=True)
class WrittenTrees:
    """Trees as text.

    Attributes
    ----------
    lines : iterator of str
        With their newlines, one or more at a time.
    n_trees, n_words : int
    null_trees : list of str
        Places of trees that were left out because they have no words.
    """

    lines: Iterator[str]
    n_trees: int
    n_words: int
    null_trees: list[str]


def written_format(path: str | Path, name: str = AUTO_FORMAT) -> WrittenFormat:
    """The format in which a file is written, by its name, or by the ending of the file; see `format_of_file`.

    Raises
    ------
    ConfigError
        There is no such format.
    """
    one_of("the format to write", name, (AUTO_FORMAT, *TREE_FORMATS, *DEPENDENCY_FORMATS))
    ending = str(path).lower()
    for form in DEPENDENCY_FORMATS.values():
        if name == form.name or (name == AUTO_FORMAT and ending.endswith(form.suffixes)):
            return form
    return format_of_file(path, name)


def written_trees(
    files: TreeFiles, form: WrittenFormat, steps: Steps, settings: Settings, head_rules: str = HEAD_RULES
) -> WrittenTrees:
    """The trees of some files after some steps, in a format; for dependencies, they are cleaned in any case.

    Raises
    ------
    InputError
        As of `converted`; or there is no tree with words for dependencies.
    """
    if isinstance(form, DependencyFormat):
        return written_dependencies(files, form, settings, head_rules)
    trees = converted(files, steps, settings)
    return WrittenTrees((f"{tree}\n" for tree in form.write(trees)), trees.n_trees, trees.n_words, [])


def written_dependencies(
    files: TreeFiles, form: DependencyFormat, settings: Settings, head_rules: str, relations: str = "phrase"
) -> WrittenTrees:
    """The dependencies of the cleaned trees of some files.

    Parameters
    ----------
    files : TreeFiles
    form : DependencyFormat
    settings : Settings
        How trees are cleaned.
    head_rules : str
        As of `load_head_rules`.
    relations : str
        A name of `RELATIONS`.

    Raises
    ------
    InputError
        There is no tree with words, or the head rules cannot be read.
    """
    rules = load_head_rules(head_rules)
    trees, report = clean(files.trees, cleaning(settings))
    if not trees.n_trees:
        names = ", ".join(map(str, files.paths))
        raise InputError(f"no tree with words in {names}. Check that these are treebank files.")
    sentences = dependencies_of_trees(trees, rules, relations, form)
    lines = (f"{line}\n" for sentence in sentences for line in conll_lines(sentence))
    return WrittenTrees(lines, trees.n_trees, trees.n_words, places_of_trees(files, report.null_trees))
