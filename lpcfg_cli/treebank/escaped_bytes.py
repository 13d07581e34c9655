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


_CARRIER = 0x10F000
_CARRIED = {_FIRST + byte: _CARRIER + byte for byte in range(256)} | {0: _CARRIER}
_RESTORED = {_CARRIER + byte: _FIRST + byte for byte in range(1, 256)} | {_CARRIER: 0}


def carried(text: str) -> str:
    """The text with characters for private use in place of kept bytes and NUL, for readers that take no others."""
    return text.translate(_CARRIED) if NOT_TEXT.search(text) else text


def restored(text: str) -> str:
    """The text that `carried` was given."""
    return text.translate(_RESTORED)
