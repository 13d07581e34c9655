"""The trees of an ensemble binarized anew for one of its members."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tiny_trees import TINY_TREES

from lpcfg_cli.config import BinarizeSettings, Settings
from lpcfg_cli.stages.binarize import BINARIZE
from lpcfg_cli.stages.rebinarize import REBINARIZATION, give_trees
from lpcfg_cli.stages.stage import StageContext, is_current, run_stage, save_json
from lpcfg_cli.storage.files import write_text
from lpcfg_cli.treebank.archive import SYMBOLS_FILE, TREES_FILE, load_binary_trees
from lpcfg_cli.treebank.binarize import unbinarize
from lpcfg_cli.treebank.binary_text import symbols_to_json, write_binary_trees
from lpcfg_cli.treebank.brackets import bracket_strings

WAYS = [
    BinarizeSettings(direction="right"),
    BinarizeSettings(direction="head", head_rules="english", horizontal=1),
    BinarizeSettings(unaries="collapse", vertical=2),
]


@pytest.fixture
def run(tmp_path):
    """A run directory with binarized trees."""
    (tmp_path / "trees.mrg").write_text(TINY_TREES)
    run_stage(BINARIZE, StageContext(tmp_path / "run", Settings(), [tmp_path / "trees.mrg"]))
    return tmp_path / "run"


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.direction + way.unaries)
def test_trees_are_those_that_this_binarization_gives_from_the_treebank(run, way, tmp_path):
    settings = replace(Settings(), binarize=way)
    give_trees(run, tmp_path / "member")
    context = StageContext(tmp_path / "member", settings)
    assert run_stage(REBINARIZATION, context).report is not None
    run_stage(BINARIZE, StageContext(tmp_path / "alone", settings, [tmp_path / "trees.mrg"]))
    texts = [(tmp_path / folder / TREES_FILE).read_bytes() for folder in ("member", "alone")]
    assert texts[0] == texts[1] != (run / TREES_FILE).read_bytes()
    member, given = (load_binary_trees(folder)[1] for folder in (tmp_path / "member", run))
    assert list(bracket_strings(unbinarize(member))) == list(bracket_strings(unbinarize(given)))
    assert is_current(REBINARIZATION, context)
    (tmp_path / "member" / "given" / TREES_FILE).write_bytes(texts[0])
    assert not is_current(REBINARIZATION, context)


def test_weights_of_trees_are_kept(run, tmp_path):
    _, trees = load_binary_trees(run)
    weighted = trees.with_taught(np.array([0.5, 0.25, 2.0]))
    write_text(run / TREES_FILE, "".join(f"{line}\n" for line in write_binary_trees(weighted)))
    save_json(BINARIZE, StageContext(run, Settings(), [tmp_path / "trees.mrg"]), symbols_to_json(weighted), {})
    give_trees(run, tmp_path / "member")
    run_stage(REBINARIZATION, StageContext(tmp_path / "member", replace(Settings(), binarize=WAYS[0])))
    _, found = load_binary_trees(tmp_path / "member")
    assert found.n_taught == 3
    assert np.array_equal(found.weight, weighted.weight)
    assert (tmp_path / "member" / SYMBOLS_FILE).exists()
