"""Names of nonterminals and words in rules as text, which other programs read too, and back.

A nonterminal has letters, digits and ``/ ^ < > -`` only, as NLTK wants them; other characters are written as ``_`` and
two or more hexadecimal digits and ``_``.  Those of a model begin with ``N/`` or, preterminals, with ``T/``; a state is
its number behind the name, ``N/NP-3``.  ``U/VP/T/VB`` is a VP with the only child ``T/VB``, in a unary rule that hides
the VP.  A word class is a word such as ``"<C~ing>"``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from lpcfg_cli.grammar.lexicon import CLASS_MARK
from lpcfg_cli.treebank.symbols import Symbol

PHRASE, TAG, HIDDEN = "N/", "T/", "U/"

_OTHER = re.compile(r"[^A-Za-z0-9/^<>-]|-(?=[0-9]+$)")
_OTHER_IN_HIDDEN = re.compile(r"[^A-Za-z0-9^<>-]")
_HEXADECIMAL = re.compile(r"_([0-9A-F]{2,6})_")
_STATE = re.compile(r"(.+)-([0-9]+)")


class Node(NamedTuple):
    """A nonterminal of rules as text.

    Attributes
    ----------
    label : str
        The name of a symbol, or the label that a unary rule hides, or the label that a name without prefix is.
    prefix : str
        `PHRASE`, `TAG`, `HIDDEN`, or empty for a name as people write it.
    state : str
        Number of its state; empty without.
    below : str
        The only child of a hidden label.
    """

    label: str
    prefix: str = ""
    state: str = ""
    below: str = ""


def name_of(symbol: Symbol, state: int | None = None) -> str:
    """A name that NLTK reads, unique among all symbols and states."""
    name = _written(symbol.name, _OTHER) + ("" if state is None else f"-{state}")
    return f"{TAG if symbol.is_preterminal else PHRASE}{name}"


def hidden_name(label: str, below: str) -> str:
    """The name of a label that a unary rule hides, above the name of its only child."""
    return f"{HIDDEN}{_written(label, _OTHER_IN_HIDDEN)}/{below}"


def node_of(name: str) -> Node:
    """What a name stands for."""
    prefix = name[:2] if name[:2] in (PHRASE, TAG, HIDDEN) and len(name) > 2 else ""
    rest = name.removeprefix(prefix)
    if prefix == HIDDEN:
        label, _, below = rest.partition("/")
        return Node(_read(label), prefix, "", below)
    match = _STATE.fullmatch(rest) if prefix else None
    return Node(_read(match[1]), prefix, match[2]) if match else Node(_read(rest), prefix)


def quoted(entry: str) -> str:
    """A word or word class in the quotes that it does not have."""
    is_class = entry.startswith(CLASS_MARK)
    text = entry.removeprefix(CLASS_MARK)
    looks_special = _HEXADECIMAL.search(text) or (text[:1] == "<" and text[-1:] == ">" and not is_class)
    if looks_special or ('"' in text and "'" in text):
        text = _written(text, re.compile('[_"<]'))
    text = f"<{text}>" if is_class else text
    return f'"{text}"' if '"' not in text else f"'{text}'"


def entry_of(text: str) -> str:
    """The word or word class that stands between quotes."""
    if len(text) > 1 and text[0] == "<" and text[-1] == ">":
        return CLASS_MARK + _read(text[1:-1])
    return _read(text)


def _written(text: str, other: re.Pattern[str]) -> str:
    return other.sub(lambda found: f"_{ord(found[0]):02X}_", text)


def _read(text: str) -> str:
    return _HEXADECIMAL.sub(lambda found: chr(min(int(found[1], 16), 0x10FFFF)), text)
