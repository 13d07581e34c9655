"""Constraints that no tree meets together: which ones to leave out, or to name in the error."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from itertools import combinations
from math import comb

from lpcfg_cli.errors import ConstraintError
from lpcfg_cli.parsing.parse import Parse, Status, TaggedWord
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.tagging.constraints import NO_CONSTRAINTS, Constraints

STOP, SKIP, CLOSEST = "stop", "skip", "closest"
"""What becomes of a sentence whose constraints no tree meets: an error, no tree, or the closest tree."""

MOST_SETS = 100
"""Largest number of sets of constraints that are left out for trial; each takes the time of a coarse pass."""


def parse_closest(
    parser: Parser, sentence: list[TaggedWord], constraints: Constraints, with_confidence: bool = False
) -> Parse:
    """The best tree that meets the constraints, or else those of `closest_constraints`.

    What is left out is named in `Parse.unmet`.
    """
    found = parser.parse(sentence, constraints=constraints, with_confidence=with_confidence)
    if found.status != Status.FAILED:
        return found
    met, unmet = closest_constraints(parser, sentence, constraints)
    found = parser.parse(sentence, constraints=met, with_confidence=with_confidence)
    return replace(found, unmet=tuple(map(str, unmet)))


def closest_constraints(
    parser: Parser, sentence: list[TaggedWord], constraints: Constraints
) -> tuple[Constraints, list[Constraints]]:
    """The constraints that can be met together, as many as possible, and those that are left out.

    Of as many, those are kept whose last ones left out stand last.  If there are more than `MOST_SETS` smaller sets to
    leave out than `split_constraints` does, those of `split_constraints` are given.
    """
    met, unmet = split_constraints(parser, sentence, constraints)
    parts = list(constraints.parts())
    sizes = range(1, len(unmet))
    if sum(comb(len(parts), size) for size in sizes) > MOST_SETS:
        return met, unmet
    for size in sizes:
        for left_out in combinations(reversed(range(len(parts))), size):
            kept = [part for k, part in enumerate(parts) if k not in left_out]
            smaller = reduce(Constraints.joined, kept, NO_CONSTRAINTS)
            if parser.has_tree(sentence, smaller):
                return smaller, [parts[k] for k in sorted(left_out)]
    return met, unmet


def split_constraints(
    parser: Parser, sentence: list[TaggedWord], constraints: Constraints, most_unmet: int | None = None
) -> tuple[Constraints, list[Constraints]]:
    """The constraints that are met one after the other, and those that cannot be met with those before them.

    They are added root and tags first, then brackets in their order.  With `most_unmet` the search ends as soon as
    there are so many of these.
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
