"""Grids of lengths. What arrays and folders do wrong is tried through the command `rates`."""

from __future__ import annotations

import pytest

from numerics.terminal.inputs import InputError, length_grid


def test_a_logarithmic_grid() -> None:
    assert length_grid("10:1000:3") == [10, 100, 1000]
    assert length_grid("1:4:10") == [1, 2, 3, 4]
    assert length_grid("5,3") == [5, 3]


def test_an_error_names_what_was_read() -> None:
    with pytest.raises(InputError, match="my lengths ten is neither"):
        length_grid("ten", "my lengths")
