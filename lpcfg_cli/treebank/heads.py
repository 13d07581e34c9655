"""Head rules: which child of a phrase is its head.

A rule file is plain text.  ``#`` starts a comment.  A line has a parent label (``*`` for all labels without a line), a
search, and child labels (``*`` for any label).  ``left`` and ``right`` take the child labels in order, and scan the
children from that side for each.  ``left-any`` and ``right-any`` take the first child from that side that has any of
the labels, ``left-except`` and ``right-except`` the first that has none of them.  The lines of one parent are tried in
order; if all fail, the head is the outermost child on the side of the last line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lpcfg_cli.arrays.grouping import number_rows
from lpcfg_cli.errors import InputError, SyntaxProblem
from lpcfg_cli.storage.files import read_shipped_text
from lpcfg_cli.treebank import tree_kernels
from lpcfg_cli.treebank.files import read_text
from lpcfg_cli.treebank.trees import Treebank

SHIPPED = ("neutral", "english", "penn2malt")
SEARCHES = ("left", "right", "left-any", "right-any", "left-except", "right-except")
ANY = "*"


@dataclass(frozen=True)
class Clause:
    """One line of a head rule file, without its parent label."""

    search: str
    labels: tuple[str, ...]

    @property
    def from_right(self) -> bool:
        """Whether children are scanned from the right."""
        return self.search.startswith("right")

    def rank(self, label: str) -> int | None:
        """Priority of a child label within this clause, 0 the best; None if it does not match."""
        if self.search.endswith("except"):
            return None if {label, ANY} & {*self.labels} else 0
        for position, wanted in enumerate(self.labels):
            if wanted in (label, ANY):
                return 0 if self.search.endswith("any") else position
        return None


class HeadRules:
    """Head rules of a language; callable on labels, and vectorised over treebanks by `head_children`.

    Parameters
    ----------
    clauses : dict of str to list of Clause
        The lines of each parent label; those of `ANY` are the default.
    """

    def __init__(self, clauses: dict[str, list[Clause]]):
        self.clauses = clauses

    def priority(self, parent: str, child: str) -> tuple[int, bool]:
        """Priority of a child label under a parent label (0 the best), and whether to scan from the right."""
        lines = self.clauses.get(parent) or self.clauses.get(ANY) or [Clause("left", (ANY,))]
        base = 0
        for clause in lines:
            rank = clause.rank(child)
            if rank is not None:
                return base + rank, clause.from_right
            base += len(clause.labels)
        return base, lines[-1].from_right

    def __call__(self, parent: str, children: Sequence[str]) -> int:
        """Position of the head among the children of one phrase."""

        def key(position: int) -> tuple[int, int]:
            rank, from_right = self.priority(parent, children[position])
            return rank, -position if from_right else position

        return min(range(len(children)), key=key)


def head_children(treebank: Treebank, rules: HeadRules) -> np.ndarray:
    """The head child of every phrase, the same as by calling the rules for each phrase; O(n).

    Parameters
    ----------
    treebank : Treebank
    rules : HeadRules

    Returns
    -------
    ndarray of int32, shape (n_nodes,)
        Position of each phrase's head child, -1 for preterminals.
    """
    first, child = tree_kernels.children_in_order(treebank.parent)
    head = np.full(treebank.n_nodes, -1, np.int32)
    if not len(child):
        return head
    parent = treebank.parent[child]
    pair, where = number_rows([treebank.label[parent], treebank.label[child]])
    names = treebank.strings
    priorities = [
        rules.priority(names[p], names[c])
        for p, c in zip(treebank.label[parent[where]], treebank.label[child[where]], strict=True)
    ]
    rank = np.array([rank for rank, _ in priorities])[pair]
    from_right = np.array([from_right for _, from_right in priorities])[pair]
    position = np.arange(len(child)) - first[parent]
    width = first[parent + 1] - first[parent]
    key = rank * (int(width.max()) + 1) + np.where(from_right, width - 1 - position, position)
    phrases = np.flatnonzero(np.diff(first) > 0)
    best = np.minimum.reduceat(key, first[phrases])
    is_head = key == np.repeat(best, np.diff(first)[phrases])
    head[parent[is_head]] = child[is_head]
    return head


def load_head_rules(name: str) -> HeadRules:
    """Head rules by shipped name or by path.

    Parameters
    ----------
    name : str
        One of `SHIPPED` or the path of a rule file.

    Raises
    ------
    InputError, SyntaxProblem
        The file cannot be read, or a line has a syntax error.
    """
    if name in SHIPPED:
        return parse_head_rules(read_shipped_text("lpcfg_cli.treebank", f"head_rules/{name}.txt"), name)
    try:
        text = read_text(Path(name))
    except InputError as error:
        raise InputError(f"{error} The built-in head rules are {', '.join(SHIPPED)}.") from error
    return parse_head_rules(text, name)


def parse_head_rules(text: str, path: str = "<rules>") -> HeadRules:
    """Read the text of a rule file; raises `SyntaxProblem` at a line with a syntax error."""
    clauses: dict[str, list[Clause]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split(" #")[0].split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) < 3 or words[1] not in SEARCHES:
            raise SyntaxProblem(
                path,
                number,
                1,
                repr(line.strip()),
                f"a parent label, one of {', '.join(SEARCHES)}, and child labels",
                "Write for instance: PP right IN TO",
            )
        clauses.setdefault(words[0], []).append(Clause(words[1], tuple(words[2:])))
    return HeadRules(clauses)
