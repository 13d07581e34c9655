"""What is kept and what goes."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lpcfg_cli.arrays.recent import Recent


@given(st.integers(1, 4), st.lists(st.integers(0, 6), max_size=60))
def test_the_keys_asked_for_last_are_kept(limit, keys):
    recent, made = Recent(limit), []
    for n, key in enumerate(keys):
        lately = list(dict.fromkeys(reversed(keys[:n])))[:limit]
        before = len(made)
        assert recent.get(key, lambda key=key: made.append(key) or key * 10) == key * 10
        assert (len(made) == before) == (key in lately)
        assert len(recent) == min(limit, len(set(keys[: n + 1])))


def test_what_cannot_be_made_leaves_nothing():
    recent = Recent(2)
    with pytest.raises(ZeroDivisionError):
        recent.get("a", lambda: 1 // 0)
    assert len(recent) == 0
    assert recent.get("a", lambda: 1) == 1


def test_it_can_be_pickled():
    recent = Recent(2)
    recent.get("a", lambda: 1)
    assert pickle.loads(pickle.dumps(recent)).get("a", lambda: 2) == 1
