"""The F1 that the shipped settings reach on the Penn Treebank sample, so that no change costs some of it unseen."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import succeed

from lpcfg_cli.config import load_settings
from lpcfg_cli.grammar.archive import load_model

REPOSITORY = Path(__file__).resolve().parents[2]

LEAST_F1 = 86.5
"""86.82 when this was written."""


def test_the_wsj_sample_is_parsed_as_well_as_ever(shared, tmp_path):
    """Trained on files 0001–0159; the 273 trees of files 0160–0179 are parsed with gold tags."""
    files = sorted((shared / "data" / "wsj").glob("0[01]/wsj_*.mrg"))
    train, dev = ([file for file in files if (file.stem < "wsj_0160") == is_train] for is_train in (True, False))
    assert (len(train), len(dev)) == (159, 20)
    config, run, parsed = REPOSITORY / "configs" / "wsj-sample.toml", tmp_path / "run", tmp_path / "parsed.mrg"
    report = json.loads(succeed("train", *train, "-o", run, "-c", config, "--json").out)
    assert report["estimate"]["learner"] == load_settings(config).estimate.learner == "spectral"
    _, grammar = load_model(run)
    assert grammar.n_states.max() == 16
    gold = tmp_path / "gold.mrg"
    gold.write_bytes(b"".join(file.read_bytes() for file in dev))
    succeed("parse", run, gold, "-f", "trees", "-o", parsed)
    scores = json.loads(succeed("eval", gold, parsed, "--json").out)["all"]
    assert (scores["valid"], scores["errors"], scores["skipped"]) == (273, 0, 0)
    assert scores["f1"] >= LEAST_F1
