"""Small changes to a module's source, one at a time: what tests are held against by `scripts/mutants.py`.

An operator takes a node of the syntax tree and gives the changes it knows for it, as a part of the source and what
takes its place; the rest of the file stays as it is, byte for byte, so that line numbers do.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

COMPARED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "in": "not in", "is": "is not"}
COMPUTED = {"+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "**": "*", "&": "|", "|": "&", "<<": ">>", ">>": "<<"}
NAMED = {
    "min": "max",
    "argmin": "argmax",
    "minimum": "maximum",
    "floor": "ceil",
    "any": "all",
    "zeros": "ones",
    "zeros_like": "ones_like",
}
NAMED |= {new: old for old, new in NAMED.items()}

WRAPPERS = {"abs", "exp", "log", "sqrt", "sorted", "cumsum", "argsort", "unique", "reversed", "ravel"}
"""Functions of libraries that give back what they get, in another form; a module's own are tried as well."""

UNTOUCHED = (ast.Import, ast.ImportFrom, ast.JoinedStr, ast.Assert, ast.Raise)
"""What stays: text of messages, and assertions for the type checker."""

SAME_EITHER_WAY = {"strict", "copy"}
"""Keywords whose value makes no difference as long as the program is right, but for time."""


class Mutant(NamedTuple):
    """A change to one module.

    Attributes
    ----------
    file : str
        Path below the tree's root.
    line : int
    scope : str
        Function or class in which the change is, dotted; empty at module level.
    before, after : str
        The source lines, blanks run together.
    start, stop : int
        Bytes that are replaced.
    new : bytes
    """

    file: str
    line: int
    scope: str
    before: str
    after: str
    start: int
    stop: int
    new: bytes

    def applied_to(self, source: bytes) -> bytes:
        """The mutated module."""
        return source[: self.start] + self.new + source[self.stop :]


class Source:
    """A module's bytes, by nodes of its syntax tree."""

    def __init__(self, text: bytes):
        self.text = text
        self.line_start = [0, *(match.end() for match in re.finditer(b"\n", text))]

    def start(self, node: ast.AST) -> int:
        return self.line_start[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]

    def stop(self, node: ast.AST) -> int:
        return self.line_start[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def of(self, node: ast.AST) -> bytes:
        return self.text[self.start(node) : self.stop(node)]

    def lines(self, start: int, stop: int) -> slice:
        """The whole lines around some bytes."""
        end = self.text.find(b"\n", stop)
        return slice(self.text.rfind(b"\n", 0, start) + 1, len(self.text) if end < 0 else end)


Change = tuple[int, int, bytes]
Operator = Callable[[ast.AST, Source], Iterator[Change]]


def _token_between(source: Source, left: ast.AST, right: ast.AST, table: dict[str, str]) -> Iterator[Change]:
    """The operator between two nodes, by its partner in a table."""
    first, last = source.stop(left), source.start(right)
    found = re.search(rb"[^\s()\\]+(?: (?:in|not))?", source.text[first:last])
    if found and (old := found[0].decode()) in table:
        yield first + found.start(), first + found.end(), table[old].encode()


def comparisons(node: ast.AST, source: Source) -> Iterator[Change]:
    """Another comparison: boundaries and tie-breaks."""
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        for left, right in pairwise(sides):
            yield from _token_between(source, left, right, COMPARED)


def arithmetic(node: ast.AST, source: Source) -> Iterator[Change]:
    """The opposite operation."""
    if isinstance(node, ast.BinOp):
        yield from _token_between(source, node.left, node.right, COMPUTED)
    elif isinstance(node, ast.AugAssign):
        table = {f"{old}=": f"{new}=" for old, new in COMPUTED.items()}
        yield from _token_between(source, node.target, node.value, table)
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
        width = len("not ") if isinstance(node.op, ast.Not) else len("-")
        yield source.start(node), source.start(node) + width, b""


def logic(node: ast.AST, source: Source) -> Iterator[Change]:
    """``and`` for ``or`` and back."""
    if isinstance(node, ast.BoolOp):
        yield from _token_between(source, node.values[0], node.values[1], {"and": "or", "or": "and"})


def conditions(node: ast.AST, source: Source) -> Iterator[Change]:
    """The opposite condition."""
    tests = [node.test] if isinstance(node, ast.If | ast.While | ast.IfExp) else []
    tests += node.ifs if isinstance(node, ast.comprehension) else []
    for test in tests:
        yield source.start(test), source.stop(test), b"(not (" + source.of(test) + b"))"


def constants(node: ast.AST, source: Source) -> Iterator[Change]:
    """The next integer, half and twice a fraction, the other truth value."""
    if isinstance(node, ast.Constant):
        for new in _other_values(node.value):
            yield source.start(node), source.stop(node), repr(new).encode()


def _other_values(value: object) -> list[object]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1]
    if isinstance(value, float):
        return [value / 2, value * 2] if value else [1.0]
    return []


def names(node: ast.AST, source: Source) -> Iterator[Change]:
    """The function that does the opposite."""
    if isinstance(node, ast.Call):
        old = _name_of(node.func)
        if old in NAMED:
            yield source.stop(node.func) - len(old), source.stop(node.func), NAMED[old].encode()


def _name_of(function: ast.AST) -> str:
    return getattr(function, "id", getattr(function, "attr", ""))


def wrappers(node: ast.AST, source: Source) -> Iterator[Change]:
    """What a function is called with, in place of what it gives back."""
    if isinstance(node, ast.Call) and node.args and not isinstance(node.args[0], ast.Starred):
        name = _name_of(node.func)
        is_own = isinstance(node.func, ast.Name) and f"def {name}(".encode() in source.text
        if name in WRAPPERS or (is_own and len(node.args) == 1):
            inner = source.of(node.args[0])
            binds_loosely = isinstance(node.args[0], ast.IfExp | ast.Lambda | ast.NamedExpr)
            yield source.start(node), source.stop(node), b"(" + inner + b")" if binds_loosely else inner


def statements(node: ast.AST, source: Source) -> Iterator[Change]:
    """Nothing in place of a statement."""
    is_store = isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Name | ast.Tuple)
    is_call = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    if is_store or is_call or isinstance(node, ast.AugAssign | ast.Break | ast.Continue):
        yield source.start(node), source.stop(node), b"pass"


OPERATORS: tuple[Operator, ...] = (
    comparisons,
    arithmetic,
    logic,
    conditions,
    constants,
    names,
    wrappers,
    statements,
)


def mutants_of(file: str, text: bytes) -> list[Mutant]:
    """All mutants of a module, in the order of its lines."""
    source, found = Source(text), []
    for node, scope in _nodes(ast.parse(text), ""):
        for operator in OPERATORS:
            for start, stop, new in operator(node, source):
                found.append(_mutant(file, source, scope, (start, stop, new)))
    return sorted(found, key=lambda mutant: (mutant.start, mutant.stop, mutant.new))


def _mutant(file: str, source: Source, scope: str, change: Change) -> Mutant:
    start, stop, new = change
    whole = source.lines(start, stop)
    before = source.text[whole]
    after = source.text[whole.start : start] + new + source.text[stop : whole.stop]
    line = source.text.count(b"\n", 0, start) + 1
    return Mutant(file, line, scope, _on_one_line(before), _on_one_line(after), start, stop, new)


def _on_one_line(text: bytes) -> str:
    return " ".join(text.decode().split())


def _nodes(node: ast.AST, scope: str) -> Iterator[tuple[ast.AST, str]]:
    """All nodes that operators may change, with the function or class they are in."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        scope = f"{scope}.{node.name}".lstrip(".")
    for child in _children(node):
        yield child, scope
        yield from _nodes(child, scope)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """A node's children, without annotations, decorators and what else stays as it is."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, UNTOUCHED) and not _makes_no_difference(child):
                yield child


def _makes_no_difference(node: ast.AST) -> bool:
    if isinstance(node, ast.keyword):
        return node.arg in SAME_EITHER_WAY
    return isinstance(node, ast.If) and _name_of(node.test) == "TYPE_CHECKING"
