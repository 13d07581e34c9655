"""What a sentence to parse is, and what a format of such sentences is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from lpcfg_cli.config import ReadSettings
from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.tagging.tagger import OPEN_TAG
from lpcfg_cli.tagging.text import TextConventions

Sentence = list[tuple[str, str]]
Teller = Callable[[str], None]
"""Takes a note for the user."""


def silent(note: str) -> None:
    """A teller that tells nobody."""


@dataclass(frozen=True)
class InputSentence:
    """A sentence to parse.

    Attributes
    ----------
    tokens : list of (word, tag)
        Empty for an empty line.  `OPEN_TAG` stands for the tags of raw text.
    place : str
        Where it stands, for messages.
    problem : SyntaxProblem or None
        Why it cannot be read; it has no tokens then.
    """

    tokens: Sentence
    place: str = ""
    problem: SyntaxProblem | None = None


SentenceReader = Callable[[Iterable[str], str, ReadSettings, Teller, TextConventions], Iterator[InputSentence]]


@dataclass(frozen=True)
class SentenceFormat:
    """A form in which sentences come.

    Attributes
    ----------
    name : str
        As ``lpcfg parse -f`` takes it.
    summary : str
        One line for help pages.
    read : function of (lines, name, ReadSettings, Teller, TextConventions) to iterator of InputSentence
        Reads lines without their newline; the name of the input is for places.  It yields each sentence as soon as
        it is complete, and one that cannot be read with its problem.  The teller is told what is passed over, and
        raw words are cut and spelt as the conventions have it.
    has_tags : bool
        Whether the words come with tags; if not, the model needs a tagger.
    """

    name: str
    summary: str
    read: SentenceReader
    has_tags: bool = True


def without_tags(sentence: InputSentence) -> InputSentence:
    """The sentence as if its words had come without tags."""
    return replace(sentence, tokens=[(word, OPEN_TAG) for word, _ in sentence.tokens])
