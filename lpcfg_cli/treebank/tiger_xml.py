"""TIGER XML, for trees without crossing branches.

It is read piece by piece, and a document that declares entities is refused: these could stand for other files, or
for texts of any length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.parsers import expat

from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.treebank.bracket_tokens import line_and_column
from lpcfg_cli.treebank.escaped_bytes import carried, restored
from lpcfg_cli.treebank.graph_trees import (
    ROOT,
    GraphNode,
    GraphTree,
    flat_arrays,
    numbered_phrases,
    with_escapes,
    without_escapes,
)
from lpcfg_cli.treebank.tree_format import TextTrees, TreeFormat
from lpcfg_cli.treebank.trees import NO_NODE, NO_WORD, StringTable, Treebank

CHUNK = 1 << 16
"""Number of characters that are read together."""

NO_FUNCTION = ("--", "-", "")
VIRTUAL_ROOT = "VROOT"
LONE_RETURN = re.compile(r"\r(?!\n)")
"""A character that ends a line in XML and in no other format here."""

DOCUMENTS = ("corpus", "subcorpus", "body", "s")
"""Outermost elements of TIGER XML; documents of other kinds have no trees."""


def parse_tiger(text: str, strings: StringTable, path: str = "<text>", on_error: str = "stop") -> TextTrees:
    """Read all trees of a text; the parameters are those of `parse_brackets`, and places are lines.

    A phrase's function becomes a part of its label, as in ``NP-SB``.

    Raises
    ------
    SyntaxProblem
        The text is not XML, declares entities, or has a tree that is not valid or has crossing branches.
    """
    return flat_arrays(_sentences(text, path), strings, path, on_error)


def _sentences(text: str, path: str) -> Iterator[GraphTree]:
    if not text.strip():
        return
    reader = _Reader(text, path)
    try:
        for start in range(0, len(text), CHUNK):
            reader.read(start, start + CHUNK)
            yield from reader.taken()
    except _OtherDocument:
        return
    except SyntaxProblem as problem:
        yield from reader.taken()
        yield GraphTree(problem.line, [], [], problem)


class _OtherDocument(Exception):
    """The document is not TIGER XML, so that it is not read further."""


def _as_xml(text: str) -> str:
    """A text of the same length that the parser takes, and in which it counts the same lines."""
    return LONE_RETURN.sub(" ", carried(text))


class _Reader:
    """Collects the sentences of a document."""

    def __init__(self, text: str, path: str):
        self._text, self._path = text, path
        self._ready: list[GraphTree] = []
        self._line = 0
        self._nodes, self._parent, self._function = list[GraphNode](), dict[str, str](), dict[str, str]()
        self._is_begun = False
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._begin
        self._parser.EntityDeclHandler = self._refuse

    def read(self, start: int, stop: int) -> None:
        """Read the next piece of the text."""
        try:
            self._parser.Parse(_as_xml(self._text[start:stop]), stop >= len(self._text))
        except expat.ExpatError as error:
            hint = "Mend the file; --on-error skip reads the sentences before this place."
            line, column = self._place(self._parser.ErrorByteIndex)
            found = expat.ErrorString(error.code)
            raise SyntaxProblem(self._path, line, column, found, "well-formed XML", hint) from error

    def _place(self, byte: int) -> tuple[int, int]:
        """Line and column, in characters, of a byte of what the parser was given; O(text)."""
        before = _as_xml(self._text).encode()[:byte].decode("utf-8", "ignore")
        return line_and_column(self._text, len(before))

    def taken(self) -> list[GraphTree]:
        """The sentences that are complete and have not been taken yet."""
        ready, self._ready = self._ready, []
        return ready

    def _refuse(self, name: str, *rest: object) -> None:
        hint = "Replace the entity by its text. A file from a stranger could make the program read others with it."
        line, column = self._place(self._parser.CurrentByteIndex)
        raise SyntaxProblem(self._path, line, column, f"the declaration of the entity {name!r}", "none", hint)

    def _begin(self, outermost: str, *rest: object) -> None:
        if not self._is_begun and outermost not in DOCUMENTS:
            raise _OtherDocument
        self._is_begun = True

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        self._begin(element)
        attributes = {name: restored(value) for name, value in attributes.items()}
        line = self._parser.CurrentLineNumber
        if element == "s":
            self._line = line
            self._nodes, self._parent, self._function = [], {}, {}
        elif element == "t":
            word, tag = attributes.get("word", ""), attributes.get("pos", "")
            self._nodes.append(GraphNode(attributes.get("id", ""), with_escapes(tag), with_escapes(word), line))
        elif element == "nt":
            self._nodes.append(GraphNode(attributes.get("id", ""), attributes.get("cat", ""), None, line))
        elif element == "edge" and self._nodes:
            child = attributes.get("idref", "")
            self._parent[child] = self._nodes[-1].name
            self._function[child] = attributes.get("label", "")

    def _end(self, element: str) -> None:
        if element == "s":
            self._ready.append(self._tree())

    def _tree(self) -> GraphTree:
        """The tree of the sentence that ends here; a phrase VROOT is the root itself."""
        is_virtual = {n.name for n in self._nodes if n.label == VIRTUAL_ROOT and n.name not in self._parent}
        words = [node for node in self._nodes if node.word is not None]
        phrases = [node for node in self._nodes if node.word is None and node.name not in is_virtual]
        for node in phrases:
            function = self._function.get(node.name, "")
            node.label = with_escapes(node.label if function in NO_FUNCTION else f"{node.label}-{function}")
        nodes = [*words, *phrases]
        parents = [self._parent.get(node.name, ROOT) for node in nodes]
        problem, names = None, {node.name for node in self._nodes}
        if lost := [child for child in self._parent if child not in names]:
            hint = "Each idref must be the id of a node of the same sentence."
            problem = SyntaxProblem(
                self._path, self._line, 1, f"an edge to {lost[0]!r}", "a node of the sentence", hint
            )
        if empty := next((node for node in words if not node.word), None):
            hint = "Each <t> needs an attribute word."
            problem = SyntaxProblem(self._path, empty.line, 1, "a terminal without a word", "a word", hint)
        return GraphTree(self._line, nodes, [ROOT if p in is_virtual else p for p in parents], problem)


def tiger_strings(treebank: Treebank) -> Iterator[str]:
    """Yield each tree as an element ``s``; the first after the head of the document, the last before its end."""
    head, tail = '<?xml version="1.0" encoding="UTF-8"?>\n<corpus id="corpus">\n<body>\n', "\n</body>\n</corpus>"
    for number, nodes in enumerate(numbered_phrases(treebank, 500), 1):
        ends = (head if number == 1 else "", tail if number == treebank.n_trees else "")
        yield f"{ends[0]}{_element(treebank, nodes, number)}{ends[1]}"


def _element(treebank: Treebank, nodes: dict[int, int], number: int) -> str:
    from xml.sax.saxutils import quoteattr  # here, because it imports what the network needs, which takes time

    identity = {
        node: f"s{number}_{'w' if treebank.word[node] != NO_WORD else ''}{name}" for node, name in nodes.items()
    }
    words, below, phrases = [], dict[int, list[int]](), []
    for node in nodes:
        if treebank.parent[node] != NO_NODE:
            below.setdefault(int(treebank.parent[node]), []).append(node)
    for node, name in identity.items():
        label = quoteattr(without_escapes(treebank.strings[treebank.label[node]]))
        if treebank.word[node] != NO_WORD:
            word = quoteattr(without_escapes(treebank.strings[treebank.word[node]]))
            words.append(f'<t id="{name}" word={word} pos={label}/>\n')
        else:
            edges = "".join(f'<edge label="--" idref="{identity[child]}"/>' for child in below[node])
            phrases.append(f'<nt id="{name}" cat={label}>{edges}</nt>\n')
    graph = f"<terminals>\n{''.join(words)}</terminals>\n<nonterminals>\n{''.join(phrases)}</nonterminals>"
    return f'<s id="s{number}">\n<graph>\n{graph}\n</graph>\n</s>'


TIGER_XML = TreeFormat(
    name="tiger",
    summary="TIGER XML; trees with crossing branches are an error",
    suffixes=(".xml",),
    read=parse_tiger,
    write=tiger_strings,
)
