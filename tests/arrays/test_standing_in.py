"""Values of other packages that are replaced for a while."""

from __future__ import annotations

import sys

import pytest

from lpcfg_cli.arrays.standing_in import standing_for, standing_in


def test_an_attribute_has_its_value_again_or_is_gone_again():
    class Owner:
        one = 1
        none = None

    with standing_in(Owner, "one", 2), standing_in(Owner, "two", None), standing_in(Owner, "none", 3):
        assert (Owner.one, Owner.two, Owner.none) == (2, None, 3)
    assert (Owner.one, Owner.none) == (1, None)
    assert not hasattr(Owner, "two")


def test_a_module_that_is_not_imported_is_empty_for_a_while():
    name = "a_module_that_nobody_has"
    with pytest.raises(ZeroDivisionError), standing_for(name):
        assert not hasattr(sys.modules[name], "anything")
        raise ZeroDivisionError
    assert name not in sys.modules


def test_a_module_that_is_imported_stays():
    with standing_for("pytest"):
        assert sys.modules["pytest"] is pytest
    assert sys.modules["pytest"] is pytest
