"""The arithmetics in which sequences are run: floats search, rational numbers and balls judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol

import sympy as sp
from flint import acb, arb, fmpq

from numerics.provers.enclosures.balls import NoBall, ball_function, precision
from numerics.provers.exact.exact_numbers import Undecided, put
from numerics.rationals import flint_rational, fraction, sympy_rational

__all__ = ["Arithmetic", "Balls", "Floats", "NoNumber", "Rationals"]

#: Rational numbers with more bits are rounded where a hypothesis leaves room, and others given up.
MOST_BITS = 4000
#: By how much an enclosed bound is missed at most, as a power of two.
ROUNDED = 40


class NoNumber(Exception):
    """A value that this arithmetic does not have."""


class Arithmetic(Protocol):
    """Numbers that can be added and multiplied, and expressions of them."""

    judges: bool

    def number(self, q: Fraction) -> Any:
        """A rational number."""

    def function(self, e: sp.Expr, symbols: tuple[sp.Symbol, ...]) -> Callable[[Sequence[Any]], Any]:
        """An expression as a function; `NoNumber` where it has no value."""

    def sign(self, x: Any) -> float:
        """-1, 0 or 1; nan where it is not sure."""

    def inside(self, x: Any, up: bool) -> Any:
        """A number that is surely not below (`up`) or not above `x`, and short."""

    def rational(self, x: Any) -> Fraction | None:
        """The number itself, if it is rational."""


@lru_cache(maxsize=2000)
def _in_floats(e: sp.Expr, symbols: tuple[sp.Symbol, ...]) -> Any:
    try:
        return sp.lambdify(symbols, e, modules="math")
    except (NotImplementedError, TypeError, ValueError):  # a function that the printer does not know
        return None


class Floats:
    """Doubles, which decide nothing."""

    judges = False

    def number(self, q: Fraction) -> float:
        return float(q)

    def function(self, e: sp.Expr, symbols: tuple[sp.Symbol, ...]) -> Callable[[Sequence[float]], float]:
        f = _in_floats(e, symbols)

        def at(values: Sequence[float]) -> float:
            try:
                x = float(f(*values))
            # Outside of the domain, too large, or a function that has no value in floats.
            except (ArithmeticError, NameError, TypeError, ValueError):
                raise NoNumber from None
            if x - x != 0:
                raise NoNumber
            return x

        return at

    def sign(self, x: float) -> float:
        return float(x > 0) - float(x < 0)

    def inside(self, x: float, up: bool) -> float:
        return x

    def rational(self, x: float) -> Fraction | None:
        return None


class Rationals:
    """Exact rational numbers."""

    judges = True

    def number(self, q: Fraction) -> sp.Rational:
        return sympy_rational(q)

    def function(self, e: sp.Expr, symbols: tuple[sp.Symbol, ...]) -> Callable[[Sequence[Any]], Any]:
        def at(values: Sequence[Any]) -> Any:
            try:
                x = put(e, dict(zip(symbols, values)))
            except (Undecided, ZeroDivisionError):
                raise NoNumber from None
            if not x.is_Rational or max(abs(x.p), x.q).bit_length() > 8 * MOST_BITS:
                raise NoNumber
            return x

        return at

    def sign(self, x: Any) -> float:
        return float(x.p > 0) - float(x.p < 0)

    def inside(self, x: Any, up: bool) -> Any:
        if max(abs(x.p), x.q).bit_length() <= MOST_BITS // 10:
            return x
        return sympy_rational(_rounded(fraction(x), up))

    def rational(self, x: Any) -> Fraction | None:
        return fraction(x)


class Balls:
    """Enclosures by Arb."""

    judges = True

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def number(self, q: Fraction) -> Any:
        with precision(self.bits):
            return acb(flint_rational(q))

    def function(self, e: sp.Expr, symbols: tuple[sp.Symbol, ...]) -> Callable[[Sequence[Any]], Any]:
        try:
            f = ball_function(e, symbols)
        except NoBall:
            raise NoNumber from None

        def at(values: Sequence[Any]) -> Any:
            with precision(self.bits):
                x = f(values, False)
            if not x.is_finite() or not x.imag.is_zero():
                raise NoNumber
            return x

        return at

    def sign(self, x: Any) -> float:
        if x.is_zero():
            return 0.0
        return 1.0 if x.real > 0 else -1.0 if x.real < 0 else float("nan")

    def inside(self, x: Any, up: bool) -> Any:
        if self.rational(x) is not None:
            return x
        end = x.real.upper() if up else x.real.lower()
        mantissa, exponent = map(int, arb(end).man_exp())
        return self.number(_rounded(Fraction(mantissa) * Fraction(2) ** exponent, up))

    def rational(self, x: Any) -> Fraction | None:
        if not x.real.is_exact():
            return None
        mantissa, exponent = map(int, x.real.man_exp())
        return fraction(fmpq(mantissa)) * Fraction(2) ** exponent


def _rounded(q: Fraction, up: bool) -> Fraction:
    """A short number beside `q`, not below (`up`) or not above it."""
    size = abs(q.numerator).bit_length() - q.denominator.bit_length()
    unit = Fraction(2) ** (min(size, 0) - ROUNDED)
    return -(-q // unit) * unit if up else q // unit * unit
