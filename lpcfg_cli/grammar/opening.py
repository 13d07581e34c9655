"""Grammars to use, from a model file, a run directory, or a file of rules as text."""

from __future__ import annotations

from pathlib import Path

from lpcfg_cli.errors import doing
from lpcfg_cli.grammar.archive import MODEL, load_members, model_file
from lpcfg_cli.grammar.model import Grammar
from lpcfg_cli.grammar.production_grammar import parse_productions
from lpcfg_cli.grammar.production_text import has_productions
from lpcfg_cli.grammar.text_grammar import parse_grammar
from lpcfg_cli.storage.artefacts import Header, read_header
from lpcfg_cli.tagging.archive import load_tagger
from lpcfg_cli.tagging.tagger import Tagger
from lpcfg_cli.tagging.text import TextConventions
from lpcfg_cli.treebank.files import read_text

GRAMMAR_SUFFIXES = (".grammar", ".pcfg")
"""Endings of the names of grammars as text."""


def is_text_grammar(path: Path) -> bool:
    """Whether a file is named as a grammar as text."""
    return path.suffix.lower() in GRAMMAR_SUFFIXES and not path.is_dir()


def load_grammar(path: Path) -> Grammar:
    """Read the grammar of a model file, a run directory or a text file; the first one of an ensemble."""
    return open_members(path)[1][0]


def open_members(path: Path) -> tuple[Header, list[Grammar]]:
    """Read the grammars of a model file, a run directory or a text file, with the header of a model.

    Raises
    ------
    InputError, SyntaxProblem, ArtefactError
        There is no model or grammar, or it cannot be used.
    """
    if not is_text_grammar(path):
        return load_members(path)
    with doing(f"reading {path}"):
        text = read_text(path)
        if has_productions(text):
            grammar, settings = parse_productions(text, str(path))
        else:
            grammar, settings = parse_grammar(text, str(path)).grammar, {}
    return Header(MODEL.name, MODEL.version, "grammar", settings, 0, {}), [grammar]


def open_header(path: Path) -> Header:
    """The header of a model; raises the errors of `open_members`."""
    return open_members(path)[0] if is_text_grammar(path) else read_header(model_file(path), MODEL)


def open_tagger(path: Path) -> tuple[Tagger | None, TextConventions | None]:
    """The tagger and the text conventions of a model; neither, if the model has no tagger.

    Of a grammar as text, there is no tagger, and no treebank of which the conventions would be.

    Raises
    ------
    InputError, ArtefactError
        The file cannot be used.
    """
    if is_text_grammar(path):
        return None, TextConventions()
    return load_tagger(model_file(path), MODEL) or (None, None)
