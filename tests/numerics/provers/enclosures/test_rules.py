"""Enclosures of functions that mpmath evaluates by other formulas: every value lies inside, and
where the function is undefined the enclosure says so.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp
from flint import arb, fmpq

from numerics import Closed, Integers, forall
from numerics.provers.enclosures.balls import precision
from numerics.provers.enclosures.boxes import Side
from numerics.provers.enclosures.enclose import Program
from numerics.provers.enclosures.rules import Sinc, SincSlope
from numerics.provers.enclosures.where_defined import conditions
from numerics.provers.statements.floating_point import values_of

x, y = sp.symbols("x y", real=True)
R = sp.Rational


def _sinc(t: Any) -> Any:
    return mpmath.sinc(t)


def _slope(t: Any) -> Any:
    with mpmath.workdps(mpmath.mp.dps + 60):
        return mpmath.mpf(0) if t == 0 else (mpmath.cos(t) - mpmath.sinc(t)) / t


def _inverse(t: Any) -> Any:
    return mpmath.erfinv(t) if abs(t) < 1 else mpmath.nan


def _inverse_complement(t: Any) -> Any:
    return mpmath.erfinv(1 - t) if 0 < t < 2 else mpmath.nan


def _number(end: arb) -> Any:
    return (
        mpmath.mpf(end.str(40, radius=False))
        if end.is_finite()
        else mpmath.sign(int(end > 0) - 0.5) * mpmath.inf
    )


#: A function, its values, and its range in which boxes are drawn.
FUNCTIONS: dict[str, tuple[sp.Expr, Callable[[Any], Any], tuple[int, int]]] = {
    "sinc": (sp.sinc(x), _sinc, (-12, 12)),
    "Sinc": (Sinc(x), _sinc, (-6, 6)),
    "SincSlope": (SincSlope(x), _slope, (-6, 6)),
    "erfinv": (sp.erfinv(x), _inverse, (-1, 1)),
    "erfinv beyond": (sp.erfinv(x), _inverse, (-2, 2)),
    "erfcinv": (sp.erfcinv(x), _inverse_complement, (0, 2)),
    "erfcinv beyond": (sp.erfcinv(x), _inverse_complement, (-1, 3)),
    "binomial": (sp.binomial(x, R(10, 3)), lambda t: mpmath.binomial(t, mpmath.mpf(10) / 3), (3, 9)),
    "binomial below": (sp.binomial(9, x), lambda t: mpmath.binomial(9, t), (0, 9)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_lie_in_their_enclosures(name: str) -> None:
    e, value, (low, high) = FUNCTIONS[name]
    rng = random.Random(name)
    program = Program([x])
    index = program.add(e)
    defined, widths = 0, []
    with precision(64), mpmath.workdps(40):
        for _ in range(150):
            ends = [R(rng.randint(low * 64, high * 64), 64) for _ in range(2)]
            ends = [ends[0], ends[0] + R(1, 10**9)] if rng.random() < 0.2 else sorted(ends)
            lo, hi = (fmpq(int(q.p), int(q.q)) for q in ends)
            side = Side(lo, hi, lo < hi and rng.random() < 0.5, lo < hi and rng.random() < 0.5)
            v = program.on((side,))[index]
            defined += v.defined
            widths.append(_number(v.hi) - _number(v.lo))
            for t in (0, R(1, 10**9), R(1, 3), R(1, 2), 1 - R(1, 10**6), 1):
                q = ends[0] + t * (ends[1] - ends[0])
                if not side.contains(fmpq(int(q.p), int(q.q))):
                    continue
                at = value(mpmath.mpf(int(q.p)) / int(q.q))
                assert mpmath.isfinite(at) or not v.defined, (side, v)
                if mpmath.isfinite(at):
                    low_end, high_end = map(_number, (v.lo, v.hi))
                    assert low_end - 1e-25 <= at <= high_end + 1e-25, (side, v, at)
    assert defined > 20
    assert min(widths) < 1e-6


@pytest.mark.parametrize("name", FUNCTIONS)
def test_conditions_and_floats_agree_with_values(name: str) -> None:
    e, value, (low, high) = FUNCTIONS[name]
    for q in np.linspace(low - 1, high + 1, 37):
        at = value(mpmath.mpf(float(q)))
        met = all(
            {">": g > 0, ">=": g >= 0, "!=": g != 0}[k]
            for g, k in ((g.subs(x, q), k) for g, k in conditions(e))
        )
        assert met or not mpmath.isfinite(at) or "binomial" in name
        found = values_of(e, {x: np.array([q])}, {})
        if mpmath.isfinite(at) and not isinstance(e, SincSlope):
            assert np.allclose(found, float(at), atol=1e-12)


def test_the_derivative_of_sinc_is_its_slope() -> None:
    for t in (0.3, 1.7, -2.5, 5.0):
        h = mpmath.mpf(10) ** -12
        with mpmath.workdps(40):
            assert abs((_sinc(t + h) - _sinc(t - h)) / (2 * h) - _slope(t)) < 1e-9
            second = mpmath.diff(_slope, t)
        assert Sinc(x).diff(x) == SincSlope(x)
        heads = {"Sinc": _sinc, "SincSlope": _slope}
        assert abs(sp.lambdify(x, SincSlope(x).diff(x), [heads])(mpmath.mpf(t)) - second) < 1e-9


n = sp.Symbol("n", integer=True, nonnegative=True)


@pytest.mark.parametrize(
    ("lhs", "op", "rhs", "domain", "word"),
    [
        (sp.sinc(x), "<", R(1001, 1000) - x**2 / 7, {x: (-1, 1)}, "CERTIFIED"),
        (sp.sinc(x), "<", 1 - x**2 / 6, {x: (-1, 1)}, "REFUTED"),
        (sp.erfinv(x), ">", x * R(8, 10), {x: Closed(R(1, 4), R(3, 4))}, "CERTIFIED"),
        (sp.erfinv(x), ">", x * R(91, 100), {x: Closed(R(1, 4), R(3, 4))}, "REFUTED"),
        (sp.erfcinv(x), "<=", 0, {x: sp.Interval.Ropen(1, 2)}, "CERTIFIED"),
        (sp.binomial(2 * n, n), "<=", 4**n, {n: Integers(0, 30)}, "CERTIFIED"),
        (sp.binomial(2 * n, n), "<", 4**n, {n: Integers(0, 30)}, "REFUTED"),
        (sp.erfinv(x), "<=", 9, {x: Closed(0, 1)}, "OPEN"),
    ],
    ids=str,
)
def test_they_are_used(lhs: Any, op: str, rhs: Any, domain: Any, word: str) -> None:
    assert forall(lhs, op, rhs, domain, effort=200_000).verdict.value == word
