"""The enclosures of single functions on an interval: where they rise or fall, and their limits."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp
from flint import acb, arb, fmpq

from numerics.provers.enclosures.interval import INF, NINF, ONE, ZERO, Iv, down, gamma_shape, meet, up

__all__ = ["RULES", "Binet", "BinetSlope", "Sinc", "SincSlope", "with_parameter"]


class Binet(sp.Function):
    """``log Gamma(x) - (x - 1/2) log x + x - log(2 pi)/2``, between 0 and ``1/(12 x)`` for positive
    `x`.
    """


class BinetSlope(sp.Function):
    """``log x - 1/(2 x) - psi(x)``, between 0 and ``1/(12 x**2)`` for positive `x`."""


class Sinc(sp.Function):
    """``sin(x)/x``, and 1 at 0."""

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        return SincSlope(self.args[0])


class SincSlope(sp.Function):
    """The derivative of `Sinc`."""

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        (x,) = self.args
        return -Sinc(x) - 2 * SincSlope(x) / x


def _increasing(name: str, least: arb, greatest: arb) -> Callable[[Iv], Iv]:
    return lambda u: u.increasing(lambda t: getattr(t, name)(), least, greatest)


def _both_signs(name: str, least: arb) -> Callable[[Iv], Iv]:
    """An odd function that falls from infinity to `least` on the positive numbers."""

    def rule(u: Iv) -> Iv:
        if u.neg:
            return -rule(-u)
        return u.decreasing(lambda t: getattr(t, name)(), INF, least, ZERO)

    return rule


def _jump(below: arb) -> Callable[[Iv], Iv]:
    """The derivative of |x| or Max, between `below` and 1 where the sign of `x` is unknown: these
    are the values of Clarke's generalised derivative.
    """
    return lambda u: (
        Iv(ONE, ONE, defined=u.defined) if u.pos else Iv(below, below if u.neg else ONE, defined=u.defined)
    )


def _below(n: int) -> Callable[[Iv], Iv]:
    """The remainder of an asymptotic series, of which only the bounds 0 and ``1/(12 x**n)`` are
    known.
    """

    def rule(u: Iv) -> Iv:
        top = u.powi(-n) * Iv.of(fmpq(1, 12), fmpq(1, 12))
        return Iv(ZERO, top.hi, True, True) if u.pos and u.defined else u.undefined()

    return rule


def _tangent(u: Iv) -> Iv:
    """tan between two neighbouring poles, which Arb shows to be such."""
    if not (u.lo > NINF and u.hi < INF):
        return u.undefined()
    turn = ((u.lo / arb.pi() + ONE / 2).floor(), (u.hi / arb.pi() + ONE / 2).floor())
    if not (turn[0].is_exact() and turn[0] == turn[1]):
        return u.undefined()
    return u.increasing(lambda t: t.tan(), NINF, INF)


def _arcsine(u: Iv) -> Iv:
    """asin on [-1, 1]."""
    if not u.hi <= ONE:
        return u.undefined()
    return u.increasing(lambda t: t.asin(), down(-_HALF_PI), up(_HALF_PI), -ONE, attained=True)


def _sinc(u: Iv) -> Iv:
    """Even, and falling up to its least value, -0.217233..., at 4.4934..."""
    v, least = u.abs(), arb(fmpq(-21724, 100_000))
    if v.hi < arb(fmpq(449, 100)):
        return v.decreasing(lambda t: t.sinc(), ONE, least, ZERO, attained=True)
    around = u.ball(lambda t: t.sinc(), down(least), ONE)
    return meet(around, RULES[sp.sin](u) * u.inv()) if u.nonzero else around


def _sinc_slope(u: Iv) -> Iv:
    """Odd, and falling on both sides of 0 up to 2.0815..., where it is -0.436181..."""
    most = up(arb(fmpq(43619, 100_000)))
    if u.lo > -2 * ONE and u.hi < 2 * ONE:
        return u.decreasing(_sinc_slope_at, most, -most)
    around = Iv(-most, most, defined=u.defined)
    return meet(around, (RULES[sp.cos](u) - _sinc(u)) * u.inv()) if u.nonzero else around


def _sinc_slope_at(t: arb) -> arb:
    """By the power series, which alternates, where the quotient would lose its digits."""
    if abs(t) < arb(fmpq(1, 1000)):
        return -t / 3 + (t**3 / 30).union(ZERO)
    return (t.cos() - t.sinc()) / t


def _inverse_error(u: Iv) -> Iv:
    """The inverse of erf, on (-1, 1)."""
    if u.hi < ONE or (u.hi_open and u.hi <= ONE):
        return u.increasing(lambda t: t.erfinv(), NINF, INF, -ONE)
    return u.undefined()


def _inverse_complement(u: Iv) -> Iv:
    """The inverse of erfc, on (0, 2)."""
    if u.hi < 2 * ONE or (u.hi_open and u.hi <= 2 * ONE):
        return u.decreasing(lambda t: t.erfcinv(), INF, NINF, ZERO)
    return u.undefined()


#: Just above -1/e, where the principal branch of LambertW begins.
_BRANCH_POINT = up(-(-ONE).exp())
_HALF_PI = arb.pi() / 2
RULES: dict[type, Callable[[Iv], Iv]] = {
    sp.exp: Iv.exp,
    sp.log: Iv.log,
    sp.Abs: Iv.abs,
    sp.sinh: _increasing("sinh", NINF, INF),
    sp.asinh: _increasing("asinh", NINF, INF),
    sp.tanh: _increasing("tanh", -ONE, ONE),
    sp.erf: _increasing("erf", -ONE, ONE),
    sp.atan: _increasing("atan", down(-_HALF_PI), up(_HALF_PI)),
    sp.erfc: lambda u: u.decreasing(lambda t: t.erfc(), arb(2), ZERO),
    sp.cosh: lambda u: u.abs().increasing(lambda t: t.cosh(), ONE, INF, ZERO, attained=True),
    sp.acosh: lambda u: u.increasing(lambda t: t.acosh(), ZERO, INF, ONE, attained=True),
    sp.sech: lambda u: u.abs().decreasing(lambda t: t.sech(), ONE, ZERO, ZERO, attained=True),
    sp.coth: _both_signs("coth", ONE),
    sp.csch: _both_signs("csch", ZERO),
    sp.atanh: lambda u: u.log() * Iv.of(fmpq(1, 2), fmpq(1, 2)),
    # The least values of Gamma and of its logarithm on the positive numbers, rounded down.
    sp.gamma: lambda u: gamma_shape(u, lambda t: t.gamma(), arb(fmpq(8856, 10000))),
    sp.factorial: lambda u: gamma_shape(u, lambda t: t.gamma(), arb(fmpq(8856, 10000))),
    sp.loggamma: lambda u: gamma_shape(u, lambda t: t.lgamma(), arb(fmpq(-1215, 10000))),
    Binet: _below(1),
    BinetSlope: _below(2),
    sp.tan: _tangent,
    sp.asin: _arcsine,
    sp.acos: lambda u: Iv.of(_HALF_PI, _HALF_PI) - _arcsine(u),
    sp.LambertW: lambda u: u.increasing(lambda t: t.lambertw(), -ONE, INF, _BRANCH_POINT, attained=True),
    sp.harmonic: lambda u: (u + Iv(ONE, ONE)).increasing(
        lambda t: t.digamma() + arb.const_euler(), NINF, INF, ZERO
    ),
    sp.sin: lambda u: u.ball(lambda t: t.sin(), -ONE, ONE),
    sp.cos: lambda u: u.ball(lambda t: t.cos(), -ONE, ONE),
    sp.erfinv: _inverse_error,
    sp.erfcinv: _inverse_complement,
    sp.sinc: _sinc,
    Sinc: _sinc,
    SincSlope: _sinc_slope,
    sp.sign: _jump(-ONE),
    sp.Heaviside: _jump(ZERO),
}


def with_parameter(f: type, q: fmpq) -> Callable[[Iv], Iv] | None:
    s = arb(q)
    if f is sp.uppergamma and q > 0:
        return lambda u: u.decreasing(
            lambda t: t.gamma_upper(arb(q)), up(arb(q).gamma()), ZERO, ZERO, attained=True
        )
    if f is sp.lowergamma and q > 0:
        return lambda u: u.increasing(
            lambda t: t.gamma_lower(arb(q)), ZERO, up(arb(q).gamma()), ZERO, attained=True
        )
    if f is sp.besselk:
        return lambda u: u.decreasing(lambda t: t.bessel_k(arb(q)), INF, ZERO, ZERO)
    if f is sp.besseli:
        return lambda u: u.increasing(
            lambda t: t.bessel_i(arb(q)), ONE if s.is_zero() else ZERO, INF, ZERO, attained=True
        )
    if f is sp.polygamma and s.is_zero():
        return lambda u: u.increasing(lambda t: t.digamma(), NINF, INF, ZERO)
    if f is sp.polygamma and q.q == 1:  # (-1)**(n + 1) psi_n falls from infinity to 0
        at = lambda t: acb(t).polygamma(s).real
        if int(q.p) % 2:
            return lambda u: u.decreasing(at, INF, ZERO, ZERO)
        return lambda u: u.increasing(at, NINF, ZERO, ZERO)
    return None
