"""Families of inequalities, each named by what it attacks."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy as sp

from tests.numerics.provers.soundness.case import Inequality
from tests.numerics.provers.soundness.search import Axis
from tests.numerics.provers.soundness.values import number
from tests.numerics.provers.soundness.wells import RISING, R, Well, around, fraction, kinked, positive, smooth, symbols, whole

__all__ = ["FAMILIES"]

Family = Callable[[random.Random], Inequality]
SIMPLE = ("exp", "sqrt", "atan", "tanh", "asinh", "log", "reciprocal", "cube")


def _against(rng: random.Random, big: sp.Expr, least: sp.Expr, w: Well, scale: sp.Expr = sp.S.One) -> Inequality:
    """``big >= bound``, true or false by as little as one likes; `least` is the least value of
    `big`, attained at the well's point.
    """
    op = rng.choice((">=", ">=", ">"))
    kind, touches = rng.random(), False
    if kind < 0.2:
        bound, touches = least, True
    else:
        off = Fraction(rng.choice((1, 1, 3)), 10 ** rng.choice((0, 1, 1, 2, 2, 3, 4, 6, 9))) * rng.choice((1, -1))
        bound = R(number(least).limit_denominator(10**5 if abs(off) > Fraction(1, 10**5) else 10**12) + off)
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
    return _wrapped(rng, kinked(rng), (*SIMPLE, "erf", "logarithm of an exponential", "exponential of a root"))


def _slopes_of_max(rng: random.Random) -> Inequality:
    """Curved pieces, which cannot be told apart by cutting, next to terms that bend the slopes."""
    a, m, s, t = fraction(rng), fraction(rng), positive(rng), positive(rng)
    axes = symbols(rng, [around(rng, a, ends=False)])
    (x,) = axes
    if next(iter(axes.values())).lo is None or next(iter(axes.values())).hi is None:
        axes[x] = Axis(Fraction(a - 1), Fraction(a + 1))
    u = x - a
    c = min(s, t) * R(rng.choice((1, -1)), 40)
    falls, rises = m - s * u - c * u**2, m + t * u + c * u**2
    if rng.random() < 0.4:  # least at an end, where the hill between the two pieces comes down
        axes[x] = Axis(Fraction(a - 1), Fraction(a + 1), True, True)
        hill = sp.Min(m + s * u + c * u**2, m - t * u + c * u**2)
        w = Well(hill, m - max(s, t) + c, axes, [a - 1 if s >= t else a + 1])
        return _wrapped(rng, w, ("exp", "atan", "logarithm of an exponential", "cube"))
    top = rng.choice((lambda: sp.Max(falls, rises), lambda: -sp.Min(-falls, -rises)))()
    w = Well(top, m, axes, [a])
    return _wrapped(rng, w, ("exp", "tanh", "atan", "logarithm of an exponential", "sqrt", "cube"))


def _absolute(rng: random.Random) -> Inequality:
    w = kinked(rng)
    (x,), a = w.axes, w.at[0]
    if rng.random() < 0.3:  # one side of the bend falls as well
        tilted = sp.Abs(x - a) + rng.choice((1, -1)) * (1 + R(1, 20)) * (x - a)
        return Inequality(tilted, rng.choice((">=", ">")), -R(1, 40), w.axes, hints=[[number(a + s)] for s in (0, -1, 1, R(1, 1000))])
    core = rng.choice((sp.Abs(x - a), sp.Abs(sp.sinh(x - a)), sp.Abs(sp.atan(x - a)), sp.Abs((x - a) ** 3) + (x - a) ** 2))
    w = replace(w, core=core + w.least)
    return _wrapped(rng, w, SIMPLE)


def _error_function(rng: random.Random) -> Inequality:
    w = smooth(rng)
    (x,), a = w.axes, w.at[0]
    core = w.least + rng.choice(((x - a) ** 2, sp.Abs(x - a), (x - a) ** 2 / 3, sp.Max(x - a, a - x)))
    return _wrapped(rng, replace(w, core=core), ("erf", "erfc"))


def _gamma(rng: random.Random) -> Inequality:
    return _wrapped(rng, smooth(rng), ("gamma", "loggamma", "digamma", "lowergamma", "uppergamma"))


def _dips_of_gamma(rng: random.Random) -> Inequality:
    """Gamma and its logarithm near their least values, and Stirling's series, whose remainder lies
    between 0 and ``1/(12 x)``.
    """
    x = sp.Symbol("x", positive=True)
    at = Fraction("1.461632144968362341262659542325721328468")
    axes = {x: rng.choice((Axis(Fraction(1), Fraction(2), True, True), Axis(Fraction(0), None), Axis(Fraction(1, 2), Fraction(5, 2))))}
    off = rng.choice((1, -1)) * R(1, 10 ** rng.choice((2, 3, 4)))
    series = (x - R(1, 2)) * sp.log(x) - x + sp.log(2 * sp.pi) / 2
    share = rng.choice((0, R(1, 2), 1, R(3, 2)))
    if rng.random() < 0.4:
        axes = {x: Axis(Fraction(10 ** rng.choice((3, 6, 9))), None)}
    lhs, rhs = rng.choice(
        (
            (sp.gamma(x), R("0.88560319441088870028") + off),
            (sp.loggamma(x), R("-0.12148629053584960809") + off),
            (sp.loggamma(x), series + share / (12 * x)),
            (series + share / (12 * x), sp.loggamma(x)),
            (sp.log(x) - 1 / (2 * x) - share / (12 * x**2), sp.polygamma(0, x)),
        )
    )
    return Inequality(lhs, rng.choice((">=", ">")), rhs, axes, hints=[[at], [Fraction(1)], [Fraction(2)], [Fraction(2000)], [Fraction(10**9 + 1)]])


def _needles(rng: random.Random) -> Inequality:
    """What touches zero at irrational points only, or falls below it there by next to nothing."""
    n, m = rng.choice((2, 3, 5, 7)), rng.choice((1, 1, 2))
    axes = symbols(rng, [rng.choice((Axis(Fraction(0), Fraction(3)), Axis(Fraction(1), Fraction(3), True, True), Axis(Fraction(0), None), Axis())) for _ in range(m)])
    x, *others = axes
    r = number(sp.sqrt(n))
    u, points = x**2 - n, [[r], [-r]]
    if others:
        (y,) = others
        u, points = rng.choice(((x**2 - n * y**2, [[r, Fraction(1)], [-r, Fraction(1)]]), (sp.expand((x - y) ** 2 - n), [[1 + r, Fraction(1)], [2 + r, Fraction(2)]])))
    core = rng.choice((u**2, u**2, sp.expand(u**2), u**4, sp.Abs(u), sp.Max(u, -2 * u), u**2 * (1 + x**2)))
    wrap, least = rng.choice(((core, 0), (core, 0), (core / (1 + x**2), 0), (sp.exp(core), 1), (sp.cosh(core), 1), (sp.sqrt(1 + core), 1), (-1 / (1 + core), -1), (sp.log(1 + core), 0), (sp.atan(core), 0), (-sp.exp(-core), -1)))
    off = rng.choice((0, 0, R(1, 10**20), R(1, 10**30), -R(1, 10**4), -R(1, 10**20)))
    sides = (wrap, rng.choice((">", ">")) if off == 0 else ">=", least + off)
    flipped = (sides[2], {">": "<", ">=": "<="}[sides[1]], sides[0])
    return Inequality(*(sides if rng.random() < 0.6 else flipped), axes, hints=points, touches=off == 0)


def _last_digits(rng: random.Random) -> Inequality:
    """A value at an end of the range, beside its digits: true if they are cut, false if the last is
    raised.
    """
    a = R(rng.randint(2, 9), rng.choice((1, 3)))
    x = sp.Symbol("x", positive=True)
    f = rng.choice((sp.sqrt, sp.exp, sp.atan, sp.asinh, sp.tanh, sp.sinh, lambda t: sp.sqrt(1 + sp.sqrt(t))))
    digits = 10 ** rng.choice((18, 19, 20, 21))
    bound = R(math.floor(number(f(a)) * digits) + rng.choice((0, 1)), digits)
    sides = (f(x), ">=", bound) if rng.random() < 0.5 else (bound, "<=", f(x))
    axes = {x: Axis(Fraction(a), Fraction(a + 1), True, True)}
    if rng.random() < 0.3:
        sides, axes = (f(x), "<=", bound + (0 if rng.random() < 0.5 else R(1, digits))), {x: Axis(Fraction(a / 2), Fraction(a), True, True)}
    return Inequality(*sides, axes, hints=[[Fraction(a)]])


def _special(rng: random.Random) -> Inequality:
    w = smooth(rng)
    return _wrapped(rng, w, ("besselk", "besseli", "sinh", "coth", "sech", "acosh"))


def _polynomial(rng: random.Random) -> Inequality:
    """A polynomial or rational function, for the exact engines."""
    n = rng.choice((1, 1, 2, 2, 3))
    at = [fraction(rng) for _ in range(n)]
    axes = symbols(rng, [around(rng, a) for a in at])
    u = [x - a for x, a in zip(axes, at)]
    squares = [(fraction(rng) * rng.choice(u) + fraction(rng) * rng.choice(u) * rng.choice(u)) ** 2 for _ in range(rng.choice((1, 2)))]
    core = fraction(rng) + sp.Add(*squares, *(positive(rng) * v**2 for v in u[:1]))
    least = core.xreplace(dict(zip(axes, at)))
    core = sp.expand(core)
    if rng.random() < 0.3:
        d = 1 + u[0] ** 2 if rng.random() < 0.5 else 2 + rng.choice(u) ** 4
        core, least = least - 1 / sp.expand(d) if rng.random() < 0.5 else 1 - 1 / sp.expand(d + squares[0]), None
        least = core.xreplace(dict(zip(axes, at))) if core.has(d) or True else least
    return _against(rng, core, least, Well(core, least, axes, at))


def _wiggly(rng: random.Random) -> Inequality:
    """A polynomial with all its roots, whose signs between them are known."""
    roots = sorted({fraction(rng) for _ in range(rng.choice((1, 2, 3, 4)))})
    powers = [rng.choice((1, 1, 2, 3)) for _ in roots]
    lo, hi = roots[0] - rng.choice((-1, 0, 1)) * positive(rng), roots[-1] + rng.choice((0, 1)) * positive(rng)
    axis = Axis(Fraction(min(lo, hi) - R(1, 7)), Fraction(hi), rng.random() < 0.5, rng.random() < 0.5)
    axes = symbols(rng, [rng.choice((axis, Axis(axis.lo, None, axis.left), Axis(Fraction(roots[-1]), None, rng.random() < 0.5)))])
    (x,) = axes
    p = sp.Mul(*((x - r) ** k for r, k in zip(roots, powers)))
    if rng.random() < 0.3:
        p = p / (x**2 + 1)
    hints = [[number(q)] for r in roots for q in (r, r + R(1, 1000), r - R(1, 1000))] + [[number(r)] for r in roots]
    sides = (sp.expand(p) if rng.random() < 0.7 else p, rng.choice((">=", ">", "<=")), rng.choice((0, 0, R(-1, 10**6))))
    return Inequality(*sides, axes, hints=hints, touches=sides[2] == 0)


def _removable(rng: random.Random) -> Inequality:
    """Quotients that have a limit, but no value, where they read 0/0."""
    a = R(rng.randint(-2, 2))
    axes = symbols(rng, [rng.choice((around(rng, a), Axis(Fraction(a), None, True), Axis(Fraction(a), Fraction(a + 3))))])
    (x,) = axes
    u, b = x - a, positive(rng)
    core, least = rng.choice(
        (
            (lambda: ((sp.expand(u * (u**2 + b))) / u, b)),
            (lambda: (u / (u + 1 / u), sp.S.Zero)),
            (lambda: (sp.sinh(u) / u, sp.S.One)),
            (lambda: (1 / (1 / (u**2 + b)) if False else 1 / (1 / u**2), sp.S.Zero)),
            (lambda: (u**2 / sp.Abs(u), sp.S.Zero)),
            (lambda: (sp.tanh(u) * sp.coth(u), sp.S.One)),
            (lambda: (-sp.tanh(u) / u, -sp.S.One)),
            (lambda: (sp.exp(sp.log(u**2)), sp.S.Zero)),
            (lambda: (u * sp.coth(u), sp.S.One)),
        )
    )()
    return _against(rng, core, least, Well(core, least, axes, [a]))


def _poles(rng: random.Random) -> Inequality:
    """A pole in the domain, at an end of it, or outside."""
    a, b = R(rng.randint(-2, 2)), positive(rng)
    axis = rng.choice((around(rng, a), Axis(Fraction(a), Fraction(a + 2)), Axis(Fraction(a), None, True), Axis(Fraction(a + R(1, 9)), None)))
    axes = symbols(rng, [axis])
    (x,) = axes
    u = x - a
    core = rng.choice(
        (
            lambda: 1 / u**2,
            lambda: b / u,
            lambda: -sp.log(sp.Abs(u) + 0),
            lambda: sp.coth(u),
            lambda: sp.csch(u) ** 2,
            lambda: 1 / (sp.exp(u) - 1),
            lambda: 1 / sp.Abs(u) - b,
            lambda: sp.gamma(u),
            lambda: 1 / (u**2 - b),
            lambda: u ** R(-1, 2),
            lambda: sp.besselk(0, u),
        )
    )()
    bound = rng.choice((sp.S.Zero, R(-1, 2), sp.S.One, b / 10))
    return Inequality(core, rng.choice((">=", ">", "<=")), bound, axes, hints=[[number(a)], [number(a + R(1, 1000))], [number(a - R(1, 1000))]])


def _integers(rng: random.Random) -> Inequality:
    w = whole(rng)
    kind = rng.random()
    if kind < 0.5:
        return _against(rng, w.core, w.least, w)
    if kind < 0.8:
        return _wrapped(rng, w, ("sqrt", "log", "atan", "reciprocal", "cube"))
    n = sp.Symbol("n", integer=True, positive=True)
    k = rng.randint(2, 9)
    lhs, rhs = rng.choice(((2**n, n**2 - 1), (sp.factorial(n), 2 ** (n - 1)), (n * (n + 1), k * n - k), ((1 + R(1, 1) / n) ** n, R(k, 4)), (sp.harmonic(1) * n**3, n**2)))
    return Inequality(lhs, rng.choice((">=", ">")), rhs, {n: Axis(Fraction(1), None, True, whole=True)}, hints=[[number(i)] for i in range(1, 12)])


def _boundary(rng: random.Random) -> Inequality:
    """Equality at an end that belongs to the range, or does not."""
    a, closed, below = fraction(rng), rng.random() < 0.5, rng.random() < 0.3
    end = Fraction(a)
    other = rng.choice((None, end + (-2 if below else 2)))
    axis = Axis(other, end, other is not None and rng.random() < 0.5, closed) if below else Axis(end, other, closed, False)
    axes = symbols(rng, [axis])
    (x,) = axes
    u = a - x if below else x - a
    lhs, rhs = rng.choice(
        (
            lambda: (sp.exp(u), 1 + u),
            lambda: (sp.expand(u**3 + u**2 * positive(rng)), sp.S.Zero),
            lambda: (u, sp.log(1 + u)),
            lambda: (u, sp.tanh(u)),
            lambda: (sp.cosh(u), 1 + u**2 / 2),
            lambda: (sp.sqrt(1 + u), sp.S.One),
            lambda: (u, sp.sin(u)),
            lambda: (u * sp.exp(u), sp.S.Zero),
            lambda: (sp.sqrt(u), sp.S.Zero),
            lambda: (1 + u / 2, sp.sqrt(1 + u)),
            lambda: (sp.erf(u), sp.S.Zero),
            lambda: (sp.Max(u, sp.expand(u**2)), sp.S.Zero),
            lambda: (u**2 + positive(rng) * u, sp.Abs(u) * rng.choice((0, R(1, 100)))),
        )
    )()
    off = rng.choice((0, 0, 0, R(1, 10**6), -R(1, 10**6)))
    op = rng.choice((">", ">", ">="))
    return Inequality(lhs, op, rhs + off, axes, hints=[[number(a)], [number(a + (-1 if below else 1) * R(1, 10**9))]], touches=off == 0)


def _hypotheses(rng: random.Random) -> Inequality:
    """What holds only where a hypothesis does, with the hypothesis in place, too weak, or strict."""
    a, b = fraction(rng), positive(rng)
    axes = symbols(rng, [Axis(), Axis()]) if rng.random() < 0.5 else symbols(rng, [Axis(Fraction(0), None, rng.random() < 0.5), Axis(Fraction(-3), Fraction(3), True, True)])
    x, y = axes
    op = rng.choice((">=", ">"))
    lhs, rhs, where, at = rng.choice(
        (
            lambda: (x**2 + b, a * 0 + b + 1, (sp.Abs(x), ">=", 1), (1, 0)),
            lambda: (x + y**2, a, (x, ">=", a), (a, 0)),
            lambda: (sp.exp(x - y), 1, (x, ">=", y), (1, 1)),
            lambda: (sp.Max(x, y), 1, (x + y, ">=", 2), (1, 1)),
            lambda: (x**2 + y**2, 2, (x + y, ">=", 2), (1, 1)),
            lambda: (sp.sqrt(x**2 + y**2), sp.sqrt(2), (x * y, ">=", 1), (1, 1)),
            lambda: (y**2, b**2, (y, "<=", -b), (0, -b)),
            lambda: (sp.Integer(2), x + y, (x + y, ">=", 2), (1, 1)),
            lambda: (sp.tanh(x), sp.tanh(y), (x - y, ">=", 0), (2, 2)),
            lambda: (1 / (x**2 + 1), 1 / (y**2 + 1), (x**2, "<=", y**2), (1, 1)),
        )
    )()
    if rng.random() < 0.3:
        where = (where[0], where[1][0], where[2])
    if rng.random() < 0.4:  # the hypothesis says less than it should
        where = (where[0] + rng.choice((1, -1)) * R(1, rng.choice((2, 20, 1000))), *where[1:])
    given = [where] if rng.random() < 0.8 else []
    hints = [[number(at[0] + d), number(at[1] + e)] for d in (0, R(-1, 3000), 1) for e in (0, R(-1, 3000), 1)]
    return Inequality(lhs, op, rhs, axes, where=given, hints=hints)


def _undefined_hypotheses(rng: random.Random) -> Inequality:
    """Hypotheses without a value at a point where the inequality fails."""
    a = R(rng.randint(-1, 1))
    axes = symbols(rng, [rng.choice((Axis(Fraction(a), Fraction(a + 1), True, True), Axis(Fraction(a - 1), Fraction(a + 1)), Axis(Fraction(a), None, True)))])
    (x,) = axes
    u = x - a
    g, bound = rng.choice(
        (
            (u / (u + 1 / u), 0),
            (1 / (1 / u**2), 0),
            (u * sp.log(u**2) / sp.log(u**2), 0),
            (u**2 / sp.Abs(u), 0),
            (sp.exp(sp.log(u)), 0),
            (u * sp.coth(u), 1),
            (sp.sqrt(u) ** 2 + u / u * 0, 0),
            (sp.sqrt(u), 0),
            (sp.log(u), -5),
            (1 / u, 1),
        )
    )
    lhs, rhs = rng.choice(((u, 0), (sp.Abs(u), 0), (u**2, R(1, 10**6)), (sp.exp(u), 1), (1 - u, R(1, 2))))
    return Inequality(lhs, rng.choice((">", ">=")), rhs, axes, where=[(g, ">=", bound)], hints=[[number(a)], [number(a - R(1, 9))], [number(a + R(9, 10))]])


def _huge_and_tiny(rng: random.Random) -> Inequality:
    w = rng.choice((smooth, kinked, whole))(rng)
    kind = rng.randrange(4)
    size = sp.Integer(10) ** (rng.choice((1, -1)) * rng.choice((9, 12, 20) if kind == 1 else (12, 30, 100, 310, 400)))
    if kind == 0:
        return _against(rng, w.core, w.least, w, scale=size)
    if kind == 1:  # the variable itself is huge or tiny
        (x, axis), f = next(iter(w.axes.items())), Fraction(size)
        moved = Axis(None if axis.lo is None else axis.lo * f, None if axis.hi is None else axis.hi * f, axis.left, axis.right)
        if axis.whole or len(w.axes) > 1:
            return _against(rng, w.core, w.least, w)
        core = w.core.subs(x, x / size)
        return _against(rng, core, w.least, Well(core, w.least, {x: moved}, [w.at[0] * size]))
    big = size if size > 1 else 1 / size
    if kind == 2:
        return _against(rng, w.core + big, w.least + big, w)
    rising = RISING[rng.choice(("atan", "tanh", "log", "sqrt"))]
    return _against(rng, rising(w.core, w.least) / big, rising(w.least, w.least) / big, w)


def _complex_looking(rng: random.Random) -> Inequality:
    """Roots and logarithms of what is negative somewhere, over domains that avoid that or do not."""
    b = positive(rng)
    axes = symbols(rng, [rng.choice((Axis(Fraction(0), Fraction(1), True, True), Axis(Fraction(-1), Fraction(1)), Axis(Fraction(0), None), Axis(None, Fraction(0), right=True), Axis(Fraction(1), Fraction(b + 2), True, True)))])
    (x,) = axes
    lhs, rhs = rng.choice(
        (
            (sp.sqrt(x) * sp.sqrt(1 - x), R(1, 2)),
            (sp.sqrt(x**2), x),
            (sp.sqrt(-x) ** 2, -x),
            (sp.log(x**2), 2 * sp.log(x)),
            (sp.log(x**2), -b),
            ((x**3) ** R(1, 3), x),
            (sp.cbrt(x) ** 2, 0),
            (sp.sqrt(x**2 - x), 0),
            (sp.sqrt(1 - x**2), 1 - sp.Abs(x)),
            (sp.log(1 - x), -b - x),
            (sp.exp(sp.log(x)), x),
            (sp.sqrt((x - 1) ** 2), x - 1),
            (sp.sqrt(x) * sp.sqrt(x), sp.Abs(x)),
            ((-x) ** R(3, 2), 0),
            (sp.acosh(x), 0),
            (sp.atanh(x), x),
            (sp.sqrt(sp.log(x)), 0),
            (sp.sqrt(sp.sqrt(x) - 1), 0),
            (x**x, R(69, 100)),
        )
    )
    return Inequality(lhs, rng.choice((">=", ">", "<=")), rhs, axes, hints=[[number(q)] for q in (0, R(1, 2), -R(1, 2), 1, 2, R(3, 2))])


def _at_infinity(rng: random.Random) -> Inequality:
    """Bounds that are approached far out, and never reached."""
    axes = symbols(rng, [rng.choice((Axis(Fraction(0), None, True), Axis(Fraction(1), None), Axis()))])
    (x,) = axes
    b = positive(rng)
    lhs, rhs = rng.choice(
        (
            (sp.tanh(x), 1),
            (x / (x + b), 1),
            (sp.atan(x), sp.pi / 2),
            (sp.erf(x), 1),
            (-sp.exp(-x), 0),
            (sp.sqrt(x**2 + b) - x, 0),
            (x * sp.exp(-x), sp.exp(-1)),
            (sp.log(1 + sp.exp(x)), x),
            (sp.log(1 + x), sp.sqrt(x)),
            (x**3, sp.exp(x) * R(27, 20)),
            (x**2 + b, sp.exp(x)),
            (sp.cosh(x), sp.exp(x)),
            (sp.erfc(x), sp.exp(-(x**2))),
            (sp.log(x + 1) - sp.log(x + 2), 0),
            (R(1, 10**30), 1 / (1 + x**2)),
            (R(1, 10**30), sp.exp(-sp.sqrt(1 + x**2))),
        )
    )
    off = rng.choice((0, 0, R(1, 1000), -R(1, 1000), R(1, 10)))
    return Inequality(lhs, rng.choice(("<", "<=", ">")), rhs + off, axes, hints=[[number(q)] for q in (0, 1, 2, 3, 20, 100, -1, -20, 10**20)])


def _invariant(rng: random.Random) -> Inequality:
    """Statements that scaling or shifting does not change."""
    homogeneous = rng.random() < 0.6
    axis = rng.choice((Axis(Fraction(0), None, rng.random() < 0.5), Axis())) if homogeneous else Axis()
    axes = symbols(rng, [axis, rng.choice((axis, Axis())) if homogeneous else axis])
    x, y = axes
    c = positive(rng)
    lhs, rhs = rng.choice(
        (
            (x**2 + y**2, c * x * y),
            (sp.sqrt(x**2 + y**2) * c, sp.Abs(x) + sp.Abs(y)),
            (sp.Abs(x) + c * sp.Abs(y), sp.Abs(x + y)),
            (sp.Max(sp.Abs(x), sp.Abs(y)), c * sp.sqrt(x**2 + y**2)),
            (x**4 + y**4, c * x**3 * y),
            (sp.Max(x, y), c * x + (1 - c) * y),
            (sp.sqrt(x**2 + y**2), -c * x),
            (sp.sqrt(x**2 + y**2), -c * y),
            (4 * x**2 + 9 * y**2, (12 + R(rng.choice((1, -1)), 100)) * x * y),
            (y**2, x * y),
            (x**2 + y, 0),
        )
        if homogeneous
        else (
            (sp.log(sp.exp(x) + sp.exp(y)), sp.Max(x, y) + c / 2),
            (sp.log(sp.exp(x) + sp.exp(y)), (x + y) / 2 + c / 2),
            (sp.Abs(x - y), sp.tanh(x - y) * c),
            (sp.exp(-((x - y) ** 2)), 1 - c * (x - y) ** 2),
            (sp.exp(x * y), 1),
        )
    )
    return Inequality(lhs, rng.choice((">=", ">", "<=")), rhs, axes, hints=[[number(p), number(q)] for p, q in ((0, 0), (1, 1), (1, -1), (1, 0), (0, 1), (-1, -1), (1, 2), (2, 1), (3, 2), (-1, 0), (0, -1))])


def _changed(rng: random.Random) -> Inequality:
    """Statements with a new variable in `via`, hypotheses among them."""
    length = sp.Symbol("L", positive=True)
    x, t = sp.Symbol("x", real=True), sp.Symbol("t")
    c, lo = positive(rng), R(rng.choice((1, 2, 5)))
    whole_axis = Axis(Fraction(lo), None, True, whole=True) if rng.random() < 0.5 else Axis(Fraction(lo), None, True)
    axes = {length: whole_axis, x: rng.choice((Axis(Fraction(0), None), Axis()))}
    core = length * sp.exp(-x)
    lhs, rhs = rng.choice(((core / (1 + core), 1), (core**2 + c, 2 * core), (sp.log(1 + core), core), (c * core, sp.sqrt(core)), (core, c)))
    where = rng.choice(([], [(core, ">=", c)], [(core, "<", 1)], [(core, "<=", 1 / c)]))
    hints = [[number(lo + n), number(sp.log((lo + n) / q))] for n in (0, 3) for q in (1, c, 2, 1 / c, c * R(999, 1000))]
    return Inequality(lhs, rng.choice((">=", "<=", "<", ">")), rhs, axes, where=where, via={t: core}, hints=hints)


def _discontinuous(rng: random.Random) -> Inequality:
    """Steps and signs."""
    a, b = R(rng.randint(-1, 1)), positive(rng)
    axes = symbols(rng, [around(rng, a)])
    (x,) = axes
    u = x - a
    lhs, rhs = rng.choice(((sp.Heaviside(u), R(3, 4)), (sp.Heaviside(u) + u**2, b - 1), (sp.sign(u), -1), (u * sp.sign(u), 0), (sp.exp(sp.sign(u)), R(1, 3)), (sp.sign(u) ** 2, 1), (sp.Heaviside(u, 0), R(1, 4)), (sp.Heaviside(u, 1), R(3, 4)), (u + sp.Heaviside(u, b) / b, 0)))
    return Inequality(lhs, rng.choice((">=", ">", "<=")), rhs, axes, hints=[[number(q)] for q in (a, a + R(1, 9), a - R(1, 9), a + R(1, 10**9), a - R(1, 10**9))])


FAMILIES: dict[str, Family] = {
    "nested radicals": _nested_radicals,
    "Max and Min inside functions": _max_inside,
    "slopes of Max and Min": _slopes_of_max,
    "absolute values": _absolute,
    "erf": _error_function,
    "gamma": _gamma,
    "dips of gamma": _dips_of_gamma,
    "needles": _needles,
    "last digits": _last_digits,
    "other functions": _special,
    "polynomials": _polynomial,
    "roots of polynomials": _wiggly,
    "removable poles": _removable,
    "real poles": _poles,
    "integers": _integers,
    "equality on the boundary": _boundary,
    "hypotheses": _hypotheses,
    "undefined hypotheses": _undefined_hypotheses,
    "huge and tiny constants": _huge_and_tiny,
    "complex-looking": _complex_looking,
    "bounds at infinity": _at_infinity,
    "invariance": _invariant,
    "new variables": _changed,
    "steps": _discontinuous,
}
