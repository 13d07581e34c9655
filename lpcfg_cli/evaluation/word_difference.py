"""How two words differ that may look alike: composed or not, with invisible characters, in other letters."""

from __future__ import annotations

import unicodedata
from itertools import zip_longest
from typing import Literal

INVISIBLE = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs")
"""Unicode categories of characters that are not seen."""


FORMS: tuple[tuple[Literal["NFC", "NFD"], str], ...] = (("NFC", "composed"), ("NFD", "decomposed"))


def visible(word: str) -> str:
    r"""The word with characters that cannot be seen written as escapes, as in ``can\xadción``."""
    return "".join(_escaped(one) if unicodedata.category(one) in INVISIBLE else one for one in word)


def word_difference(gold: str, test: str) -> str:
    """How two different words differ beyond what is seen, as the end of a message; empty if it is seen.

    Words that differ in ASCII characters only are seen to differ.
    """
    if unicodedata.normalize("NFC", gold) == unicodedata.normalize("NFC", test):
        return f": gold is {_composition(gold)}, test {_composition(test)}"
    for one, other in zip_longest(gold, test):
        if one != other:
            seen = all(character is None or character.isascii() for character in (one, other))
            return "" if seen else f": {_named(one)} in gold, {_named(other)} in test"
    return ""


def _escaped(character: str) -> str:
    return character.encode("unicode-escape").decode("ascii")


def _composition(word: str) -> str:
    """Which Unicode form a word has, with the code points that are not ASCII."""
    kind = next((name for form, name in FORMS if unicodedata.is_normalized(form, word)), "partly composed")
    return f"{kind} ({' '.join(_code(character) for character in word if not character.isascii())})"


def _named(character: str | None) -> str:
    if character is None:
        return "nothing"
    return f"{_code(character)} {unicodedata.name(character, '')}".rstrip()


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"
