"""Files of span models, and their use by the parser."""

from __future__ import annotations

import numpy as np
import pytest
from forests import forest_of
from grammars import random_grammar, words_of

from lpcfg_cli.config import ParseSettings
from lpcfg_cli.errors import NotAnArtefactError
from lpcfg_cli.parsing.expected_brackets import bracket_labels
from lpcfg_cli.parsing.parser import Parser
from lpcfg_cli.parsing.spans import span_model
from lpcfg_cli.parsing.spans.archive import NETWORK, SPANS, load_network, load_spans, network_arrays, span_arrays
from lpcfg_cli.parsing.spans.batches import span_numbers
from lpcfg_cli.parsing.spans.learning import sizes_of
from lpcfg_cli.parsing.spans.parameters import initial_parameters
from lpcfg_cli.parsing.spans.span_model import SpanModel, brackets_of_cells
from lpcfg_cli.parsing.spans.vocabulary import Vocabulary
from lpcfg_cli.storage.artefacts import Array, write_arrays
from lpcfg_cli.tagging.tagger import OPEN_TAG

TEXTS = ["x", "x y", "x x y", "x y x y", "y y z x y"]

VOCABULARY = Vocabulary(("x", "y", "ü\ud800"), ("t", "u"), ("lx",), (("A",), ("S", "A"), ("A", "A"), ("Z",)))


def random_model(n_networks=2, seed=0, states=(2, 3)):
    rng = np.random.default_rng(seed)
    sizes = sizes_of(VOCABULARY, states)
    return SpanModel(VOCABULARY, states, np.stack([initial_parameters(sizes, rng) for _ in range(n_networks)]))


# --- files


def stored(path, **changes):
    arrays = span_arrays(random_model())
    for name, values in changes.items():
        arrays[f"spans_{name}"] = Array(values, ("x",) * values.ndim)
    write_arrays(path, SPANS, arrays, {}, 0, {})
    return path


def test_a_model_is_the_same_after_a_round_trip(tmp_path):
    first = load_spans(stored(tmp_path / "spans.npz"), SPANS)
    write_arrays(tmp_path / "again.npz", SPANS, span_arrays(first), {}, 0, {})
    for one in (first, load_spans(tmp_path / "again.npz", SPANS)):
        np.testing.assert_array_equal(one.networks, random_model().networks)
        assert (one.vocabulary, one.states) == (VOCABULARY, (2, 3))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"networks": np.zeros((2, 9), np.float32)}, "expected 7294"),
        ({"networks": np.zeros((0, 9), np.float32)}, "of each network"),
        ({"networks": np.zeros((2, 9))}, "spans_networks is float64"),
        ({"states": np.array([0])}, "spans_states goes from 0"),
        ({"states": np.array([1 << 40])}, "of each network"),
        ({"states": np.array([2, 3, 4])}, "spans_states has 3 numbers; expected one of each of 2 layers"),
        ({"first_label": np.array([0, 2, 2, 6])}, "spans_first_label does not rise"),
        ({"first_label": np.array([0, 3])}, "spans_first_label does not rise"),
        ({"word_start": np.array([0, 900])}, "offsets of strings"),
    ],
)
def test_odd_parts_of_a_file_are_errors_that_name_them(tmp_path, changes, message):
    path = stored(tmp_path / "spans.npz", **changes)
    with pytest.raises(NotAnArtefactError, match=r"its parts do not fit together.*Run `lpcfg spans`") as caught:
        load_spans(path, SPANS)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_models_of_format_5_have_one_number_of_states(tmp_path):
    sizes = sizes_of(VOCABULARY, (3, 3))
    networks = initial_parameters(sizes, np.random.default_rng(0))[None]
    path = stored(tmp_path / "spans.npz", states=np.array([3]), networks=networks)
    assert load_spans(path, SPANS).states == (3, 3)


def test_the_span_model_of_an_earlier_version_is_an_error(tmp_path):
    write_arrays(tmp_path / "old.npz", SPANS, {"spans_units": Array(np.zeros(4, np.int8), ("x",))}, {}, 0, {})
    with pytest.raises(NotAnArtefactError, match="spans_first_label is missing"):
        load_spans(tmp_path / "old.npz", SPANS)


def test_a_network_is_the_same_after_a_round_trip(tmp_path):
    parameters = random_model().networks[0]
    write_arrays(tmp_path / "network.npz", NETWORK, network_arrays(parameters, [-2.5, -1.0]), {}, 0, {})
    again, likelihood = load_network(tmp_path / "network.npz")
    np.testing.assert_array_equal(again, parameters)
    assert likelihood == [-2.5, -1.0]


# --- posteriors


def tagged(text):
    return [(word, "t" if word == "x" else "u") for word in text.split()]


def test_posteriors_of_a_sentence_do_not_depend_on_its_neighbours():
    model, sentences = random_model(), [tagged(text) for text in TEXTS]
    together = model.posteriors([*sentences, []])
    assert together[-1] is None
    for sentence, found in zip(sentences, together, strict=False):
        (alone,) = model.posteriors([sentence])
        n = len(sentence)
        assert found.shape == (n * (n + 1) // 2, 4)
        np.testing.assert_allclose(found, alone, atol=1e-6)


def test_posteriors_of_networks_are_averaged():
    both = random_model()
    (mean,) = both.posteriors([tagged("x y x")])
    alone = [
        SpanModel(VOCABULARY, both.states, both.networks[k : k + 1]).posteriors([tagged("x y x")])[0] for k in (0, 1)
    ]
    np.testing.assert_allclose(mean, np.mean(alone, axis=0), atol=1e-6)
    assert np.abs(alone[0] - alone[1]).max() > 1e-3


def test_few_spans_are_looked_at_together_and_long_sentences_not_at_all(monkeypatch):
    sentences = [tagged(text) for text in TEXTS]
    expected = random_model().posteriors(sentences)
    monkeypatch.setattr(span_model, "MOST_SPANS", 10)
    found = random_model().posteriors(sentences)
    assert found[-1] is None  # fifteen spans
    for one, other in zip(found[:-1], expected[:-1], strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize("text", TEXTS)
def test_cells_have_the_brackets_of_their_chains(text):
    grammar = random_grammar(np.random.default_rng(0), signed=False)
    labels, model = bracket_labels(grammar), random_model()
    forest, _ = forest_of(grammar, words_of(grammar, text.split()))
    (posterior,) = model.posteriors([tagged(text)])
    found = brackets_of_cells(posterior, forest, model.counts_of_labels(labels))
    n = len(text.split())
    a = next(number for label, number in labels.numbers.items() if label == ("A", 0))
    for k, (i, j) in enumerate(forest.cell_span):
        own = posterior[int(span_numbers(np.array([i]), np.array([j]), n)[0])]
        assert found[k, a] == pytest.approx(own[:3].sum(), abs=1e-6)  # A, S over A, and A over A


# --- in the parser


def parser_of(spans=None, member_count=1, **settings):
    grammars = [random_grammar(np.random.default_rng(seed), signed=False) for seed in range(member_count)]
    return Parser(grammars, ParseSettings(**settings), spans=spans)


@pytest.mark.parametrize("text", TEXTS)
def test_without_weight_the_trees_are_those_without_the_model(text):
    sentence = [(word, "any") for word in text.split()]
    without, ignored, used = (
        parser_of(model, 2, span_weight=weight).parse(sentence, 5)
        for model, weight in ((None, 1.0), (random_model(), 0.0), (random_model(), 1.0))
    )
    assert [score for score, _ in ignored.ranked] == [score for score, _ in without.ranked]
    assert [score for score, _ in used.ranked] != [score for score, _ in without.ranked]


def test_other_decoders_do_not_ask_the_model():
    sentence = [(word, "any") for word in TEXTS[3].split()]
    one, other = (parser_of(model, decoder="max-rule").parse(sentence, 5) for model in (None, random_model()))
    assert [score for score, _ in one.ranked] == [score for score, _ in other.ranked]


def test_posteriors_of_an_open_tag_lie_between_those_of_the_tags():
    model, sentence = random_model(), tagged("x y x")

    def of(*probable):
        return model.posteriors([sentence, sentence], [[[], [], list(probable)], []])

    for tag in ("t", "u"):
        expected, given = model.posteriors([[*sentence[:2], ("x", tag)], sentence])
        found, other = of((tag, 1.0))
        np.testing.assert_allclose(found, expected, atol=1e-6)
        np.testing.assert_array_equal(other, given)
    near, far = (of(("t", p), ("u", 1.0 - p))[0] for p in (0.99, 0.5))
    first = model.posteriors([sentence])[0]
    assert 0.0 < np.abs(near - first).max() < np.abs(far - first).max()


@pytest.mark.parametrize("has_tagger", [False, True])
def test_open_tags_are_those_that_the_tagger_finds_probable(has_tagger):
    seen = []

    class Watched(SpanModel):
        def posteriors(self, sentences, open_tags):
            seen.extend(open_tags)
            return super().posteriors(sentences, open_tags)

    class OneTagger:
        def probable_tags(self, words, least):
            assert (words, least) == (["x", "y"], 1e-3)
            return [[("t", 0.7), ("u", 0.3)], [("u", 1.0)]]

        def open_tags(self, words, threshold):
            return [[(tag, 1.0)] for tag in ("t", "u")]

    model = random_model()
    parser = parser_of(Watched(model.vocabulary, model.states, model.networks))
    if has_tagger:
        parser.tagger = OneTagger()
    parser.parse_together([[("x", OPEN_TAG), ("y", "any")], [("x", "any")]])
    expected = [("t", 0.7), ("u", 0.3)] if has_tagger else [(parser.candidates.best_tag("x"), 1.0)]
    assert seen == [[expected, []], []]
