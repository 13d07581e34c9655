"""EVALB's parameter files: what is counted, what is deleted, what counts as equal."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from lpcfg_cli.errors import SyntaxProblem


@dataclass(frozen=True)
class EvalbParameters:
    """The rules of scoring; the defaults are those of EVALB without a parameter file.

    Attributes
    ----------
    debug : int
        DEBUG: 0, or 1 and 2 for a listing of each sentence in EVALB's layout.
    max_error : int
        MAX_ERROR: number of errors after which EVALB stops; here it only gives a note.
    cutoff_length : int
        CUTOFF_LEN: the second summary is over sentences up to this length, in words.
    labeled : bool
        LABELED: whether labels must agree for brackets to match.
    delete_labels : tuple of str
        DELETE_LABEL: tags whose words, and labels whose brackets, are deleted.
    delete_for_length : tuple of str
        DELETE_LABEL_FOR_LENGTH: tags whose words do not count for the length of a sentence.
    quote_labels : tuple of str
        QUOTE_LABEL: tags of quotation marks; if one side deletes a mark and the other does not, it is put back.
    equal_labels, equal_words : tuple of (str, str)
        EQ_LABEL, EQ_WORD: pairs that count as equal, in either order; not transitive.
    """

    debug: int = 0
    max_error: int = 10
    cutoff_length: int = 40
    labeled: bool = True
    delete_labels: tuple[str, ...] = ()
    delete_for_length: tuple[str, ...] = ()
    quote_labels: tuple[str, ...] = ()
    equal_labels: tuple[tuple[str, str], ...] = ()
    equal_words: tuple[tuple[str, str], ...] = ()


COLLINS = EvalbParameters(
    delete_labels=("TOP", "-NONE-", ",", ":", "``", "''", "."),
    delete_for_length=("-NONE-",),
    equal_labels=(("ADVP", "PRT"),),
)
"""The rules with which results on the Penn Treebank are published; the default."""


@dataclass(frozen=True)
class ParameterFile:
    """The content of a parameter file.

    Attributes
    ----------
    parameters : EvalbParameters
        The rules.
    doubts : list of str
        Notes, each with its place, on lines that EVALB ignores or that probably have another meaning than intended.
    """

    parameters: EvalbParameters
    doubts: list[str] = field(default_factory=list)


NUMBERS = {"DEBUG": "debug", "MAX_ERROR": "max_error", "CUTOFF_LEN": "cutoff_length", "LABELED": "labeled"}
LISTS = {
    "DELETE_LABEL": "delete_labels",
    "DELETE_LABEL_FOR_LENGTH": "delete_for_length",
    "QUOTE_LABEL": "quote_labels",
}
PAIRS = {"EQ_LABEL": "equal_labels", "EQ_WORD": "equal_words"}


def parse_parameters(text: str, path: str = "<parameters>") -> ParameterFile:
    """Read the text of a parameter file as EVALB does.

    Parameters
    ----------
    text : str
        Lines of the form ``KEYWORD value``; lines that start with ``#`` are comments.
    path : str
        Name of the file, for messages.

    Raises
    ------
    SyntaxProblem
        The value of a numeric keyword is not a number.  (EVALB reads it as 0, which for LABELED changes every score.)
    """
    found = ParameterFile(EvalbParameters())
    for number, line in enumerate(text.split("\n"), 1):
        content = line.rstrip()
        if content.startswith("#") or len(content) < 3:
            continue
        found = _add_line(found, content, path, number)
    return found


def _add_line(file: ParameterFile, line: str, path: str, number: int) -> ParameterFile:
    keyword, *rest = re.split(r"\s+", line, maxsplit=1)
    value = rest[0] if rest else ""
    parameters, doubt = file.parameters, ""
    if keyword in NUMBERS:
        column = line.find(value, len(keyword)) + 1
        parameters = _with_number(parameters, keyword, value, (path, number, column))
    elif keyword in LISTS and value:
        parameters = _with_label(parameters, LISTS[keyword], value)
        if re.search(r"\s", value):
            doubt = f"{keyword} takes one label on each line; {value!r} is read as one label and matches nothing."
    elif keyword in PAIRS and len(value.split()) == 2:
        one, other = value.split()
        parameters = _with_label(parameters, PAIRS[keyword], (one, other))
    else:
        doubt = _doubt_about(keyword, value)
    return ParameterFile(parameters, [*file.doubts, f"{path}:{number}: {doubt}"] if doubt else file.doubts)


def _with_number(parameters: EvalbParameters, keyword: str, value: str, where: tuple[str, int, int]) -> EvalbParameters:
    match = re.match(r"[+-]?\d+", value)
    name = NUMBERS[keyword]
    if match is None:
        hint = f"Write for instance {keyword} {getattr(EvalbParameters(), name):d}."
        raise SyntaxProblem(*where, f"{keyword} {value!r}", "a whole number", hint)
    number = int(match[0])
    return _changed(parameters, name, bool(number) if name == "labeled" else number)


def _with_label(parameters: EvalbParameters, name: str, value: str | tuple[str, str]) -> EvalbParameters:
    return _changed(parameters, name, (*getattr(parameters, name), value))


def _doubt_about(keyword: str, value: str) -> str:
    if keyword in LISTS:
        return f"{keyword} names no label. The line is ignored."
    if keyword in PAIRS:
        return f"{keyword} needs two values and has {len(value.split())}. The line is ignored, as by EVALB."
    known = ", ".join([*NUMBERS, *LISTS, *PAIRS])
    return f"unknown keyword {keyword!r}; known are {known}. The line is ignored, as by EVALB."


def _changed(parameters: EvalbParameters, name: str, value: Any) -> EvalbParameters:
    return replace(parameters, **{name: value})
