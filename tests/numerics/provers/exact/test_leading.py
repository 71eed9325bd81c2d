"""Leading terms at infinity: the limit is that of the values far out, and nothing is said of what
cancels or swings.
"""

from __future__ import annotations

import random

import mpmath as mp
import pytest
import sympy as sp

from numerics.provers.exact.leading import leading, limit

x = sp.Symbol("x", positive=True)
y = sp.Symbol("y", real=True)
p = sp.Symbol("p", positive=True)

#: Expressions with their limits, each from a rule of its own.
LIMITS = [
    (sp.pi / 2 * x / sp.sqrt(1 + x**2) - sp.atan(x), 0),
    (x - sp.log(x), sp.oo),
    (sp.log(x) - sp.sqrt(x), -sp.oo),
    (sp.log(1 / x) / x, 0),
    (sp.log(2 + 1 / x), sp.log(2)),
    (sp.erfc(x) + sp.tanh(-x), -1),
    (sp.erfc(-x), 2),
    (x**5 * sp.exp(-sp.sqrt(x)), 0),
    (x * sp.atan(3 / x), 3),
    (x * sp.sin(1 / x) + sp.cos(1 / x), 2),
    ((x * y + 1) / (x + y), y),
    (p * x - x / 2 + sp.log(x) ** 3, None),  # the sign of p - 1/2 is not known
    (sp.sqrt(x**2 + 1) - x, None),  # the leading terms cancel
    (x * (sp.exp(1 / x) - 1), None),
    (sp.exp(x) * sp.exp(-(x**2)), 0),
    (sp.exp(x**2) * sp.erfc(x), None),
    (sp.cos(x), None),
    (sp.log(1 / x - 1), None),  # defined nowhere far out
    (sp.sqrt(1 - x), None),
    ((y - 1) * x, None),
]


@pytest.mark.parametrize(("e", "value"), LIMITS, ids=lambda v: str(v))
def test_a_limit_is_that_of_the_rules_and_none_where_they_do_not_tell(e: sp.Expr, value: object) -> None:
    assert limit(e, x) == value


def _drawn(draw: random.Random, depth: int) -> sp.Expr:
    if depth == 0:
        return draw.choice([x, 1 / x, sp.sqrt(x), sp.log(x), sp.Rational(draw.randint(-3, 3), 2), sp.pi])
    a, b = _drawn(draw, depth - 1), _drawn(draw, depth - 1)
    return draw.choice(
        [
            a + b,
            a - b,
            a * b,
            a**2,
            sp.atan(a),
            sp.tanh(b),
            sp.exp(-(a**2)),
            a / (1 + b**2),
            sp.sqrt(1 + a**2),
            sp.log(1 + b**2),
            sp.erf(a),
            sp.sin(1 / (1 + a**2)),
        ]
    )


@pytest.mark.parametrize("seed", range(20))
def test_far_out_the_values_are_near_the_leading_term(seed: int) -> None:
    """The other route is mpmath, at places that lie far apart: the relative distance falls."""
    draw, told = random.Random(seed), 0
    while told < 10:
        e = _drawn(draw, 2)
        found = leading(e, x) if e.has(x) else None
        if found is None or found.c == 0 or found.order[0] == -sp.oo:
            continue
        told += 1
        power, logs = found.order
        ratio = sp.lambdify(x, e / (found.c * x**power * sp.log(x) ** logs), "mpmath")
        with mp.workdps(400):
            # A logarithm gains on a constant so slowly that only numbers like these show it.
            gaps = [abs(1 - ratio(mp.mpf(10) ** k)) for k in (20, 80, 320)]
        assert gaps[2] <= gaps[0] < 10 or gaps[2] < 1e-10, (e, found, gaps)
        assert gaps[2] < 0.2, (e, found, gaps)
