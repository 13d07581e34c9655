"""Span models as users learn them: real processes, on treebanks of our own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time

import numpy as np
import pytest
from command_line import LPCFG, fail, run_installed, succeed

from lpcfg_cli.config import load_settings
from lpcfg_cli.grammar.archive import MODEL
from lpcfg_cli.parsing.spans.archive import SPANS, load_spans
from lpcfg_cli.stages.spans import learn_spans
from lpcfg_cli.stages.stage import StageContext
from lpcfg_cli.storage.artefacts import read_arrays

ARRAYS = ("networks", "states", "words", "word_start", "tags", "tag_start", "spellings", "spelling_start")
ARRAYS += ("labels", "label_start", "first_label")

VERBS = {"saw": True, "bought": False}
"""Whether what follows the object belongs to the verb."""

NOUNS = ("man", "dog", "lamp", "rope", "boat")


def tree(verb, one, two):
    """A sentence whose tags are always the same; its verb decides where the last phrase is attached."""
    phrase = f"(PP (IN with) (NP (DT a) (NN {two})))"
    thing = f"(NP (DT the) (NN {one}))"
    inside = f"{thing} {phrase}" if VERBS[verb] else f"(NP {thing} {phrase})"
    return f"(S (NP (PRP she)) (VP (VBD {verb}) {inside}))"


@pytest.fixture(scope="module")
def attachments(tmp_path_factory):
    """A run directory: one latent state, so that a grammar cannot tell the verbs apart."""
    folder = tmp_path_factory.mktemp("attachments")
    lines = [tree(verb, one, two) for one in NOUNS for two in NOUNS if one != two for verb in VERBS]
    (folder / "gold.mrg").write_text("\n".join(lines) + "\n")
    given = ("--spans", 1, "-m", 1, "--no-tagger", "--learner", "pcfg", "-c", folder / "long.toml")
    (folder / "long.toml").write_text("[spans]\nstates = 30\npasses = 60\nrate = 0.01\n")
    said = succeed("train", folder / "gold.mrg", "-o", folder / "run", *given).err
    assert "spans: 40 sentences, 11 words, 4 chains of labels\n" in said
    return folder / "run"


SENTENCES = {verb: f"she/PRP {verb}/VBD the/DT rope/NN with/IN a/DT rope/NN\n" for verb in VERBS}


def test_a_word_decides_where_the_grammar_cannot(attachments):
    given = "".join(SENTENCES.values())
    expected = [f"(TOP {tree(verb, 'rope', 'rope')})" for verb in VERBS]
    # the grammar finds the other tree of the second sentence seven times as probable, so it is not weighed as a whole
    assert succeed("parse", attachments, "--tree-weight", 0, stdin=given).out.splitlines() == expected
    one, two = succeed("parse", attachments, "--span-weight", 0, stdin=given).out.splitlines()
    assert one.replace("saw", "bought") == two


def test_a_weight_of_a_span_model_that_is_not_there_is_an_error(attachments, tmp_path):
    succeed("train", attachments.parent / "gold.mrg", "-o", tmp_path, "--learner", "pcfg", "--no-tagger")
    said = fail(3, "parse", tmp_path, "--span-weight", 0.5, stdin=SENTENCES["saw"])
    assert said.startswith(f"lpcfg: {tmp_path}: has no span model for this decoder, so --span-weight 0.5 would do")
    succeed("parse", tmp_path, "--span-weight", 0, stdin=SENTENCES["saw"])
    fail(3, "parse", attachments, "--decoder", "max-rule", "--span-weight", 0.5, stdin=SENTENCES["saw"])


def test_inspect_tells_of_the_span_model(attachments):
    assert "\nspan model: " in succeed("inspect", attachments).out
    report = json.loads(succeed("inspect", attachments, "--json").out)["spans"]
    model = load_spans(attachments / "model.lpcfg.npz", MODEL)
    assert (report["networks"], report["parameters"]) == model.networks.shape
    assert report["words"] == len(model.vocabulary.words) == len(NOUNS) + len(VERBS) + 4
    assert report["chains"] == len(model.vocabulary.chains) == 4


@pytest.fixture(scope="module")
def settings(tmp_path_factory, small_settings):
    """Settings of two small networks."""
    file = tmp_path_factory.mktemp("settings") / "two.toml"
    file.write_text(small_settings.read_text() + "\n[spans]\nnetworks = 2\nstates = 8\npasses = 2\n")
    return file


def start(treebank, run, settings, *options):
    return subprocess.Popen([LPCFG, "train", treebank, "-o", run, "-c", settings, *options], stderr=subprocess.DEVNULL)


def files(run):
    return {name: (run / name).read_bytes() for name in ("spans.npz", "model.lpcfg.npz")}


@pytest.fixture(scope="module")
def with_spans(tmp_path_factory, tiny_treebank, settings):
    run = tmp_path_factory.mktemp("spans") / "run"
    succeed("train", tiny_treebank, "-o", run, "-c", settings, run=run_installed)
    return run


def network(run, number):
    return run / "spans" / f"network-{number}" / "network.npz"


def test_networks_differ_and_more_processes_give_the_same_bytes(with_spans, tiny_treebank, settings, tmp_path):
    with start(tiny_treebank, tmp_path / "run", settings, "-j", "2") as process:
        assert process.wait() == 0
    assert files(tmp_path / "run") == files(with_spans)
    first, second = load_spans(with_spans / "spans.npz", SPANS).networks
    assert np.abs(first - second).max() > 0.01


def test_a_network_by_itself_shows_its_passes_and_several_at_once_are_counted(with_spans, settings, tmp_path):
    shown = []

    def progress(items, description, total=None, unit="it"):
        shown.append((description, total, unit))
        return items

    def mapper(function, items):
        return list(map(function, items))

    for folder, jobs, expected in (
        ("serial", map, [("spans", 2, "pass")] * 2),
        ("parallel", mapper, [("spans", 2, "network")]),
    ):
        run = copied(with_spans, tmp_path / folder)
        shutil.rmtree(run / "spans")
        learn_spans(StageContext(run, load_settings(settings), mapper=jobs, progress=progress))
        assert shown == expected
        assert (run / "spans.npz").read_bytes() == (with_spans / "spans.npz").read_bytes()
        shown.clear()


def test_parameters_are_rounded_to_eight_bits(with_spans):
    bits = load_spans(with_spans / "spans.npz", SPANS).networks.view(np.uint32)
    assert not (bits & 0xFFFF).any()


def test_killed_between_two_networks_training_ends_the_same(with_spans, tiny_treebank, settings, tmp_path):
    run = tmp_path / "run"
    with start(tiny_treebank, run, settings) as process:
        while not network(run, 0).exists() and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
    assert not (run / "spans.npz").exists()
    made = os.stat(network(run, 0)).st_mtime_ns
    with start(tiny_treebank, run, settings) as process:
        assert process.wait() == 0
    assert files(run) == files(with_spans)
    assert os.stat(network(run, 0)).st_mtime_ns == made


def test_a_third_network_leaves_the_others_as_they_are(with_spans, tiny_treebank, settings, tmp_path):
    run = copied(with_spans, tmp_path)
    made = [os.stat(network(run, number)).st_mtime_ns for number in (0, 1)]
    succeed("train", tiny_treebank, "-o", run, "-c", settings, "--spans", 3)
    assert [os.stat(network(run, number)).st_mtime_ns for number in (0, 1)] == made
    before, after = (load_spans(of / "model.lpcfg.npz", MODEL).networks for of in (with_spans, run))
    np.testing.assert_array_equal(after[:2], before)
    assert len(after) == 3


def copied(with_spans, tmp_path):
    return shutil.copytree(with_spans, tmp_path / "copy")


def test_what_is_current_is_skipped_and_what_is_not_wanted_goes(with_spans, tiny_treebank, settings, tmp_path):
    run = copied(with_spans, tmp_path)
    given = ("train", tiny_treebank, "-o", run, "-c", settings)
    assert "spans: unchanged, skipped" in succeed(*given).err
    assert "estimate: unchanged" not in succeed(*given, "--spans", 0).err
    assert load_spans(run / "model.lpcfg.npz", MODEL) is None
    _, without = read_arrays(run / "model.lpcfg.npz", MODEL)
    _, has = read_arrays(with_spans / "model.lpcfg.npz", MODEL)
    assert set(has) - set(without) == {f"spans_{name}" for name in ARRAYS}
    assert all((has[name] == without[name]).all() for name in without)


def test_the_stage_by_itself_gives_the_same_bytes(with_spans, tmp_path):
    run = copied(with_spans, tmp_path)
    (run / "spans.npz").unlink()
    assert "2 networks of " in succeed("spans", run).err
    succeed("estimate", run)
    assert files(run) == files(with_spans)


def test_no_span_model_and_odd_settings_are_errors(trained, tmp_path):
    run = shutil.copytree(trained, tmp_path / "plain")
    assert "spans.networks is 0, which means no span model; give --spans 1." in fail(2, "spans", run)
    (tmp_path / "odd.toml").write_text("[spans]\ndropout = 1.0\n")
    assert "spans.dropout is 1.0; expected a share" in fail(2, "spans", run, "-c", tmp_path / "odd.toml")
