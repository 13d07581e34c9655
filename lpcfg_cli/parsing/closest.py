"""Constraints that no tree meets together: which ones to leave out, or to name in the error."""

from __future__ import annotations

from dataclasses import replace

from lpcfg_cli.errors import ConstraintError
from lpcfg_cli.parsing.parser import Parse, Parser, Status, TaggedWord
from lpcfg_cli.tagging.constraints import NO_CONSTRAINTS, Constraints

STOP, SKIP, CLOSEST = "stop", "skip", "closest"
"""What becomes of a sentence whose constraints no tree meets: an error, no tree, or the closest tree."""


def parse_closest(
    parser: Parser, sentence: list[TaggedWord], constraints: Constraints, with_confidence: bool = False
) -> Parse:
    """The best tree that meets the constraints, or else as many of them as are found to fit together.

    They are added one after the other, root and tags first, then brackets in their order; one that cannot be met
    together with those before it is left out and named in `Parse.unmet`.
    """
    found = parser.parse(sentence, constraints=constraints, with_confidence=with_confidence)
    if found.status != Status.FAILED:
        return found
    met, unmet = split_constraints(parser, sentence, constraints)
    found = parser.parse(sentence, constraints=met, with_confidence=with_confidence)
    return replace(found, unmet=tuple(map(str, unmet)))


def split_constraints(
    parser: Parser, sentence: list[TaggedWord], constraints: Constraints, most_unmet: int | None = None
) -> tuple[Constraints, list[Constraints]]:
    """The constraints that can be met together, and those that cannot be met with them; see `parse_closest`.

    With `most_unmet` the search ends as soon as there are so many of these.
    """
    met, unmet = NO_CONSTRAINTS, list[Constraints]()
    for part in constraints.parts():
        if most_unmet is not None and len(unmet) >= most_unmet:
            break
        if parser.has_tree(sentence, met.joined(part)):
            met = met.joined(part)
        else:
            unmet.append(part)
    return met, unmet


def unsatisfiable(parser: Parser, sentence: list[TaggedWord], constraints: Constraints, place: str) -> ConstraintError:
    """The error for constraints that no tree meets: it names the first that does not fit to those before it."""
    met, unmet = split_constraints(parser, sentence, constraints, 1)
    culprit = str(unmet[0]) if unmet else str(constraints)
    together = f" that is also {met}" if met else ""
    return ConstraintError(
        f"{place or 'the sentence'}: there is no tree {culprit}{together}. "
        "Change the constraints, or use --closest to leave out those that cannot be met."
    )
