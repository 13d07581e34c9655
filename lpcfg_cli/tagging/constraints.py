"""What a user demands of the tree of a sentence: brackets, spans without brackets, the root's label, tags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lpcfg_cli.errors import InputError


@dataclass(frozen=True)
class Span:
    """Consecutive words, and the label of a bracket around them.

    Attributes
    ----------
    start, stop : int
        Half-open span of words, counted from 0.
    label : str or None
        None for any label.  Over a single word a required label may also be the word's tag.
    """

    start: int
    stop: int
    label: str | None = None

    def __str__(self) -> str:
        return f"{self.label or 'a bracket'} over {worded(self.start, self.stop)}"

    def crosses(self, other: Span) -> bool:
        """Whether the two overlap and neither is within the other."""
        return self.start < other.start < self.stop < other.stop or other.start < self.start < other.stop < self.stop


def worded(start: int, stop: int) -> str:
    """A span in words, counted from 1 as people do."""
    return f"word {stop}" if stop == start + 1 else f"words {start + 1} to {stop}"


@dataclass(frozen=True)
class Constraints:
    """Conditions that the tree of a sentence must meet.

    Attributes
    ----------
    required : tuple of Span
        Brackets that the tree has, besides others; of labels over one span the first is the uppermost.
    forbidden : tuple of Span
        Brackets that it does not have; without a label there is no bracket over the span.
    root : str or None
        Label of the uppermost bracket, below ``TOP``.
    tags : tuple of (int, tuple of str)
        Number of a word, from 0, and the tags that it may have.
    """

    required: tuple[Span, ...] = ()
    forbidden: tuple[Span, ...] = ()
    root: str | None = None
    tags: tuple[tuple[int, tuple[str, ...]], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.required or self.forbidden or self.root is not None or self.tags)

    def __str__(self) -> str:
        parts = [f"with {span}" for span in self.required] + [f"without {span}" for span in self.forbidden]
        parts += [f"with the root {self.root}"] if self.root is not None else []
        parts += [f"with the tag {' or '.join(tags)} for word {word + 1}" for word, tags in self.tags]
        return ", ".join(parts)

    def parts(self) -> Iterator[Constraints]:
        """Each condition by itself: root and tags, then required and forbidden brackets."""
        if self.root is not None:
            yield Constraints(root=self.root)
        yield from (Constraints(tags=(one,)) for one in self.tags)
        yield from (Constraints(required=(span,)) for span in self.required)
        yield from (Constraints(forbidden=(span,)) for span in self.forbidden)

    def joined(self, other: Constraints) -> Constraints:
        """Both these conditions and others; a root of the others replaces that of these."""
        root = self.root if other.root is None else other.root
        tags = self.tags + other.tags
        return Constraints(self.required + other.required, self.forbidden + other.forbidden, root, tags)

    def check(self, n_words: int, place: str = "") -> None:
        """Raise an `InputError`, which begins with the place, if a span or word is outside the sentence."""
        before = f"{place}: " if place else ""
        for span in (*self.required, *self.forbidden):
            if not 0 <= span.start < span.stop <= n_words:
                raise InputError(
                    f"{before}a constraint has the span {span.start} to {span.stop} of a sentence of {n_words} words; "
                    f"expected 0 <= start < stop <= {n_words}. Words are counted from 0, and stop is the word after."
                )
        for word, tags in self.tags:
            if not (0 <= word < n_words and tags):
                raise InputError(
                    f"{before}a constraint gives {len(tags)} tags to word {word} of a sentence with {n_words} words; "
                    f"expected at least one tag, and a word from 0 to {n_words - 1}."
                )

    def of_kept(self, is_kept: Sequence[bool]) -> Constraints:
        """The conditions on a sentence without some of its words; spans without words are left out."""
        before = [0]
        for kept in is_kept:
            before.append(before[-1] + kept)

        def moved(spans: tuple[Span, ...]) -> tuple[Span, ...]:
            found = (replace(span, start=before[span.start], stop=before[span.stop]) for span in spans)
            return tuple(span for span in found if span.start < span.stop)

        tags = tuple((before[word], tags) for word, tags in self.tags if is_kept[word])
        return replace(self, required=moved(self.required), forbidden=moved(self.forbidden), tags=tags)


NO_CONSTRAINTS = Constraints()
