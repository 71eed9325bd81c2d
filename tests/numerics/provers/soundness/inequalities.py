"""Families of inequalities around a known least value, each named by what it attacks."""

import math
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction as F

import sympy as sp

from tests.numerics.provers.soundness.case import Inequality
from tests.numerics.provers.soundness.drawing import drawn
from tests.numerics.provers.soundness.search import Axis
from tests.numerics.provers.soundness.values import number
from tests.numerics.provers.soundness.wells import (
    RISING,
    R,
    Well,
    around,
    fraction,
    kinked,
    positive,
    smooth,
    symbols,
    whole,
)

__all__ = ["FAMILIES"]

SIMPLE = ("exp", "sqrt", "atan", "tanh", "asinh", "log", "reciprocal", "cube")


def _against(rng, big, least, w, scale=sp.S.One):
    """``big >= bound``, off by as little as one likes; `least` of `big` is at the well's point."""
    op = rng.choice((">=", ">=", ">"))
    kind, touches = rng.random(), False
    if kind < 0.2:
        bound, touches = least, True
    else:
        off = F(rng.choice((1, 1, 3)), 10 ** rng.choice((0, 1, 1, 2, 2, 3, 4, 6, 9))) * rng.choice((1, -1))
        bound = R(number(least).limit_denominator(10**5 if abs(off) > F(1, 10**5) else 10**12) + off)
    big, bound = scale * big, scale * bound
    sides = (big, op, bound)
    if rng.random() < 0.2:  # move a term to the other side
        t = rng.choice(sp.Add.make_args(big))
        sides = (big - t, op, bound - t)
    if rng.random() < 0.4:
        sides = (sides[2], {">=": "<=", ">": "<"}[op], sides[0])
    return Inequality(*sides, w.axes, hints=[[number(a) for a in w.at]], touches=touches)


def _wrapped(rng: random.Random, w: Well, names: tuple[str, ...]) -> Inequality:
    rising = RISING[rng.choice(names)]
    return _against(rng, rising(w.core, w.least), rising(w.least, w.least), w)


def _nested_radicals(rng: random.Random) -> Inequality:
    w = smooth(rng, rng.choice((1, 1, 2))) if rng.random() < 0.8 else kinked(rng)
    return _wrapped(rng, w, ("nested", "cbrt", "root of zero", "sqrt"))


def _max_inside(rng: random.Random) -> Inequality:
    return _wrapped(
        rng, kinked(rng), (*SIMPLE, "erf", "logarithm of an exponential", "exponential of a root")
    )


def _slopes_of_max(rng: random.Random) -> Inequality:
    """Curved pieces, which cannot be told apart by cutting, next to terms that bend the slopes."""
    a, m, s, t = fraction(rng), fraction(rng), positive(rng), positive(rng)
    axes = symbols(rng, [around(rng, a, ends=False)])
    (x,) = axes
    if axes[x].lo is None or axes[x].hi is None:
        axes[x] = Axis(F(a - 1), F(a + 1))
    u = x - a
    c = min(s, t) * R(rng.choice((1, -1)), 40)
    falls, rises = m - s * u - c * u**2, m + t * u + c * u**2
    if rng.random() < 0.4:  # least at an end, where the hill between the two pieces comes down
        axes[x] = Axis(F(a - 1), F(a + 1), True, True)
        hill, left, right = sp.Min(m + s * u + c * u**2, m - t * u - c * u**2), m - s + c, m - t - c
        w = Well(hill, min(left, right), axes, [a - 1 if left < right else a + 1])
        return _wrapped(rng, w, ("exp", "atan", "logarithm of an exponential", "cube"))
    top = rng.choice((lambda: sp.Max(falls, rises), lambda: -sp.Min(-falls, -rises)))()
    w = Well(top, m, axes, [a])
    return _wrapped(rng, w, ("exp", "tanh", "atan", "logarithm of an exponential", "sqrt", "cube"))


def _absolute(rng: random.Random) -> Inequality:
    w = kinked(rng)
    (x,), a = w.axes, w.at[0]
    if rng.random() < 0.3:  # one side of the bend falls as well
        tilted = sp.Abs(x - a) + rng.choice((1, -1)) * (1 + R(1, 20)) * (x - a)
        hints = [[number(a + s)] for s in (0, -1, 1, R(1, 1000))]
        return Inequality(tilted, rng.choice((">=", ">")), -R(1, 40), w.axes, hints=hints)
    core = rng.choice(
        (sp.Abs(x - a), sp.Abs(sp.sinh(x - a)), sp.Abs(sp.atan(x - a)), sp.Abs((x - a) ** 3) + (x - a) ** 2)
    )
    w = replace(w, core=core + w.least)
    return _wrapped(rng, w, SIMPLE)


def _error_function(rng: random.Random) -> Inequality:
    w = smooth(rng)
    (x,), a = w.axes, w.at[0]
    core = w.least + rng.choice(((x - a) ** 2, sp.Abs(x - a), (x - a) ** 2 / 3, sp.Max(x - a, a - x)))
    return _wrapped(rng, replace(w, core=core), ("erf", "erfc"))


def _gamma(rng: random.Random) -> Inequality:
    return _wrapped(rng, smooth(rng), ("gamma", "loggamma", "digamma", "lowergamma", "uppergamma"))


_GAMMA = """
gamma(x), R("0.88560319441088870028") + off; loggamma(x), R("-0.12148629053584960809") + off;
loggamma(x), series + share/(12*x); series + share/(12*x), loggamma(x);
log(x) - 1/(2*x) - share/(12*x**2), polygamma(0, x)
"""


def _dips_of_gamma(rng: random.Random) -> Inequality:
    """Gamma and its logarithm near their least; Stirling's remainder is in (0, ``1/(12 x)``)."""
    x = sp.Symbol("x", positive=True)
    at = F("1.461632144968362341262659542325721328468")
    half = F(1, 2)
    axes = {x: rng.choice((Axis(2 * half, 4 * half, True, True), Axis(0 * half, None), Axis(half, 5 * half)))}
    off = rng.choice((1, -1)) * R(1, 10 ** rng.choice((2, 3, 4)))
    share = rng.choice((0, R(1, 2), 1, R(3, 2)))
    if rng.random() < 0.4:
        axes = {x: Axis(F(10 ** rng.choice((3, 6, 9))), None)}
    lhs, rhs = drawn(
        rng, _GAMMA, x=x, off=off, share=share, series=(x - R(1, 2)) * sp.log(x) - x + sp.log(2 * sp.pi) / 2
    )
    return Inequality(
        lhs, rng.choice((">=", ">")), rhs, axes, hints=[[at], *([F(n)] for n in (1, 2, 2000, 10**9 + 1))]
    )


_TOUCHING = """
c, 0; c/(1 + x**2), 0; exp(c), 1; cosh(c), 1; sqrt(1 + c), 1; -1/(1 + c), -1; log(1 + c), 0; atan(c), 0;
-exp(-c), -1
"""


def _needles(rng: random.Random) -> Inequality:
    """What touches zero at irrational points only, or falls below it there by next to nothing."""
    n, m = rng.choice((2, 3, 5, 7)), rng.choice((1, 1, 2))
    one, three = F(1), F(3)
    ranges = Axis(0 * one, three), Axis(one, three, True, True), Axis(0 * one, None), Axis()
    axes = symbols(rng, [rng.choice(ranges) for _ in range(m)])
    x, *others = axes
    r = number(sp.sqrt(n))
    u, points = x**2 - n, [[r], [-r]]
    if others:
        (y,) = others
        u, points = x**2 - n * y**2, [[r, F(1)], [-r, F(1)]]
        if rng.random() < 0.5:
            u, points = sp.expand((x - y) ** 2 - n), [[1 + r, F(1)], [2 + r, F(2)]]
    core = rng.choice((u**2, u**2, sp.expand(u**2), u**4, sp.Abs(u), sp.Max(u, -2 * u), u**2 * (1 + x**2)))
    wrap, least = drawn(rng, _TOUCHING, c=core, x=x)
    off = rng.choice((0, 0, R(1, 10**20), R(1, 10**30), -R(1, 10**4), -R(1, 10**20)))
    sides = (wrap, rng.choice((">", ">")) if off == 0 else ">=", least + off)
    flipped = (sides[2], {">": "<", ">=": "<="}[sides[1]], sides[0])
    return Inequality(*(sides if rng.random() < 0.6 else flipped), axes, hints=points, touches=off == 0)


def _last_digits(rng: random.Random) -> Inequality:
    """A value at an end beside its digits: true if they are cut, false if the last is raised."""
    a = R(rng.randint(2, 9), rng.choice((1, 3)))
    x = sp.Symbol("x", positive=True)
    f = rng.choice((sp.sqrt, sp.exp, sp.atan, sp.asinh, sp.tanh, sp.sinh, lambda t: sp.sqrt(1 + sp.sqrt(t))))
    digits = 10 ** rng.choice((18, 19, 20, 21))
    bound = R(math.floor(number(f(a)) * digits) + rng.choice((0, 1)), digits)
    sides = (f(x), ">=", bound) if rng.random() < 0.5 else (bound, "<=", f(x))
    axes = {x: Axis(F(a), F(a + 1), True, True)}
    if rng.random() < 0.3:
        sides = (f(x), "<=", bound + rng.choice((0, 1)) * R(1, digits))
        axes = {x: Axis(F(a / 2), F(a), True, True)}
    return Inequality(*sides, axes, hints=[[F(a)]])


def _special(rng: random.Random) -> Inequality:
    w = smooth(rng)
    return _wrapped(rng, w, ("besselk", "besseli", "sinh", "coth", "sech", "acosh"))


def _polynomial(rng: random.Random) -> Inequality:
    n = rng.choice((1, 1, 2, 2, 3))
    at = [fraction(rng) for _ in range(n)]
    axes = symbols(rng, [around(rng, a) for a in at])
    u = [x - a for x, a in zip(axes, at)]
    square = lambda: (fraction(rng) * rng.choice(u) + fraction(rng) * rng.choice(u) * rng.choice(u)) ** 2
    squares = [square() for _ in range(rng.choice((1, 2)))]
    core = fraction(rng) + sp.Add(*squares, *(positive(rng) * v**2 for v in u[:1]))
    least = core.xreplace(dict(zip(axes, at)))
    core = sp.expand(core)
    if rng.random() < 0.3:
        core = 1 - 1 / sp.expand(1 + u[0] ** 2 + squares[0])
        least = core.xreplace(dict(zip(axes, at)))
    return _against(rng, core, least, Well(core, least, axes, at))


def _wiggly(rng: random.Random) -> Inequality:
    roots = sorted({fraction(rng) for _ in range(rng.choice((1, 2, 3, 4)))})
    powers = [rng.choice((1, 1, 2, 3)) for _ in roots]
    lo, hi = roots[0] - rng.choice((-1, 0, 1)) * positive(rng), roots[-1] + rng.choice((0, 1)) * positive(rng)
    axis = Axis(F(min(lo, hi) - R(1, 7)), F(hi), rng.random() < 0.5, rng.random() < 0.5)
    beyond = Axis(F(roots[-1]), None, rng.random() < 0.5)
    axes = symbols(rng, [rng.choice((axis, Axis(axis.lo, None, axis.left), beyond))])
    (x,) = axes
    p = sp.Mul(*((x - r) ** k for r, k in zip(roots, powers)))
    if rng.random() < 0.3:
        p = p / (x**2 + 1)
    hints = [[number(q)] for r in roots for q in (r, r + R(1, 1000), r - R(1, 1000))] + [
        [number(r)] for r in roots
    ]
    p = sp.expand(p) if rng.random() < 0.7 else p
    op, bound = rng.choice((">=", ">", "<=")), rng.choice((0, 0, R(-1, 10**6)))
    return Inequality(p, op, bound, axes, hints=hints, touches=bound == 0)


_WHOLE = """
2**n, n**2 - 1; factorial(n), 2**(n - 1); n*(n + 1), k*n - k; (1 + 1/n)**n, R(k, 4); n**3, n**2
"""


def _integers(rng: random.Random) -> Inequality:
    w = whole(rng)
    kind = rng.random()
    if kind < 0.5:
        return _against(rng, w.core, w.least, w)
    if kind < 0.8:
        return _wrapped(rng, w, ("sqrt", "log", "atan", "reciprocal", "cube"))
    n = sp.Symbol("n", integer=True, positive=True)
    lhs, rhs = drawn(rng, _WHOLE, n=n, k=rng.randint(2, 9))
    axes = {n: Axis(F(1), None, True, whole=True)}
    return Inequality(lhs, rng.choice((">=", ">")), rhs, axes, hints=[[F(i)] for i in range(1, 12)])


def _huge_and_tiny(rng: random.Random) -> Inequality:
    w = rng.choice((smooth, kinked, whole))(rng)
    kind = rng.randrange(4)
    size = sp.Integer(10) ** (
        rng.choice((1, -1)) * rng.choice((9, 12, 20) if kind == 1 else (12, 30, 100, 310, 400))
    )
    if kind == 0:
        return _against(rng, w.core, w.least, w, scale=size)
    if kind == 1:  # the variable itself is huge or tiny
        (x, axis), f = next(iter(w.axes.items())), F(size)
        lo, hi = (None if end is None else end * f for end in (axis.lo, axis.hi))
        moved = Axis(lo, hi, axis.left, axis.right)
        if axis.whole or len(w.axes) > 1:
            return _against(rng, w.core, w.least, w)
        core = w.core.subs(x, x / size)
        return _against(rng, core, w.least, Well(core, w.least, {x: moved}, [w.at[0] * size]))
    big = size if size > 1 else 1 / size
    if kind == 2:
        return _against(rng, w.core + big, w.least + big, w)
    rising = RISING[rng.choice(("atan", "tanh", "log", "sqrt"))]
    return _against(rng, rising(w.core, w.least) / big, rising(w.least, w.least) / big, w)


FAMILIES: dict[str, Callable[[random.Random], Inequality]] = {
    "nested radicals": _nested_radicals, "Max and Min inside functions": _max_inside,
    "slopes of Max and Min": _slopes_of_max, "absolute values": _absolute, "erf": _error_function,
    "gamma": _gamma, "dips of gamma": _dips_of_gamma, "needles": _needles, "last digits": _last_digits,
    "other functions": _special, "polynomials": _polynomial, "roots of polynomials": _wiggly,
    "integers": _integers, "huge and tiny constants": _huge_and_tiny,
}  # fmt: skip
