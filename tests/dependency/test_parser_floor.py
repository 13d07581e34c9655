"""The parser on a part of the Penn Treebank sample: heads are learnt, and relations are those of heads."""

from __future__ import annotations

import numpy as np
import pytest

from lpcfg_cli.config import DependencyParserSettings
from lpcfg_cli.dependency.parser.training import train_parser
from lpcfg_cli.dependency.trees.files import read_dependency_files


@pytest.mark.parametrize(("order", "floor"), [("first", 0.84), ("second", 0.84)])
def test_heads_of_the_penn_treebank_are_learnt(shared, order, floor):
    folder = shared / "data" / "dep_wsj"
    train = [s for s in read_dependency_files([folder / "train.conll"]) if len(s) < 25][:500]
    dev = [s for s in read_dependency_files([folder / "dev.conll"]) if len(s) < 25][:100]
    parser = train_parser(train, DependencyParserSettings(order=order, epochs=4, bits=20))
    parsed = [parser.parse(sentence) for sentence in dev]
    right = np.concatenate([one.heads == gold.heads for one, gold in zip(parsed, dev, strict=True)])
    assert right.mean() > floor
    assert all((np.array(one.relations) == "ROOT").tolist() == (one.heads == 0).tolist() for one in parsed)
