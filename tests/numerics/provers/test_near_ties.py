"""`forall` next to ties of constants, and with functions that only it encloses."""

import pytest
import sympy as sp

from numerics.evidence import Verdict
from numerics.provers import forall

x = sp.Symbol("x", positive=True)
ALMOST = sp.exp(sp.pi * sp.sqrt(163))  # 262537412640768743.99999999999925


@pytest.mark.parametrize(
    ("small", "big", "strict"),
    [
        (ALMOST, 262537412640768744, True),
        (10**20, sp.sqrt(10**40 + 1), True),
        (sp.log(1 / (1 + sp.Rational(1, 10**25))), 0, True),
        (sp.pi, sp.Rational("3.141592653589793238462643383280"), True),
        (sp.sqrt(2) + sp.sqrt(3), sp.sqrt(5 + 2 * sp.sqrt(6)), False),
        (sp.cbrt(2 + sp.sqrt(5)), 1 + sp.cbrt(sp.sqrt(5) - 2), False),
        (sp.log(2 + sp.sqrt(3)), sp.acosh(2), False),
    ],
    ids=str,
)
def test_near_ties_of_constants_are_decided(small, big, strict):
    op, wrong, unit = "<" if strict else "<=", ">=" if strict else "<", {x: (0, 1)}
    assert forall(small, op, big, {}).verdict is Verdict.CERTIFIED
    assert forall(small, wrong, big, {}).verdict is Verdict.REFUTED
    assert forall(small * x, op, big * x, unit).verdict is Verdict.CERTIFIED
    assert forall(small * x, wrong, big * x, unit).verdict is Verdict.REFUTED
    if strict:
        assert forall(0, "<", (big - small) * x + x**2, {x: (0, sp.oo)}).verdict is Verdict.CERTIFIED


def test_what_is_exactly_rational_is_proved_by_exact_steps_only():
    assert forall(2 * x, "<=", 3 * x, {x: (0, 1)}).verdict is Verdict.PROVED
    assert forall(3 * x, "<=", sp.pi * x, {x: (0, 1)}).engine == "interval arithmetic"


FURTHER = {
    "tan": (sp.tan(x), ">=", x, (0, sp.Rational(3, 2)), sp.Rational(11, 10) * x),
    "LambertW": (sp.LambertW(x), ">=", 0, (0, sp.oo), x / 3),
    "harmonic": (sp.harmonic(x), "<=", 2 * x, (1, 50), x / 2),
    "trigamma": (sp.polygamma(1, x), ">=", 0, (0, sp.oo), 1 + 1 / x),
    "tetragamma": (sp.polygamma(2, x), "<", 0, (0, sp.oo), -5),
}


@pytest.mark.parametrize("name", FURTHER)
def test_further_functions(name):
    f, op, bound, ends, wrong = FURTHER[name]
    assert forall(f, op, bound, {x: ends}).verdict is Verdict.CERTIFIED
    assert forall(f, op, wrong, {x: ends}).verdict is Verdict.REFUTED


def test_a_tangent_has_a_pole_in_the_domain():
    assert not forall(sp.tan(x) ** 2, ">=", 0, {x: (0, 2)}).verdict.accepted
    with sp.evaluate(False):
        nothing = sp.tan(x) - sp.tan(x)
    assert not forall(nothing, "<=", 1, {x: (0, 2)}).verdict.accepted
    assert forall(nothing, "<=", 1, {x: (0, 1)}).verdict.accepted
