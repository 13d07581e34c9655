"""Which words are punctuation: the table of definitions.  A new one is a function and a line in `PUNCTUATION`."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import NamedTuple

from lpcfg_cli.config.tables import Table
from lpcfg_cli.dependency.trees.sentence import DependencySentence

PENN_TAGS = ("``", "''", ":", ",", ".")
UD_RELATION = "punct"


class Punctuation(NamedTuple):
    """A definition of punctuation.

    Attributes
    ----------
    name, summary : str
    of_words : function of a sentence to a list of bool
        Whether each word is punctuation.
    """

    name: str
    summary: str
    of_words: Callable[[DependencySentence], list[bool]]


def universal_relation(relation: str) -> str:
    """A relation of Universal Dependencies without its subtype."""
    return relation.partition(":")[0]


def _by_characters(sentence: DependencySentence) -> list[bool]:
    return [all(unicodedata.category(character)[0] == "P" for character in form) for form in sentence.forms]


def _by_tag(sentence: DependencySentence) -> list[bool]:
    return [tag in PENN_TAGS for tag in sentence.tags]


def _by_relation(sentence: DependencySentence) -> list[bool]:
    return [universal_relation(relation) == UD_RELATION for relation in sentence.relations]


PUNCTUATION = Table(
    "punctuation",
    Punctuation("unicode", "all characters are Unicode punctuation, as in CoNLL-X", _by_characters),
    Punctuation("tag", f"the tag is one of {' '.join(PENN_TAGS)}", _by_tag),
    Punctuation("relation", f"the relation is {UD_RELATION}", _by_relation),
)
