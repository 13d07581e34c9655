"""The features of C13 §3.1 node by node, on linked nodes, without arrays; imports nothing of the package."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(eq=False)
class Node:
    """A node of a binarized tree."""

    symbol: object
    kind: str
    tag: str | None = None
    entry: int | None = None
    hidden: object = None
    head_is_right: bool = False
    children: list[Node] = field(default_factory=list)
    parent: Node | None = None
    start: int = 0
    stop: int = 0

    @property
    def head(self):
        node = self
        while node.children:
            node = node.children[1 if node.head_is_right else 0]
        return node

    @property
    def rule(self):
        return (self.symbol, self.kind, self.entry, self.hidden, *(child.symbol for child in self.children))

    @property
    def foot(self):
        """The rule above, with the node's place in it."""
        return None if self.parent is None else (self.parent.rule, self.parent.children.index(self))

    @property
    def root(self):
        return self if self.parent is None else self.parent.root


def linked_nodes(binary, entries):
    """The nodes of a `BinaryTreebank`, in its order."""
    kinds = ("lexical", "binary", "unary")
    nodes = []
    for k in range(binary.n_nodes):
        symbol = binary.symbols[binary.symbol[k]]
        node = Node(symbol, kinds[binary.kind[k]], symbol.tag, head_is_right=bool(binary.head_is_right[k]))
        if node.kind == "lexical":
            node.entry = int(entries[k])
        if node.kind == "unary":
            node.hidden = binary.hidden_labels[binary.hidden[k]]
        if binary.parent[k] >= 0:
            node.parent = nodes[binary.parent[k]]
            node.parent.children.append(node)
        nodes.append(node)
    for tree, first in enumerate(binary.tree_start[:-1]):
        place = 0
        for node in nodes[first : binary.tree_start[tree + 1]]:
            node.start = place
            place += node.kind == "lexical"
    for node in reversed(nodes):
        node.stop = node.children[-1].stop if node.children else node.start + 1
    return nodes


def length_class(length):
    """0 to 5 by themselves, then 6–10, 11–20, 21–40, more."""
    return length if length <= 5 else 6 + sum(length > bound for bound in (10, 20, 40))


def first_other_head(node):
    """The head of the lowest ancestor that has another head than the node."""
    above = node.parent
    while above is not None:
        if above.head is not node.head:
            return above.head
        above = above.parent
    return None


def _above(node, n):
    feet = []
    for _ in range(n):
        feet.append(None if node is None else node.foot)
        node = None if node is None else node.parent
    return tuple(feet)


def _symbol(node):
    return None if node is None else node.symbol


def _other_tag(node):
    other = first_other_head(node)
    return None if other is None else other.tag


INSIDE_PHRASES = {
    "left_label": lambda n: (n.kind, n.children[0].symbol),
    "right_label": lambda n: n.hidden if n.kind == "unary" else n.children[1].symbol,
    "rule": lambda n: n.rule,
    "rule_over_left": lambda n: (n.rule, n.children[0].rule),
    "rule_over_right": lambda n: (n.rule, n.children[-1].rule),
    "head_tag": lambda n: n.head.tag,
    "width": lambda n: length_class(n.stop - n.start),
}
INSIDE_WORDS = {"word": lambda n: n.entry}
OUTSIDE = {
    "rule_above": lambda n: _above(n, 1),
    "two_rules_above": lambda n: _above(n, 2),
    "three_rules_above": lambda n: _above(n, 3),
    "parent": lambda n: _symbol(n.parent),
    "parent_and_grandparent": lambda n: (_symbol(n.parent), _symbol(n.parent and n.parent.parent)),
    "other_head_tag": _other_tag,
    "words_before": lambda n: length_class(n.start),
    "words_after": lambda n: length_class(n.root.stop - n.stop),
}
CONSTANT = {"constant_inside": lambda n: 0, "constant_outside": lambda n: 0}


def naive_features(node, name):
    """The value of a template at a node, None where it does not apply."""
    if name in INSIDE_PHRASES:
        return None if node.kind == "lexical" else ("value", INSIDE_PHRASES[name](node))
    if name in INSIDE_WORDS:
        return ("value", INSIDE_WORDS[name](node)) if node.kind == "lexical" else None
    return "value", {**OUTSIDE, **CONSTANT}[name](node)


def partition(values):
    """The sets of positions that share a value; positions without a value are left out."""
    groups: dict = {}
    for position, value in enumerate(values):
        if value is not None:
            groups.setdefault(value, set()).add(position)
    return sorted(map(sorted, groups.values()))
