"""Inequalities that follow from hypotheses, from tangents or at infinity, or miss it by a hair. The
hints are the points of equality and those nearby or far out at which what is false fails.
"""

import random
from collections.abc import Callable, Sequence
from fractions import Fraction

import sympy as sp

from tests.numerics.provers.soundness.case import Inequality
from tests.numerics.provers.soundness.drawing import drawn
from tests.numerics.provers.soundness.search import Axis
from tests.numerics.provers.soundness.values import Point, number
from tests.numerics.provers.soundness.wells import R, fraction, positive

__all__ = ["FAMILIES"]

ZERO, ONE = Fraction(0), Fraction(1)
LINE, RAY, OPEN_RAY = Axis(), Axis(ZERO, None, True), Axis(ZERO, None)
x, y, z = LETTERS = sp.symbols("x y z", real=True)


def _hair(rng: random.Random) -> sp.Rational:
    """A little more than is true, nothing, or a little less."""
    return rng.choice((1, 0, -1)) * R(1, 10 ** rng.choice((1, 2, 3, 4, 6, 9, 15)))


def _near(rng: random.Random, at: Sequence[sp.Rational]) -> list[Point]:
    """A point and some around it, at all distances."""
    steps = [R(rng.randint(-4, 4), 10 ** rng.choice((0, 1, 3, 5, 8, 12, 18))) for _ in range(12 * len(at))]
    moved = [[a + steps.pop() for a in at] for _ in range(12)]
    return [[number(a) for a in p] for p in ([*at], *moved)]


def _vanishing(rng: random.Random, names: Sequence[sp.Symbol], at: Sequence[sp.Rational]) -> sp.Expr:
    """A polynomial of small degree that vanishes at a point."""
    u = [v - a for v, a in zip(names, at)]
    e = sp.Add(*(fraction(rng, 2) * v for v in u))
    if rng.random() < 0.4:
        e += rng.choice((1, -1)) * rng.choice(u) * rng.choice(names)
    return e if e != 0 else u[0]


def _combination(
    rng: random.Random, names: Sequence[sp.Symbol], at: Sequence[sp.Rational], most: int = 3
) -> tuple[sp.Expr, list[tuple[sp.Expr, str]]]:
    """What is not negative where some polynomials are not, and those; all vanish at a point. One
    term in ten has the wrong sign.
    """
    given = [
        (_vanishing(rng, names, at), rng.choice((">=", ">=", ">", "=="))) for _ in range(rng.randint(1, most))
    ]
    f = sp.S.Zero
    for g, op in given:
        c = fraction(rng) if op == "==" else positive(rng)
        f += c * g * (rng.choice(names) if op == "==" and rng.random() < 0.5 else 1)
    if len(given) > 1 and rng.random() < 0.5 and given[0][1] != "==" != given[1][1]:
        f += positive(rng) * given[0][0] * given[1][0]
    if rng.random() < 0.5:
        f += positive(rng) * _vanishing(rng, names, at) ** 2
    if rng.random() < 0.1:
        f -= positive(rng) * given[-1][0]
    if rng.random() < 0.1:
        del given[rng.randrange(len(given))]
    return sp.expand(f), given


def _polynomials(rng: random.Random) -> Inequality:
    names = LETTERS[: rng.choice((2, 2, 3))]
    at = [fraction(rng, 2) for _ in names]
    f, given = _combination(rng, names, at)
    axes = {s: rng.choice((LINE, RAY)) if a >= 0 else LINE for s, a in zip(names, at)}
    return _stated(rng, f, [(g, op, sp.S.Zero) for g, op in given], axes, at)


def _stated(rng, f, where, axes, at) -> Inequality:
    """``f >= hair``, with a part of it on the other side; f vanishes at the point."""
    hair, op = _hair(rng), rng.choice((">=", ">=", ">"))
    moved = rng.choice((sp.S.Zero, *sp.Add.make_args(f))) if rng.random() < 0.5 else sp.S.Zero
    sides = (f - moved, op, hair - moved)
    if rng.random() < 0.4:
        sides = (sides[2], {">=": "<=", ">": "<"}[op], sides[0])
    return Inequality(*sides, axes, where=where, hints=_near(rng, at), touches=hair == 0)


def _products(rng: random.Random) -> Inequality:
    """x y >= c from lower bounds of both, and the like: c is their product, or nearly."""
    a, b, n = positive(rng), positive(rng), rng.choice((1, 2))
    f, c, where = drawn(rng, _PRODUCTS, x=x, y=y, z=z, a=a, b=b, n=n)
    if rng.random() < 0.2:
        where[0] = (where[0][0], where[0][1].replace(">=", ">").replace("<=", "<"), where[0][2])
    names = [s for s in LETTERS if f.has(s) or any(sp.sympify(g - h).has(s) for g, _, h in where)]
    at = {x: a, y: b, z: a}
    axes = {s: rng.choice((LINE, RAY)) for s in names}
    return _stated(rng, f - c, where, axes, [at[s] for s in names])


_PRODUCTS = """
x**n*y, a**n*b, [(x, ">=", a), (y, ">=", b)]; x*y, a*b, [(x + y, ">=", a + b), (y, "==", b)];
x**2 + y**2, a**2 + b**2, [(a*x + b*y, ">=", a**2 + b**2)];
-x*y, -a*b, [(b*x + a*y, "<=", 2*a*b), (x, ">=", 0)]; x/y, a/b, [(x, ">=", a), (y, "<=", b), (y, ">", 0)];
x + y, a + b, [(x*y, ">=", a*b), (x, "==", a)]; x*y*z, a*b*a, [(x, ">=", a), (y, ">=", b), (z, ">=", a)];
(x + z)*y, 2*a*b, [(x + z, ">=", 2*a), (y, ">=", b)]; x**3, a**3, [(x, ">=", y - b + a), (y, ">=", b)];
1/x + 1/y, 1/a + 1/b, [(x, "<=", a), (y, "<=", b), (x*y, ">", 0), (x, ">", 0)];
x**2 + y**2 + z**2, 2*a**2 + b**2, [(a*x + b*y + a*z, "==", 2*a**2 + b**2)]
"""


def _unequal(rng: random.Random) -> Inequality:
    """What is positive because two things are not equal, or almost so."""
    a, b = fraction(rng, 2), positive(rng)
    shift = _hair(rng)
    f, where, at = drawn(rng, _UNEQUAL, x=x, y=y, a=a, b=b, d=shift)
    axes = dict.fromkeys((x, y), LINE)
    e = _hair(rng) if rng.random() < 0.3 else sp.S.Zero
    return Inequality(f, rng.choice((">", ">", ">=")), e, axes, where=[where], hints=_near(rng, at))


_UNEQUAL = """
(x - a)**2 + y**2, (x, "!=", a + d), (a, 0); b*x**2 + x*y + y**2, (x, "!=", d), (0, 0);
(x - y)**2, (x, "!=", y + d), (1, 1); x**2*y**2, (x*y, "!=", d), (0, 1);
x**4 - 2*x**2*y**2 + y**4, (x, "!=", y + d), (1, -1); exp(x) - 1 - x, (x, "!=", d), (0, 0);
x**2 + y**2 - 2*x*y, (x**2, "!=", y**2 + d), (2, 2); x - log(1 + x), (x**2, "==", 4 + d), (2, 0);
Abs(x - y), (x, "!=", y + d), (a, a); exp(x) - exp(y)*(1 + x - y), (x, "!=", y + d), (1, 1)
"""

#: What a letter stands for, the value of the letter at a point, and that point; its values.
_MEANINGS = """
exp(s), 1, 0, 0; exp(-s), 1, 0, 0; log(s), 0, 1, 1; sqrt(s), n, n**2, 1; Abs(s), n, -n, 0; s, n, n, 0;
sqrt(s**2 + 1), 1, 0, 0; tanh(s), 0, 0, 0; Max(s, 0), n, n, 0; Max(s, -s), n, -n, 0; cbrt(s), n, n**3, 1;
1/s, n, 1/n, 1; s**2, n**2, n, 0
"""


def _letters(rng: random.Random) -> Inequality:
    """A combination of hypotheses in which letters stand for exponentials, roots and the like."""
    names = LETTERS[: rng.choice((2, 2, 3))]
    drawings = [drawn(rng, _MEANINGS, s=s, n=R(rng.randint(1, 3))) for s in names]
    f, given = _combination(rng, names, [value for _, value, *_ in drawings], most=2)
    put = {s: e for s, (e, *_) in zip(names, drawings)}
    axes = {s: OPEN_RAY if kind == 1 else LINE for s, (*_, kind) in zip(names, drawings)}
    where = [(g.xreplace(put), op, sp.S.Zero) for g, op in given]
    st = _stated(rng, f.xreplace(put), where, axes, [at for _, _, at, _ in drawings])
    for s in names:  # a letter that cancelled leaves its variable without a use
        if not any(sp.sympify(e).has(s) for e in (st.lhs, st.rhs, *(g for g, *_ in where))):
            return _letters(rng)
    return st


#: A convex function, a lower bound of its second derivative up to b, where that begins, and whether
#: the function is defined there.
_CONVEX = """
exp(s), exp(-1), -1, 1; s*log(s), 1/b, 0, 0; -log(s), 1/b**2, 0, 0; -sqrt(s), b**R(-3, 2)/4, 0, 0;
1/s, 2/b**3, 0, 0; s**4, 3, 1/S(2), 1; s**3, 3, 1/S(2), 1; exp(-s), exp(-b), 0, 1;
s**2 + exp(s), 2 + exp(-1), -1, 1; log(1 + exp(s)), exp(b)/(1 + exp(b))**2, 0, 1; cosh(s), 1, 0, 1;
s*log(s) + (b + 1 - s)*log(b + 1 - s), 4/(b + 1), 0, 0; 1/(1 + s), 2/(1 + b)**3, 0, 1;
sqrt(1 + s**2), (1 + b**2)**R(-3, 2), 0, 1
"""


def _touching(rng: random.Random) -> Inequality:
    """A convex function lies above its tangents, by half of its least curvature times the square
    of the distance: along the whole diagonal the two are equal.
    """
    s, b = sp.Symbol("s"), R(rng.choice((1, 1, 2)))
    f, curvature, lo, closed = drawn(rng, _CONVEX, s=s, b=b)
    lo, hi = number(lo), number(b) + (1 if f.has(sp.log(b + 1 - s)) else 0)
    axes = {v: Axis(lo, hi, closed == 1, hi == b) for v in (x, y)}
    gap = f.subs(s, x) - f.subs(s, y) - sp.diff(f, s).subs(s, y) * (x - y)
    share, off = rng.choice((0, 0, R(1, 2), 1 + _hair(rng) / 10)), rng.choice((0, 0, 0, _hair(rng)))
    bound = share * curvature / 2 * (x - y) ** 2 + off
    middle = (lo + hi) / 2
    ends = (lo, hi, middle, lo + Fraction(1, 1000), hi - Fraction(1, 1000))
    steps = [sign * Fraction(1, 10**k) for k in (0, 1, 2, 3, 5, 8, 12) for sign in (1, -1)]
    hints = [[t, t] for t in ends] + [[t + d, t] for t in ends for d in steps]
    return Inequality(gap, rng.choice((">=", ">=", ">")), bound, axes, hints=hints)


#: What is equal to its bound at infinity only, which comes from above for small d only.
_FADING = """
log(1 + 1/u), 1/(u + R(1, 2) - d); exp(-u), d/u**6; 1/u - 1/(u + 1), (1 + d)/u**2;
tanh(u), 1 - (2 - d)*exp(-2*u); atan(u), pi/2 - (1 - d)/u; sqrt(u**2 + 1) - u, (1 + d)/(2*u + 1/u);
u*exp(u**2)*erfc(u), (1 - d)/sqrt(pi) - 1/u**2; -polygamma(0, u) + log(u), (R(1, 2) + d)/u;
loggamma(u) - (u - R(1, 2))*log(u) + u - log(2*pi)/2, d/u; 1/(exp(u) - 1), (1 + d)*exp(-u);
(1 + 1/u)**R(1, 2) - 1, (R(1, 2) - d)/u - 1/(4*u**2); exp(1/u) - 1, (1 + d)/u; exp(-u) + 1/u**2, d/u;
1/u - d, 0; u/(1 + u**2), (1 + d)/(u + 1); 1/u**2 - 1/(u**2 + 1), (1 + d)/u**4;
coth(u), 1 + (2 + d)*exp(-2*u)
"""


def _fading(rng: random.Random) -> Inequality:
    """What tends to its bound at infinity, from above or from below."""
    d = _hair(rng)
    lo = Fraction(rng.choice((0, 1, 3)))
    axes = {x: Axis(lo, None, lo > 0)}
    e, bound = drawn(rng, _FADING, u=x, d=d)
    hints = [[q] for k in range(17) for q in (lo + Fraction(10) ** k, lo + Fraction(1, 10**k))]
    if rng.random() < 0.3:  # another variable, which scales both sides
        axes[y] = rng.choice((OPEN_RAY, Axis(ONE, None, True)))
        (c,) = drawn(rng, "y; 1/y; exp(-y); y/(1 + y); sqrt(y)", y=y)
        e, bound = c * e, c * bound
        hints = [[*p, q] for p in hints for q in (ONE, Fraction(1000))]
    return Inequality(e, rng.choice((">=", ">")), bound, axes, hints=hints)


#: What is defined where a hypothesis holds, a bound, the hypothesis, and a point of its boundary.
_DEFINED = """
sqrt(x*y - c), 0, [(x, ">=", a), (y, ">=", b)], (a, b);
log(x*y - c + 1), log(1 + d), [(x, ">=", a), (y, ">=", b)], (a, b);
1/(x - y), 0, [(x, ">", y + d)], (a, a); sqrt(x - y), 0, [(x, ">=", y + d)], (a, a);
(x - y)**R(3, 2)/(x - y), 0, [(x, ">", y + d)], (a, a); log(x - y), -1/(x - y), [(x, ">", y + d)], (a, a);
1/x, 1/y, [(x, "<=", y), (x, ">", d)], (0, b);
sqrt(1 - x**2 - y**2), 0, [(x**2 + y**2, "<=", 1 + d)], (1, 0);
x - y, log(1 + x - y), [(x - y, ">=", d - 1)], (0, 1);
x*log(x/y), x - y, [(x, ">", d), (y, ">", d)], (a, a);
asin(x + y), -2, [(Abs(x) + Abs(y), "<=", 1 + d)], (1, 0);
1/(x*y), 0, [(x + y, ">=", a + b), (x - y, "==", a - b)], (a, b);
sqrt(x + y - 2*sqrt(x*y)), 0, [(x, ">=", d), (y, ">=", d)], (a, a);
1/(x**2 - y), 0, [(x**2, ">=", y + d)], (a, a**2); exp(log(x)), 0, [(x*y, ">", d), (y, ">", 0)], (0, 1)
"""


def _defined(rng: random.Random) -> Inequality:
    """Roots, logarithms and quotients that hypotheses define, or do up to a hair."""
    a, b, d = positive(rng), positive(rng), _hair(rng)
    lhs, bound, where, at = drawn(rng, _DEFINED, x=x, y=y, a=a, b=b, c=a * b + _hair(rng), d=d)
    hints = _near(rng, at)
    hints += [[number(q + e) for q in at] for e in (d, -d, d / 2, -d / 2)]
    hints += [[number(at[0] + e), number(at[1])] for e in (d, -d, d / 2, -d / 2)]
    axes = {s: rng.choice((LINE, LINE, RAY)) for s in (x, y)}
    return Inequality(lhs, rng.choice((">=", ">=", ">")), bound, axes, where=where, hints=hints)


_BENT = """
p*Abs(x) + q*Abs(y), Abs(p*x - (q + d)*y); Max(x, y), t*x + (1 - t)*y; Max(x, y) + Min(x, y), x + y + d;
Abs(x*y), x*y + d; Abs(x) + Abs(y) + Abs(x - y), (2 + d)*Max(Abs(x), Abs(y));
Max(x, y) - Min(x, y), (1 + d)*Abs(x - y); sqrt(x**2 + y**2), (1 + d)*Abs(x);
Max(x, y, 0), (x + y)/(3 - d); Abs(Abs(x) - Abs(y)), Abs(x - y) - (2 - d)*Abs(y);
Max(x, 0)*Max(y, 0), x*y/(1 - d) - d*Abs(x*y); Max(exp(x), exp(y)), exp((x + y)/2) + d*Abs(x - y);
(1 + d)*sqrt(2)*sqrt(x**2 + y**2), Abs(x) + Abs(y); x**2/2 + y**2/2, (1 + d)*Abs(x*y);
Abs(x)**3 + Abs(y)**3, (1 + d)*x**2*Abs(y)
"""


def _bent(rng: random.Random) -> Inequality:
    """Triangle inequalities, the larger of two and their weighted means."""
    d, t = _hair(rng), rng.choice((R(1, 3), R(1, 2), 0, 1)) + rng.choice((0, 1)) * _hair(rng)
    lhs, rhs = drawn(rng, _BENT, x=x, y=y, p=positive(rng), q=positive(rng), d=d, t=t)
    far = [R(n) for n in (-(10**9), -100, -1, 0, 1, 2, 100, 10**9)]
    hints = [[number(a), number(b)] for a in far for b in far]
    hints += [
        [number(a + e), number(b)]
        for a, b, e in ((1, 1, R(1, 10**5)), (1, 0, R(1, 10**8)), (0, 0, R(1, 10**4)))
    ]
    axes = {s: rng.choice((LINE, LINE, RAY)) for s in (x, y)}
    return Inequality(lhs, rng.choice((">=", ">=", ">")), rhs, axes, hints=hints)


FAMILIES: dict[str, Callable[[random.Random], Inequality]] = {
    "combinations of hypotheses": _polynomials,
    "products of bounds": _products,
    "what is not equal": _unequal,
    "letters in combinations": _letters,
    "tangents": _touching,
    "fading at infinity": _fading,
    "defined by hypotheses": _defined,
    "triangles": _bent,
}
