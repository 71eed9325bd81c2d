"""Lengths from which a condition holds, and the laws that errors follow."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from numerics.attention.distance.approach import FAR, NEAR, Curve, OutOfReach, law_of, onsets, refined
from numerics.attention.examples import EXAMPLES
from numerics.attention.setting import AttentionSetting

TRIED = np.concatenate([NEAR, FAR])


@given(edge=st.floats(0, 99.5), steep=st.floats(0.01, 20))
def test_an_edge_is_found_from_above(edge, steep):
    at = 10**edge
    found = refined(
        lambda points: {n: -np.sign(L - at) * np.abs(np.log(L / at)) ** steep for n, L in points.items()},
        TRIED,
        {"c": -np.sign(TRIED - at) * np.abs(np.log(TRIED / at)) ** steep},
    )["c"]
    assert found >= at * (1 - 1e-12)
    assert found <= max(math.ceil(at), at * (1 + 1.01e-3))


def test_the_last_edge_counts():
    """An error that is small at 20 tokens, large at 25 and small again from 1000 on."""
    excess = lambda L: np.where((L < 10) | ((L > 22) & (L < 1000)), 1.0, -1.0)
    found = refined(lambda points: {n: excess(L) for n, L in points.items()}, TRIED, {"c": excess(TRIED)})
    assert found == {"c": 1000.0}


def test_always_and_never():
    same = lambda sign: refined(
        lambda points: {n: sign + 0 * L for n, L in points.items()}, TRIED, {"c": sign + 0 * TRIED}
    )["c"]
    assert (same(-1.0), same(1.0), same(math.nan)) == (1.0, math.inf, math.inf)


def test_no_law_no_size_no_onset():
    curve = Curve(EXAMPLES["isotropic"]())
    found = onsets(curve, 0.0, {"a tenth": (False, 0.1)}, None, far=False)
    assert np.isnan(list(found.values())).all()


def test_a_law_is_told_only_where_its_logarithms_are_known():
    one = np.eye(2)
    along, across = np.diag([1.0, 0.0]), np.diag([0.0, 1.0])
    assert str(law_of(AttentionSetting(one, along, one, query_cov=one))) == "(ln L)^0.5 / L^0.618"
    assert str(law_of(AttentionSetting(one, one, one, query_cov=one))) == "ln L / L^0.618"
    # nothing of the error along the top
    assert law_of(AttentionSetting(one, along, across, query_cov=one)) is None
    for u in (
        1 / np.sqrt(2),
        np.nextafter(np.sqrt(0.5), 0),
    ):  # lambda = 1/2 but for rounding, above and below
        half = np.diag([u, 0.1])
        assert str(law_of(AttentionSetting(one, half, one, query_cov=one))) == "(ln L)^1.5 / L"
        assert law_of(AttentionSetting(one, half, across, query_cov=one)) is None
    assert str(law_of(AttentionSetting(one, 0 * one, one, query_cov=one))) == "1/L"
    assert law_of(AttentionSetting(one, one, one, query_cov=one).with_law("ball")) is None


def test_what_the_engine_does_not_reach_is_told():
    with pytest.raises(OutOfReach):
        Curve(EXAMPLES["averaged"]().with_law("ball")).error(np.array([10.0]))


def test_the_slope_is_that_of_the_curve():
    setting = EXAMPLES["anisotropic"]()
    curve = Curve(setting)
    low, high = curve.error(np.array([900.0, 1100.0]))
    slope = math.log(high / low) / math.log(11 / 9)
    assert curve.slope(np.array([1000.0]))[0] == pytest.approx(
        slope, rel=1e-14
    )  # NumPy's log may round otherwise
    one, two = curve.error(np.array([1.0, 2.0]))
    assert curve.slope(np.array([1.0]))[0] == pytest.approx(math.log2(two / one))
    assert curve.slope(np.array([1e100]))[0] == pytest.approx(-1, abs=1e-9)
