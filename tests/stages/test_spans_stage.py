"""Span models as users learn them: real processes, on treebanks of our own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time

import pytest
from command_line import LPCFG, fail, run_installed, succeed

from lpcfg_cli.grammar.archive import MODEL
from lpcfg_cli.parsing.spans.archive import load_spans
from lpcfg_cli.storage.artefacts import read_arrays

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
    given = ("--spans", 4, "-m", 1, "--no-tagger", "--learner", "pcfg", "-c", folder / "long.toml")
    (folder / "long.toml").write_text("[spans]\npasses = 20\n")
    said = succeed("train", folder / "gold.mrg", "-o", folder / "run", *given).err
    assert "spans: 40 sentences, " in said
    return folder / "run"


SENTENCES = {verb: f"she/PRP {verb}/VBD the/DT rope/NN with/IN a/DT rope/NN\n" for verb in VERBS}


def test_a_word_decides_where_the_grammar_cannot(attachments):
    given = "".join(SENTENCES.values())
    expected = [f"(TOP {tree(verb, 'rope', 'rope')})" for verb in VERBS]
    assert succeed("parse", attachments, stdin=given).out.splitlines() == expected
    one, two = succeed("parse", attachments, "--span-weight", 0, stdin=given).out.splitlines()
    assert one.replace("saw", "bought") == two


def test_inspect_tells_of_the_span_model(attachments):
    assert "\nspan model: " in succeed("inspect", attachments).out
    report = json.loads(succeed("inspect", attachments, "--json").out)["spans"]
    model = load_spans(attachments / "model.lpcfg.npz", MODEL)
    assert report["trust"] == model.trust
    assert report["weights"] == (model.weight != 0).sum() > 50
    assert report["words"] == len(model.known) == len(NOUNS) + len(VERBS) + 4


def start(treebank, run, settings, *options):
    return subprocess.Popen(
        [LPCFG, "train", treebank, "-o", run, "-c", settings, "--spans", "2", *options], stderr=subprocess.DEVNULL
    )


def files(run):
    return {name: (run / name).read_bytes() for name in ("spans.npz", "model.lpcfg.npz")}


@pytest.fixture(scope="module")
def with_spans(tmp_path_factory, tiny_treebank, small_settings):
    run = tmp_path_factory.mktemp("spans") / "run"
    succeed("train", tiny_treebank, "-o", run, "-c", small_settings, "--spans", 2, run=run_installed)
    return run


def test_more_processes_give_the_same_bytes(with_spans, tiny_treebank, small_settings, tmp_path):
    with start(tiny_treebank, tmp_path / "run", small_settings, "-j", "2") as process:
        assert process.wait() == 0
    assert files(tmp_path / "run") == files(with_spans)


def test_killed_between_two_parts_training_ends_the_same(with_spans, tiny_treebank, small_settings, tmp_path):
    """The kill may come while the log of the first part is written: that file and the lock are not looked at."""
    run = tmp_path / "run"
    with start(tiny_treebank, run, small_settings) as process:
        while not (run / "spans" / "part-0" / "examples.npz").exists() and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
    assert not (run / "spans.npz").exists()
    made = os.stat(run / "spans" / "part-0" / "examples.npz").st_mtime_ns
    with start(tiny_treebank, run, small_settings) as process:
        assert process.wait() == 0
    assert files(run) == files(with_spans)
    assert os.stat(run / "spans" / "part-0" / "examples.npz").st_mtime_ns == made
    left = sorted(path.name for path in (run / "spans").glob("part-*/*") if "log.json" not in path.name)
    assert [name for name in left if name != ".lock"] == sorted(["examples.npz", "held-out.mrg", "train.mrg"] * 2)


def copied(with_spans, tmp_path):
    return shutil.copytree(with_spans, tmp_path / "copy")


def test_what_is_current_is_skipped_and_what_is_not_wanted_goes(with_spans, tiny_treebank, small_settings, tmp_path):
    run = copied(with_spans, tmp_path)
    given = ("train", tiny_treebank, "-o", run, "-c", small_settings)
    assert "spans: unchanged, skipped" in succeed(*given, "--spans", 2).err
    assert "estimate: unchanged" not in succeed(*given).err
    assert load_spans(run / "model.lpcfg.npz", MODEL) is None
    _, without = read_arrays(run / "model.lpcfg.npz", MODEL)
    _, has = read_arrays(with_spans / "model.lpcfg.npz", MODEL)
    assert set(has) - set(without) == {"spans_units", "spans_scale", "spans_known", "spans_member"}
    assert all((has[name] == without[name]).all() for name in without)


def test_the_stage_by_itself_gives_the_same_bytes(with_spans, tmp_path):
    run = copied(with_spans, tmp_path)
    (run / "spans.npz").unlink()
    assert "in the trees\n" in succeed("spans", run).err
    succeed("estimate", run)
    assert files(run) == files(with_spans)


def test_no_span_model_and_too_many_parts_are_errors(with_spans, trained, tmp_path):
    run = shutil.copytree(trained, tmp_path / "plain")
    assert "spans.parts is 0, which means no span model; give --spans 5." in fail(2, "spans", run)
    assert "trees are too few for 99 parts" in fail(2, "spans", run, "--spans", 99)
    assert "spans.parts is 1; expected 0 for no span model, or at least 2." in fail(2, "spans", run, "--spans", 1)
