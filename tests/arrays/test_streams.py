"""Random streams of different purposes, keys and seeds."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

import lpcfg_cli
from lpcfg_cli.arrays.streams import FIRST, Purpose, derived_seed, stream

KEYS = [(), (0,), (1,), (0, 0), (1, 0)]
SOURCES = {path: path.read_text("utf-8") for path in Path(lpcfg_cli.__file__).parent.rglob("*.py")}


def test_streams_differ_by_seed_purpose_and_keys_and_by_nothing_else():
    numbers = {
        (seed, purpose, keys): stream(seed, purpose, *keys).random(4).tobytes()
        for seed in range(3)
        for purpose in Purpose
        for keys in ([(symbol,) for symbol in range(9)] if purpose in FIRST else KEYS)  # of a nonterminal each
    }
    assert len(set(numbers.values())) == len(numbers)
    assert stream(2, Purpose.PIVOT, 1).random(4).tobytes() == numbers[2, Purpose.PIVOT, (1,)]
    assert np.random.default_rng(1).random(4).tobytes() not in numbers.values()


def test_derived_seeds_differ_by_seed_and_keys():
    seeds = [derived_seed(seed, Purpose.MEMBER, member) for seed in range(100) for member in range(20)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**53 for seed in seeds)


def test_streams_stay_what_they_are():
    """Else the models of a seed change: the version of the stages has to be raised."""
    assert {purpose.name: purpose.value for purpose in Purpose} == {
        "SVD_START": 1,
        "PERTURBATION": 2,
        "CLUSTERS": 3,
        "EM_START": 4,
        "PIVOT": 5,
        "MEMBER": 6,
        "LM_START": 20,
        "LM_POINTS": 21,
        "LM_CLUSTERS": 22,
        "LM_SAMPLE": 23,
        "HMM_START": 30,
        "HMM_PROJECTION": 31,
        "EMBEDDINGS": 40,
        "WORD_CLUSTERS": 41,
        "TREE_START": 50,
        "TREE_PROJECTION": 51,
        "RERANKER": 52,
        "SPANS": 53,
        "DEPENDENCY_ORDER": 54,
        "DEPENDENCY_RELATIONS": 55,
        "LEARNING_CURVE": 60,
        "TEXT_SAMPLE": 61,
        "SIMILARITY_BOOTSTRAP": 70,
    }
    assert stream(3, Purpose.CLUSTERS, 4).integers(2**32) == 2417678188
    assert derived_seed(0, Purpose.MEMBER, 1) == 7616131304775949


def test_each_purpose_is_used_once_and_learning_has_no_other_streams():
    call = re.compile(r"\b(?:stream|derived_seed)\([^\n]*Purpose\.(\w+)")
    used = [name for text in SOURCES.values() for name in call.findall(text)]
    assert sorted(used) == sorted(purpose.name for purpose in Purpose)
    others = {path.parent.name for path, text in SOURCES.items() if re.search(r"default_rng|SeedSequence\(", text)}
    assert not others & {"learning", "spectral", "em", "stages", "config"}
