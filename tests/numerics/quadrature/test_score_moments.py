"""Moments of the spread of the scores: a table in multiple precision, two tokens by another
integral, and the two routes.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from numerics.quadrature import gaussian_transforms, score_moments
from numerics.quadrature.score_moments import LARGEST_SCORE_VARIANCE, ScoreMoments, _by_definition
from numerics.quadrature.score_moments import score_moments as moments
from numerics.quadrature.softmax_weights import softmax_moments

TABLE = json.loads((Path(__file__).parents[1] / "data" / "spread_moments.json").read_text())
VARIANCES = sorted({r["s"] for r in TABLE}, key=float)


def worst_error(low: float, high: float) -> float:
    """Largest relative error against the 20-digit table, over low <= s <= high."""
    worst = 0.0
    for name in (v for v in VARIANCES if low <= float(v) <= high):
        rows = [r for r in TABLE if r["s"] == name]
        spread = moments(float(name), np.array([float(r["L"]) for r in rows])).spread
        for key in ("D2", "Sc", "D_pi2"):
            exact = np.array([float(r[key]) for r in rows])
            worst = max(worst, float(np.max(np.abs(getattr(spread, key) - exact) / np.where(exact == 0, 1, np.abs(exact)))))
    return worst


@pytest.mark.parametrize(("low", "high", "tolerance"), [(0, 1, 2e-12), (4, 36, 2e-11), (64, 64, 1e-10)])
def test_against_mpmath(low: float, high: float, tolerance: float) -> None:
    assert worst_error(low, high) < tolerance


def test_the_table_notices_a_coarse_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gaussian_transforms, "STEP", 0.5)
    assert worst_error(1, 36) > 1e-8


def test_the_table_notices_cancellation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_moments, "DEFINITION_P2", 2.0)
    assert worst_error(36, 36) > 1e-10


def two_tokens(s: float) -> tuple[float, float, float]:
    """E D^2, E Sc, E[D pi_2] for L = 2: all are functions of the difference of the scores, x ~ N(0,
    2s).
    """
    g = np.linspace(-13, 13, 2_000_001)
    density = np.exp(-(g**2) / 2) / math.sqrt(2 * math.pi) * 1.3e-5
    pq = 1 / (2 * np.cosh(np.minimum(np.abs(math.sqrt(s / 2) * g), 350))) ** 2
    gap2 = 2 * g**2
    D = pq * gap2 - 1
    return float(density @ D**2), float(density @ (2 * pq**2 * gap2)), float(density @ (D * (1 - 2 * pq)))


@pytest.mark.parametrize("s", [1e-9, 0.2, 3.0, 36.0, 1024.0, 4096.0])
def test_two_tokens_by_another_integral(s: float) -> None:
    assert np.array(moments(s, np.array([2.0])).spread[:3])[:, 0] == pytest.approx(
        np.array(two_tokens(s)), rel=2e-11 if s < 1000 else 1e-8
    )


@pytest.mark.parametrize("s", [3.0, 16.0, 64.0])
def test_the_polynomials_and_the_definition_agree_where_they_meet(s: float, monkeypatch: pytest.MonkeyPatch) -> None:
    L = np.floor(np.logspace(0.5, 30, 120))
    P2 = moments(s, L).P2
    near = L[(P2 > 3e-3) & (P2 < 3e-2)]
    assert near.size
    by_definition = _by_definition(s, near, moments(s, near).P2)
    monkeypatch.setattr(score_moments, "DEFINITION_P2", 2.0)
    assert np.array(moments(s, near).spread[:2]) == pytest.approx(np.array(by_definition[:2]), rel=1e-9)


@pytest.mark.parametrize("s", [1e-12, 0.3, 7.0, 300.0, 4000.0])
def test_the_second_order_is_that_of_the_other_function(s: float) -> None:
    L = np.array([1, 2, 30, 1e6, 1e100])
    ours, theirs = moments(s, L), softmax_moments(s, L)
    assert pytest.approx(theirs.P2, rel=1e-12) == ours.P2
    assert pytest.approx(theirs.P3, rel=1e-12) == ours.P3
    assert pytest.approx(theirs.Q, rel=1e-12) == ours.spread.Q


def test_continuous_at_no_variance() -> None:
    L = np.array([1.0, 2.0, 100.0, 1e100])
    flat: ScoreMoments = moments(0.0, L)
    assert pytest.approx((2 * L - 1) / L**2) == flat.spread.D2  # the variance of a sample of L
    for s in (5e-324, 1e-20, 1e-12):
        assert np.array(moments(s, L).spread) == pytest.approx(np.array(flat.spread), rel=1e-10)


def test_long_prompts() -> None:
    """L E D^2 -> e^s (2 + 4s + s^2) and L E Sc -> e^s (1 + s), the means of w^2 (g^2 - 1)^2 and w^2
    g^2 over their tilt.
    """
    for s in (1e-6, 0.5, 4.0, 16.0):
        spread = moments(s, np.array([1e100])).spread
        assert spread.D2[0] * 1e100 == pytest.approx(math.exp(s) * (2 + 4 * s + s * s), rel=1e-11)
        assert spread.Sc[0] * 1e100 == pytest.approx(math.exp(s) * (1 + s), rel=1e-11)


def test_outside_its_range_it_refuses() -> None:
    for s in (-1.0, LARGEST_SCORE_VARIANCE + 1, math.inf, math.nan):
        with pytest.raises(ValueError, match="beyond the quadrature"):
            moments(s, np.array([2.0]))
    for L in (0.0, 1.5, 1e101, math.nan):
        with pytest.raises(ValueError, match="at least one token"):
            moments(1.0, np.array([L]))
