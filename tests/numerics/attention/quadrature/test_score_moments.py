"""Moments of the spread of scores: a table in many digits, two tokens, two routes, NumPy."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from numerics.attention.quadrature.gaussian_transforms import laplace_transforms
from numerics.attention.quadrature.moments_kernel import Steps, means_of_products
from numerics.attention.quadrature.score_moments import (
    COARSE,
    DEFINITION,
    FINE,
    LARGEST_SCORE_VARIANCE,
    MEDIUM,
    POWER_SUMS,
    Fineness,
    ScoreMoments,
    spread_by_definition,
)
from numerics.attention.quadrature.score_moments import score_moments as moments
from numerics.attention.quadrature.softmax_weights import mean_products, softmax_moments
from theory.attention.softmax_covariance import GRAD_U_MOMENTS, spread_moments

TABLE = json.loads((Path(__file__).parents[2] / "data" / "spread_moments.json").read_text())
VARIANCES = sorted({r["s"] for r in TABLE}, key=float)
off = lambda found, exact: float(np.max(np.abs(found - exact) / np.where(exact == 0, 1, np.abs(exact))))


def worst_error(low: float, high: float, fineness: Fineness = FINE) -> float:
    """Largest relative error against the 20-digit table, over low <= s <= high."""
    worst = 0.0
    for name in (v for v in VARIANCES if low <= float(v) <= high):
        rows = [r for r in TABLE if r["s"] == name]
        spread = moments(float(name), np.array([float(r["L"]) for r in rows]), fineness).spread
        for key in ("D2", "Sc", "D_pi2"):
            worst = max(worst, off(getattr(spread, key), np.array([float(r[key]) for r in rows])))
    return worst


@pytest.mark.parametrize(("low", "high", "tolerance"), [(0, 1, 2e-12), (4, 36, 2e-11), (64, 64, 1e-10)])
def test_against_mpmath(low, high, tolerance):
    assert worst_error(low, high) < tolerance


def test_the_table_notices_a_coarse_step_and_cancellation():
    assert worst_error(1, 36, FINE._replace(step=0.5)) > 1e-8
    assert worst_error(36, 36, FINE._replace(definition_P2=2.0)) > 1e-10


numpy_means = lambda s, L, keys: mean_products(laplace_transforms(s, math.log(L.max()), keys), L, keys)


def numpy_moments(s: float, L: np.ndarray) -> np.ndarray:
    found = numpy_means(s, L, POWER_SUMS)
    m = {
        powers: np.where(L == 1, 1.0, np.minimum(found[key], 1.0))
        for powers, key in zip(GRAD_U_MOMENTS, POWER_SUMS)
    }
    spread = np.array(spread_moments(s, m))
    heavy = (L > 1) & (m[2,] > 0.01)
    if s > 2 and heavy.any():
        spread[:3, heavy] = spread_by_definition(numpy_means(s, L[heavy], DEFINITION), m[2,][heavy])
    return np.array([m[2,], m[3,], *spread])


rows = lambda m: np.array([m.P2, m.P3, *m.spread])


def random_cases(n: int, largest: float, longest: float) -> list[tuple[float, np.ndarray]]:
    """Variances down to 1e-12, and for each five lengths of all sizes."""
    rng = np.random.default_rng(17)
    variances = np.append(
        np.exp(rng.uniform(math.log(1e-12), math.log(largest), n // 2)), rng.uniform(0, largest, n // 2)
    )
    return [
        (float(s), np.append(1.0, np.floor(np.exp(rng.uniform(0, math.log(longest), 5))))) for s in variances
    ]


@pytest.mark.parametrize(("largest", "longest"), [(300.0, 1e6), (4096.0, 1e100)])
def test_compiled_sums_against_those_of_numpy(largest, longest):
    """1e-12 where no term cancels; of the others polynomials magnify the rounding."""
    for s, L in random_cases(60, largest, longest):
        ours, theirs = rows(moments(s, L)), numpy_moments(s, L)
        assert ours[[0, 1, 5, 6]] == pytest.approx(theirs[[0, 1, 5, 6]], rel=1e-12, abs=0)
        assert off(ours, theirs) < (1e-10 if s <= 64 else 1e-8 if s <= 1000 else 1e-6), s


def test_products_of_moments_of_the_scores_against_those_of_numpy():
    for s, L in random_cases(30, 4096.0, 1e100):
        compiled = means_of_products(np.array([s]), L, DEFINITION, Steps(FINE.step, FINE.cut))[0]
        plain = np.array(list(numpy_means(s, L, DEFINITION).values()))
        assert np.abs(compiled - plain).max() < 1e-12 * (1 + np.abs(plain).max())


@pytest.mark.parametrize("fineness", [MEDIUM, COARSE])
def test_less_fine_moments_keep_their_accuracy(fineness):
    """A third of what error estimates of averages allow, at random places and on a grid."""
    grid = np.append(1e-12, np.geomspace(1e-6, fineness.largest_variance, 40))
    cases = random_cases(200, fineness.largest_variance, fineness.longest)
    lengths = ([1, 2, 3, 10, 100, 1e3, 1e4], [1, 7, 1e6, 1e12], [5, 1e30], [1e15, 3e20, 1e23, 1e26])
    cases += [(float(s), np.array(L)) for s in grid for L in lengths]
    worst = max(off(rows(moments(s, L, fineness)), rows(moments(s, L))) for s, L in cases)
    assert worst < fineness.accuracy / 3


def test_a_coarser_step_is_seen():
    s, L = np.geomspace(1e-3, 64, 20), np.array([2.0, 1e10])
    exact, found = rows(moments(s, L)), rows(moments(s, L, COARSE._replace(step=0.4)))
    assert np.abs(found / exact - 1).max() > COARSE.accuracy


def test_variances_and_lengths_do_not_disturb_each_other():
    s, L = np.array([9.0, 0.0, 0.02, 1.0, 3000.0]), np.array([2.0, 1e3, 1e100])
    together = rows(moments(s, L))
    for i, one in enumerate(s):
        assert rows(moments(float(one), L)) == pytest.approx(together[:, i], rel=1e-11, abs=0)
        for j in range(L.size):
            expected = together[[0, 1, 6], i, j]
            assert rows(moments(float(one), L[j : j + 1]))[[0, 1, 6], 0] == pytest.approx(expected, rel=1e-12)


def test_beyond_its_range_less_fine_moments_are_fine():
    for s, L in ((COARSE.largest_variance * 1.01, 7.0), (3.0, COARSE.longest * 10)):
        assert np.array_equal(rows(moments(s, np.array([L]), COARSE)), rows(moments(s, np.array([L]))))


def two_tokens(s: float) -> tuple[float, float, float]:
    """E D^2, E Sc, E[D pi_2] for L = 2, by the difference of scores x ~ N(0, 2s)."""
    g = np.linspace(-13, 13, 2_000_001)
    density = np.exp(-(g**2) / 2) / math.sqrt(2 * math.pi) * 1.3e-5
    pq = 1 / (2 * np.cosh(np.minimum(np.abs(math.sqrt(s / 2) * g), 350))) ** 2
    gap2 = 2 * g**2
    D = pq * gap2 - 1
    return float(density @ D**2), float(density @ (2 * pq**2 * gap2)), float(density @ (D * (1 - 2 * pq)))


@pytest.mark.parametrize("s", [1e-9, 0.2, 3.0, 36.0, 1024.0, 4096.0])
def test_two_tokens_by_another_integral(s):
    known = pytest.approx(np.array(two_tokens(s)), rel=2e-11 if s < 1000 else 1e-8)
    assert np.array(moments(s, np.array([2.0])).spread[:3])[:, 0] == known


@pytest.mark.parametrize("s", [3.0, 16.0, 64.0])
def test_the_polynomials_and_the_definition_agree_where_they_meet(s):
    L = np.floor(np.logspace(0.5, 30, 120))
    P2 = moments(s, L).P2
    near = L[(P2 > 3e-3) & (P2 < 3e-2)]
    assert near.size
    one, other = (moments(s, near, FINE._replace(definition_P2=P2)).spread for P2 in (0.0, 2.0))
    assert np.array(one[:2]) == pytest.approx(np.array(other[:2]), rel=1e-9)


@pytest.mark.parametrize("s", [1e-12, 0.3, 7.0, 300.0, 4000.0])
def test_the_second_order_is_that_of_the_other_function(s):
    L = np.array([1, 2, 30, 1e6, 1e100])
    ours, theirs = moments(s, L), softmax_moments(s, L)
    assert pytest.approx(theirs.P2, rel=1e-12) == ours.P2
    assert pytest.approx(theirs.P3, rel=1e-12) == ours.P3
    assert pytest.approx(theirs.Q, rel=1e-12) == ours.spread.Q


def test_continuous_at_no_variance():
    L = np.array([1.0, 2.0, 100.0, 1e100])
    flat: ScoreMoments = moments(0.0, L)
    assert pytest.approx((2 * L - 1) / L**2) == flat.spread.D2  # the variance of a sample of L
    for s in (5e-324, 1e-20, 1e-12):
        assert np.array(moments(s, L).spread) == pytest.approx(np.array(flat.spread), rel=1e-10)


def test_long_prompts():
    """L E D^2 -> e^s (2 + 4s + s^2), L E Sc -> e^s (1 + s): means over the tilt."""
    for s in (1e-6, 0.5, 4.0, 16.0):
        spread = moments(s, np.array([1e100])).spread
        assert spread.D2[0] * 1e100 == pytest.approx(math.exp(s) * (2 + 4 * s + s * s), rel=1e-11)
        assert spread.Sc[0] * 1e100 == pytest.approx(math.exp(s) * (1 + s), rel=1e-11)


def test_outside_its_range_it_refuses():
    for s in (-1.0, LARGEST_SCORE_VARIANCE + 1, math.inf, math.nan):
        with pytest.raises(ValueError, match="beyond the quadrature"):
            moments(s, np.array([2.0]))
    for L in (0.0, 1.5, 1e101, math.nan):
        with pytest.raises(ValueError, match="at least one token"):
            moments(1.0, np.array([L]))
