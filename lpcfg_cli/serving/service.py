"""The work of the server: from the body of a request to the JSON of its parse, with one model in memory."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lpcfg_cli.config import CleanSettings
from lpcfg_cli.errors import SyntaxProblem
from lpcfg_cli.evaluation.drawn_trees import parses
from lpcfg_cli.evaluation.tree_drawing import DrawnNode, draw_tree
from lpcfg_cli.grammar.archive import model_file
from lpcfg_cli.parsing.closest import CLOSEST, STOP
from lpcfg_cli.parsing.corpora import ParseReport, open_parser, parse_sentences, read_cleaning, read_conventions
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.serving.options import RequestRefused, ServingOptions
from lpcfg_cli.serving.request_queue import RequestQueue
from lpcfg_cli.tagging.sentence import InputSentence, InputSettings
from lpcfg_cli.tagging.sentences import read_input
from lpcfg_cli.tagging.text import TextConventions

PLACE = "<request>"
"""What stands for the name of a file in answers."""

CLOSEST_KEY = "closest"
"""Key of a request besides those of ``lpcfg parse -f json``."""

EXAMPLE = 'For example {"text": "It works."}; see `lpcfg help serving`.'


@dataclass(frozen=True)
class ParsingService:
    """A model that answers requests, from any number of threads.

    Attributes
    ----------
    name : str
        The model as the user named it.
    parser : Parser
    conventions : TextConventions
        By which text is split into words.
    clean : CleanSettings
        How the trees were cleaned from which the model was learnt.
    options : ServingOptions
    queue : RequestQueue
    """

    name: str
    parser: Parser
    conventions: TextConventions
    clean: CleanSettings
    options: ServingOptions
    queue: RequestQueue

    @classmethod
    def load(cls, model: Path, options: ServingOptions) -> ParsingService:
        """Load a model file or run directory; raises the errors of `open_parser` and `read_conventions`."""
        settings = {"nbest": options.nbest, "scores": True, "output": "jsonl"}
        parser: Parser = open_parser(model_file(model), settings).get()
        found = cls(
            str(model), parser, read_conventions(model), read_cleaning(model), options, RequestQueue(options.queue)
        )
        found.parse(b'{"words": ["."]}')  # loads the compiled code before anybody waits for it
        return found

    def labels(self) -> list[str]:
        """The labels of phrases of the model's grammar, sorted."""
        return sorted({label for symbol in self.parser.grammar.symbols for label in symbol.phrase_labels})

    def parse(self, body: bytes) -> str:
        """Parse the sentence of a request.

        Parameters
        ----------
        body : bytes
            A JSON object as a line of ``lpcfg parse -f json``, and perhaps `CLOSEST_KEY` with true.

        Returns
        -------
        str
            The line that ``lpcfg parse --to jsonl`` writes.

        Raises
        ------
        RequestRefused, SyntaxProblem
            It is no such object, the sentence is too long, or too many requests wait.
        ConstraintError
            No tree meets the constraints.
        """
        request = _json_object(body)
        closest = request.pop(CLOSEST_KEY, False)
        if not isinstance(closest, bool):
            raise _not_json(f"{closest!r} for {CLOSEST_KEY}", "true or false")
        sentence = self._sentence(request)
        if len(sentence.tokens) > self.options.max_length:
            raise RequestRefused(
                f"the sentence has {len(sentence.tokens):,} words; this server takes {self.options.max_length:,} at "
                "most. Send shorter sentences, or start it with --max-length.", 413
            )  # fmt: skip
        with self.queue.turn():
            unsatisfiable = CLOSEST if closest else STOP
            (parsed,) = parse_sentences(self.parser, [sentence], ParseReport(), unsatisfiable=unsatisfiable)
        return parsed.line

    def parse_and_draw(self, body: bytes) -> str:
        """The answer of `parse` as ``answer`` of a JSON object, and its n best trees as SVG, the list ``drawings``."""
        answer = json.loads(self.parse(body))
        drawings = [_drawing(one) for one in answer["nbest"] or [answer]]
        return json.dumps({"answer": answer, "drawings": drawings}, ensure_ascii=False)

    def _sentence(self, request: dict[str, Any]) -> InputSentence:
        line = json.dumps(request, ensure_ascii=False)
        reading = InputSettings(clean=self.clean)
        (sentence,) = read_input([line], "json", PLACE, reading, conventions=self.conventions)
        return sentence


def _json_object(body: bytes) -> dict[str, Any]:
    """The object of a body; raises `SyntaxProblem` if it is not one, or not UTF-8."""
    try:
        value = json.loads(body.decode())
        json.dumps(value, ensure_ascii=False).encode()  # halves of surrogate pairs can be escaped in JSON, not written
    except UnicodeError as error:
        reason = str(error).rpartition(": ")[2]
        raise _not_json(f"bytes or escapes that are no Unicode text ({reason})", "UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise _not_json(f"no JSON ({error})" if body else "an empty body", "a JSON object") from error
    if not isinstance(value, dict):
        raise _not_json(f"{str(value)[:40]!r}", "a JSON object")
    return value


def _not_json(found: str, expected: str) -> SyntaxProblem:
    return SyntaxProblem(PLACE, 1, 1, found, expected, EXAMPLE)


def _drawing(answer: dict[str, Any]) -> str:
    """One tree as SVG; each label knows itself and its words, so that a script can use them."""
    (tree,) = parses(json.dumps({name: answer[name] for name in ("tree", "brackets")}), PLACE)
    spans = _spans(tree.nodes)
    nodes = [
        replace(styled, data=(("label", node.label), ("start", str(start)), ("stop", str(stop))))
        for node, styled, (start, stop) in zip(tree.nodes, tree.styled(), spans, strict=True)
    ]
    return draw_tree(nodes, answer["tree"])


def _spans(nodes: list[DrawnNode]) -> list[tuple[int, int]]:
    """The half-open word span of each node; nodes are in preorder."""
    start, stop, n_words = [0] * len(nodes), [0] * len(nodes), 0
    for place, node in enumerate(nodes):
        start[place] = n_words
        n_words += node.word is not None
        stop[place] = n_words
    for place in range(len(nodes) - 1, -1, -1):
        above = nodes[place].parent
        if above >= 0:
            stop[above] = max(stop[above], stop[place])
    return list(zip(start, stop, strict=True))
