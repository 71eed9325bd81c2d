"""SymPy expressions as functions of complex Arb balls: `value` encloses constants, and
`ball_function` makes integrands for `acb.integral` that know where they are analytic.

`acb.integral` trusts its integrand: where a branch cut crosses the ball, the integrand must answer
"nan", or the result is wrong with a tiny radius. FLINT has the flag ``analytic`` for some functions
only; for the others the cut is tested here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any, TypeAlias

import sympy as sp
from flint import acb, arb, ctx

from numerics.rationals import flint_rational

__all__ = ["BINARY", "CONSTANTS", "UNARY", "Ball", "Complex", "NoBall", "ball_function", "precision", "value"]

Ball: TypeAlias = arb
Complex: TypeAlias = acb
Balls: TypeAlias = Callable[[Sequence[Complex], bool], Complex]


class NoBall(TypeError):
    """An expression holds something that has no enclosure here: a free symbol, a function without
    one, a binary float.
    """


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute with this many bits inside the block, and put the old number back afterwards: FLINT's
    working precision is global.
    """
    old, ctx.prec = ctx.prec, bits
    try:
        yield
    finally:
        ctx.prec = old


def _nan() -> Complex:
    return acb(arb.nan(), arb.nan())


def _off_the_cut(z: Complex, analytic: Callable[[arb], bool]) -> bool:
    """Whether the ball surely avoids the branch cut, which lies on the real axis where `analytic`
    is not surely true.
    """
    return bool(z.imag > 0 or z.imag < 0) or analytic(z.real)


#: Where the principal branch of each function is analytic, for the functions whose FLINT version
#: has no flag.
_ANALYTIC: Mapping[Any, Callable[[Complex], bool]] = {
    sp.atan: lambda z: bool(z.real > 0 or z.real < 0 or abs(z.imag) < 1),
    sp.asinh: lambda z: bool(z.real > 0 or z.real < 0 or abs(z.imag) < 1),
    sp.asin: lambda z: _off_the_cut(z, lambda x: bool(abs(x) < 1)),
    sp.acos: lambda z: _off_the_cut(z, lambda x: bool(abs(x) < 1)),
    sp.atanh: lambda z: _off_the_cut(z, lambda x: bool(abs(x) < 1)),
    sp.acosh: lambda z: _off_the_cut(z, lambda x: bool(x > 1)),
    sp.loggamma: lambda z: _off_the_cut(z, lambda x: bool(x > 0)),
    sp.LambertW: lambda z: _off_the_cut(z, lambda x: bool(-x * arb(1).exp() < 1)),
}
UNARY: Mapping[Any, Callable[[Complex], Complex]] = {
    sp.exp: acb.exp,
    sp.sin: acb.sin,
    sp.cos: acb.cos,
    sp.tan: acb.tan,
    sp.cot: acb.cot,
    sp.sec: acb.sec,
    sp.csc: acb.csc,
    sp.sinh: acb.sinh,
    sp.cosh: acb.cosh,
    sp.tanh: acb.tanh,
    sp.coth: acb.coth,
    sp.sech: acb.sech,
    sp.csch: acb.csch,
    sp.erf: acb.erf,
    sp.erfc: acb.erfc,
    sp.erfi: acb.erfi,
    sp.gamma: acb.gamma,
    sp.factorial: lambda z: (z + 1).gamma(),
    sp.atan: acb.atan,
    sp.asinh: acb.asinh,
    sp.asin: acb.asin,
    sp.acos: acb.acos,
    sp.atanh: lambda z: acb(z.real.atanh()) if z.imag.is_zero() and abs(z.real) < 1 else z.atanh(),
    sp.acosh: acb.acosh,
    sp.loggamma: acb.lgamma,
    sp.LambertW: acb.lambertw,
}
CONSTANTS: Mapping[Any, Callable[[], Complex]] = {
    sp.pi: acb.pi,
    sp.E: lambda: acb(1).exp(),
    sp.I: lambda: acb(0, 1),
    sp.EulerGamma: lambda: acb(arb.const_euler()),
    sp.Catalan: lambda: acb(arb.const_catalan()),
    sp.GoldenRatio: lambda: (1 + acb(5).sqrt()) / 2,
}


def _integer_power(z: Complex, n: int) -> Complex:
    out, k = acb(1), abs(n)
    while k:  # not `**`: a power of a ball around zero is nan in python-flint 0.9
        out, z, k = (out * z if k & 1 else out), z * z, k >> 1
    return out if n >= 0 else 1 / out


def _power(base: Complex, exponent: Complex, analytic: bool) -> Complex:
    if not analytic and exponent.imag.is_zero() and exponent.real > 0 and base.contains(0):
        size = arb(base.abs_upper()) ** exponent.real
        return acb(*2 * (arb(0, size.upper()),))  # |z^q| = |z|^q, at every angle
    return (base.log(analytic=analytic) * exponent).exp()


def _only_real(f: Balls) -> Balls:
    """A function that answers nan where its value is not surely real."""
    return lambda v, a: z if (z := f(v, a)).imag.is_zero() else _nan()


def _away_from_zero(z: Complex) -> bool:
    return _off_the_cut(z, lambda x: bool(x > 0))


def _incomplete_gamma(e: sp.Expr, s: Complex, x: Complex, analytic: bool) -> Complex:
    if analytic and not _away_from_zero(x):
        return _nan()
    return x.gamma_upper(s) if e.func is sp.uppergamma else x.gamma_lower(s)


def _bessel(e: sp.Expr, n: Complex, x: Complex, analytic: bool) -> Complex:
    entire = e.func is not sp.besselk and e.args[0].is_Integer
    if analytic and not entire and not _away_from_zero(x):
        return _nan()
    return {sp.besselk: x.bessel_k, sp.besseli: x.bessel_i, sp.besselj: x.bessel_j}[e.func](n)


BINARY: Mapping[Any, Callable[[sp.Expr, Complex, Complex, bool], Complex]] = {
    sp.uppergamma: _incomplete_gamma,
    sp.lowergamma: _incomplete_gamma,
    sp.besselk: _bessel,
    sp.besseli: _bessel,
    sp.besselj: _bessel,
    sp.beta: lambda e, a, b, analytic: a.gamma() * b.gamma() * (a + b).rgamma(),
    sp.binomial: lambda e, n, k, analytic: (n + 1).gamma() * (k + 1).rgamma() * (n - k + 1).rgamma(),
    sp.polygamma: lambda e, n, z, analytic: z.polygamma(n),
}


_BENT = (sp.Abs, sp.sign, sp.Max, sp.Min)


def _known(e: sp.Expr) -> bool:
    """Whether the outermost function of an expression has an enclosure, in all its arguments."""
    if e.func in (sp.Add, sp.Mul, sp.Max, sp.Min):
        return True
    if e.func is sp.polygamma:
        return bool(e.args[0].is_Integer and e.args[0] >= 0)
    return len(e.args) == (
        1 if e.func in (*UNARY, sp.log, sp.Abs, sp.sign) else 2 if e.func in BINARY else None
    )


def ball_function(expr: sp.Expr, variables: Sequence[sp.Symbol]) -> Balls:
    """The function ``(values, analytic) -> acb`` that encloses `expr`; if ``analytic``, nan unless
    analytic on the whole ball. What has no enclosure here is a `NoBall`.

    The variables, in the order in which the values are given, and the arguments of |x|, sign, Max
    and Min must be real on the path of integration: nothing here checks that.

    >>> x = sp.Symbol("x")
    >>> f = ball_function(sp.sqrt(x), [x])
    >>> f([acb(-4)], False).str(5), f([acb(-4)], True).is_finite()
    ('2.0000j', False)
    """
    index = {v: i for i, v in enumerate(variables)}
    known: dict[sp.Expr, Balls] = {}

    def go(e: sp.Expr) -> Balls:
        if e not in known:
            known[e] = build(e)
        return known[e]

    def build(e: sp.Expr) -> Balls:
        if e in index:
            i = index[e]
            return lambda v, a: v[i]
        if e.is_Rational:
            q = flint_rational(e)
            return lambda v, a: acb(q)
        if e in CONSTANTS:
            constant = CONSTANTS[e]
            return lambda v, a: constant()
        if e.is_Float:
            raise NoBall(f"the binary float {e} is not an exact number; write a Rational")
        if e.is_Symbol or not e.args:
            raise NoBall(f"{e} has no value here")
        if e.is_Pow:
            return power(e)
        if not _known(e):
            raise NoBall(
                f"{e.func.__name__} with {len(e.args)} arguments has no enclosure here;"
                " rewrite it by exp, log, erf, gamma, uppergamma, besselk"
            )
        parts = [go(p) for p in e.args]
        if e.is_Add:
            return lambda v, a: sum((p(v, a) for p in parts), acb(0))
        if e.is_Mul:
            return lambda v, a: reduce(lambda x, y: x * y, (p(v, a) for p in parts))
        if e.func is sp.log:
            return lambda v, a: parts[0](v, a).log(analytic=a)
        if e.func in _BENT:
            return piecewise(e.func, parts)
        if e.func in UNARY:
            f, fine = UNARY[e.func], _ANALYTIC.get(e.func)
            return lambda v, a: (
                f(z) if (z := parts[0](v, a)) is not None and (not a or fine is None or fine(z)) else _nan()
            )
        g = BINARY[e.func]
        return lambda v, a: g(e, parts[0](v, a), parts[1](v, a), a)

    def power(e: sp.Expr) -> Balls:
        base, n = go(e.base), e.exp
        if n.is_Integer:
            return lambda v, a: _integer_power(base(v, a), int(n))
        if e.base is sp.E:
            exponent = go(n)
            return lambda v, a: exponent(v, a).exp()
        if n.is_Rational and n.q == 2:
            return lambda v, a: _integer_power(base(v, a).sqrt(analytic=a), int(n.p))
        exponent = go(n)
        return lambda v, a: _power(base(v, a), exponent(v, a), a)

    def piecewise(kind: Any, parts: list[Balls]) -> Balls:
        # Off the real axis only an integrand comes here, and there |x| means its analytic
        # continuation; a constant must be real.
        real = parts if variables else [_only_real(p) for p in parts]
        if kind is sp.Abs:
            return lambda v, a: real[0](v, a).real_abs(analytic=a)
        if kind is sp.sign:
            return lambda v, a: real[0](v, a).real_sgn(analytic=a)
        name = "real_max" if kind is sp.Max else "real_min"
        return lambda v, a: reduce(lambda x, y: getattr(x, name)(y, analytic=a), (p(v, a) for p in real))

    return go(sp.sympify(expr))


def value(expr: sp.Expr, bits: int = 128) -> Complex:
    """An enclosure of a constant expression; nan where it is undefined."""
    closed = ball_function(_moduli(sp.sympify(expr)), ())
    with precision(bits):
        return closed((), False)


def _moduli(expr: sp.Expr) -> sp.Expr:
    """|z| of a constant that is not known to be real, written as a square root: `piecewise` is for
    real arguments.
    """
    return expr.replace(
        lambda e: isinstance(e, sp.Abs) and e.args[0].is_extended_real is not True,
        lambda e: sp.sqrt(sp.re(e.args[0]) ** 2 + sp.im(e.args[0]) ** 2),
    )
