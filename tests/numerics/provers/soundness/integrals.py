"""Integrals for `integral` and `integral_evidence`, with every function that they know; their truth
is a quadrature in floating point, by pieces between the known kinks and poles.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from numerics.evidence import Evidence
from numerics.provers import integral, integral_evidence
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
        """The integral to about nine digits; None where the integrand has no real value, or the
        symbol is declared to be what the interval is not.
        """
        a, b = (float(e) for e in self.ends)
        cuts = sorted({a, b, *(float(k) for k in self.kinks if min(a, b) < k < max(a, b))})
        middle = [R(c + 1 if d == math.inf else d - 1 if c == -math.inf else (c + d) / 2) for c, d in zip(cuts, cuts[1:])]
        unlike = [k for k, w in self.x.assumptions0.items() if any(getattr(m, f"is_{k}") is not w for m in middle)]
        if set(unlike) - {"zero", "nonzero", "extended_nonzero"}:
            return None
        f, total = Function(self.f, [self.x]), 0.0
        if a == b:
            return 0.0 if self._at(f, a) is not None else None
        for c, d in zip(cuts, cuts[1:]):
            n = 4 if d - c < math.inf else 16
            for t, w in zip(np.add.outer(np.arange(n), (1 + _NODES) / 2).ravel() / n, np.tile(_WEIGHTS, n) / (2 * n)):
                if d - c < math.inf:
                    at, speed = c + (d - c) * t, d - c
                else:  # the line is brought to (0, 1)
                    at, speed = (d - 4 * t / (1 - t) if c == -math.inf else c + 4 * t / (1 - t)), 4 / (1 - t) ** 2
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
            return "" if abs(value - ball[0]) <= ball[1] + 1e-7 * (1 + abs(value)) else f"{ball} does not contain {value}: {self}"
        constant = complex(Function(self.closed, ())()) if sp.sympify(self.closed).is_finite else complex("nan")
        if constant.imag or constant != constant:
            return f"{said}, but the constant is no real number: {self}"
        gap, room = value - constant.real, 1e-7 * (1 + abs(value))
        holds = {"<": gap < room, "<=": gap < room, ">": gap > -room, ">=": gap > -room, "==": abs(gap) < room}[self.op]
        fails = {"<": gap > -room, "<=": gap > -room, ">": gap < room, ">=": gap < room, "==": True}[self.op]
        if (said == "REFUTED" and not fails) or (said != "REFUTED" and not holds):
            return f"{said}, but the integral is {value}: {self}"
        return ""

    def __str__(self) -> str:
        return (
            f"integral({self.f}, {self.x}, {self.ends}, tail={self.tail}) {self.op} {self.closed} with {self.x._assumptions_orig}"
        )


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
    area.closed = R(round(value * 10**7), 10**7) + rng.choice((1, -1)) * R(1, 10 ** rng.choice((0, 1, 2, 4, 6)))
    return area


#: An integrand for every function, of an argument that is between 0 and 2.
_NODES_OF: list[Callable[[Any], Any]] = [
    *(
        lambda t, f=f: f(t)
        for f in (
            sp.exp,
            sp.sin,
            sp.cos,
            sp.sinh,
            sp.cosh,
            sp.tanh,
            sp.sech,
            sp.erf,
            sp.erfc,
            sp.erfi,
            sp.atan,
            sp.asinh,
            sp.LambertW,
        )
    ),
    *(lambda t, f=f: f(t / 2 - R(1, 9)) for f in (sp.tan, sp.sec, sp.asin, sp.acos, sp.atanh)),
    *(lambda t, f=f: f(t + R(1, 2)) for f in (sp.gamma, sp.factorial, sp.loggamma, sp.cot, sp.csc, sp.coth, sp.csch)),
    *(lambda t, f=f: f(R(3, 2), t + R(1, 3)) for f in (sp.uppergamma, sp.lowergamma, sp.besselk, sp.besseli, sp.besselj, sp.beta)),
    lambda t: sp.acosh(R(3, 2) + t),
    lambda t: sp.polygamma(1, t + 1),
    lambda t: sp.binomial(t + 3, 2),
    lambda t: sp.log(1 + t),
    lambda t: sp.sqrt(t + sp.sqrt(1 + t)),
    lambda t: (1 + t) ** t,
    lambda t: sp.cbrt(1 + t),
    lambda t: 1 / (1 + t) ** 3,
    lambda t: sp.pi * t**2 + sp.E - sp.EulerGamma * t,
]


def _nodes(rng: random.Random) -> Area:
    x = sp.Symbol("x", **rng.choice(({}, {"real": True}, {"positive": True})))
    f = rng.choice(_NODES_OF)(x)
    if rng.random() < 0.4:
        g = rng.choice(_NODES_OF)(x)
        f = rng.choice((f + g, f * g, f - R(1, 2) * g, f * sp.exp(-x), f / (1 + x**2)))
    a, b = sorted(rng.sample([R(k, 5) for k in range(11)], 2))
    return _compared(rng, f, x, (b, a) if rng.random() < 0.1 else (a, b))


def _kinks(rng: random.Random) -> Area:
    x = sp.Symbol("x", real=True)
    c = R(rng.randint(-4, 8), 5)
    u = x - c
    f = rng.choice(
        (
            lambda: sp.Abs(u),
            lambda: sp.Max(u, 0),
            lambda: sp.Min(u, 2 * u),
            lambda: sp.sign(u),
            lambda: sp.exp(sp.Abs(u)),
            lambda: sp.sqrt(sp.Abs(u) + 1),
            lambda: sp.Max(u**2, u),
            lambda: sp.log(sp.Abs(u) + 1),
            lambda: sp.Abs(sp.sin(u)),
        )
    )()
    return _compared(rng, f, x, (R(-1), R(rng.choice((1, 2)))), kinks=(c, c + 1))


def _undefined(rng: random.Random) -> Area:
    """Poles, logarithms and roots of negative numbers, and complex integrands, where there are."""
    x = sp.Symbol("x", **rng.choice(({}, {"real": True})))
    f, ends = rng.choice((
        (1 / x, (0, 0)), (1 / x, (-1, 1)), (sp.log(x), (-2, -1)), (sp.Abs(sp.log(x)), (-2, -1)), (sp.Abs(1 + sp.I * x), (-1, 1)),
        (x ** R(1, 4), (-1, 7)), (sp.sqrt(x), (-1, 1)), (sp.exp(sp.I * x), (0, 1)), (sp.sqrt(x) ** 2, (-1, 1)), (sp.acos(x), (0, 2)),
        (sp.Max(sp.sqrt(x), 0), (-1, 1)), (sp.sign(sp.log(x)), (-2, -1)), (1 / (x**2 - R(1, 2)), (0, 1)), (sp.gamma(x), (-1, 1)), (sp.log(x) ** 2, (-2, -1)),
        (sp.re(sp.sqrt(x)), (-1, 1)), (sp.I * x, (-1, 1)), (sp.tan(x), (1, 2)), (sp.coth(x), (-1, 1)), (sp.atanh(x), (0, 2)),
        (sp.Abs(sp.sqrt(x)), (-1, 0)), (sp.Abs(x + sp.sqrt(x - 2)), (0, 1)), (sp.Abs(sp.exp(sp.I * x)), (0, 2)), (sp.cbrt(x), (-8, 8)),
    ))  # fmt: skip
    return Area(
        sp.sympify(f),
        x,
        tuple(map(sp.sympify, ends)),
        rng.choice(("<", ">", "==", "ball")),
        rng.choice((R(-9), R(0), R(1), R(9), R(201, 100))),
        kinks=(0,),
    )


def _declared(rng: random.Random) -> Area:
    """A symbol that is declared to be what the interval is not."""
    x = sp.Symbol("x", **{rng.choice(("positive", "negative", "integer", "nonnegative", "imaginary", "real", "rational")): True})
    f = rng.choice((sp.sqrt(x**2), sp.Abs(x), x**2, sp.exp(x), sp.sign(x) * x, sp.log(x**2 + 1), sp.cos(sp.pi * x)))
    return _compared(rng, f, x, rng.choice(((R(-1), R(1)), (R(0), R(1)), (R(1), R(2)), (R(-2), R(-1)))), kinks=(0,))


def _constants(rng: random.Random) -> Area:
    """Constants that are complex, undefined, or written in a way that hides their value."""
    x = sp.Symbol("x", real=True)
    zero = sp.sqrt(2) + sp.sqrt(3) - sp.sqrt(5 + 2 * sp.sqrt(6))
    closed = rng.choice(
        (
            sp.pi / 4,
            sp.pi / 4 + sp.I,
            1 + sp.I,
            1 / zero,
            sp.pi / 4 + zero,
            sp.log(-1),
            sp.sqrt(-2),
            sp.oo,
            sp.zoo,
            sp.nan,
            sp.asin(2),
            R(785398163397, 10**12),
            sp.atan(1) + zero / 7,
        )
    )
    return Area(1 / (1 + x**2), x, (R(0), R(1)), rng.choice(("<", "<=", ">", ">=", "==")), closed)


def _tails(rng: random.Random) -> Area:
    x = sp.Symbol("x", real=True)
    c = positive(rng)
    f, tail, ends = rng.choice((
        (sp.exp(-x), sp.exp(-x), (0, sp.oo)), (x * sp.exp(-x), 2 * sp.exp(-x / 2), (0, sp.oo)), (sp.exp(-(x**2)), sp.exp(-(x**2)), (-sp.oo, sp.oo)),
        (sp.exp(-x) * sp.sin(x), sp.exp(-x), (0, sp.oo)), (sp.exp(x), sp.exp(-x), (-sp.oo, 0)), (sp.exp(-x / 10), sp.exp(-x), (0, sp.oo)),
        (c * sp.exp(-x), sp.exp(-x), (0, sp.oo)), (sp.exp(-(x**2) / 2) * x**2, 3 * sp.exp(-(x**2) / 4), (-sp.oo, sp.oo)), (sp.exp(-x), 2 * sp.exp(-x), (c, sp.oo)),
        (sp.exp(-x), -sp.exp(-x), (0, sp.oo)), (1 / (1 + sp.exp(x)), sp.exp(-x), (0, sp.oo)), (sp.exp(-sp.Abs(x)), sp.exp(-x), (-sp.oo, sp.oo)),
    ))  # fmt: skip
    return _compared(rng, f, x, tuple(map(sp.sympify, ends)), tail=tail, kinks=(0,))


FAMILIES: dict[str, Callable[[random.Random], Area]] = {
    "integrands": _nodes,
    "kinks of integrands": _kinks,
    "undefined integrands": _undefined,
    "declared variables": _declared,
    "constants beside integrals": _constants,
    "infinite ends": _tails,
}
