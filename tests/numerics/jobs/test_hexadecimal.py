"""Hexadecimal floats in JSON."""

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from numerics.jobs.hexadecimal import as_hex, from_hex


@given(arrays(float, (2, 3), elements=st.floats(allow_nan=False, allow_infinity=False)))
def test_hexadecimal_floats_lose_no_bit(array):
    back = from_hex(json.loads(json.dumps(as_hex(array))))
    assert back.dtype == float
    assert np.array_equal(back, array)


def test_there_is_one_zero():
    assert as_hex([-0.0, 1]) == as_hex([0, 1.0])
