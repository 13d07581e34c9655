"""From bytes to text: byte order marks, encodings, and what is no text."""

from __future__ import annotations

import codecs

from lpcfg_cli.errors import InputError
from lpcfg_cli.treebank.bracket_tokens import line_and_column
from lpcfg_cli.treebank.escaped_bytes import HANDLER

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def encoding_of(head: bytes, encoding: str) -> str:
    """The encoding of a text that begins with `head`: that of its byte order mark, or `encoding` if it has none.

    Raises
    ------
    InputError
        There is no encoding of this name.
    """
    try:
        " ".encode(encoding)
    except (LookupError, UnicodeError) as error:  # there are codecs that are not for text
        raise InputError(f"{encoding!r} is not a known encoding. Name one such as utf-8 or latin-1.") from error
    return next((name for mark, name in BYTE_ORDER_MARKS if head.startswith(mark)), encoding)


def rereadable(encoding: str) -> str:
    """The encoding in which to write any text that is read again as if it were in `encoding`.

    It is UTF-8, with a byte order mark, which wins, if `encoding` is another.
    """
    return "utf-8" if codecs.lookup(encoding).name == "utf-8" else "utf-8-sig"


def decode(data: bytes, path: str, encoding: str = "utf-8", on_error: str = "stop") -> str:
    """Decode the bytes of a file; a byte order mark overrides `encoding`.

    Parameters
    ----------
    data : bytes
    path : str
        Name of the file in messages.
    encoding : str
    on_error : {"stop", "skip"}
        Whether a byte that is not in this encoding, or a NUL character, raises an error, or is kept as in
        `escaped_bytes`.

    Raises
    ------
    InputError
        The encoding is unknown, or with ``"stop"`` the file is not in it or is no text.
    """
    encoding = encoding_of(data, encoding)
    if on_error == "skip":
        return data.decode(encoding, HANDLER)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise wrong_byte(path, line, data[error.start], error.start, error.encoding) from error
    if (place := text.find("\0")) >= 0:
        raise nul_character(path, *line_and_column(text, place))
    return text


def wrong_byte(path: str, line: int, byte: int, offset: int, encoding: str) -> InputError:
    """The error of a byte at an offset of a file that is not in the file's encoding."""
    return InputError(
        f"{path}:{line}: byte 0x{byte:02x} at offset {offset} is not {encoding}. "
        "Name the file's encoding with --encoding, or convert it to UTF-8, for instance with iconv."
    )


def nul_character(path: str, line: int, column: int) -> InputError:
    """The error of a NUL character in a file."""
    return InputError(
        f"{path}:{line}:{column}: a NUL character. This is not text, or is in another encoding such as utf-16-le: "
        "name it with --encoding."
    )
