"""The parser as a component of spaCy's pipelines: ``nlp.add_pipe("lpcfg", config={"model": "run"})``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Span, Token

from lpcfg_cli.api import Model, Parse, load
from lpcfg_cli.errors import InputError
from lpcfg_cli.treebank.brackets import treebank_from_text
from lpcfg_cli.treebank.trees import NO_WORD

SPANS = "constituents"
"""Default key of `Doc.spans` under which the constituents of a document are."""


class ConstituencyParser:
    """Gives each sentence of a document its tree, and the document its labelled constituents.

    After it, ``sent._.parse_tree`` is the tree of a sentence as a bracketed line; ``sent._.constituents`` is the list
    of its constituents, each a `Span` whose ``label_`` is the label, in preorder; ``doc.spans[spans_key]`` has those of
    all sentences.

    Parameters
    ----------
    model : str
        A model file or run directory.
    spans_key : str
    use_tags : bool
        Whether the tags of a tagger before it in the pipeline are kept; they must be those of the treebank.
    """

    def __init__(self, model: str, spans_key: str = SPANS, use_tags: bool = False):
        self.model: Model = load(model)
        self.spans_key, self.use_tags = spans_key, use_tags
        if not Span.has_extension("parse_tree"):
            Span.set_extension("parse_tree", default=None)
        Span.set_extension("constituents", getter=constituents_of(spans_key), force=True)

    def __call__(self, doc: Doc) -> Doc:
        """Parse the sentences of a document.

        Raises
        ------
        InputError
            The document is not split into sentences, or has no tags that are to be kept.
        """
        if not doc.has_annotation("SENT_START"):
            raise InputError('the document has no sentences. Add a pipe before: nlp.add_pipe("sentencizer").')
        if self.use_tags and not doc.has_annotation("TAG"):
            raise InputError("the document has no tags to keep. Add a tagger before, or leave out use_tags.")
        sentences = [(sent, [token for token in sent if not token.is_space]) for sent in doc.sents]
        parses = self.model.parse_all([self._token(one) for one in tokens] for _, tokens in sentences)
        found: list[Span] = []
        for (sent, tokens), parse in zip(sentences, parses, strict=True):
            sent._.parse_tree = str(parse)
            found += [
                Span(doc, tokens[start].i, tokens[stop - 1].i + 1, label) for label, start, stop in brackets_of(parse)
            ]
        doc.spans[self.spans_key] = found
        return doc

    def _token(self, token: Token) -> tuple[str, str | None]:
        return token.text, token.tag_ if self.use_tags else None


def constituents_of(spans_key: str) -> Callable[[Span], list[Span]]:
    """A function from a span to the constituents within it."""
    return lambda span: [
        one for one in span.doc.spans.get(spans_key, ()) if span.start <= one.start and one.end <= span.end
    ]


def brackets_of(parse: Parse) -> Iterator[tuple[str, int, int]]:
    """Label, start and stop of each bracket below the root, in preorder; stop is the word after the last."""
    trees = treebank_from_text(str(parse))
    start, stop = trees.spans()
    for node in range(1, len(trees.label)):
        if trees.word[node] == NO_WORD:
            yield trees.strings[trees.label[node]], int(start[node]), int(stop[node])


@Language.factory("lpcfg", default_config={"model": "", "spans_key": SPANS, "use_tags": False})
def make_component(nlp: Language, name: str, model: str, spans_key: str, use_tags: bool) -> Any:
    """The component that a pipeline's configuration describes; raises the errors of `lpcfg_cli.load`."""
    if not model:
        raise InputError('the component needs a model: nlp.add_pipe("lpcfg", config={"model": "run"}).')
    return ConstituencyParser(model, spans_key, use_tags)
