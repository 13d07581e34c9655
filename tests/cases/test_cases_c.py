"""C: embeddings.  The text is so small that it is here too; that of ../shared/cases is the same."""

from __future__ import annotations

import numpy as np
import pytest
from command_line import succeed

from lpcfg_cli import embeddings
from lpcfg_cli.embeddings.methods import EMBEDDING_METHODS

TEXT = "the red fox ran\nthe red hen ran\nthe old fox slept\n"


def test_the_case_is_that_of_the_collection(case):
    assert case("C01", "text.txt").read_text() == TEXT


@pytest.mark.parametrize("method", EMBEDDING_METHODS)
@pytest.mark.parametrize("root", ["sqrt", "none"])
def test_c01_more_dimensions_than_the_text_has(tmp_path, method, root):
    (tmp_path / "text.txt").write_text(TEXT)
    options = ("-k", 50, "--rare-below", 1, "--method", method, "--root", root)
    told = succeed("embed", "train", tmp_path / "text.txt", "-o", tmp_path / "x.npz", *options).err
    assert "fewer than the 50 asked for" in told
    found = embeddings.load(tmp_path / "x.npz")
    assert len(found.words) == 7 and 1 <= found.dimensions <= 7
    assert np.isfinite(found.vectors).all()
    assert (np.diff(found.correlations) <= 0).all()
    assert found.correlations[-1] >= 0 and found.correlations[0] <= 1
