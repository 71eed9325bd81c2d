"""Inequalities at the edge of what is defined, and of the domain, decided by the search."""

import random
from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from tests.numerics.provers.soundness.case import Inequality
from tests.numerics.provers.soundness.drawing import drawn
from tests.numerics.provers.soundness.search import Axis
from tests.numerics.provers.soundness.values import number
from tests.numerics.provers.soundness.wells import R, around, fraction, positive, symbols

__all__ = ["FAMILIES"]

ZERO, ONE, THREE = Fraction(0), Fraction(1), Fraction(3)

#: Quotients that have a limit, but no value, where they read 0/0, with their least values.
_REMOVABLE = """
expand(u*(u**2 + b))/u, b; u/(u + 1/u), 0; sinh(u)/u, 1; 1/(1/u**2), 0; u**2/Abs(u), 0; tanh(u)*coth(u), 1;
-tanh(u)/u, -1; exp(log(u**2)), 0; u*coth(u), 1
"""


def _removable(rng: random.Random) -> Inequality:
    a = R(rng.randint(-2, 2))
    at = Fraction(a)
    axes = symbols(rng, [rng.choice((around(rng, a), Axis(at, None, True), Axis(at, at + 3)))])
    (x,) = axes
    core, least = drawn(rng, _REMOVABLE, u=x - a, b=positive(rng))
    off = rng.choice((0, R(1, 1000), -R(1, 1000), -R(1, 10), R(1, 10)))
    hints = [[at], [at + Fraction(1, 10**6)], [at - Fraction(1, 10**6)]]
    return Inequality(core, rng.choice((">=", ">")), least + off, axes, hints=hints)


_POLES = """
1/u**2; b/u; -log(Abs(u)); coth(u); csch(u)**2; 1/(exp(u) - 1); 1/Abs(u) - b; gamma(u); 1/(u**2 - b);
u**R(-1, 2); besselk(0, u)
"""


def _poles(rng: random.Random) -> Inequality:
    a, b = R(rng.randint(-2, 2)), positive(rng)
    at = Fraction(a)
    ranges = around(rng, a), Axis(at, at + 2), Axis(at - 2, at), Axis(at, None, True)
    ranges += (Axis(at + Fraction(1, 9), None),)
    axes = symbols(rng, [rng.choice(ranges)])
    (x,) = axes
    (core,) = drawn(rng, _POLES, u=x - a, b=b)
    bound = rng.choice((sp.S.Zero, R(-1, 2), sp.S.One, b / 10))
    hints = [[at], [at + Fraction(1, 1000)], [at - Fraction(1, 1000)]]
    return Inequality(core, rng.choice((">=", ">", "<=")), bound, axes, hints=hints)


#: What is equal where u is 0, and rises afterwards.
_BOUNDARY = """
exp(u), 1 + u; expand(u**3 + u**2*b), 0; u, log(1 + u); u, tanh(u); cosh(u), 1 + u**2/2; sqrt(1 + u), 1;
u, sin(u); u*exp(u), 0; sqrt(u), 0; 1 + u/2, sqrt(1 + u); erf(u), 0; Max(u, expand(u**2)), 0;
u**2 + b*u, Abs(u)*R(1, 100)
"""


def _boundary(rng: random.Random) -> Inequality:
    a, closed, below = fraction(rng), rng.random() < 0.5, rng.random() < 0.3
    end = Fraction(a)
    other = rng.choice((None, end + (-2 if below else 2)))
    axis = Axis(end, other, closed, False)
    if below:
        axis = Axis(other, end, other is not None and rng.random() < 0.5, closed)
    axes = symbols(rng, [axis])
    (x,) = axes
    lhs, rhs = drawn(rng, _BOUNDARY, u=a - x if below else x - a, b=positive(rng))
    off = rng.choice((0, 0, 0, R(1, 10**6), -R(1, 10**6)))
    hints = [[end], [end + Fraction(-1 if below else 1, 10**9)]]
    return Inequality(lhs, rng.choice((">", ">", ">=")), rhs + off, axes, hints=hints, touches=off == 0)


#: Two sides, and a hypothesis under which the first is not below the second, and
#: a point of equality.
_IMPLIED = """
x**2 + b, b + 1, (Abs(x), ">=", 1), (1, 0); x + y**2, a, (x, ">=", a), (a, 0);
exp(x - y), 1, (x, ">=", y), (1, 1); Max(x, y), 1, (x + y, ">=", 2), (1, 1);
x**2 + y**2, 2, (x + y, ">=", 2), (1, 1); sqrt(x**2 + y**2), sqrt(2), (x*y, ">=", 1), (1, 1);
y**2, b**2, (y, "<=", -b), (0, -b); 2, x + y, (x + y, ">=", 2), (1, 1);
tanh(x), tanh(y), (x - y, ">=", 0), (2, 2); 1/(x**2 + 1), 1/(y**2 + 1), (x**2, "<=", y**2), (1, 1)
"""


def _hypotheses(rng: random.Random) -> Inequality:
    """What holds only where a hypothesis does, with that in place, too weak, strict, or missing."""
    a, b = fraction(rng), positive(rng)
    ranges = [Axis(), Axis()]
    if rng.random() >= 0.5:
        ranges = [Axis(ZERO, None, rng.random() < 0.5), Axis(-THREE, THREE, True, True)]
    axes = symbols(rng, ranges)
    x, y = axes
    lhs, rhs, where, at = drawn(rng, _IMPLIED, x=x, y=y, a=a, b=b)
    if rng.random() < 0.3:
        where = (where[0], where[1][0], where[2])
    if rng.random() < 0.4:
        where = (where[0] + rng.choice((1, -1)) * R(1, rng.choice((2, 20, 1000))), *where[1:])
    given = [where] if rng.random() < 0.8 else []
    steps = (0, -Fraction(1, 3000), 1)
    hints = [[number(at[0]) + d, number(at[1]) + e] for d in steps for e in steps]
    return Inequality(lhs, rng.choice((">=", ">")), rhs, axes, where=given, hints=hints)


#: Expressions that have no value where u is 0, or below, with a lower bound.
_UNDEFINED = """
u/(u + 1/u), 0; 1/(1/u**2), 0; u*log(u**2)/log(u**2), 0; u**2/Abs(u), 0; exp(log(u)), 0; u*coth(u), 1;
sqrt(u)**2, 0; sqrt(u), 0; log(u), -5; 1/u, 1
"""


def _undefined_hypotheses(rng: random.Random) -> Inequality:
    a = R(rng.randint(-1, 1))
    at = Fraction(a)
    axes = symbols(
        rng, [rng.choice((Axis(at, at + 1, True, True), Axis(at - 1, at + 1), Axis(at, None, True)))]
    )
    (x,) = axes
    u = x - a
    g, bound = drawn(rng, _UNDEFINED, u=u)
    lhs, rhs = rng.choice(((u, 0), (sp.Abs(u), 0), (u**2, R(1, 10**6)), (sp.exp(u), 1), (1 - u, R(1, 2))))
    hints = [[at], [at - Fraction(1, 9)], [at + Fraction(9, 10)]]
    return Inequality(lhs, rng.choice((">", ">=")), rhs, axes, where=[(g, ">=", bound)], hints=hints)


_COMPLEX = """
sqrt(x)*sqrt(1 - x), R(1, 2); sqrt(x**2), x; sqrt(-x)**2, -x; log(x**2), 2*log(x); log(x**2), -b;
(x**3)**R(1, 3), x; cbrt(x)**2, 0; sqrt(x**2 - x), 0; sqrt(1 - x**2), 1 - Abs(x); log(1 - x), -b - x;
exp(log(x)), x; sqrt((x - 1)**2), x - 1; sqrt(x)*sqrt(x), Abs(x); (-x)**R(3, 2), 0; acosh(x), 0; atanh(x), x;
sqrt(log(x)), 0; sqrt(sqrt(x) - 1), 0; x**x, R(69, 100)
"""


def _complex_looking(rng: random.Random) -> Inequality:
    """Roots and logarithms of what is negative somewhere, over domains that avoid that or not."""
    b = positive(rng)
    bounded = (Axis(ZERO, ONE, True, True), Axis(-ONE, ONE), Axis(ONE, Fraction(b + 2), True, True))
    axes = symbols(rng, [rng.choice((*bounded, Axis(ZERO, None), Axis(None, ZERO, right=True)))])
    (x,) = axes
    lhs, rhs = drawn(rng, _COMPLEX, x=x, b=b)
    return Inequality(
        lhs, rng.choice((">=", ">", "<=")), rhs, axes, hints=[[Fraction(n, 2)] for n in (0, 1, -1, 2, 4, 3)]
    )


_FAR = """
tanh(x), 1; x/(x + b), 1; atan(x), pi/2; erf(x), 1; -exp(-x), 0; sqrt(x**2 + b) - x, 0;
x*exp(-3*x), exp(-1)/3; log(1 + exp(x)), x; log(1 + x), sqrt(x); x**3, exp(x)*R(27, 20); x**2 + b, exp(x);
cosh(x), exp(x); erfc(x), exp(-x**2); log(x + 1) - log(x + 2), 0; R(1, 10**30), 1/(1 + x**2);
R(1, 10**30), exp(-sqrt(1 + x**2))
"""


def _at_infinity(rng: random.Random) -> Inequality:
    axes = symbols(rng, [rng.choice((Axis(ZERO, None, True), Axis(ONE, None), Axis()))])
    (x,) = axes
    lhs, rhs = drawn(rng, _FAR, x=x, b=positive(rng))
    off = rng.choice((0, 0, R(1, 1000), -R(1, 1000), R(1, 10)))
    hints = [[Fraction(n, 3)] for n in (0, 1, 3, 6, 9, 60, 300, -3, -60, 10**20)]
    return Inequality(lhs, rng.choice(("<", "<=", ">")), rhs + off, axes, hints=hints)


#: What scaling leaves alone, and what only looks so.
_SCALED = """
x**2 + y**2, c*x*y; sqrt(x**2 + y**2)*c, Abs(x) + Abs(y); Abs(x) + c*Abs(y), Abs(x + y);
Max(Abs(x), Abs(y)), c*sqrt(x**2 + y**2); x**4 + y**4, c*x**3*y; Max(x, y), c*x + (1 - c)*y;
sqrt(x**2 + y**2), -c*x; sqrt(x**2 + y**2), -c*y; 4*x**2 + 9*y**2, (12 + R(1, 100))*x*y;
4*x**2 + 9*y**2, (12 - R(1, 100))*x*y; y**2, x*y; x**2 + y, 0
"""
#: The same for shifts.
_SHIFTED = """
log(exp(x) + exp(y)), Max(x, y) + c/2; log(exp(x) + exp(y)), (x + y)/2 + c/2; Abs(x - y), tanh(x - y)*c;
exp(-(x - y)**2), 1 - c*(x - y)**2; exp(x*y), 1
"""


def _invariant(rng: random.Random) -> Inequality:
    homogeneous = rng.random() < 0.6
    axis = rng.choice((Axis(ZERO, None, rng.random() < 0.5), Axis())) if homogeneous else Axis()
    axes = symbols(rng, [axis, rng.choice((axis, Axis())) if homogeneous else axis])
    x, y = axes
    lhs, rhs = drawn(rng, _SCALED if homogeneous else _SHIFTED, x=x, y=y, c=positive(rng))
    pairs = ((0, 0), (1, 1), (1, -1), (1, 0), (0, 1), (-1, -1), (1, 2), (2, 1), (3, 2), (-1, 0), (0, -1))
    hints = [[Fraction(p), Fraction(q)] for p, q in pairs]
    return Inequality(lhs, rng.choice((">=", ">", "<=")), rhs, axes, hints=hints)


_IN_NEW_VARIABLES = """
t/(1 + t), 1; t**2 + c, 2*t; log(1 + t), t; c*t, sqrt(t); t, c
"""


def _changed(rng: random.Random) -> Inequality:
    length, x, t = sp.Symbol("L", positive=True), sp.Symbol("x", real=True), sp.Symbol("t")
    c, lo = positive(rng), rng.choice((1, 2, 5))
    whole = rng.random() < 0.5
    axes = {length: Axis(Fraction(lo), None, True, whole=whole), x: rng.choice((Axis(ZERO, None), Axis()))}
    core = length * sp.exp(-x)
    lhs, rhs = drawn(rng, _IN_NEW_VARIABLES, t=core, c=c)
    where = rng.choice(([], [(core, ">=", c)], [(core, "<", 1)], [(core, "<=", 1 / c)]))
    near = (R(1), c, R(2), 1 / c, c * R(999, 1000))
    hints = [[Fraction(lo + n), number(sp.log((lo + n) / q))] for n in (0, 3) for q in near]
    op = rng.choice((">=", "<=", "<", ">"))
    return Inequality(lhs, op, rhs, axes, where=where, via={t: core}, hints=hints)


_STEPS = """
Heaviside(u), R(3, 4); Heaviside(u) + u**2, b - 1; sign(u), -1; u*sign(u), 0; exp(sign(u)), R(1, 3);
sign(u)**2, 1; Heaviside(u, 0), R(1, 4); Heaviside(u, 1), R(3, 4); u + Heaviside(u, b)/b, 0
"""


def _steps(rng: random.Random) -> Inequality:
    a = R(rng.randint(-1, 1))
    axes = symbols(rng, [around(rng, a)])
    (x,) = axes
    lhs, rhs = drawn(rng, _STEPS, u=x - a, b=positive(rng))
    near = (ZERO, Fraction(1, 9), -Fraction(1, 9), Fraction(1, 10**9), -Fraction(1, 10**9))
    return Inequality(lhs, rng.choice((">=", ">", "<=")), rhs, axes, hints=[[Fraction(a) + d] for d in near])


FAMILIES: dict[str, Callable[[random.Random], Inequality]] = {
    "removable poles": _removable, "real poles": _poles, "equality on the boundary": _boundary,
    "hypotheses": _hypotheses, "undefined hypotheses": _undefined_hypotheses,
    "complex-looking": _complex_looking, "bounds at infinity": _at_infinity, "invariance": _invariant,
    "new variables": _changed, "steps": _steps,
}  # fmt: skip
