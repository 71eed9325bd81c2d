"""Random inequalities without end, about half of them true."""

import random
from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from tests.numerics.provers.soundness.drawing import drawn, every
from tests.numerics.provers.statement import R, Random, Range, X, Y, Z
from tests.numerics.provers.values import least as least_value

_RANGES = [
    Range(Fraction(0), None), Range(Fraction(0), None, closed=True), Range(Fraction(0), Fraction(1)),
    Range(Fraction(0), Fraction(1), closed=True), Range(Fraction(-1), Fraction(1)),
    Range(Fraction(1, 2), Fraction(3)), Range(Fraction(1), None, closed=True), Range(None, None),
    Range(Fraction(-2), Fraction(5, 3), closed=True), Range(None, Fraction(0)),
    Range(Fraction(1), None, integer=True), Range(Fraction(-3), Fraction(12), integer=True),
]  # fmt: skip
_number = lambda rng: R(rng.choice((1, 1, 1, 2, 3, 5)) * rng.choice((1, -1)), rng.choice((1, 1, 2, 3, 4)))


def _tame(rng: random.Random, symbols: list[sp.Symbol]) -> sp.Expr:
    """Something small that an exponential may be taken of."""
    s = rng.choice(symbols)
    (e,) = drawn(rng, _TAME, s=s, number=lambda: _number(rng), symbol=lambda: rng.choice(symbols))
    return e


_TAME = "s; number()*s; s + number(); s**2; s*symbol(); -s - s**2"
_POSITIVE = """
natural; natural + Abs(number()); exp(tame()); 1 + inner()**2; inner() + inner(); sqrt(inner()); 1/inner();
cosh(tame()); inner()**Abs(number())
"""
_LEAF = "symbol(); number()*symbol(); symbol()**random.randint(2, 3)"
_INNER = """
again() + again(); again() - again(); again()*again(); again()/positive(); again()**2;
exp(-positive()) if random.random() < 0.5 else exp(tame()); log(positive()); sqrt(positive());
log(1 + positive()); tanh(again()); sinh(tame()); cosh(tame()); coth(positive()); sech(tame()); erf(again());
erfc(tame()); atan(again()); asinh(again()); sin(tame()); cos(tame()); Abs(again()); Max(again(), again());
Min(again(), again()); loggamma(positive()); gamma(positive())/(1 + gamma(positive()));
polygamma(0, positive()); uppergamma(random.choice((R(1, 2), 2, R(5, 2))), positive());
lowergamma(random.choice((R(1, 2), 3)), positive()); besselk(random.choice((0, R(1, 2), 1)), positive());
besseli(random.choice((0, 1)), positive())*exp(-positive()); positive()**tame()
"""


def _positive(rng, symbols, ranges, depth):
    s = rng.choice(symbols)
    lo = ranges[s].lo
    natural = s if lo is not None and lo >= 0 else s**2 + abs(_number(rng))
    inner = lambda: _positive(rng, symbols, ranges, depth - 1) if depth > 0 else natural
    names = dict(natural=natural, inner=inner, number=lambda: _number(rng), tame=lambda: _tame(rng, symbols))
    (e,) = drawn(rng, _POSITIVE, **names)
    return e


def _expression(rng, symbols, ranges, depth):
    again, positive = (lambda of=of: of(rng, symbols, ranges, depth - 1) for of in (_expression, _positive))
    names = dict(number=lambda: _number(rng), symbol=lambda: rng.choice(symbols), again=again)
    names |= dict(positive=positive, tame=lambda: _tame(rng, symbols), random=rng)
    (e,) = drawn(rng, _LEAF if depth <= 0 or rng.random() < 0.2 else _INNER, **names)
    return e


def statements(seed: int) -> Iterator[Random]:
    rng = random.Random(seed)
    while True:
        if rng.random() < 0.08:
            yield _invariant(rng)
            continue
        symbols = [X, Y, Z][: rng.choice((1, 1, 1, 1, 2, 2, 3))]
        ranges = {s: rng.choice(_RANGES) for s in symbols}
        left = _expression(rng, symbols, ranges, rng.choice((1, 2, 2, 2, 3)))
        right = _expression(rng, symbols, ranges, rng.choice((1, 2))) if rng.random() < 0.5 else sp.S.Zero
        f = left - right
        strange = f.has(sp.nan, sp.zoo, sp.oo, sp.I, sp.atan2, sp.re, sp.im, sp.arg)
        if strange or not f.free_symbols or _nested(f):
            continue
        symbols = sorted(left.free_symbols | right.free_symbols, key=str)
        ranges = {s: ranges[s] for s in symbols}
        where = _hypothesis(rng, symbols)
        least = least_value(f, ranges, where, rng)
        if least is None:
            continue
        scale = max(abs(least), 0.1)
        step = rng.choice((1.0, 0.3, 0.1, 0.01, 1e-3)) * scale * rng.choice((1, -1))
        offset = R(Fraction(least - step).limit_denominator(10**4))
        sides = (right + offset, left)
        if rng.random() < 0.1:  # nothing is shifted: equalities at special points come up here
            sides = (right, left)
        yield Random(*sides, rng.random() < 0.3, ranges, where)


_HOMOGENEOUS = """
x; y; Abs(x); Abs(y); sqrt(x**2 + y**2); Max(x, y); Min(x, 2*y); Abs(x - y); sqrt(x**2 + x*y + y**2)
"""
_SHIFTING = "log(exp(x) + exp(y)); Max(x, y); Min(x, y); (x + y)/2; log(exp(x/2) + exp(y/2))*2; x"


def _invariant(rng: random.Random) -> Random:
    """A statement whose sign does not change when both variables are scaled or shifted together."""
    if rng.random() < 0.5:
        open_ray, ray, line = _RANGES[0], _RANGES[1], _RANGES[7]
        kind = rng.choice((open_ray, ray, line))
        ranges = {X: kind, Y: rng.choice((kind, ray))}
        atoms = every(_HOMOGENEOUS, x=X, y=Y)
        if all(r.lo is not None for r in ranges.values()):
            atoms += [sp.sqrt(X * Y), sp.cbrt(X**3 + 2 * Y**3)]
        unit = rng.choice((sp.Abs(X) + sp.Abs(Y), sp.sqrt(X**2 + Y**2), sp.Max(sp.Abs(X), sp.Abs(Y))))
    else:
        ranges = {X: Range(None, None), Y: Range(None, None)}
        lead = every(_SHIFTING, x=X, y=Y)
        atoms = [a - b for a, b in (rng.sample(lead, 2) for _ in range(3))]
        atoms += [sp.Abs(X - Y), sp.exp(-((X - Y) ** 2)), sp.tanh(X - Y)]
        unit = sp.S.One
    left = sp.Add(*(_number(rng) * a for a in rng.sample(atoms, 3)))
    least = least_value(left / unit, ranges, (), rng)
    c = R(1)
    if least is not None:
        c = R(Fraction(least - rng.choice((0.3, 0.01, 0, -0.01, -0.3))).limit_denominator(1000))
    return Random(c * unit, left, rng.random() < 0.3, ranges, ())


def _nested(f: sp.Expr) -> bool:
    """Towers of exponentials, whose values mpmath would spend minutes on."""
    fast = (sp.exp, sp.cosh, sp.sinh, sp.gamma, sp.besseli)
    grows = lambda e: any(isinstance(a, fast) for a in sp.preorder_traversal(e))
    slow = (*fast, sp.loggamma, sp.sin, sp.cos, sp.erf, sp.erfc, sp.besselk)
    slow += (sp.uppergamma, sp.lowergamma, sp.polygamma)
    return any(isinstance(a, slow) and any(map(grows, a.args)) for a in sp.preorder_traversal(f)) or any(
        a.is_Pow and grows(a.exp) and a.base is not sp.E for a in sp.preorder_traversal(f)
    )


def _hypothesis(rng: random.Random, symbols: list[sp.Symbol]) -> tuple[tuple[sp.Expr, str, sp.Expr], ...]:
    if len(symbols) < 2 or rng.random() < 0.6:
        return ()
    a, b = rng.sample(symbols, 2)
    met = [(a, "<=", b), (a, "<", b), (a * b, "<=", sp.S.One), (a + b, ">=", R(1, 2)), (a**2, "<=", b + 3)]
    return (rng.choice(met),)
