"""A short run of `fuzz_targets`; ``make fuzz`` is the long one.  What that finds is kept here."""

from __future__ import annotations

import pytest
from fuzz_targets import TEXT_TARGETS, artefact_targets
from hypothesis import given, settings
from hypothesis import strategies as st

randoms = st.randoms(use_true_random=False)


@pytest.mark.parametrize("name", TEXT_TARGETS)
def test_any_text_is_read_or_refused(name):
    @settings(max_examples=300)
    @given(randoms)
    def run(random):
        TEXT_TARGETS[name](random)

    run()


@pytest.fixture(scope="module")
def artefacts(tmp_path_factory):
    return artefact_targets(tmp_path_factory.mktemp("fuzz"))


@pytest.mark.parametrize("name", ["bytes", "arrays", "binarized"])
def test_any_artefact_is_read_or_refused(artefacts, name):
    @settings(max_examples=100)
    @given(randoms)
    def run(random):
        artefacts[name](random)

    run()
