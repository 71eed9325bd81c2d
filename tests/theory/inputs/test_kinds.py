"""Arguments of another kind are refused by name, and what is of the kind passes."""

import numpy as np
import pytest

from theory.inputs.kinds import check_kind, read_items


def test_booleans_of_numpy_are_booleans_and_numbers_are_none():
    check_kind(bool, a=True, b=np.bool_(False), c=np.array(True))
    for value in (1, 0.0, "True", None, np.array([True, False]), np.array([])):
        with pytest.raises(TypeError, match=r"flag = .* is not True or False; pass True or False"):
            check_kind(bool, flag=value)


@pytest.mark.parametrize("value", ["MN", b"MN", 1, None, np.array(1.0)], ids=repr)
def test_a_text_is_no_list(value):
    with pytest.raises(TypeError, match=r"names = .* is not a list"):
        read_items(str, names=value)


def test_items_of_another_kind_are_named():
    assert read_items(str, names=(x for x in "ab")) == ("a", "b")
    with pytest.raises(TypeError, match=r"names\[1\] = 2 is not a text"):
        read_items(str, names=["a", 2])


def test_several_kinds_and_long_values():
    check_kind((int, str), n=1)
    with pytest.raises(TypeError, match=r"n = \[0, 0.{0,200} is not int or str"):
        check_kind((int, str), n=[0] * 1000)
