"""Trees with letters that are not ASCII, and what is asked of commands about them."""

from __future__ import annotations

import json

import pytest
from command_line import run_here

TREES = "".join(
    f"(S (NP (D {d}) (N {n})) (VP (V {v}) (NP (D {e}) (N {m}))) (. .))\n"
    for d, n, v, e, m in [
        ("le", "gâteau", "mène", "la", "forêt"), ("la", "forêt", "cède", "le", "thé"),
        ("le", "thé", "brûle", "la", "fée"), ("la", "fée", "mène", "le", "gâteau"),
        ("le", "gâteau", "cède", "la", "fée"), ("la", "forêt", "brûle", "le", "thé"),
    ]
)  # fmt: skip
"""Six trees in which every word occurs twice, with letters that are not ASCII."""

ASCII = "(S (NP (D the) (N dog)) (VP (V sees) (NP (D a) (N cat))))\n(S (NP (D a) (N cat)) (VP (V runs)))\n"
SMALL = ("-m", "2", "--rare-below", "1")


def figures(*arguments, **options):
    """The JSON report of eval; NaN and infinity, which JSON does not have, are refused."""
    outcome = run_here("eval", *arguments, "--json", **options)
    assert "Traceback" not in outcome.err
    return json.loads(outcome.out, parse_constant=pytest.fail), outcome


def crossval(tmp_path, treebank, *options):
    outputs = ("-o", tmp_path / "parsed.mrg", "--gold", tmp_path / "gold.mrg")
    return run_here("crossval", treebank, *outputs, "--folds", "3", *SMALL, "--json", *options)
