"""A short run of `fuzz_targets`; ``make fuzz`` is the long one.  Inputs that it found are tested here."""

from __future__ import annotations

import pytest
from command_targets import CommandTarget
from fuzz_targets import TEXT_TARGETS, artefact_targets
from hypothesis import given, settings
from hypothesis import strategies as st
from word_targets import word_targets

from lpcfg_cli.errors import NotAnArtefactError
from lpcfg_cli.storage.artefacts import write_json
from lpcfg_cli.storage.files import sha256_of_file
from lpcfg_cli.treebank.archive import SYMBOLS, SYMBOLS_FILE, TREES_FILE, load_binary_trees

randoms = st.randoms(use_true_random=False)


@pytest.mark.parametrize("name", TEXT_TARGETS)
def test_any_text_is_read_or_refused(name):
    @settings(max_examples=300)
    @given(randoms)
    def run(random):
        TEXT_TARGETS[name](random)

    run()


@pytest.fixture(scope="module")
def artefacts(tmp_path_factory):
    return artefact_targets(tmp_path_factory.mktemp("fuzz"))


@pytest.mark.parametrize("name", ["bytes", "arrays", "binarized"])
def test_any_artefact_is_read_or_refused(artefacts, name):
    @settings(max_examples=100)
    @given(randoms)
    def run(random):
        artefacts[name](random)

    run()


@pytest.fixture(scope="module")
def word_models(tmp_path_factory):
    return word_targets(tmp_path_factory.mktemp("words"))


@pytest.mark.parametrize(
    "name",
    [f"{kind} {part}" for kind in ("lm", "hmm", "embeddings") for part in ("bytes", "arrays")] + ["word texts"],
)
def test_any_file_of_a_model_of_words_is_read_or_refused(word_models, name):
    @settings(max_examples=100)
    @given(randoms)
    def run(random):
        word_models[name](random)

    run()


@pytest.mark.parametrize("name", ["fuzz_commands", "fuzz_texts"])
def test_any_file_is_taken_through_all_commands_or_refused(tmp_path_factory, name):
    target = CommandTarget(tmp_path_factory.mktemp("commands"))

    @settings(max_examples=15, deadline=None)
    @given(randoms)
    def run(random):
        getattr(target, name)(random)

    run()


@pytest.mark.parametrize(
    "content",
    [
        {}, [], {"symbols": [{}], "hidden_labels": []}, {"symbols": [{"labels": []}], "hidden_labels": []},
        {"symbols": [{"labels": [1]}], "hidden_labels": []}, {"symbols": [], "hidden_labels": [[None]]},
        {"symbols": None},
    ],
)  # fmt: skip
def test_symbols_that_are_none_are_refused(tmp_path, content):
    (tmp_path / TREES_FILE).write_text("(X/l a)\n")
    inputs = {TREES_FILE: sha256_of_file(tmp_path / TREES_FILE)}
    write_json(tmp_path / SYMBOLS_FILE, SYMBOLS, content, {}, 0, inputs)
    with pytest.raises(
        NotAnArtefactError, match=r"symbols\.json: its parts do not fit together .* Run `lpcfg binarize`"
    ):
        load_binary_trees(tmp_path)
