"""Integrals with every known function; truth is a quadrature between kinks and poles."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp

from numerics.provers import integral, integral_evidence
from tests.numerics.provers.soundness.drawing import drawn
from tests.numerics.provers.soundness.values import Function, Out, number
from tests.numerics.provers.soundness.wells import R, positive

__all__ = ["FAMILIES"]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)


@dataclass
class Area:
    """An integral beside a constant."""

    f: Any
    x: sp.Symbol
    ends: tuple[Any, Any]
    op: str
    closed: Any
    tail: Any = None
    kinks: Sequence[Any] = ()

    def ask(self, effort: int) -> Any:
        if self.op == "ball":
            return integral(self.f, self.x, self.ends, tail=self.tail)
        return integral_evidence(self.f, self.x, self.ends, self.op, self.closed, tail=self.tail)

    def value(self) -> float | None:
        """To about nine digits; None where the integrand, or the symbol, has no such real value."""
        a, b = (float(e) for e in self.ends)
        cuts = sorted({a, b, *(float(k) for k in self.kinks if min(a, b) < k < max(a, b))})
        middle = [
            R(c + 1 if d == math.inf else d - 1 if c == -math.inf else (c + d) / 2) for c, d in pairwise(cuts)
        ]
        unlike = [
            k for k, w in self.x.assumptions0.items() if any(getattr(m, f"is_{k}") is not w for m in middle)
        ]
        if set(unlike) - {"zero", "nonzero", "extended_nonzero"}:
            return None
        f, total = Function(self.f, [self.x]), 0.0
        if a == b:
            return 0.0 if self._at(f, a) is not None else None
        for c, d in pairwise(cuts):
            n = 4 if d - c < math.inf else 16
            for t, w in zip(
                np.add.outer(np.arange(n), (1 + _NODES) / 2).ravel() / n, np.tile(_WEIGHTS, n) / (2 * n)
            ):
                if d - c < math.inf:
                    at, speed = c + (d - c) * t, d - c
                else:  # the line is brought to (0, 1)
                    at = d - 4 * t / (1 - t) if c == -math.inf else c + 4 * t / (1 - t)
                    speed = 4 / (1 - t) ** 2
                v = self._at(f, at)
                if v is None:
                    return None
                total += float(w * v * speed)
        return total if b > a else -total

    @staticmethod
    def _at(f: Function, x: float) -> float | None:
        try:
            v = f.rough([x])
            if not isinstance(v, complex) and v == v:
                return float(v)
        except (*Out, AttributeError):
            pass
        try:
            return float(_real(f(number(sp.Rational(x)), digits=25)))
        except Out:
            return None

    def fault(self, answer: Any, rng: random.Random) -> str:
        said = "a ball" if self.op == "ball" else answer.verdict.value
        if said == "OPEN":
            return ""
        value = self.value()
        if value is None:
            return f"{said}, but the integrand is no real number everywhere: {self}"
        if self.op == "ball":
            ball = (float(answer.mid()), float(answer.rad()))
            inside = abs(value - ball[0]) <= ball[1] + 1e-7 * (1 + abs(value))
            return "" if inside else f"{ball} does not contain {value}: {self}"
        finite = sp.sympify(self.closed).is_finite
        constant = complex(Function(self.closed, ())()) if finite else complex("nan")
        if constant.imag or constant != constant:
            return f"{said}, but the constant is no real number: {self}"
        gap, room = value - constant.real, 1e-7 * (1 + abs(value))
        below, above = gap < room, gap > -room
        holds = {"<": below, ">": above, "=": below and above}[self.op[0]]
        fails = {"<": above, ">": below, "=": True}[self.op[0]]
        if (said == "REFUTED" and not fails) or (said != "REFUTED" and not holds):
            return f"{said}, but the integral is {value}: {self}"
        return ""

    def __str__(self) -> str:
        whole = f"integral({self.f}, {self.x}, {self.ends}, tail={self.tail})"
        return f"{whole} {self.op} {self.closed} with {self.x._assumptions_orig}"


def _real(v: Any) -> Any:
    if abs(v.imag) > 1e-12 * abs(v):
        raise ValueError("the value is not real")
    return v.real


def _compared(rng: random.Random, f: Any, x: sp.Symbol, ends: tuple[Any, Any], **options: Any) -> Area:
    """Beside a constant that is near the value, or the ball alone."""
    area = Area(sp.sympify(f), x, ends, "ball", sp.S.Zero, **options)
    if rng.random() < 0.3:
        return area
    value = area.value() or 0.0
    area.op = rng.choice(("<", "<=", ">", ">=", "=="))
    area.closed = R(round(value * 10**7), 10**7) + rng.choice((1, -1)) * R(
        1, 10 ** rng.choice((0, 1, 2, 4, 6))
    )
    return area


#: An integrand for every function, of an argument that is between 0 and 2.
_INTEGRANDS = """
exp(t); sin(t); cos(t); sinh(t); cosh(t); tanh(t); sech(t); erf(t); erfc(t); erfi(t); atan(t); asinh(t);
LambertW(t); tan(t/2 - R(1, 9)); sec(t/2 - R(1, 9)); asin(t/2 - R(1, 9)); acos(t/2 - R(1, 9));
atanh(t/2 - R(1, 9)); gamma(t + R(1, 2)); factorial(t + R(1, 2)); loggamma(t + R(1, 2)); cot(t + R(1, 2));
csc(t + R(1, 2)); coth(t + R(1, 2)); csch(t + R(1, 2)); uppergamma(R(3, 2), t + R(1, 3));
lowergamma(R(3, 2), t + R(1, 3)); besselk(R(3, 2), t + R(1, 3)); besseli(R(3, 2), t + R(1, 3));
besselj(R(3, 2), t + R(1, 3)); beta(R(3, 2), t + R(1, 3)); acosh(R(3, 2) + t); polygamma(1, t + 1);
binomial(t + 3, 2); log(1 + t); sqrt(t + sqrt(1 + t)); (1 + t)**t; cbrt(1 + t); 1/(1 + t)**3;
pi*t**2 + E - EulerGamma*t
"""


def _nodes(rng: random.Random) -> Area:
    x = sp.Symbol("x", **rng.choice(({}, {"real": True}, {"positive": True})))
    (f,) = drawn(rng, _INTEGRANDS, t=x)
    if rng.random() < 0.4:
        (g,) = drawn(rng, _INTEGRANDS, t=x)
        f = rng.choice((f + g, f * g, f - R(1, 2) * g, f * sp.exp(-x), f / (1 + x**2)))
    a, b = sorted(rng.sample([R(k, 5) for k in range(11)], 2))
    return _compared(rng, f, x, (b, a) if rng.random() < 0.1 else (a, b))


_KINKS = """
Abs(u); Max(u, 0); Min(u, 2*u); sign(u); exp(Abs(u)); sqrt(Abs(u) + 1); Max(u**2, u); log(Abs(u) + 1);
Abs(sin(u))
"""


def _kinks(rng: random.Random) -> Area:
    x = sp.Symbol("x", real=True)
    c = R(rng.randint(-4, 8), 5)
    (f,) = drawn(rng, _KINKS, u=x - c)
    return _compared(rng, f, x, (R(-1), R(rng.choice((1, 2)))), kinks=(c, c + 1))


_UNDEFINED = """
1/x, 0, 0; 1/x, -1, 1; log(x), -2, -1; Abs(log(x)), -2, -1; Abs(1 + I*x), -1, 1; x**R(1, 4), -1, 7;
sqrt(x), -1, 1; exp(I*x), 0, 1; sqrt(x)**2, -1, 1; acos(x), 0, 2; Max(sqrt(x), 0), -1, 1;
sign(log(x)), -2, -1; 1/(x**2 - R(1, 2)), 0, 1; gamma(x), -1, 1; log(x)**2, -2, -1; re(sqrt(x)), -1, 1;
I*x, -1, 1; tan(x), 1, 2; coth(x), -1, 1; atanh(x), 0, 2; Abs(sqrt(x)), -1, 0; Abs(x + sqrt(x - 2)), 0, 1;
Abs(exp(I*x)), 0, 2; cbrt(x), -8, 8
"""


def _undefined(rng: random.Random) -> Area:
    x = sp.Symbol("x", **rng.choice(({}, {"real": True})))
    f, *ends = drawn(rng, _UNDEFINED, x=x)
    op, closed = rng.choice(("<", ">", "==", "ball")), rng.choice((R(-9), R(0), R(1), R(9), R(201, 100)))
    return Area(f, x, tuple(ends), op, closed, kinks=(0,))


def _declared(rng: random.Random) -> Area:
    kinds = ("positive", "negative", "integer", "nonnegative", "imaginary", "real", "rational")
    x = sp.Symbol("x", **{rng.choice(kinds): True})
    (f,) = drawn(rng, "sqrt(x**2); Abs(x); x**2; exp(x); sign(x)*x; log(x**2 + 1); cos(pi*x)", x=x)
    ends = rng.choice(((R(-1), R(1)), (R(0), R(1)), (R(1), R(2)), (R(-2), R(-1))))
    return _compared(rng, f, x, ends, kinks=(0,))


#: Constants that are complex, undefined, or written in a way that hides their value.
_CONSTANTS = """
pi/4; pi/4 + I; 1 + I; 1/zero; pi/4 + zero; log(-1); sqrt(-2); oo; zoo; nan; asin(2);
R(785398163397, 10**12); atan(1) + zero/7
"""


def _constants(rng: random.Random) -> Area:
    x = sp.Symbol("x", real=True)
    (closed,) = drawn(rng, _CONSTANTS, zero=sp.sqrt(2) + sp.sqrt(3) - sp.sqrt(5 + 2 * sp.sqrt(6)))
    return Area(1 / (1 + x**2), x, (R(0), R(1)), rng.choice(("<", "<=", ">", ">=", "==")), closed)


#: Integrands, and what is said to dominate them, with the ends.
_TAILS = """
exp(-x), exp(-x), 0, oo; x*exp(-x), 2*exp(-x/2), 0, oo; exp(-x**2), exp(-x**2), -oo, oo;
exp(-x)*sin(x), exp(-x), 0, oo; exp(x), exp(-x), -oo, 0; exp(-x/10), exp(-x), 0, oo;
c*exp(-x), exp(-x), 0, oo; exp(-x**2/2)*x**2, 3*exp(-x**2/4), -oo, oo; exp(-x), 2*exp(-x), c, oo;
exp(-x), -exp(-x), 0, oo; 1/(1 + exp(x)), exp(-x), 0, oo; exp(-Abs(x)), exp(-x), -oo, oo
"""


def _tails(rng: random.Random) -> Area:
    x = sp.Symbol("x", real=True)
    f, tail, *ends = drawn(rng, _TAILS, x=x, c=positive(rng))
    return _compared(rng, f, x, tuple(ends), tail=tail, kinks=(0,))


FAMILIES: dict[str, Callable[[random.Random], Area]] = {
    "integrands": _nodes, "kinks of integrands": _kinks, "undefined integrands": _undefined,
    "declared variables": _declared, "constants beside integrals": _constants, "infinite ends": _tails,
}  # fmt: skip
