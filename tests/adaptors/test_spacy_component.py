"""The parser in a pipeline of spaCy, where that is installed."""

from __future__ import annotations

import pytest

import lpcfg_cli
from lpcfg_cli.errors import InputError

spacy = pytest.importorskip("spacy", reason="spaCy is not installed: pip install spacy")

TEXT = "The keeper lit the lamp.\n  They sold old rope."


@pytest.fixture
def pipeline(trained):
    """A pipeline of English with sentences and the component."""
    import lpcfg_cli.adaptors.spacy_component  # noqa: F401, it registers the component

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("lpcfg", config={"model": str(trained)})
    return nlp


def test_sentences_have_trees_and_constituents(pipeline, trained):
    model = lpcfg_cli.load(trained)
    doc = pipeline(TEXT)
    sents = list(doc.sents)
    words = [[token.text for token in sent if not token.is_space] for sent in sents]
    assert len(sents) == 2 and [len(one) for one in words] == [6, 5]
    for sent, own in zip(sents, words, strict=True):
        tree = model.parse(own).tree
        assert sent._.parse_tree == str(model.parse(own))
        labels = [one.label_ for one in sent._.constituents]
        assert labels == [part.label() for part in tree[0].subtrees(lambda part: part.height() > 2)]
        assert sent._.constituents[0].text.split() == sent.text.split()
    assert [*sents[0]._.constituents, *sents[1]._.constituents] == list(doc.spans["constituents"])
    assert "The keeper" in [one.text for one in sents[0]._.constituents if one.label_ == "NP"]


def test_documents_can_be_stored(pipeline):
    doc = pipeline(TEXT)
    copy = spacy.tokens.Doc(pipeline.vocab).from_bytes(doc.to_bytes())
    for old, new in zip(doc.sents, copy.sents, strict=True):
        assert new._.parse_tree == old._.parse_tree
        assert [(one.start, one.end, one.label_) for one in new._.constituents] == [
            (one.start, one.end, one.label_) for one in old._.constituents
        ]


def test_given_tags_are_kept(trained):
    import lpcfg_cli.adaptors.spacy_component  # noqa: F401

    nlp = spacy.blank("en")
    nlp.add_pipe("lpcfg", config={"model": str(trained), "use_tags": True, "spans_key": "mine"})
    words = ["the", "lamp", "slept"]
    doc = spacy.tokens.Doc(nlp.vocab, words, tags=["DT", "JJ", "NN"], sent_starts=[True, False, False])
    doc = nlp(doc)
    assert "(JJ lamp)" in next(doc.sents)._.parse_tree and len(doc.spans["mine"])
    with pytest.raises(InputError, match="no tags to keep"):
        nlp(spacy.tokens.Doc(nlp.vocab, words, sent_starts=[True, False, False]))


def test_what_is_missing_is_said(trained):
    import lpcfg_cli.adaptors.spacy_component  # noqa: F401

    nlp = spacy.blank("en")
    with pytest.raises(InputError, match="needs a model"):
        nlp.add_pipe("lpcfg")
    nlp.add_pipe("lpcfg", config={"model": str(trained)})
    with pytest.raises(InputError, match="sentencizer"):
        nlp("They sold rope.")


def test_empty_documents_are_no_fault(pipeline):
    assert len(pipeline("").spans["constituents"]) == 0
    assert len(pipeline(" \n ").spans["constituents"]) == 0
