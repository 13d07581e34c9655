"""The part of the Python API that is about trees, without a parser."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lpcfg_cli.config import AUTO_FORMAT, ReadSettings, load_settings
from lpcfg_cli.dependency.trees.written_trees import HEAD_RULES, written_format, written_trees
from lpcfg_cli.errors import InputError
from lpcfg_cli.evaluation.drawings import DRAWINGS
from lpcfg_cli.evaluation.drawn_trees import DrawnTree, parses, read_drawn_trees
from lpcfg_cli.grammar.synth import run_synth, tree_lines
from lpcfg_cli.parsing.confidence import Bracket
from lpcfg_cli.storage.files import write_text
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.convert import Steps
from lpcfg_cli.treebank.encodings import rereadable
from lpcfg_cli.treebank.files import read_tree_files
from lpcfg_cli.treebank.finding import find_tree_files
from lpcfg_cli.treebank.grep import Match, compiled_pattern, matches
from lpcfg_cli.treebank.nltk_trees import bracket_line, to_nltk

if TYPE_CHECKING:
    from nltk.tree import Tree

GIVEN = "<trees>"
"""Stands for the file of trees that are given themselves, in places."""

Trees = str | Path | Iterable["str | Path | Tree"]
"""A tree file or directory, several of them, or trees: bracketed strings or `nltk.Tree`."""


@dataclass(frozen=True)
class RankedTree:
    """One of the n best trees of a sentence.

    Attributes
    ----------
    score : float
        The score that the decoder maximises; comparable only within a sentence.
    text : str
        The tree as a bracketed line.
    logprob : float
        ln p(tree), the logarithm of the probability of its brackets and tags; NaN if the model's estimate is not
        positive, or if there is no tree of the grammar.
    posterior : float
        Probability of the tree among all trees of the sentence; NaN without a tree of the grammar.
    brackets : list of Bracket
        The brackets of the tree with their posteriors, in preorder.
    """

    score: float
    text: str
    logprob: float = math.nan
    posterior: float = math.nan
    brackets: list[Bracket] = field(default_factory=list)

    def __str__(self) -> str:
        return self.text

    @property
    def tree(self) -> Tree:
        """The tree; words are escaped as in the text."""
        return to_nltk(treebank_from_text(self.text))[0]


def read_trees(paths: str | Path | Iterable[str | Path], *, sections: str | None = None, **settings: Any) -> list[Tree]:
    """Read the trees of files or directories as annotated, with traces and function tags.

    Parameters
    ----------
    paths : path, or iterable of paths
    sections : str, optional
        LDC sections, such as ``"02-21"``.
    **settings
        Fields of `lpcfg_cli.config.ReadSettings`, such as ``encoding="latin-1"``.

    Raises
    ------
    InputError, SyntaxProblem, ConfigError
        The trees cannot be read, or a setting is not valid.
    """
    roots = [paths] if isinstance(paths, str | Path) else list(paths)
    read = ReadSettings(**settings)
    return to_nltk(read_tree_files(find_tree_files(roots, sections, read.format), read).trees)


def convert(
    trees: Trees,
    to: str = "brackets",
    *,
    clean: bool = False,
    binarize: bool = False,
    unbinarize: bool = False,
    head_rules: str = HEAD_RULES,
    sections: str | None = None,
    **settings: Any,
) -> str:
    """The text of trees in another format, as ``lpcfg convert`` writes it.

    Parameters
    ----------
    trees : path, iterable of paths, tree, or iterable of trees
        Tree files or directories of them; or trees, as bracketed strings, parses or `nltk.Tree`.
    to : str
        A format that ``lpcfg help looking`` lists, such as ``"export"`` or ``"conllu"``.
    clean, binarize, unbinarize : bool
        Steps before writing.
    head_rules : str
        Of dependencies; see ``lpcfg help treebanks``.
    sections : str, optional
        LDC sections, such as ``"02-21"``.
    **settings
        Single settings, as ``section__name=value``: ``read__encoding="latin-1"``, ``binarize__horizontal=1``.

    Raises
    ------
    InputError, SyntaxProblem, ConfigError
        The trees cannot be read, or there is no such format or setting.
    """
    wanted, form = load_settings(**settings), written_format("-", to)
    with _paths_of(trees, sections, wanted.read) as (paths, _):
        found = written_trees(
            read_tree_files(paths, wanted.read), form, Steps(unbinarize, clean, binarize), wanted, head_rules
        )
        return "".join(found.lines)


def draw(trees: Trees | RankedTree, to: str = "text", *, width: int = 80, **settings: Any) -> str | bytes:
    """Draw trees, as ``lpcfg draw`` does.

    Parameters
    ----------
    trees
        As for `convert`, or trees of `Parse.nbest` and `Parse.best`, whose brackets get colours by their posteriors.
    to : {"text", "svg", "png", "latex"}
    width : int
        Of text, in characters.
    **settings
        Fields of `lpcfg_cli.config.ReadSettings`, such as ``encoding="latin-1"``.

    Returns
    -------
    str, or bytes for "png"

    Raises
    ------
    InputError, SyntaxProblem, ConfigError
        The trees cannot be read, or there is no such drawing; PNG needs matplotlib.
    """
    drawing = DRAWINGS.named(to, "to")
    drawn = drawing.draw(list(_drawn(trees, ReadSettings(**settings))), width)
    return drawn.decode() if drawing.is_text else drawn


def grep(
    pattern: str,
    trees: Trees,
    *,
    whole: bool = False,
    invert: bool = False,
    sections: str | None = None,
    **settings: Any,
) -> list[Match]:
    """The parts of trees that match a pattern of tgrep, as ``lpcfg grep`` prints them.

    Parameters
    ----------
    pattern : str
        Such as ``"NP < (NN . VBZ)"``; ``lpcfg help looking`` lists names and relations.
    trees
        As for `convert`.
    whole : bool
        Whether to give whole trees, each once.
    invert : bool
        Whether to give the trees without a match.
    sections : str, optional
        LDC sections, such as ``"02-21"``.
    **settings
        Fields of `lpcfg_cli.config.ReadSettings`, such as ``encoding="latin-1"``.

    Returns
    -------
    list of Match
        Each with `text`, `words`, `start` and `stop` in its sentence, the number `tree` and the `place` in the file.

    Raises
    ------
    InputError, SyntaxProblem, ConfigError
        The trees cannot be read, pyparsing is not installed, or it is no pattern.
    """
    predicate, read = compiled_pattern(pattern), ReadSettings(**settings)
    with _paths_of(trees, sections, read) as (paths, is_given):
        found = [
            match
            for path in paths
            for match in matches(read_tree_files([path], read), predicate, invert=invert, whole=whole)
        ]
    return [replace(match, place=f"{GIVEN}:{match.tree}") for match in found] if is_given else found


def synth(n: int, *, seed: int = 0, model: str | Path | None = None, max_words: int = 100) -> list[Tree]:
    """Sample trees from a grammar; the same arguments give the same trees.

    Parameters
    ----------
    n : int
        Number of trees.
    seed : int
    model : str or Path, optional
        A model file, a run directory or a ``*.grammar`` or ``*.pcfg`` file; default the embedded English grammar.
    max_words : int
        Longer trees are rejected and drawn again.

    Raises
    ------
    InputError, SyntaxProblem, ArtefactError
        The grammar cannot be read, or has no trees of at most `max_words` words.
    """
    trees, _ = run_synth(n, seed, Path(model) if model is not None else None, max_words)
    return to_nltk(treebank_from_text("\n".join(tree_lines(trees))))


@contextmanager
def _paths_of(trees: Any, sections: str | None, read: ReadSettings) -> Iterator[tuple[list[Path], bool]]:
    """The tree files, and whether they exist for a while only, because trees are given themselves."""
    items = _items(trees)
    is_given = not all(map(_is_path, items))
    with tempfile.TemporaryDirectory(prefix="lpcfg-") as folder:
        roots = tree_files(items, Path(folder), read.encoding)
        yield find_tree_files(roots, sections, AUTO_FORMAT if is_given else read.format), is_given


def _drawn(trees: Any, read: ReadSettings) -> Iterator[DrawnTree]:
    items = _items(trees)
    if all(map(_is_path, items)):
        with _paths_of(items, None, read) as (paths, _):
            yield from read_drawn_trees(paths, read)
        return
    for item in items:
        record = {"tree": line_of(item), "brackets": [asdict(one) for one in getattr(item, "brackets", [])]}
        yield from parses(json.dumps(record), GIVEN)


def _items(trees: Any) -> list[Any]:
    """The trees or paths, also if there is one."""
    is_one = isinstance(trees, str | Path) or _is_nltk(trees) or not isinstance(trees, Iterable)
    return [trees] if is_one else list(trees)


def tree_files(trees: Trees, folder: Path, encoding: str) -> list[Path]:
    """The paths themselves, or a file to which the trees are written so that it can be read as if in `encoding`."""
    items = [Path(trees)] if isinstance(trees, str | Path) else list(trees)
    if not items:
        raise InputError("no trees were given. Name tree files, or give bracketed strings or nltk trees.")
    if all(map(_is_path, items)):
        return [Path(item) for item in items]
    write_text(folder / "trees.mrg", "".join(f"{line}\n" for line in map(line_of, items)), rereadable(encoding))
    return [folder / "trees.mrg"]


def line_of(tree: Any) -> str:
    """A tree or a parse as one bracketed line."""
    return bracket_line(tree) if _is_nltk(tree) else " ".join(str(tree).split("\n"))


def _is_nltk(tree: Any) -> bool:
    """Whether it is an `nltk.Tree`, whose module takes time to import."""
    return isinstance(tree, list) and hasattr(tree, "label")


def _is_path(item: Any) -> bool:
    return isinstance(item, Path) or (isinstance(item, str) and not item.lstrip().startswith("("))
