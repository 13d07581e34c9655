"""Grammar symbols: structured values, never strings that have to be split."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_RESERVED = {ord(char): f"%{ord(char):02X}" for char in "%|@^~/+()"}
_ESCAPED = re.compile("|".join(_RESERVED.values()))
_MARKED = re.compile(r"([\^~])")


@dataclass(frozen=True)
class Symbol:
    """A nonterminal of the binarized grammar.

    Attributes
    ----------
    labels : tuple of str
        The labels it stands for, top to bottom; more than one only after unary collapse.
    is_preterminal : bool
        Whether it is rewritten as a word; its tag is then the last label.
    is_intermediate : bool
        Whether it was introduced by binarization; it has no bracket in the tree.
    ancestors : tuple of str
        Labels of parent, grandparent, … added by vertical Markovization.
    siblings : tuple of str
        Labels of the nearest children that an intermediate symbol does not cover, added by horizontal Markovization.
    """

    labels: tuple[str, ...]
    is_preterminal: bool = False
    is_intermediate: bool = False
    ancestors: tuple[str, ...] = ()
    siblings: tuple[str, ...] = ()

    @property
    def tag(self) -> str | None:
        """The part-of-speech tag of a preterminal symbol, else None."""
        return self.labels[-1] if self.is_preterminal else None

    @property
    def phrase_labels(self) -> tuple[str, ...]:
        """The labels that have brackets in the tree, top to bottom."""
        if self.is_intermediate:
            return ()
        return self.labels[:-1] if self.is_preterminal else self.labels

    @property
    def name(self) -> str:
        """A readable name, unique among preterminals and unique among the other symbols.

        ``@`` marks an intermediate symbol, ``|`` joins the labels of a collapsed chain, ``^`` precedes an ancestor and
        ``~`` a sibling.  Such characters within a label are written in hexadecimal.
        """
        return self._joined(escape)

    @property
    def shown(self) -> str:
        """The name for people, with labels as they are in the treebank; different symbols may have the same."""
        return self._joined(str)

    def _joined(self, written: Callable[[str], str]) -> str:
        text = "|".join(written(label) for label in self.labels)
        text = ("@" if self.is_intermediate else "") + text
        text += "".join("^" + written(label) for label in self.ancestors)
        return text + "".join("~" + written(label) for label in self.siblings)

    def as_json(self) -> dict[str, Any]:
        """A JSON-ready dictionary of the fields that differ from their defaults."""
        entry: dict[str, Any] = {"labels": list(self.labels)}
        if self.is_preterminal:
            entry["is_preterminal"] = True
        if self.is_intermediate:
            entry["is_intermediate"] = True
        if self.ancestors:
            entry["ancestors"] = list(self.ancestors)
        if self.siblings:
            entry["siblings"] = list(self.siblings)
        return entry

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> Symbol:
        """The inverse of `as_json`."""
        return cls(
            tuple(entry["labels"]),
            entry.get("is_preterminal", False),
            entry.get("is_intermediate", False),
            tuple(entry.get("ancestors", ())),
            tuple(entry.get("siblings", ())),
        )

    @classmethod
    def from_name(cls, name: str, is_preterminal: bool) -> Symbol:
        """The inverse of `name`."""
        is_intermediate = name.startswith("@") and not is_preterminal
        first, *rest = _MARKED.split(name.removeprefix("@") if is_intermediate else name)
        around: dict[str, list[str]] = {"^": [], "~": []}
        for mark, label in zip(rest[::2], rest[1::2], strict=True):
            around[mark].append(unescape(label))
        labels = tuple(unescape(label) for label in first.split("|"))
        return cls(labels, is_preterminal, is_intermediate, tuple(around["^"]), tuple(around["~"]))


def labels_of_name(name: str, is_preterminal: bool) -> tuple[str, ...]:
    """The labels, top to bottom, that a symbol with this `Symbol.name` has in a tree; none if it is intermediate."""
    if name.startswith("@") and not is_preterminal:
        return ()
    whole = name.partition("^")[0]
    return tuple(unescape(label) for label in whole.split("|"))


def unescape(label: str) -> str:
    """The inverse of `escape`."""
    return _ESCAPED.sub(lambda found: chr(int(found[0][1:], 16)), label)


def escape(label: str) -> str:
    """The label with the characters that are special in symbol names written in hexadecimal."""
    return label.translate(_RESERVED)
