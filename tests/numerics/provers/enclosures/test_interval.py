"""Enclosures hold every value that mpmath finds; "defined" only where everything is."""

import random
from collections.abc import Callable
from fractions import Fraction

import mpmath
import pytest
import sympy as sp
from flint import arb, ctx, fmpq

from numerics.provers.enclosures.enclose import Program, Side, Unsupported
from numerics.provers.enclosures.interval import Iv
from tests.numerics.provers.generation import statements
from tests.numerics.provers.statement import R, X
from tests.numerics.provers.values import mp_value

BITS = 200
EDGES = [*map(Fraction, ("0", "1", "-1", "1/2", "-3/2", "2", "7/3", "-5", "10", "1.46", "1/1000"))]
HYPERBOLIC = (sp.sinh, sp.cosh, sp.tanh, sp.coth, sp.sech, sp.csch, sp.asinh, sp.acosh, sp.atanh)
OTHERS = (sp.atan, sp.sin, sp.cos, sp.erf, sp.erfc, sp.Abs, sp.gamma, sp.loggamma, sp.factorial)
POWERS = (2, 3, -1, -2, R(1, 2), R(-1, 2), R(1, 3), R(5, 3), R(-7, 2))
FUNCTIONS: dict[str, Callable[[sp.Expr], sp.Expr]] = {
    **{f.__name__: f for f in (sp.exp, sp.log, *HYPERBOLIC, *OTHERS)},
    "digamma": lambda u: sp.polygamma(0, u),
    **{f"uppergamma {s}": lambda u, s=s: sp.uppergamma(s, u) for s in (R(1, 3), 2, R(7, 2))},
    **{f"lowergamma {s}": lambda u, s=s: sp.lowergamma(s, u) for s in (R(1, 3), 2, R(7, 2))},
    **{f"besselk {n}": lambda u, n=n: sp.besselk(n, u) for n in (0, R(1, 3), 2)},
    **{f"besseli {n}": lambda u, n=n: sp.besseli(n, u) for n in (0, R(1, 3), 2)},
    **{f"power {p}": lambda u, p=p: u**p for p in POWERS},
    "x^a e^-x": lambda u: u ** R(3, 2) * sp.exp(-u / 2),
    "x^-2 e^x": lambda u: u**-2 * sp.exp(u),
    "x^3 e^-x, any sign": lambda u: u**3 * sp.exp(-u),
    "x^2 log(x)^3": lambda u: u**2 * sp.log(u) ** 3,
    "x^-1 log(x)": lambda u: sp.log(u) / u,
    "x^2 e^(-x^2)": lambda u: u**2 * sp.exp(-(u**2)),
    "2^x": lambda u: 2**u,
    "x^x": lambda u: u**u,
    "Max": lambda u: sp.Max(u**2, 1 - u, sp.exp(u) / 3),
    "Min": lambda u: sp.Min(u**2, 1 - u),
    "affine": lambda u: 3 * u - 7,
}


def _number(rng: random.Random) -> Fraction:
    kind = rng.random()
    if kind < 0.4:
        return rng.choice(EDGES)
    q = Fraction(rng.randint(-400, 400), rng.choice((1, 7, 64, 100)))
    return q / rng.choice((1, 1, 10, 10**6))


def _side(rng: random.Random) -> Side:
    a, b = sorted((_number(rng), _number(rng)))
    lo, hi = fmpq(a.numerator, a.denominator), fmpq(b.numerator, b.denominator)
    if rng.random() < 0.1:
        return Side(lo, lo)
    low = None if rng.random() < 0.12 else lo
    high = None if rng.random() < 0.12 else hi if hi > lo else hi + 1
    return Side(low, high, low is not None and rng.random() < 0.5, high is not None and rng.random() < 0.5)


def _inside(side: Side, rng: random.Random) -> Fraction:
    ends = [Fraction(int(e.p), int(e.q)) for e in (side.lo, side.hi) if e is not None]
    while True:
        far = Fraction(rng.choice((1, 3, 50, 700)), rng.choice((1, 7)))
        lo = ends[0] if side.lo is not None else ends[-1] - far if ends else -far
        hi = ends[-1] if side.hi is not None else lo + 2 * far
        special = Fraction(0), Fraction(1), Fraction(1, 2)
        t = rng.choice((*special, Fraction(rng.randint(0, 1000), 1000), Fraction(1, 10**9)))
        q = lo + (hi - lo) * t
        if side.contains(fmpq(q.numerator, q.denominator)):
            return q


def _exactly(x: arb) -> mpmath.mpf:
    if not x.is_finite():
        return mpmath.inf if x > 0 else -mpmath.inf
    mantissa, exponent = x.man_exp()
    return mpmath.ldexp(int(mantissa), int(exponent))


def _holds(v: Iv, value: mpmath.mpf) -> bool:
    """Whether a value, known up to the rounding of mpmath, may belong to the enclosure."""
    slack = (abs(value) + mpmath.mpf(10) ** -200) * mpmath.mpf(2) ** (20 - BITS)
    return _exactly(v.lo) - slack <= value <= _exactly(v.hi) + slack


def _strictly(v: Iv, value: mpmath.mpf) -> bool:
    """Ends said to be left out are not attained (checked where mpmath is exact there)."""
    lo, hi = _exactly(v.lo), _exactly(v.hi)
    attained = lambda end, left_out: mpmath.isfinite(end) and left_out and value == end == int(end)
    return not attained(lo, v.lo_open) and not attained(hi, v.hi_open)


def _check(e: sp.Expr, symbols: list[sp.Symbol], rng: random.Random, points: int) -> int:
    """Containment at some points of one random box; the number of comparisons made."""
    box = tuple(_side(rng) for _ in symbols)
    program = Program(symbols)
    v = program.on(box)[program.add(e)]
    assert not any(end.is_nan() for end in (v.lo, v.hi)), (e, box, v)
    done = 0
    with mpmath.workprec(BITS):
        for _ in range(points):
            at = [_inside(s, rng) for s in box]
            env = lambda at=at: {s: mpmath.mpf(q.numerator) / q.denominator for s, q in zip(symbols, at)}
            try:
                value = mp_value(e, env())
            except (ValueError, ZeroDivisionError, OverflowError):
                value = mpmath.nan
            if not mpmath.isfinite(value):
                assert not v.defined, f"{e} is {value} at {at}, but {v} on {box} says that it is defined"
                continue
            assert _holds(v, value), f"{e} at {at} is {mpmath.nstr(value, 30)}, outside of {v} on {box}"
            if v.defined and not _strictly(v, value) and all(abs(q) < 20 for q in at):
                # tanh(19) may have been rounded to 1; beyond 20 this is not looked into
                with mpmath.workprec(2000):
                    exact = mp_value(e, env())
                    assert _strictly(v, exact), f"{e} at {at} attains the end that {v} leaves out, on {box}"
            done += 1
    return done


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("bits", [30, 64])
def test_every_function_on_random_boxes(name, bits):
    rng, old = random.Random(f"{name} {bits}"), ctx.prec
    ctx.prec = bits
    try:
        done = sum(_check(FUNCTIONS[name](X), [X], rng, 3) for _ in range(40))
    finally:
        ctx.prec = old
    assert done > 15


def test_random_expressions_in_several_variables():
    rng, old, done = random.Random(5), ctx.prec, 0
    ctx.prec = 53
    try:
        for st in (next(source) for source in [statements(11)] for _ in range(250)):
            e = st.big - st.small
            try:
                done += _check(e, list(st.ranges), rng, 3)
            except Unsupported:
                continue
    finally:
        ctx.prec = old
    assert done > 250


@pytest.mark.parametrize("op", ["__add__", "__sub__", "__mul__", "max", "hull"])
def test_operations_on_pairs_of_intervals(op):
    rng = random.Random(op)
    for _ in range(1500):
        a, b = _side(rng), _side(rng)
        v = getattr(a.iv(), op)(b.iv())
        p, q = _inside(a, rng), _inside(b, rng)
        exact = dict(__add__=p + q, __sub__=p - q, __mul__=p * q, max=max(p, q), hull=rng.choice((p, q)))[op]
        with mpmath.workprec(BITS):
            value = mpmath.mpf(exact.numerator) / exact.denominator
            assert _holds(v, value), (op, a, b, v, p, q)
            assert _strictly(v, value), (op, a, b, v, p, q)


@pytest.mark.parametrize(
    ("e", "lo", "hi", "attained"),
    [
        (X**2, -1, 2, (0, 4)),
        (X * sp.exp(-X), 0, 4, (0, sp.exp(-1))),
        (sp.sqrt(X) * sp.log(X), R(1, 100), 1, (-2 / sp.E, 0)),
        (sp.cosh(X), -1, 3, (1, sp.cosh(3))),
        (sp.Abs(X), -2, 1, (0, 2)),
        (sp.erfc(X), 0, 1, (sp.erfc(1), 1)),
        (sp.besselk(0, X), 1, 2, (sp.besselk(0, 2), sp.besselk(0, 1))),
    ],
    ids=str,
)
def test_ranges_are_sharp_where_the_function_is_monotone_or_unimodal(e, lo, hi, attained):
    """An enclosure that is always infinite would pass every test above."""
    side = Side(*(fmpq(int(R(v).p), int(R(v).q)) for v in (lo, hi)))
    program = Program([X])
    v = program.on((side,))[program.add(e)]
    for end, exact in zip((v.lo, v.hi), attained):
        assert abs(float(end.str(20, radius=False)) - float(exact)) < 1e-12
    assert v.defined
