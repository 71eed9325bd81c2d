"""Functions with a known least value, and increasing ones around them: of known truth."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from tests.numerics.provers.soundness.drawing import drawn
from tests.numerics.provers.soundness.search import Axis

__all__ = ["RISING", "R", "Well", "around", "fraction", "kinked", "positive", "smooth", "symbols", "whole"]

R = sp.Rational


@dataclass
class Well:
    """`core` is at least `least` on the axes, and equal to it at `at`."""

    core: sp.Expr
    least: sp.Expr
    axes: dict[sp.Symbol, Axis]
    at: list[Any]


def fraction(rng: random.Random, size: int = 3) -> sp.Rational:
    q = rng.choice((1, 1, 2, 3, 7))
    return R(rng.randint(-size * q, size * q), q)


def positive(rng: random.Random) -> sp.Rational:
    return R(rng.randint(1, 6), rng.choice((1, 1, 2, 3)))


def around(rng: random.Random, at: sp.Rational, ends: bool = True) -> Axis:
    """A range that holds a number: inside, or at an end."""
    lo, hi = Fraction(at - positive(rng)), Fraction(at + positive(rng))
    kind = rng.randrange(6 if ends else 4)
    if kind == 4:
        return Axis(Fraction(at), hi, True, rng.random() < 0.5)
    if kind == 5:
        return Axis(lo, Fraction(at), rng.random() < 0.5, True)
    return (Axis(lo, hi), Axis(lo, hi, True, True), Axis(lo, None), Axis(None, None))[kind]


def symbols(rng: random.Random, axes: list[Axis]) -> dict[sp.Symbol, Axis]:
    """Symbols for the axes, declared in one of the ways that their ranges allow."""
    return {sp.Symbol(n, **rng.choice(({}, a.assumptions(), {"real": True}))): a for n, a in zip("xyz", axes)}


_RISES = "u**2; positive()*u**2; expand(u**2); u**4 + u**2/5; cosh(u) - 1"


def smooth(rng: random.Random, variables: int = 1) -> Well:
    """A sum of squares, or of other powers and of cosh, around a known point."""
    at = [fraction(rng) for _ in range(variables)]
    axes = symbols(rng, [around(rng, a) for a in at])
    terms: list[sp.Expr] = []
    for x, a in zip(axes, at):
        terms += drawn(rng, _RISES, u=x - a, positive=lambda: positive(rng))
    if variables == 2 and rng.random() < 0.5:
        (x, y), (a, b) = axes, at
        terms = [sp.expand((x - a) ** 2 + fraction(rng) * (x - a) * (y - b) * R(1, 3) + (y - b) ** 2)]
    core = fraction(rng) + sp.Add(*terms)
    least = core.xreplace(dict(zip(axes, at)))
    return Well(core, least, axes, at)


def kinked(rng: random.Random) -> Well:
    """A maximum of falling and rising, or a sum of absolute values, least where they meet."""
    a, m = fraction(rng), fraction(rng)
    axes = symbols(rng, [around(rng, a)])
    (x,) = axes
    u = x - a
    bowl = lambda: rng.choice((0, 0, R(1, 40))) * u**2
    kind, falls, rises = rng.randrange(5), m - positive(rng) * u + bowl(), m + positive(rng) * u + bowl()
    if kind == 0:
        core = sp.Max(falls, rises)
    elif kind == 1:
        core = -sp.Min(-falls, -rises)
    elif kind == 2:
        core = m + positive(rng) * sp.Abs(u) + bowl()
    elif kind == 3:
        core = m + sp.Max(0, u) * positive(rng) - sp.Min(0, u) + bowl()
    else:
        core = m + sp.Abs(u * (u**2 + 1))
    return Well(core, m, axes, [a])


def whole(rng: random.Random) -> Well:
    a = R(rng.randint(-20, 60), rng.choice((2, 3, 4, 5)))
    lo, hi = rng.choice(((None, None), (0, None), (1, None), (-3, 40), (int(a) - 2, int(a) + 3), (None, 50)))
    axes = symbols(
        rng,
        [Axis(None if lo is None else Fraction(lo), None if hi is None else Fraction(hi), True, True, True)],
    )
    (n,) = axes
    near = [k for k in range(int(a) - 60, int(a) + 60) if (lo is None or k >= lo) and (hi is None or k <= hi)]
    least = min(near, key=lambda k: abs(k - a))
    core = sp.expand((n - a) ** 2)
    return Well(core, (least - a) ** 2, axes, [least])


#: Increasing functions of what is at least `m`.
RISING: dict[str, Callable[[sp.Expr, sp.Expr], sp.Expr]] = {
    "exp": lambda t, m: sp.exp(t / 2),
    "sqrt": lambda t, m: sp.sqrt(t - m + 1),
    "nested": lambda t, m: sp.sqrt(1 + sp.sqrt(t - m + R(1, 4)) + sp.sqrt(t - m + 2)),
    "root of zero": lambda t, m: sp.sqrt(t - m),
    "cbrt": lambda t, m: sp.cbrt(2 + sp.sqrt(t - m + R(9, 4))),
    "atan": lambda t, m: sp.atan(t),
    "tanh": lambda t, m: sp.tanh(t / 3),
    "asinh": lambda t, m: sp.asinh(t),
    "log": lambda t, m: sp.log(t - m + R(1, 2)),
    "reciprocal": lambda t, m: -1 / (t - m + 1),
    "cube": lambda t, m: t**3,
    "erf": lambda t, m: sp.erf(t / 2),
    "erfc": lambda t, m: -sp.erfc(t / 3),
    "gamma": lambda t, m: sp.gamma(t - m + R(3, 2)),
    "loggamma": lambda t, m: sp.loggamma(t - m + 2),
    "digamma": lambda t, m: sp.polygamma(0, t - m + 1),
    "lowergamma": lambda t, m: sp.lowergamma(R(5, 2), t - m + R(1, 3)),
    "uppergamma": lambda t, m: -sp.uppergamma(2, t - m),
    "besselk": lambda t, m: -sp.besselk(1, t - m + R(1, 2)),
    "besseli": lambda t, m: sp.besseli(0, t - m),
    "sinh": lambda t, m: sp.sinh(t / 2),
    "coth": lambda t, m: -sp.coth(t - m + R(1, 2)),
    "sech": lambda t, m: -sp.sech(t - m),
    "acosh": lambda t, m: sp.acosh(t - m + 1),
    "exponential of a root": lambda t, m: sp.exp(sp.sqrt(t - m + 1)),
    "logarithm of an exponential": lambda t, m: sp.log(1 + sp.exp(t)),
}
