"""What all tests share: data outside the repository, a tiny treebank, hypothesis settings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

REPOSITORY = Path(__file__).resolve().parents[1]

settings.register_profile(
    "lpcfg",
    deadline=None,  # the first example may have to compile kernels
    derandomize=True,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("lpcfg")

TINY_TREES = """\
( (S (NP-SBJ (DT The) (NN keeper)) (VP (VBD lit) (NP (DT the) (NN lamp))) (. .)) )
( (S (NP-SBJ-1 (NNS Ships)) (VP (VBP want) (S (NP-SBJ (-NONE- *-1)) (VP (TO to) (VP (VB land))))) (. .)) )
( (S
    (NP-SBJ (PRP They))
    (VP (VBD sold)
      (NP (JJ old) (NN rope) (, ,) (NN oil) (, ,) (NNS nails) (, ,) (NN tar) (CC and) (NN bread))
      (PP-LOC (IN in) (NP (DT the) (NN harbour))))
    (. .)))
(TOP (SBARQ (WHNP-2 (WP What)) (SQ (VBD did) (NP-SBJ (PRP she)) (VP (VB see) (NP (-NONE- *T*-2)))) (. ?)))
(ROOT (NP (NP (DT The) (NN height)) (PP (IN of) (NP (DT the) (NN tower)))))
(S1 (S (VP (VB Wait) (ADVP|PRT (RP up))) (. !)))
(S (NP-SBJ (NP (DT the) (NN storm)) (PRN (-LRB- -LRB-) (NP (CD 1890)) (-RRB- -RRB-))) (VP (VBD passed)))
( (S (NP-SBJ (PRP$ Her) (NN boat)) (VP (VBZ is) (ADJP-PRD (RB very) (JJ small))) (. .)) )
( (S (S (NP-SBJ (PRP I)) (VP (VBP row))) (CC and) (S (NP-SBJ (PRP he)) (VP (VBZ sails))) (. .)) )
( (S (NP-SBJ (NNP Mary)) (VP (VBD said) (SBAR (-NONE- 0) (S (NP-SBJ (PRP it)) (VP (VBD rained))))) (. .)) )
( (S (PP-TMP (IN At) (NP (NN night))) (, ,) (NP-SBJ (DT the) (NN light))
    (VP (VBZ turns) (ADVP (RB slowly))) (. .)) )
( (FRAG (NP (CD 3\\/4)) (. .)) )
( (S (NP-SBJ (NN oil)) (VP (VBD cost) (NP (QP ($ $) (CD 20) (-NONE- *U*))
    (PP (IN per) (NP (NN barrel))))) (. .)) )
( (SINV (ADVP-LOC (RB There)) (VP (VBD stood)) (NP-SBJ (DT a) (NN tower)) (. .)) )
( (INTJ (UH Hush)) )
( (S (NP-SBJ=1 (DT the) (NN keeper)) (VP (VBD slept)
    (SBAR-TMP (IN while) (S (NP-SBJ (NNS ships)) (VP (VBD passed))))) (. .)) )
(TOP (S (NP (NP (NNS lamps))) (VP (MD will) (VP (VB burn) (PP (IN until) (NP (NN morning))))) (. .)))
( (S (NP-SBJ (DT the) (NN boat)) (VP (VBD left) (NP (DT the) (NN harbour))
    (PP (IN with) (NP (NN bread)))) (. .)) )
( (S (NP-SBJ (NNP John)) (VP (VP (VBD came)) (CC and) (VP (VBD went))) (. .)) )
( (NP-HLN (NN harbour) (NNS lights)) )
( (S (NP-SBJ (NP (DT a) (NN keeper))
    (SBAR (WHNP-3 (WP who)) (S (NP-SBJ (-NONE- *T*-3)) (VP (VBD slept))))) (VP (VBD woke)) (. .)) )
"""
"""Twenty-one trees of our own: unary chains, a wide node, traces, function tags, every kind of root."""


@pytest.fixture
def shared() -> Path:
    """The folder of data that is not part of the repository."""
    folder = Path(os.environ.get("LPCFG_SHARED", REPOSITORY.parent / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip(f"no data at {folder}; set LPCFG_SHARED")
    return folder


@pytest.fixture(scope="session")
def tiny_treebank(tmp_path_factory) -> Path:
    """A directory of two .mrg files with the trees of `TINY_TREES`."""
    folder = tmp_path_factory.mktemp("tiny")
    at = TINY_TREES.index("(S1 ")
    (folder / "a.mrg").write_text(TINY_TREES[:at], encoding="utf-8")
    (folder / "b.mrg").write_text(TINY_TREES[at:], encoding="utf-8")
    return folder
