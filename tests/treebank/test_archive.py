"""Binarized trees are read once by the stages of one training, and anew when their files change."""

from __future__ import annotations

import pytest
from tiny_trees import TINY_TREES

from lpcfg_cli.config import BinarizeSettings, Settings
from lpcfg_cli.errors import WrongParentError
from lpcfg_cli.stages.binarize import BINARIZE
from lpcfg_cli.stages.chain import train
from lpcfg_cli.stages.stage import StageContext, run_stage
from lpcfg_cli.storage.files import write_text
from lpcfg_cli.treebank import archive
from lpcfg_cli.treebank.archive import TREES_FILE, load_binary_trees, trees_read_once


@pytest.fixture
def binarize(tmp_path):
    """Writes a run directory of that name with binarized trees."""
    (tmp_path / "trees.mrg").write_text(TINY_TREES)

    def run(name, **settings):
        chosen = Settings(binarize=BinarizeSettings(**settings))
        run_stage(BINARIZE, StageContext(tmp_path / name, chosen, [tmp_path / "trees.mrg"]))
        return tmp_path / name

    return run


def test_trees_are_kept_while_their_files_are_the_same(binarize):
    run = binarize("run")
    _, alone = load_binary_trees(run)
    assert load_binary_trees(run)[1] is not alone
    with trees_read_once():
        _, first = load_binary_trees(run)
        assert load_binary_trees(run)[1] is first
        assert load_binary_trees(binarize("same"))[1] is first
        _, other = load_binary_trees(binarize("run", vertical=2))
        assert {symbol.name for symbol in other.symbols} != {symbol.name for symbol in first.symbols}
        assert load_binary_trees(run)[1] is other
    assert load_binary_trees(run)[1] is not other


def test_trees_that_were_changed_by_hand_are_refused_also_if_they_were_read_before(binarize):
    run = binarize("run")
    with trees_read_once():
        load_binary_trees(run)
        write_text(run / TREES_FILE, (run / TREES_FILE).read_text().partition("\n")[2])
        with pytest.raises(WrongParentError, match=r"was made from another trees\.bin\.mrg"):
            load_binary_trees(run)


def test_training_reads_its_trees_once(tmp_path, monkeypatch):
    reads = []
    read = archive.read_binary_trees
    monkeypatch.setattr(archive, "read_binary_trees", lambda *given: reads.append(given[3]) or read(*given))
    (tmp_path / "trees.mrg").write_text(TINY_TREES)
    train(StageContext(tmp_path / "run", Settings(), [tmp_path / "trees.mrg"]))
    assert reads == [str(tmp_path / "run" / TREES_FILE)]
