"""Best windows at both ends: integrals in multiple precision, scale laws, limits, other engine."""

from functools import lru_cache

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ive

from numerics.attention.window.best_width import optimal_window
from numerics.attention.window.long_prompts import long_prompt_window
from numerics.attention.window.loss import window_loss
from theory.attention.window.classes import Spectrum, affine, cosine, linear, relu
from theory.attention.window.gegenbauer import scaled_bessel
from theory.attention.window.laws import expansion_without_window

repeatable = settings(derandomize=True, database=None, deadline=None, max_examples=30)


@lru_cache
def rule(nodes: int = 20) -> list[tuple[mp.mpf, mp.mpf]]:
    """Gauss-Legendre nodes, to thirty digits, for x'y for d = 3: uniform on [-1, 1]."""
    with mp.workdps(40):
        P = lambda t: mp.legendre(nodes, t)
        roots = [mp.findroot(P, x) for x in np.polynomial.legendre.leggauss(nodes)[0].tolist()]
        return [(t, 1 / ((1 - t * t) * mp.diff(P, t) ** 2)) for t in roots]


def two_tokens(w: mp.mpf, noise: float) -> mp.mpf:
    """The derivative of the loss of two tokens on the sphere in R^3 and linear tasks, b_1 = 1/3."""
    total = mp.mpf(0)
    for t, p in rule():
        for u, q in rule():
            one = 1 / (1 + mp.exp(2 * w * (u - t)))
            other, turn = 1 - one, 2 * (t - u) * one * (1 - one)
            signal = one - other + (other - one) * t * u - (t - u)
            total += p * q * 2 * turn * (signal / 3 + noise * (one - other))
    return total


@pytest.mark.parametrize("noise", [10.0, 1e3, 1e6, 1e12, 1e100])
def test_wide_windows_under_noise_against_multiple_precision(noise):
    best = optimal_window(linear(1), 3, 2, noise)
    with mp.workdps(130):
        low, high = (two_tokens(mp.mpf(w), noise) for w in best.interval)
        near = [two_tokens(mp.mpf(best.w) * (1 + s * mp.mpf(10) ** -9), noise) for s in (-1, 1)]
    assert best.exists
    assert low < 0 < high
    assert near[0] < 0 < near[1]


def test_the_case_that_was_called_no_window():
    best = optimal_window(affine(1), 3, 20, 1e4)
    assert best.w == pytest.approx(1.11103e-4, rel=1e-5)
    assert best.others == ()
    assert best.loss < float(window_loss(affine(1), 3, 20, 0.0, 1e4).loss)


@repeatable
@given(
    d=st.integers(2, 12),
    n=st.integers(2, 10**6),
    b=st.lists(st.floats(0, 1), max_size=3),
    linear_part=st.floats(1e-12, 1),
    noise=st.floats(-8, 12),
)
def test_a_linear_part_always_has_a_window(d, n, b, linear_part, noise):
    """R13.window, for spectra with as little of it as anybody may give."""
    best = optimal_window([0.3, linear_part, *b], d, n, 10**noise)
    assert best.exists
    assert 0.0 not in best.others


@pytest.mark.parametrize("tasks", [affine(1), relu(1)])
@pytest.mark.parametrize("n", [2, 1000])
def test_much_noise_makes_the_width_that_of_the_expansion(tasks, n):
    """``w* = n b_1/(2 sigma^2)`` to leading order: Lambda times the linear part."""
    b_1 = float(tasks.spectrum(5).b[1])
    for noise in (1e10, 1e30, 1e140):
        expected = pytest.approx(1, rel=1e-6 + 10 * n / noise)
        assert optimal_window(tasks, 5, n, noise).w * 2 * noise / (n * b_1) == expected


@pytest.mark.parametrize("noise", [1e-3, 40.0, 3e5])
def test_units_of_the_tasks_do_not_matter(noise):
    """Tasks times c and noise times c^2 have the same window; powers of two are exact."""
    known = optimal_window(linear(1), 3, 20, noise)
    for c in (2.0**-200, 2.0**-30, 2.0**200):
        scaled = optimal_window(linear(c), 3, 20, noise * c * c)
        assert scaled.w == pytest.approx(known.w, rel=2e-9)
        assert scaled.loss == pytest.approx(known.loss * c * c, rel=1e-12)


def test_without_a_linear_part_the_curvature_decides():
    """For b_2 alone, d = 3, n = 7 the curvature at 0 has the sign of sigma^2 - b_2."""
    above, tie, near, below = (
        optimal_window([0, 0, 1.0], 3, 7, noise) for noise in (1.01, 1.0, 1 - 1e-6, 0.99)
    )
    assert not above.exists
    assert not tie.exists
    assert 0 < near.w < 0.01 * 1.2 < 10 * below.w
    assert below.others == near.others == ()
    assert near.w < below.w


@pytest.mark.parametrize(("tasks", "d"), [(affine(1), 2), (affine(1), 3), (relu(1), 10)])
@pytest.mark.parametrize("whole", [1e-2, 1e-4, 1e-8, 1e-12])
def test_long_prompts_under_much_noise_have_a_window_by_both_engines(tasks, d, whole):
    """The limit in Bessel functions, and the loss of 2^50 tokens."""
    limit = long_prompt_window(tasks.spectrum(d), whole)
    assert optimal_window(tasks, d, 2**50, 2**50 / whole).w == pytest.approx(limit, rel=1e-9)


def test_long_prompts_without_a_linear_part_have_none_under_much_noise():
    assert long_prompt_window(cosine(10).spectrum(5), 1e-6) == 0
    with pytest.raises(ValueError, match="leaves the range of floats in dimension 2000"):
        long_prompt_window(Spectrum(2000, np.array([0.0, 1.0])), 1.0)


def test_narrow_windows_on_the_circle_follow_the_spacing_of_the_tokens():
    """Without noise the best width tends to a multiple of n^2, the loss to one of n^-2."""
    found = {n: optimal_window(affine(1), 2, n, 0.0) for n in (10**3, 10**7)}
    few, many = ((best.w / n**2, best.loss * n**2) for n, best in found.items())
    assert found[10**7].w > 9e11
    np.testing.assert_allclose(few, many, rtol=1e-2)


def test_no_window_is_so_narrow_that_it_loses_nothing():
    n, w = 10**5, np.array([1e8, 3e8, 1e9])
    found = window_loss(affine(1), 2, n, w)
    assert (found.loss > 2e-10).all()
    assert (np.diff(found.loss) > 0).all()


def test_scaled_bessel_functions_go_on_where_those_of_scipy_end():
    for order in (0.0, 0.5, 4.5, 400.5, 4999.0):
        assert float(scaled_bessel(order, 1.03e9)) == pytest.approx(float(ive(order, 1.03e9)), rel=1e-12)
    assert float(scaled_bessel(2.0, 1e20)) == pytest.approx((2 * np.pi * 1e20) ** -0.5, rel=1e-15)
    assert np.isfinite(scaled_bessel(np.arange(3.0)[:, None], np.geomspace(1e-3, 1e300, 50))).all()


@repeatable
@given(
    d=st.integers(2, 9),
    n=st.integers(2, 1000),
    b=st.lists(st.floats(0, 1), min_size=3, max_size=5),
    noise=st.floats(0, 3),
)
def test_the_expansion_is_that_of_the_loss(d, n, b, noise):
    b = [*b, 1e-9]
    slope, curvature = expansion_without_window(Spectrum(d, np.array(b)), n, noise)
    h, unit = 1e-4, sum(b) + noise
    zero, one, two = window_loss(b, d, n, [0.0, h, 2 * h], noise).derivative
    assert abs(zero - slope) < 1e-8 * unit
    assert abs((4 * one - two - 3 * zero) / (2 * h) - 2 * curvature) < 1e-5 * unit


def test_minima_that_lose_the_same_are_told():
    """At the noise at which a far window and none lose the same, nobody can say which is best."""
    low, high = 0.1, 1.0
    for _ in range(42):
        noise = (low + high) / 2
        low, high = (noise, high) if optimal_window(cosine(10), 5, 500, noise).exists else (low, noise)
    tied = optimal_window(cosine(10), 5, 500, low)
    assert tied.undecided == tied.others == (0.0,)
    assert optimal_window(cosine(10), 5, 500, 1e-4).undecided == ()
