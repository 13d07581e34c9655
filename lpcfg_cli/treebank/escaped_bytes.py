"""Bytes that a text's encoding does not have: they are kept as lone surrogates, so that reading can go on."""

from __future__ import annotations

import codecs
import re

HANDLER = "lpcfg-escape"
"""The ``errors`` argument of `bytes.decode` that keeps such bytes."""

_FIRST = 0xDC00

NOT_TEXT = re.compile("[\udc00-\udcff\0]")
"""A byte that was kept, or a NUL character, which no text has either."""


def _keep(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(chr(_FIRST + byte) for byte in error.object[error.start : error.end]), error.end


codecs.register_error(HANDLER, _keep)


def shown(text: str) -> str:
    """The text with the replacement character for kept bytes and NUL characters, for messages."""
    return NOT_TEXT.sub("\ufffd", text)


def described(character: str, encoding: str) -> str:
    """What is wrong with a character that `NOT_TEXT` matches."""
    return "a NUL character" if character == "\0" else f"byte 0x{ord(character) - _FIRST:02x}, which is not {encoding}"
