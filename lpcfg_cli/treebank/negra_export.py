r"""The export format of NEGRA, for trees without crossing branches.

A sentence stands between ``#BOS`` and ``#EOS``, with a line for each word and phrase: word or number, tag or label,
morphology, function, and the number of the parent, 0 for the root.  In version 4 a lemma stands before the tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lpcfg_cli.errors import SyntaxProblem
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

NOTHING = "--"
"""An empty field."""

VIRTUAL_ROOT = "VROOT"
PHRASE = re.compile(r"#[0-9]{3,}")
FIELDS = re.compile(r"[ \t\r\f\v]+")
COMMENT = re.compile("[ \t]%% ")
FIRST_PHRASE = 500
_MARKED_WORD = re.compile(r"\\*(?:#|%%)")
_MARKED_LABEL = re.compile(r"\\*--$")
"""Words and labels that are written with a backslash, since they would mean something else in the format."""


def parse_export(text: str, strings: StringTable, path: str = "<text>", on_error: str = "stop") -> TextTrees:
    """Read all trees of a text; the parameters are those of `parse_brackets`, and places are lines.

    A phrase's function becomes a part of its label, as in ``NP-SB``.

    Raises
    ------
    SyntaxProblem
        At the first line that is not in the format or belongs to a tree with crossing branches.
    """
    return flat_arrays(_sentences(text, path), strings, path, on_error)


def _sentences(text: str, path: str) -> Iterator[GraphTree]:
    sentence: _Sentence | None = None
    is_table, version = False, 0
    for number, line in enumerate(text.split("\n"), 1):
        fields = FIELDS.split(COMMENT.split(line, maxsplit=1)[0].strip(" \t\r\f\v"))
        if fields[0] in ("", "%%") or line.startswith("%%"):
            continue
        if sentence is not None and fields[0] == "#EOS":
            yield sentence.tree()
            sentence = None
        elif fields[0] == "#BOS":
            if sentence is not None:
                yield sentence.unclosed()
            sentence = _Sentence(path, number, version)
        elif sentence is not None:
            sentence.add(fields, number)
        elif fields[0] == "#FORMAT":
            version = int(fields[1]) if fields[1:] and fields[1].isascii() and fields[1].isdigit() else 0
        elif fields[0] in ("#BOT", "#EOT"):
            is_table = fields[0] == "#BOT"
        elif not is_table:
            hint = "Remove it: sentences stand between lines #BOS and #EOS."
            yield GraphTree(number, [], [], SyntaxProblem(path, number, 1, repr(line[:40]), "a line #BOS", hint))
    if sentence is not None:
        yield sentence.unclosed()


class _Sentence:
    """The lines of a sentence."""

    def __init__(self, path: str, line: int, version: int):
        self._path, self._line, self._version = path, line, version
        self._words, self._phrases = list[tuple[GraphNode, str]](), list[tuple[GraphNode, str]]()
        self._problem: SyntaxProblem | None = None

    def add(self, fields: list[str], line: int) -> None:
        """Add the node of a line."""
        is_long = self._version == 4 or (self._version == 0 and len(fields) > 5 and not fields[4].isdigit())
        if is_long:
            fields = [fields[0], *fields[2:]]
        if len(fields) < 5 or not (fields[4].isascii() and fields[4].isdigit()):
            hint = "Version 4 has a lemma before the tag, and a line #FORMAT 4 at the top of the file."
            expected = "a word or #number, its tag or label, morphology, function, and the number of its parent"
            problem = SyntaxProblem(self._path, line, 1, repr(" ".join(fields)[:60]), expected, hint)
            self._problem = self._problem or problem
            return
        first, label, _, function, parent = fields[:5]
        name = _unmarked(label, _MARKED_LABEL)
        above = ROOT if parent == "0" else parent
        if PHRASE.fullmatch(first):
            full = name if function in (NOTHING, "-", "") else f"{name}-{function}"
            self._phrases.append((GraphNode(first[1:], with_escapes(full), None, line), above))
        else:
            word = with_escapes(_unmarked(first, _MARKED_WORD))
            self._words.append((GraphNode(f"word {len(self._words)}", with_escapes(name), word, line), above))

    def tree(self) -> GraphTree:
        """The finished tree; a phrase VROOT is the root itself."""
        virtual = {node.name for node, above in self._phrases if node.label == VIRTUAL_ROOT and above == ROOT}
        pairs = [(n, ROOT if above in virtual else above) for n, above in (*self._words, *self._phrases)]
        kept = [(node, above) for node, above in pairs if node.name not in virtual]
        return GraphTree(self._line, [node for node, _ in kept], [above for _, above in kept], self._problem)

    def unclosed(self) -> GraphTree:
        """A tree with the problem that its end is missing."""
        hint = "Add the line #EOS, or remove the sentence."
        problem = SyntaxProblem(self._path, self._line, 1, "a sentence without its end", "a line #EOS", hint)
        return GraphTree(self._line, [], [], problem)


def _unmarked(text: str, marked: re.Pattern[str]) -> str:
    """A word or label of a file without the backslash that `_marked` gave it."""
    if text[:1] == "\\" and marked.match(text):
        return text[1:]
    return "" if text == NOTHING and marked is _MARKED_LABEL else text


def _marked(text: str, marked: re.Pattern[str]) -> str:
    plain = without_escapes(text)
    return f"\\{plain}" if marked.match(plain) else plain


def export_strings(treebank: Treebank) -> Iterator[str]:
    """Yield each tree as the lines of a sentence."""
    for number, nodes in enumerate(numbered_phrases(treebank, FIRST_PHRASE), 1):
        lines = [f"#BOS {number}"]
        for node, name in sorted(nodes.items(), key=lambda entry: treebank.word[entry[0]] == NO_WORD):
            above = treebank.parent[node]
            parent = nodes[above] if above != NO_NODE else 0
            word = treebank.word[node]
            first = f"#{name}" if word == NO_WORD else _marked(treebank.strings[word], _MARKED_WORD)
            label = _marked(treebank.strings[treebank.label[node]], _MARKED_LABEL) or NOTHING
            lines.append(f"{first}\t{label}\t{NOTHING}\t{NOTHING}\t{parent}")
        yield "\n".join([*lines, f"#EOS {number}"])


EXPORT = TreeFormat(
    name="export",
    summary="the export format of NEGRA; trees with crossing branches are an error",
    suffixes=(".export", ".negra"),
    read=parse_export,
    write=export_strings,
)
