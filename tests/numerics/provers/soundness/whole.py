"""Equations between factorials and Gammas of whole numbers; the judge multiplies them out."""

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import factorial, prod
from typing import Any

import sympy as sp

from numerics.evidence import Evidence
from numerics.provers import identity
from tests.numerics.provers.soundness.case import accepted
from tests.numerics.provers.soundness.drawing import drawn

__all__ = ["FAMILIES", "Counted", "counted"]


class NoValue(ArithmeticError):
    """A function has no value at the whole numbers, or none that is agreed upon."""


def _whole(q: Fraction, least: int) -> int:
    if q.denominator != 1 or q < least:
        raise NoValue(q)
    return int(q)


def _rising(x: Fraction, k: Fraction) -> Fraction:
    n = _whole(k, -50)
    below = prod((x - j for j in range(1, 1 - n if n < 0 else 1)), start=Fraction(1))
    if below == 0:
        raise NoValue(x)
    return prod((x + j for j in range(n)), start=Fraction(1)) / below


_VALUES: dict[Any, Callable[..., Fraction]] = {
    sp.RisingFactorial: _rising,
    sp.FallingFactorial: lambda x, k: _rising(x - k + 1, Fraction(_whole(k, 0))),
    sp.factorial: lambda n: Fraction(factorial(_whole(n, 0))),
    sp.gamma: lambda n: Fraction(factorial(_whole(n, 1) - 1)),
    sp.binomial: lambda n, k: _rising(n - k + 1, Fraction(_whole(k, 0))) / factorial(_whole(k, 0)),
    sp.beta: lambda a, b: Fraction(
        factorial(_whole(a, 1) - 1) * factorial(_whole(b, 1) - 1), factorial(int(a + b) - 1)
    ),
}


def counted(e: sp.Expr, point: dict[sp.Symbol, int]) -> Fraction:
    """The value at whole numbers; raises NoValue if there is none."""
    if e in point:
        return Fraction(point[e])
    if e.is_Rational:
        return Fraction(int(e.p), int(e.q))
    args = [counted(a, point) for a in e.args]
    if e.is_Add:
        return sum(args, Fraction(0))
    if e.is_Mul:
        return prod(args, start=Fraction(1))
    if e.is_Pow:
        n = _whole(args[1], -50)
        if args[0] == 0 and n <= 0:
            raise NoValue(e)
        return args[0] ** n
    return _VALUES[e.func](*args)


@dataclass
class Counted:
    """``lhs = rhs`` in whole numbers."""

    lhs: sp.Expr
    rhs: sp.Expr

    def ask(self, effort: int) -> Evidence:
        return identity(self.lhs, self.rhs)

    def equal(self, point: dict[sp.Symbol, int]) -> bool | None:
        """Whether both sides are equal at a point; None where one of them has no value."""
        try:
            return counted(self.lhs, point) == counted(self.rhs, point)
        except NoValue:
            return None

    def fault(self, e: Evidence, rng: random.Random) -> str:
        names = sorted(self.lhs.free_symbols | self.rhs.free_symbols, key=str)
        if accepted(e):
            ranges = [range(1 if s.is_positive else 0 if s.is_nonnegative else -4, 5) for s in names]
            points = (dict(zip(names, p)) for p in itertools.product(*ranges))
            wrong = next((p for p in points if self.equal(p) is False), None)
            return "" if wrong is None else f"{e.verdict.value}, but the sides differ at {wrong}: {self}"
        if e.verdict.value == "REFUTED":
            point = {s: int(str(e.witness[str(s)])) for s in names}
            return f"the sides are equal at the witness {point}: {self}" if self.equal(point) else ""
        return ""

    def __str__(self) -> str:
        kinds = {
            str(s): dict(s._assumptions_orig)
            for s in sorted(self.lhs.free_symbols | self.rhs.free_symbols, key=str)
        }
        return f"identity({self.lhs}, {self.rhs}) with {kinds}"


#: True where a and b are positive, k is not negative, and n is any whole number; or false.
_COUNTS = """
rf(c, a*b*k) + n, n; rf(c, a + b - d) + n, n; rf(c, k), 0; rf(n, k + 1), (n + k)*rf(n, k);
rf(n, k + 1), (n + k + 1)*rf(n, k); rf(n, k + 1), n*rf(n + 1, k); rf(n, a + b), rf(n, a)*rf(n + a, b);
rf(-a, a) + n, n; rf(-a, a + 1) + n, n; rf(-k, k + d), 0; rf(a, k), gamma(a + k)/gamma(a);
rf(n, k), (-1)**k*ff(-n, k); rf(c + a, k)*rf(a, b), rf(a, b)*rf(a + c, k); ff(n, k + 1), (n - k)*ff(n, k);
ff(n, k + 1), (n - k - 1)*ff(n, k); ff(k - 1, k) + n, n; ff(c, k) + n, n; ff(k, k), factorial(k);
ff(k, a), factorial(k)/factorial(k - a); binomial(c, k) + n, n;
binomial(n + 1, k + 1), binomial(n, k) + binomial(n, k + 1);
binomial(n, k), binomial(n - 1, k) + binomial(n - 1, k - 1); binomial(n, n + 1) + a, a;
binomial(k, a), binomial(k, k - a); binomial(n, k)*factorial(k), ff(n, k); binomial(-1, k), (-1)**k;
binomial(a + b, a), binomial(a + b, b); factorial(k + 1), (k + 1)*factorial(k); factorial(a), a*gamma(a);
factorial(n - d)*n, factorial(n - d + 1); gamma(n + 2), (n + 1)*gamma(n + 1);
gamma(n + 2)/gamma(n), n*(n + 1); gamma(a - 2)*(a - 1)*(a - 2), gamma(a);
beta(a, b), gamma(a)*gamma(b)/gamma(a + b); beta(a + 1, b), a/(a + b)*beta(a, b); beta(c, a) + n, n;
beta(a, b), beta(b, a + 1)
"""


def _drawn(rng: random.Random) -> Counted:
    a, b = sp.symbols("a b", integer=True, positive=True)
    k, n = sp.Symbol("k", integer=True, nonnegative=True), sp.Symbol("n", integer=True)
    with sp.evaluate(rng.random() < 0.8):
        fixed = dict(c=sp.Integer(rng.randint(-4, 2)), d=sp.Integer(rng.randint(0, 2)))
        lhs, rhs = drawn(rng, _COUNTS, a=a, b=b, k=k, n=n, **fixed)
    if rng.random() < 0.3:
        put = rng.choice(({k: k + 1}, {n: -n}, {n: n + k}, {a: a + b}, {k: k * a}))
        lhs, rhs = (e.subs(put, simultaneous=True) for e in (lhs, rhs))
    return Counted(sp.sympify(lhs), sp.sympify(rhs))


FAMILIES: dict[str, Callable[[random.Random], Counted]] = {"factorials of whole numbers": _drawn}
