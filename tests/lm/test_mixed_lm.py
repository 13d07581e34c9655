"""Mixtures, perplexity, samples, model files."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize
from text_blocks import blocks, count, events, random_text

from lpcfg_cli import lm
from lpcfg_cli.arrays.streams import Purpose, stream
from lpcfg_cli.config import LmSettings
from lpcfg_cli.errors import ConfigError, InputError, NotAnArtefactError, TruncatedArtefactError
from lpcfg_cli.lm.archive import load_lm, save_lm
from lpcfg_cli.lm.description import describe_states, describe_word
from lpcfg_cli.lm.kneser_ney import fit_kneser_ney
from lpcfg_cli.lm.learner import LmData
from lpcfg_cli.lm.learners import learn_lm
from lpcfg_cli.lm.mixed import count_classes, mix
from lpcfg_cli.lm.sampling import sample_sentence
from lpcfg_cli.lm.scoring import score_block, score_events
from lpcfg_cli.text.perplexity import Tally

TEXT, DEV, TEST = random_text(1, 300, 25) + "one two\nthree\n", random_text(2, 150, 28), random_text(3, 80, 28)


@pytest.fixture(scope="module")
def counts():
    return count(TEXT, 3, 2)


@pytest.fixture(scope="module")
def models(counts):
    """A latent model and Kneser-Ney."""
    latent = learn_lm(LmData(counts), LmSettings(learner="pivot", states=4, anchor_count=5), 0).model
    return latent, fit_kneser_ney(counts)


@pytest.fixture(scope="module")
def mixed(counts, models):
    return mix(models, counts, events(DEV, counts.vocabulary, 3))


def test_classes_are_powers_of_two(counts):
    classes = count_classes(counts)
    before = np.bincount(counts.rows[:, -2], counts.count, len(classes))
    assert classes[before == 0].max() == 0
    for word in np.flatnonzero(before):
        assert 2.0 ** (classes[word] - 1) <= before[word] < 2.0 ** classes[word]


def test_a_mixture_is_at_least_as_good_as_its_parts_on_its_dev_text(models, mixed, counts):
    rows = events(DEV, counts.vocabulary, 3)
    rows = rows.rows[rows.is_known]
    best = max(np.log(model.probabilities(rows)).mean() for model in models)
    assert np.log(mixed.probabilities(rows)).mean() > best
    np.testing.assert_allclose(mixed.weights.sum(1), 1)


def test_weights_of_a_single_class_are_those_of_a_direct_search(models, counts, monkeypatch):
    monkeypatch.setattr("lpcfg_cli.lm.mixed.count_classes", lambda counts: np.zeros(len(counts.vocabulary), np.int32))
    dev = events(DEV, counts.vocabulary, 3)
    found = mix(models, counts, dev).weights[0]
    each = np.stack([model.probabilities(dev.rows[dev.is_known]) for model in models])
    best = optimize.minimize_scalar(lambda w: -np.log(w * each[0] + (1 - w) * each[1]).sum(), (0, 1), (0, 1))
    assert found[0] == pytest.approx(best.x, abs=0.01)


def test_words_of_classes_without_dev_events_have_the_weights_of_all(models, counts):
    dev = events("w0 w0\nw9\n" * 300, counts.vocabulary, 3)
    found = mix(models, counts, dev)
    seen = set(found.class_of[dev.rows[:, -2]])
    assert 1 < len(seen) < len(found.weights) - 3
    unseen = [row for k, row in enumerate(found.weights) if k not in seen]
    np.testing.assert_array_equal(unseen, np.tile(unseen[0], (len(unseen), 1)))
    assert np.abs(found.weights[list(seen)] - unseen[0]).max() > 0.01


def test_models_of_other_texts_cannot_be_mixed(models, counts):
    other = fit_kneser_ney(count("x y z"))
    with pytest.raises(ConfigError, match="different vocabularies"):
        mix([models[0], other], counts, events(DEV, counts.vocabulary, 3))
    with pytest.raises(ConfigError, match="no words that the models know"):
        mix(models, counts, events("", counts.vocabulary, 3))


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_distributions_and_sentences_agree(models, mixed, kind):
    model = [*models, mixed][kind]
    number = model.vocabulary.number_of
    total, context = 0.0, [1, 1]
    for word in ["w1", "zebra", "w0"]:
        total += np.log(model.distribution(context)[number(word)])
        context.append(number(word))
    assert model.logprob(["w1", "zebra", "w0"]) == pytest.approx(total + np.log(model.distribution(context)[2]))
    assert model.logprob([]) == pytest.approx(np.log(model.distribution([1, 1])[2]))


def test_perplexity_counts_words_and_ends_but_not_starts(models):
    model = models[1]
    tally = score_events(model, events("w0 w1\n\nw0 zebra\n", model.vocabulary, 3)).tally
    assert (tally.sentences, tally.words, tally.unknown, tally.empty_lines) == (2, 4, 1, 1)
    assert (tally.without_unknown.events, tally.per_word.events, tally.with_unknown.events) == (5, 3, 6)
    whole = model.logprob(["w0", "w1"]) + model.logprob(["w0", "zebra"])
    assert tally.with_unknown.log10 == pytest.approx(whole / np.log(10))
    assert tally.with_unknown.perplexity == pytest.approx(np.exp(-whole / 6))
    assert tally.with_unknown.bits == pytest.approx(-whole / np.log(2) / 6)
    context = [1, model.vocabulary.number_of("w0")]
    known = whole - np.log(model.distribution(context)[0])
    assert tally.without_unknown.perplexity == pytest.approx(np.exp(-known / 5))
    assert tally.per_word.perplexity == pytest.approx(np.exp(-known / 3))


@given(st.integers(1, 9))
def test_blocks_do_not_change_the_sums(lines_each):
    model = fit_kneser_ney(count(TEXT))
    parts = sum((score_block(model, block).tally for block in blocks(TEST, lines_each)), Tally())
    whole = score_events(model, events(TEST, model.vocabulary)).tally
    assert parts.without_unknown.log10 == pytest.approx(whole.without_unknown.log10)
    assert parts.with_unknown.events == whole.with_unknown.events


def test_nothing_has_no_perplexity_and_impossible_events_an_infinite_one(models):
    assert np.isnan(Tally().without_unknown.perplexity)
    tally = Tally(1, 1, 0, 0, 1, -1.0, -np.inf, 0.0)
    assert tally.without_unknown.perplexity == np.inf


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_files_give_back_the_same_model(tmp_path, models, mixed, kind):
    model = [*models, mixed][kind]
    path = tmp_path / "x.lm.npz"
    save_lm(model, path, {"lm": {"states": 4}}, 7, {"text": "0"})
    header, again = load_lm(path)
    assert header is not None and (header.seed, header.inputs) == (7, {"text": "0"})
    assert type(again) is type(model) and again.vocabulary == model.vocabulary
    rows = events(TEST, model.vocabulary, 3).rows
    assert again.probabilities(rows).tobytes() == model.probabilities(rows).tobytes()
    first = path.read_bytes()
    save_lm(again, path, {"lm": {"states": 4}}, 7, {"text": "0"})
    assert path.read_bytes() == first
    assert lm.load(path).logprob(["w0"]) == model.logprob(["w0"])


def test_the_room_is_an_attribute_of_the_package():
    code = "import sys, lpcfg_cli as l; assert 'lpcfg_cli.lm' not in sys.modules; print(l.lm.load.__module__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "lpcfg_cli.lm\n"


def test_files_that_are_no_models(tmp_path, models):
    path = tmp_path / "x.lm.npz"
    with pytest.raises(InputError, match="Run `lpcfg lm train`"):
        load_lm(path)
    path.write_text("hello")
    with pytest.raises(NotAnArtefactError):
        load_lm(path)
    save_lm(models[0], path, {}, 0, {})
    path.write_bytes(path.read_bytes()[:-400])
    with pytest.raises(TruncatedArtefactError):
        load_lm(path)
    with pytest.raises(InputError, match="only n-gram models can be ARPA files"):
        save_lm(models[0], tmp_path / "x.arpa", {}, 0, {})


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_samples_follow_the_distributions(models, mixed, kind):
    model = [*models, mixed][kind]
    rng = stream(0, Purpose.LM_SAMPLE)
    firsts = [sample_sentence(model, rng, 1) for _ in range(4000)]
    p = model.distribution([1, 1])
    p = np.where(np.arange(len(p)) == 0, 0, p)
    p /= p.sum()
    assert np.mean([words == [] for words in firsts]) == pytest.approx(p[2], abs=0.03)
    for word in ("w0", "w1", "w2"):
        share = np.mean([words == [word] for words in firsts])
        assert share == pytest.approx(p[model.vocabulary.number_of(word)], abs=0.03)


def test_samples_never_hold_unknown_words_and_end(mixed):
    rng = stream(3, Purpose.LM_SAMPLE)
    lengths = [len(sentence) for sentence in (sample_sentence(mixed, rng, 5) for _ in range(50))]
    assert max(lengths) == 5 and min(lengths) < 5
    rng = stream(3, Purpose.LM_SAMPLE)
    assert not {"<unk>", "<s>", "</s>"} & {w for _ in range(50) for w in sample_sentence(mixed, rng, 5)}


def test_descriptions_are_of_the_parameters(models):
    latent = models[0]
    states = describe_states(latent, 3)
    assert [state.weight for state in states] == sorted(latent.weight, reverse=True)
    for state in states:
        s = latent.parameters.s[:, state.state]
        assert state.words[0][1] == s.max()
        assert state.anchor == latent.vocabulary.words[latent.anchors[state.state]]
    found = describe_word(latent, "w1", 10)
    number = latent.vocabulary.number_of("w1")
    assert dict(found.after) == {h: p for h, p in enumerate(latent.parameters.r[number]) if p > 0}
    joint = latent.weight * latent.parameters.s[number]
    assert dict(found.of) == pytest.approx(dict(enumerate(joint / joint.sum())))
    assert describe_word(latent, "zebra", 1).word == "<unk>"
    assert describe_word(latent, "<s>", 1).of == []
