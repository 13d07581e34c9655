"""Characters of words that cannot be seen, and letters that can be written in two ways."""

from __future__ import annotations

import re
import unicodedata

JOINERS = "\u200c\u200d"
"""Zero-width non-joiner and joiner, which Arabic, Persian and Indic spelling and emoji need."""

EMOJI_TAGS = range(0xE0020, 0xE0080)
"""Tag characters, of which flags are made."""

NO_JOINING = ("LATIN", "GREEK", "CYRILLIC", "DIGIT", "HYPHEN")
"""First words of the names of characters that are never joined."""


def invisible_characters(text: str) -> list[str]:
    """The characters of a text that cannot be seen and do not belong to its spelling, in order.

    They are those of Unicode's category Cf, except signs that can be seen, such as the Arabic number sign, and joiners
    between characters of a script that has joined letters.
    """
    if text.isascii():
        return []
    return [char for place, char in enumerate(text) if _is_invisible(text, place)]


def _is_invisible(text: str, place: int) -> bool:
    char = text[place]
    if unicodedata.category(char) != "Cf" or ord(char) in EMOJI_TAGS or _is_visible(char):
        return False
    return char not in JOINERS or not (_joins(text[place - 1 : place]) and _joins(text[place + 1 : place + 2]))


def _is_visible(char: str) -> bool:
    """Whether a character of category Cf has a shape: signs over numbers, and the end of a verse."""
    return bool(
        re.search(r"\b(SIGN|MARK|AYAH|SANAH|FOOTNOTE MARKER|PAGE|ABBREVIATION|SAMVAT|MEDIAL)\b", _name(char))
    ) and (not re.search(r"RIGHT-TO-LEFT|LEFT-TO-RIGHT|ARABIC LETTER MARK", _name(char)))


def _joins(char: str) -> bool:
    return char != "" and not _name(char).startswith(NO_JOINING)


def _name(char: str) -> str:
    return unicodedata.name(char, "")


def normalized(text: str) -> str:
    """The text with composed letters (NFC) and without `invisible_characters`; unchanged if nothing would be left."""
    if text.isascii():
        return text
    seen = "".join(char for place, char in enumerate(text) if not _is_invisible(text, place))
    return unicodedata.normalize("NFC", seen or text)
