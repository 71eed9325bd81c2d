"""Grids of lengths. What arrays and folders do wrong is tried through the command `rates`."""

import pytest

from numerics.terminal.inputs import InputError, length_grid


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("10:1000:3", [10, 100, 1000]),
        ("1:4:10", [1, 2, 3, 4]),
        ("5,3", [5, 3]),
        ("10:1e9:5", [10, 1000, 10**5, 10**7, 10**9]),
        ("1e23, 2.5e1", [10**23, 25]),
        ("1:1e100:2", [1, 10**100]),
    ],
)
def test_lists_and_logarithmic_grids_of_whole_numbers(text, meant):
    assert length_grid(text) == meant


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1.5", "1.5 is not a whole number from 1 to 1e100"),
        ("10:1e-3:5", "1e-3 is not a whole number"),
        ("10:1e101:5", "1e101 is not a whole number from 1 to 1e100"),
        ("1e999999999", "1e999999999 is not a whole number from 1 to 1e100"),
        ("inf", "inf is not a whole number"),
        ("nan,3", "nan is not a whole number"),
        ("10:100", "neither a list like 10,30,100 nor a grid like 10:10000:9"),
        ("10:100:1", "2 <= COUNT <= 10000"),
        ("10:100:1e6", "2 <= COUNT <= 10000"),
        ("100:0.1e2:3", "1 <= FIRST < LAST"),
        ("10,,30", "neither a list"),
    ],
)
def test_what_is_no_length_is_named(text, says):
    with pytest.raises(InputError) as error:
        length_grid(text)
    assert says in str(error.value)


def test_an_error_names_what_was_read():
    with pytest.raises(InputError, match="my lengths ten is neither"):
        length_grid("ten", "my lengths")
