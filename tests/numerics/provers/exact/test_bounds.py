"""Rational bounds of functions: each holds at all values that mpmath finds, and a closer one does
not; what follows from them is found.
"""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy as sp

from numerics.provers.exact.bounds import of_function, of_number
from numerics.provers.exact.consequences import consequence
from numerics.provers.exact.opaque import CONSTANTS, QUARTER, Fact, Opaque

x, y = sp.symbols("x y", real=True)
p, q = sp.symbols("p q", positive=True)
u, f = sp.symbols("u f", real=True)
R = sp.Rational
FUNCTIONS = (sp.sin, sp.cos, sp.tanh, sp.erf, sp.asinh, sp.sinh, sp.cosh, sp.asin, sp.atan)
SIZES = (0, 1e-9, 1e-4, 0.01, 0.2, 0.7, 0.95, 1, 1.4, 1.6, 3, 4.5, 8, 30, 1e3)


def _arguments(head: type, way: sp.Expr) -> list[mpmath.mpf]:
    sizes = [s for s in SIZES if s <= 1 or head is not sp.asin]
    signs = (1, -1) if way == u else (int(way),)
    return [mpmath.mpf(w * s) for w in signs for s in sizes]


def _values(head: type, way: sp.Expr, g: sp.Expr) -> list[mpmath.mpf]:
    """A bound at many arguments, with pi/2 in the place of its bounds."""
    value = sp.lambdify((u, f), g, "mpmath")
    return [value(a, getattr(mpmath, head.__name__)(a)) for a in _arguments(head, way)]


@pytest.mark.parametrize("way", [sp.S.One, sp.S.NegativeOne, u], ids=str)
@pytest.mark.parametrize("head", FUNCTIONS, ids=lambda h: h.__name__)
def test_bounds_hold_everywhere(head: type, way: sp.Expr) -> None:
    with mpmath.workdps(60):
        for quarter in ((sp.pi / 2, sp.pi / 2), QUARTER, tuple(c / 2 for c in CONSTANTS[sp.pi])):
            for g, strict in of_function(head, u, f, way, quarter):
                found = _values(head, way, g)
                assert min(found) >= -(mpmath.mpf(10) ** -50), g
                tellable = [v for v, a in zip(found, _arguments(head, way)) if abs(a) < 5]
                assert not strict or min(tellable) > 0, g


@pytest.mark.parametrize("head", [sp.sin, sp.tanh, sp.asinh, sp.sinh, sp.asin], ids=lambda h: h.__name__)
def test_bounds_with_the_wrong_sign_fail(head: type) -> None:
    """The control: every odd bound fails for arguments of the other sign."""
    for g, _ in of_function(head, u, f, sp.S.One, QUARTER):
        other = dict(of_function(head, u, f, sp.S.NegativeOne, QUARTER))
        if g not in other:
            assert min(_values(head, sp.S.NegativeOne, g)) < 0, g


@pytest.mark.parametrize("e", [sp.log(2), sp.sin(1), sp.atan(5), sp.pi**2, sp.zeta(3)], ids=str)
def test_numbers_are_enclosed(e: sp.Expr) -> None:
    for g, _ in of_number(e, f):
        assert 0 <= g.subs(f, e).evalf(30) < R(1, 100)
    assert of_number(e, f) or e == sp.zeta(3)  # without an enclosure nothing is said


LETTERS = [
    *(
        sp.sin(x),
        sp.cos(x),
        sp.sin(2 * x),
        sp.cos(3 * x),
        sp.tan(x),
        sp.sin(x / 2),
        sp.sin(x + y),
        sp.atan(x),
    ),
    *(sp.atan(x - y), sp.asin(x / 4), sp.acos(y / 4), sp.sinh(x), sp.cosh(x), sp.erf(x), sp.asinh(x)),
    *(sp.log(p / q), sp.log(p**2 * q), 2**x, 4**x, sp.log(2), 6 ** (x / 2), sp.pi * x, sp.atan(p), sp.sin(q)),
]


@pytest.mark.parametrize(
    "group", [LETTERS, LETTERS[:1], LETTERS[:3], LETTERS[7:10], LETTERS[11:13], LETTERS[15:19]]
)
def test_letters_mean_what_they_stand_for(group: list[sp.Expr]) -> None:
    rng = np.random.default_rng(0)
    words = Opaque(group)
    read = [words.rational(e) for e in group]
    facts = [*words.facts, *words.compared()]
    meant = [(words.meaning(g), strict) for g, strict in facts]
    differences = [words.meaning(r) - e for r, e in zip(read, group)]
    values = sp.lambdify((x, y, p, q), [differences, [g for g, _ in meant]], "scipy")
    for _ in range(100):
        at = [*rng.uniform(-3, 3, 2), *rng.uniform(0.01, 5, 2)]
        zero, found = values(*at)
        size = 1e-9 * (1 + 64**2 * abs(np.tan(at[0])))
        assert np.abs(zero).max() < size, at
        for (g, strict), value in zip(meant, found):
            assert value > (-1e-6 if not strict else 0) - 1e-9 * abs(value), (g, at)


#: A goal, and what it follows from.
FOLLOWS: list[tuple[Fact, list[Fact]]] = [
    ((sp.pi - sp.atan(x + y) + sp.atan(x), True), []),
    ((sp.cosh(y) - sp.sqrt(sp.sin(x) ** 2 + sp.sinh(y) ** 2), False), []),
    ((sp.sqrt(sp.sin(x) ** 2 + sp.sinh(y) ** 2) - sp.Abs(y), False), []),
    ((sp.log(p) - sp.log(p + q) + sp.log(p / (p - q)), False), [(p - q, True)]),
    ((x + p - sp.sin(p) - x, False), []),
    ((sp.sin(2 * x) - 2 * sp.sin(x) * sp.cos(x), False), []),
    ((1 - sp.sin(x) * sp.cos(y) - sp.cos(x) * sp.sin(y), False), []),
    ((4**x - 2 * 2**x + 1, False), []),
    ((sp.asin(p) * sp.asin(q) - sp.asin(p * q) / 2, False), [(1 - p, True), (1 - q, True)]),
]


@pytest.mark.parametrize(("goal", "facts"), FOLLOWS, ids=lambda g: str(g)[:40])
def test_what_follows_from_bounds_is_found_and_no_more(goal: Fact, facts: list[Fact]) -> None:
    found = consequence(goal, facts)
    assert found is not None
    assert found.holds()
    assert consequence((goal[0] - 1, goal[1]), facts) is None


TERMS = (
    sp.sin(x),
    sp.cos(x),
    sp.atan(x),
    sp.sinh(x),
    sp.cosh(x),
    sp.tanh(x),
    x,
    x**2,
    x * sp.sin(x),
    sp.S.One,
)


@pytest.mark.parametrize("seed", range(2))
def test_nothing_random_is_found_that_fails(seed: int) -> None:
    rng = np.random.default_rng(seed)
    at = np.linspace(-6, 6, 481)
    found = 0
    for _ in range(40):
        picked = rng.choice(len(TERMS), 3, replace=False)
        goal = sp.Add(*(R(int(c), 2) * TERMS[i] for c, i in zip(rng.integers(-4, 5, 3), picked)))
        given = [(x, False)] if rng.random() < 0.5 else []
        if goal.is_number or consequence((goal, bool(seed)), given) is None:
            continue
        found += 1
        values = sp.lambdify(x, goal)(at[at >= 0] if given else at)
        assert values.min() > (-1e-9 if not seed else 0), (goal, given)
    assert found > 1
