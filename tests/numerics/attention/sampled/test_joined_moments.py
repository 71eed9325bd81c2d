from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numerics.attention.sampled.joined_moments import central_sums, joined


def exact_sums(values: list[float]) -> list[float]:
    x = [Fraction(v) for v in values]
    mean = sum(x) / len(x)
    return [float(s) for s in (len(x), mean, *(sum((v - mean) ** k for v in x) for k in (2, 3, 4)), max(x))]


blocks = st.lists(st.lists(st.floats(-100, 100), min_size=1, max_size=6), min_size=1, max_size=5)


@settings(deadline=None)
@given(blocks)
def test_any_cut_gives_the_sums_of_the_whole(parts):
    whole = [v for part in parts for v in part]
    expected = exact_sums(whole)
    assert np.allclose(joined([central_sums(part) for part in parts]), expected, rtol=1e-10, atol=1e-6)


def test_shapes_are_kept():
    x = np.random.default_rng(0).gamma(1.0, size=(2, 3, 50))
    known = central_sums(x)
    assert np.allclose(joined([central_sums(x[..., :20]), central_sums(x[..., 20:])]), known, rtol=1e-12)
    assert central_sums(x).shape == (2, 3, 6)


def test_a_small_spread_about_a_large_mean_survives():
    """Sums of powers about 0 would lose all digits: 1e8 to the fourth is 1e32."""
    x = 1e8 + np.arange(1000) % 7
    parts = [central_sums(part) for part in np.array_split(x, 13)]
    # the mean is rounded by 1e-8, which moves the third sum by 3e-8 times the second, about 4000
    assert np.allclose(joined(parts), exact_sums(x.tolist()), rtol=1e-9, atol=2e-4)


def test_one_block_is_itself_and_none_is_an_error():
    sums = central_sums([3.0, 5.0, 10.0])
    assert np.array_equal(joined([sums]), sums)
    with pytest.raises(ValueError, match="at least one"):
        joined([])
