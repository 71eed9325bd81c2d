"""Whole numbers: every kind that is one is read, every other is refused by its name."""

import numpy as np
import pytest

from tests.refusing import refusals
from theory.inputs.whole_numbers import read_whole


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3)])
def test_a_whole_number_becomes_an_int(value):
    found = read_whole("n", value, "advice", most=2**63)
    assert (found, type(found)) == (3, int)


OTHERS = (True, np.True_, 3.0, 1e6, "3", None, 3 + 0j, [3], np.array([3]), float("nan"))
test_what_is_no_whole_number_is_a_type_error = refusals(
    *(
        (lambda value=value: read_whole("n", value, "advice"), "is no whole number; advice")
        for value in OTHERS
    ),
    error=TypeError,
)


@pytest.mark.parametrize("value", [0, -1, 11, 10**21, -(10**5000), 10**5000, np.int64(-5)], ids=range(7))
def test_out_of_range_is_told_however_many_digits(value):
    """Python itself refuses to print integers of more than 4300 digits."""
    with pytest.raises(ValueError, match=r"outside 1 ... 10; advice") as told:
        read_whole("n", value, "advice", most=10)
    assert len(str(told.value)) < 100
