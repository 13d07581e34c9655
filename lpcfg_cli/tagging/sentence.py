"""The types of sentences to parse, and of their formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate

from lpcfg_cli.config import CleanSettings, ReadSettings
from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.tagging.constraints import NO_CONSTRAINTS, Constraints
from lpcfg_cli.tagging.offsets import Offset, word_offsets
from lpcfg_cli.tagging.tagger import OPEN_TAG
from lpcfg_cli.tagging.text import TextConventions
from lpcfg_cli.treebank.characters import normalized
from lpcfg_cli.treebank.checked_nodes import TRACE_TAG
from lpcfg_cli.treebank.labels import cut_tag
from lpcfg_cli.treebank.presets import with_preset

Sentence = list[tuple[str, str]]
Teller = Callable[[str], None]
"""A function that reports a note to the user."""


@dataclass(frozen=True)
class InputSettings(ReadSettings):
    """How sentences are read.

    Attributes
    ----------
    clean : CleanSettings
        How the trees were cleaned from which the model was learnt; sentences are cleaned likewise.
    root : str or None
        Label of the uppermost bracket of every tree; None for any.
    """

    clean: CleanSettings = field(default_factory=CleanSettings)
    root: str | None = None


def silent(note: str) -> None:
    """Ignore the note."""


@dataclass(frozen=True)
class InputSentence:
    """A sentence to parse.

    Attributes
    ----------
    tokens : list of (word, tag)
        Empty for an empty line.  `OPEN_TAG` stands for the tags of raw text.
    place : str
        Place in the input, for messages.
    problem : SyntaxProblem or None
        The error of a sentence that cannot be read, which has no tokens.
    text : str or None
        The part of the input that words without tags were made from; None for words with tags.
    start : int
        Number of characters of the input before this part.
    constraints : Constraints
        What its tree must have.
    """

    tokens: Sentence
    place: str = ""
    problem: SyntaxProblem | None = None
    text: str | None = None
    start: int = 0
    constraints: Constraints = NO_CONSTRAINTS

    def located(self) -> tuple[str, list[Offset | None]]:
        """The text of the sentence, and the half-open character offsets of its words.

        Offsets of raw text are into the input.  For words with tags the text is the words with blanks between, and
        offsets are into it.
        """
        words = [word for word, _ in self.tokens]
        if self.text is None:
            text = " ".join(words)
            ends = list(accumulate((len(word) + 1 for word in words), initial=0))
            return text, [(start, start + len(word)) for start, word in zip(ends, words, strict=False)]
        found = word_offsets(self.text, words)
        return self.text, [one and (one[0] + self.start, one[1] + self.start) for one in found]


SentenceReader = Callable[[Iterable[str], str, InputSettings, Teller, TextConventions], Iterator[InputSentence]]


@dataclass(frozen=True)
class SentenceFormat:
    """A format of sentences.

    Attributes
    ----------
    name : str
        Value of ``lpcfg parse -f``.
    summary : str
        One line for help pages.
    read : function of (lines, name, InputSettings, Teller, TextConventions) to iterator of InputSentence
        Reads lines without their newline; the name of the input is used in places.  It yields each sentence as soon as
        it is complete, and a sentence that cannot be read with its problem.  The teller is called with a note about
        everything that is ignored.  Raw text is tokenized and spelt by the conventions.
    has_tags : bool
        Whether words have tags; if not, the model needs a tagger.
    """

    name: str
    summary: str
    read: SentenceReader
    has_tags: bool = True


def without_tags(sentence: InputSentence) -> InputSentence:
    """The sentence with `OPEN_TAG` in place of every tag."""
    return replace(sentence, tokens=[(word, OPEN_TAG) for word, _ in sentence.tokens])


def as_trained(sentence: InputSentence, clean: CleanSettings) -> InputSentence:
    """The sentence with words and tags as training had them: tags cut, words normalized, and words dropped."""
    tokens, is_kept = _as_trained(sentence.tokens, clean)
    constraints = sentence.constraints
    if constraints and not all(is_kept):
        constraints = constraints.of_kept(is_kept)
    return replace(sentence, tokens=tokens, constraints=constraints)


def tokens_as_trained(tokens: Sentence, clean: CleanSettings) -> Sentence:
    """`as_trained` for words and tags."""
    return _as_trained(tokens, clean)[0]


def _as_trained(tokens: Sentence, clean: CleanSettings) -> tuple[Sentence, list[bool]]:
    """The words and tags as training had them, and whether each of the given ones is among them."""
    wanted = with_preset(clean)
    dropped = {TRACE_TAG, *wanted.drop_tags}
    pairs = [(word, tag, cut_tag(tag, wanted.cut_tags_at)) for word, tag in tokens]
    is_kept = [tag not in dropped and cut not in dropped for _, tag, cut in pairs]
    spell = normalized if wanted.normalize else str
    return [(spell(word), cut) for (word, _, cut), kept in zip(pairs, is_kept, strict=True) if kept], is_kept
