"""When a stage's file is current: whole, of the same inputs, settings, seed and version of the stage."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from command_line import fail, succeed

from lpcfg_cli.config import load_settings
from lpcfg_cli.errors import ArtefactError
from lpcfg_cli.stages.chain import STAGES, chain
from lpcfg_cli.stages.settings_file import read_settings
from lpcfg_cli.stages.stage import StageContext, is_current
from lpcfg_cli.storage.artefacts import verify


@pytest.fixture
def copy(trained, tmp_path):
    """A copy of the run directory, to be damaged."""
    return shutil.copytree(trained, tmp_path / "run")


def context(run, tiny_treebank, small_settings):
    return StageContext(run, load_settings(small_settings), [tiny_treebank])


def current(run, *others):
    """The names of the stages whose files are current."""
    return [name for name, stage in STAGES.items() if name != "ensemble" and is_current(stage, context(run, *others))]


NAMES = ["binarize", "tagger", "features", "svd", "estimate"]


def test_all_is_current_after_training(copy, tiny_treebank, small_settings):
    assert current(copy, tiny_treebank, small_settings) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_flipped_bit_anywhere_makes_a_file_stale_or_leaves_it_readable(copy, tiny_treebank, small_settings, name):
    """A byte that nobody reads, such as a time in the archive's directory, may change; a number may not."""
    stage = STAGES[name]
    path = copy / stage.file
    whole, rng = path.read_bytes(), np.random.default_rng(3)
    places = rng.integers(0, len(whole), 60)
    n_stale = 0
    for place in places:
        changed = bytearray(whole)
        changed[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(changed)
        is_stale = not is_current(stage, context(copy, tiny_treebank, small_settings))
        try:
            verify(path, stage.kind)
        except ArtefactError:
            assert is_stale
        n_stale += is_stale
    assert n_stale > 40


def test_training_mends_a_damaged_model_which_parsing_refuses(copy, trained, tiny_treebank, small_settings):
    path = copy / "model.lpcfg.npz"
    data = bytearray(path.read_bytes())
    at = data.index(b"binary_values.npy") + 400
    data[at] ^= 1
    path.write_bytes(data)
    assert "Run `lpcfg train` again" in fail(4, "parse", copy, stdin="a/DT\n")
    outcome = succeed("train", tiny_treebank, "-o", copy, "-c", small_settings)
    assert "svd: unchanged, skipped" in outcome.err
    assert "estimate: unchanged" not in outcome.err
    assert path.read_bytes() == (trained / "model.lpcfg.npz").read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_another_version_of_a_stage_makes_its_file_stale(copy, tiny_treebank, small_settings, name):
    later = replace(STAGES[name], version=STAGES[name].version + 1)
    assert not is_current(later, context(copy, tiny_treebank, small_settings))


def test_settings_of_a_stage_make_it_stale_and_no_other(copy, tiny_treebank, small_settings):
    changed = {
        "clean__strip_functions": False, "tagger__rate": 0.2, "features__kappa": 1.0, "svd__tolerance": 0.1,
        "estimate__binary_c": 3.0,
    }  # fmt: skip
    for (key, value), stale in zip(changed.items(), NAMES, strict=True):
        settings = load_settings(small_settings, **{key: value})
        here = StageContext(copy, settings, [tiny_treebank])
        found = [name for name in NAMES if not is_current(STAGES[name], here)]
        # the model records the tagger's settings too
        assert found == ([stale, "estimate"] if stale == "tagger" else [stale])


def test_another_seed_makes_all_stale(copy, tiny_treebank, small_settings):
    here = StageContext(copy, load_settings(small_settings, seed=6), [tiny_treebank])
    assert not any(is_current(STAGES[name], here) for name in NAMES)


def test_the_chain_is_what_settings_want():
    def names(**settings):
        return [stage.name for stage in chain(load_settings(None, **settings))]

    assert names() == NAMES
    assert names(tagger__epochs=0, estimate__learner="pcfg") == ["binarize", "features", "estimate"]
    assert names(ensemble__members=3, svd__dropout=0.3) == ["binarize", "tagger", "ensemble"]


# a stage by itself starts from the settings of the run


def test_a_stage_by_itself_starts_from_the_settings_of_the_run(copy, trained):
    for name in ("features", "svd", "estimate", "tagger"):
        assert "→" not in succeed(name, copy).err
    assert {path.name: path.read_bytes() for path in copy.iterdir() if path.name != "log.json"} == {
        path.name: path.read_bytes() for path in trained.iterdir() if path.name != "log.json"
    }


def test_flags_change_the_settings_of_the_run_and_are_told(copy):
    outcome = succeed("svd", copy, "-m", 2, "--json")
    assert outcome.err.splitlines()[0] == "svd: svd.states: 4 → 2"
    assert json.loads(outcome.out)["asked"] == 2
    assert read_settings(copy).svd.states == 2
    assert "→" not in succeed("svd", copy).err  # recorded: the next time is no change


def test_a_config_changes_the_settings_of_the_run_too(copy, tmp_path):
    (tmp_path / "more.toml").write_text("[estimate]\nbinary_c = 3.0\n")
    outcome = succeed("estimate", copy, "-c", tmp_path / "more.toml", "--no-smooth")
    told = [line for line in outcome.err.splitlines() if "→" in line]
    assert told == [
        "estimate: estimate.smooth_rules: True → False",
        "estimate: estimate.binary_c: 25.0 → 3.0",
        "estimate: estimate.smooth_lexicon: True → False",
    ]
    assert read_settings(copy).lexicon.rare_below == 2  # as trained


def test_damaged_settings_are_refused_with_the_command_that_mends_them(copy, tiny_treebank, small_settings):
    (copy / "settings.json").write_text("{")
    assert "Run `lpcfg train` again" in fail(4, "svd", copy)
    succeed("train", tiny_treebank, "-o", copy, "-c", small_settings)
    succeed("svd", copy)


def test_shipped_configurations_are_named_without_a_path(tiny_treebank, tmp_path):
    outcome = succeed("binarize", tiny_treebank, tmp_path / "run", "-c", "wsj-sample", "--json")
    assert read_settings(tmp_path / "run") == load_settings("wsj-sample")
    assert json.loads(outcome.out)["trees"] == 21
    message = fail(3, "train", tiny_treebank, "-o", tmp_path / "run", "-c", "wsj-sampel")
    assert "no shipped configuration" in message and "Did you mean wsj-sample?" in message
