import json
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numerics.attention.quadrature import gaussian_transforms
from numerics.attention.quadrature.softmax_weights import softmax_moments

TABLE = json.loads((Path(__file__).parents[2] / "data" / "softmax_moments.json").read_text())


def worst_error(low: float, high: float) -> float:
    """Relative, of the three moments against the 20-digit table, over low <= s <= high."""
    rows = [r for r in TABLE if low <= float(r["s"]) <= high]
    assert rows
    m = softmax_moments([float(r["s"]) for r in rows], [float(r["L"]) for r in rows])
    exact = np.array([[float(r[name]) for r in rows] for name in ("P2", "P3", "Q")])
    return float(np.max(np.abs(np.stack(m) / exact - 1)))


def two_tokens(s: float) -> tuple[float, float, float]:
    """P2, P3, Q for L = 2: p(1 − p) = sech²(x/2)/4, x ~ N(0, 2s)."""
    end = min(40.0, 14 * math.sqrt(2 * s))  # beyond 40 the integrand is below 1e-17
    x = np.arange(-100_000, 100_001) * (end / 100_000)
    density = np.exp(-(x**2) / (4 * s)) / math.sqrt(4 * math.pi * s) * (end / 100_000)
    c = 1 / np.cosh(x / 2) ** 2 / 4
    e1, e2 = float(density @ c), float(density @ c**2)
    return 1 - 2 * e1, 1 - 3 * e1, 1 - 4 * e1 + 4 * e2


@pytest.mark.parametrize(("low", "high", "tolerance"), [(0, 64, 2e-13), (64, 1000, 5e-13)])
def test_against_mpmath(low, high, tolerance):
    assert worst_error(low, high) < tolerance


@pytest.mark.parametrize(("name", "wrong"), [("STEP", 0.6), ("CUT", 12.0)])
def test_the_table_notices_a_coarse_step_and_a_short_range(name, wrong, monkeypatch):
    monkeypatch.setattr(gaussian_transforms, name, wrong)
    assert worst_error(0.5, 64) > 1e-10


@pytest.mark.parametrize("s", [1e-12, 1e-4, 0.2, 0.3, 1.0, 7.0, 50.0, 300.0, 5e3, 1e6])
def test_two_tokens_by_another_integral(s):
    assert np.allclose(softmax_moments(s, 2), two_tokens(s), rtol=1e-12, atol=0)


@pytest.mark.parametrize("L", [2, 3, 17, 10**4, 10**9])
@pytest.mark.parametrize("s", [1e-3, 0.2, 1.0, 6.0, 40.0, 500.0, 1e4])
def test_heat_equation(s, L):
    h = s * 2e-3
    p = softmax_moments(s + h * np.array([-2, -1, 1, 2]), L).P2
    slope = (8 * (p[2] - p[1]) - (p[3] - p[0])) / (12 * h)
    m = softmax_moments(s, L)
    # truncation of the difference quotient; its rounding and that of the right-hand side, which
    # cancels for small and large s
    assert slope == pytest.approx(m.P2 - 4 * m.P3 + 3 * m.Q, rel=1e-8, abs=1e-13 * m.P2 * (1 + 1 / h))


@settings(deadline=None, max_examples=100)
@given(s=st.floats(0, 1e5), exponent=st.floats(0, 100))
def test_order_of_the_moments_and_theorem_a(s, exponent):
    L = math.floor(10**exponent) if exponent < 15 else 10.0 ** min(exponent, 99.9) // 1
    P2, P3, Q = softmax_moments(s, L)
    chain = [P2**2, Q, P3, P2, 1]
    rounding = 1 + 1e-12
    assert all(a <= b * rounding for a, b in pairwise(chain)), chain
    assert P2 * rounding >= 1 / L
    assert P2 * (1 + (L - 1) * math.exp(-s)) <= rounding


def test_monotone():
    s, L = np.concatenate([[0], np.logspace(-6, 6, 49)]), np.floor(np.logspace(0, 100, 41))
    for m in softmax_moments(s[:, None], L):
        assert np.all(np.diff(m[:, 1:], axis=0) > 0)
        assert np.all(np.diff(m, axis=1) < 0)


@pytest.mark.parametrize("s", [1e-8, 0.1, 1.0, 9.0])
def test_long_prompts_at_fixed_variance(s):
    L = 1e60  # corrections are of the order e^{4s}/L
    m = softmax_moments(s, L)
    known = [math.exp(s), math.exp(3 * s), math.exp(2 * s)]
    assert np.allclose([m.P2 * L, m.P3 * L * L, m.Q * L * L], known, rtol=1e-12, atol=0)


def test_large_variance_at_two_tokens():
    # 1 − P2 = E sech²(x/2)/2 -> 1/√(π s), since x ~ N(0, 2s) has the density 1/√(4π s) at 0 and ∫
    # sech²(x/2) dx = 4
    for s in (1e4, 1e8, 1e12):
        wanted = pytest.approx(1, abs=1 / s + 1e-15 * math.sqrt(math.pi * s))
        assert (1 - softmax_moments(s, 2).P2) * math.sqrt(math.pi * s) == wanted


@pytest.mark.parametrize("s", [5e-324, 1e-300, 1e300, 1.7e308])
def test_ends_of_the_floats(s):
    expected = 1 / np.array([1, 2, 1e100]) if s < 1 else 1
    assert np.allclose(softmax_moments(s, [1, 2, 1e100]).P2, expected, rtol=1e-13, atol=0)


def test_one_token_and_no_variance_are_exact():
    assert softmax_moments([0.0, 0.3, 50.0, 1e9], 1).P2.tolist() == [1.0] * 4
    assert softmax_moments(0, [1, 3, 10]).Q.tolist() == [1, 1 / 9, 1 / 100]


def test_lengths_do_not_disturb_each_other():
    L = np.array([1, 2, 50, 1e4, 1e30, 1e100])
    for s in (0.01, 3.0, 80.0):
        together = np.stack(softmax_moments(s, L))
        alone = np.stack([softmax_moments(s, l) for l in L], axis=1)
        assert np.allclose(together, alone, rtol=1e-12, atol=0)


def test_broadcasting():
    m = softmax_moments(np.array([[0.5], [1.0]]), [1, 2, 3])
    assert m.P3.shape == (2, 3)
    assert m.P3[1, 2] == pytest.approx(softmax_moments(1.0, 3).P3, rel=1e-14)
    assert isinstance(softmax_moments(1, 10**40).P2, float)
    assert softmax_moments([1.0], 3).Q.shape == (1,)
    assert softmax_moments(np.empty((0, 2)), 3).Q.shape == (0, 2)


@pytest.mark.parametrize(
    ("s", "L", "error", "says"),
    [
        *((s, 3, ValueError, "variance of a score") for s in (-1e-9, math.inf, math.nan, [1.0, -2.0])),
        *(
            (1.0, L, ValueError, "prompt length")
            for L in (0, -1, 2.5, math.inf, math.nan, 1.01e100, [3, 0.5])
        ),
        *((s, 3, TypeError, "s must be") for s in ("3", 1j, None, [1j], True, ["a"])),
        (1.0, 10**400, ValueError, "range of floats"),
        ([1.0, 2.0], [1, 2, 3], ValueError, "do not broadcast"),
    ],
    ids=str,
)
def test_bad_input(s, L, error, says):
    with pytest.raises(error, match=says):
        softmax_moments(s, L)
