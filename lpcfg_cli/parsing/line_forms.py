"""What the forms of parses are made from, and those that are lines of text."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from lpcfg_cli.parsing.confidence import Confidence
from lpcfg_cli.parsing.parse import Parse
from lpcfg_cli.tagging.sentence import InputSentence
from lpcfg_cli.treebank.brackets import treebank_from_text

DIGITS = 6
"""Decimal places of numbers in JSON lines."""


@dataclass(frozen=True)
class RankedLine:
    """One of the best trees of a sentence.

    Attributes
    ----------
    tree : str
        A bracketed line.
    score : float
        What the decoder maximises.
    confidence : Confidence or None
        None unless the form needs it.
    """

    tree: str
    score: float
    confidence: Confidence | None = None


@dataclass(frozen=True)
class ParsedInput:
    """A sentence and its parse, as forms get them.

    Attributes
    ----------
    sentence : InputSentence
    parse : Parse
    tree : str
        The best tree as a bracketed line.
    ranked : list of RankedLine
        The n best trees, best first; empty for a fallback without a score.
    lists_trees : bool
        Whether trees with their scores are wanted, even if there is only one.
    """

    sentence: InputSentence
    parse: Parse
    tree: str
    ranked: list[RankedLine]
    lists_trees: bool


@dataclass(frozen=True)
class OutputForm:
    """A form of parses.

    Attributes
    ----------
    name : str
        Value of ``lpcfg parse --to``.
    summary : str
        One line for help pages.
    write : function of ParsedInput to str
        The lines of a sentence, without the last line end.
    header, footer : str
        First and last lines of an output; empty for none.
    suffix : str
        Ending of output files, if a folder is parsed.
    needs_confidence : bool
        Whether the confidence of trees is computed, which takes longer.
    """

    name: str
    summary: str
    write: Callable[[ParsedInput], str]
    header: str = ""
    footer: str = ""
    suffix: str = ".mrg"
    needs_confidence: bool = False


def write_trees(parsed: ParsedInput) -> str:
    """The best tree; or the n best, a line each of score, tab and tree, then an empty line."""
    if not parsed.lists_trees:
        return parsed.tree
    if not parsed.ranked:
        return f"0\t{parsed.tree}\n"
    return "".join(f"{one.score:.6f}\t{one.tree}\n" for one in parsed.ranked)


def write_json(parsed: ParsedInput) -> str:
    """One JSON object; see ``lpcfg help confidence``."""
    sentence, parse = parsed.sentence, parsed.parse
    text, offsets = sentence.located()
    record: dict[str, Any] = {
        "place": sentence.place,
        "text": text,
        "words": [word for word, _ in sentence.tokens],
        "offsets": offsets,
        "tags": tags_of(parsed.tree),
        "status": parse.status.value,
        "tree": parsed.tree,
        "ln_p_sentence": None if parse.is_negative else rounded(parse.log_probability),
        "is_negative": bool(parse.is_negative),
        **_numbers(parsed.ranked[0].confidence if parsed.ranked else None),
    }
    if parse.unmet:
        record["unmet"] = list(parse.unmet)
    if parsed.lists_trees:
        record["nbest"] = [
            {"tree": one.tree, "score": rounded(one.score), **_numbers(one.confidence)} for one in parsed.ranked
        ]
    return json.dumps(record, ensure_ascii=False)


def _numbers(confidence: Confidence | None) -> dict[str, Any]:
    """How probable a tree and its brackets are; nulls without a tree of the grammar."""
    if confidence is None:
        return {"ln_p_tree": None, "posterior": None, "brackets": []}
    brackets = [{**asdict(bracket), "posterior": rounded(bracket.posterior)} for bracket in confidence.brackets]
    return {
        "ln_p_tree": rounded(confidence.log_probability),
        "posterior": rounded(confidence.posterior),
        "brackets": brackets,
    }


def tags_of(tree: str) -> list[str]:
    """The tags of the words of a bracketed line."""
    return [tag for sentence in treebank_from_text(tree).tagged_sentences() for _, tag in sentence]


def rounded(value: float) -> float | None:
    """A number with `DIGITS` decimal places; None for what is no number."""
    return round(float(value), DIGITS) if math.isfinite(value) else None


COLUMNS = ("place", "rank", "status", "words", "ln_p_sentence", "ln_p_tree", "posterior", "weakest", "score", "tree")


def write_table(parsed: ParsedInput) -> str:
    """Columns separated by tabs, a line for each tree: `COLUMNS`; ``-`` for what there is not."""
    parse, tokens = parsed.parse, parsed.sentence.tokens
    ln_p = math.nan if parse.is_negative else parse.log_probability
    lines = []
    for rank, one in enumerate(parsed.ranked or [RankedLine(parsed.tree, math.nan)], 1):
        confidence = one.confidence or Confidence(math.nan, math.nan, [])
        weakest = min((bracket.posterior for bracket in confidence.brackets), default=math.nan)
        numbers = (f"{ln_p:.3f}", f"{confidence.log_probability:.3f}", f"{confidence.posterior:.4f}", f"{weakest:.4f}")
        shown = [number if number != "nan" else "-" for number in (*numbers, f"{one.score:.4f}")]
        lines.append(
            "\t".join([parsed.sentence.place, str(rank), parse.status.value, str(len(tokens)), *shown, one.tree])
        )
    return "\n".join(lines)
