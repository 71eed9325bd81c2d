"""SymPy expressions as Python on floats, for a search, and on mpmath's numbers, for a decision. No
value: ZeroDivisionError or ValueError if undefined, OverflowError if out of reach.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import sympy as sp

__all__ = ["Function", "Out", "Point", "number", "order"]

DIGITS = 40
#: What an expression that has no value raises.
Out = (ZeroDivisionError, ValueError, OverflowError, TypeError)


class Unknown(OverflowError):
    """A function that has no value here; nothing is concluded from that."""


def _within(f: Callable[..., Any], reach: float) -> Callable[..., Any]:
    """`f` where mpmath needs no minutes for it."""

    def guarded(*args: Any) -> Any:
        if any(abs(a) > reach for a in args):
            raise OverflowError("out of reach")
        return f(*args)

    return guarded


def _power(b: Any, p: Any) -> Any:
    if b == 0:
        if mpmath.re(p) <= 0:
            raise ZeroDivisionError("a power of zero")
        return 0 * b
    if abs(p) > 1e7:
        raise OverflowError("out of reach")
    return mpmath.mpmathify(b) ** p


def _ordered(pick: Callable[..., Any]) -> Callable[..., Any]:
    def rule(*args: Any) -> Any:
        if any(mpmath.im(a) != 0 for a in args):
            raise ValueError("complex numbers have no order")
        return pick(mpmath.re(a) for a in args)

    return rule


def _logarithm(x: Any) -> Any:
    if x == 0:
        raise ValueError("log(0)")
    return mpmath.log(x)


_FAST = (
    "exp", "sinh", "cosh", "gamma", "loggamma", "factorial", "erf", "erfc", "erfi", "sin", "cos", "tan",
    "cot", "sec", "csc",
)  # fmt: skip
_TAME = ("asinh", "acosh", "atanh", "atan", "asin", "acos", "re", "im", "floor", "arg")
_SLOW = ("besseli", "besselj", "besselk", "beta", "binomial")
_PRECISE: dict[str, Callable[..., Any]] = {
    **{n: _within(getattr(mpmath, n), 1e6) for n in (*_FAST, "tanh", "coth", "sech", "csch")},
    **{n: _within(getattr(mpmath, n), 1e4) for n in _SLOW}, **{n: getattr(mpmath, n) for n in _TAME},
    "log": _logarithm, "Abs": abs, "Max": _ordered(max), "Min": _ordered(min),
    "sign": lambda x: x / abs(x) if x != 0 else 0 * x,
    "Heaviside": lambda x, at_zero: at_zero if x == 0 else x * 0 + (x > 0), "ceiling": mpmath.ceil,
    "conjugate": mpmath.conj, "LambertW": mpmath.lambertw,
    "polygamma": _within(lambda n, x: mpmath.psi(int(n), x), 1e8),
    "uppergamma": _within(lambda s, x: mpmath.gammainc(s, x), 1e4),
    "lowergamma": _within(lambda s, x: mpmath.gammainc(s, 0, x), 1e4),
    "RisingFactorial": _within(mpmath.rf, 1e4), "FallingFactorial": _within(mpmath.ff, 1e4), "_power": _power,
}  # fmt: skip
_MATH = ("exp", "log", "sinh", "cosh", "tanh", "asinh", "atan", "erf", "erfc", "gamma", "sin", "cos")
_ROUGH: dict[str, Callable[..., Any]] = {
    **_PRECISE, **{n: getattr(math, n) for n in _MATH}, "loggamma": math.lgamma, "Max": max, "Min": min,
}  # fmt: skip
_CONSTANTS = {sp.pi: "pi", sp.E: "e", sp.EulerGamma: "euler", sp.Catalan: "catalan", sp.GoldenRatio: "phi"}


def _line(e: sp.Expr, names: dict[sp.Symbol, str], constants: list[Any]) -> str:
    if e in names:
        return names[e]
    if e.is_Rational or e in _CONSTANTS:
        constants.append(Fraction(int(e.p), int(e.q)) if e.is_Rational else _CONSTANTS[e])
        return f"c[{len(constants) - 1}]"
    if e is sp.I:
        return "1j"
    if e in (sp.nan, sp.zoo, sp.oo, -sp.oo):
        raise ValueError(f"{e} is no number")
    parts = [_line(a, names, constants) for a in e.args]
    if e.is_Add or e.is_Mul:
        return "(" + (" + " if e.is_Add else " * ").join(parts) + ")"
    if e.is_Pow:
        return f"({parts[0]})**({int(e.exp)})" if e.exp.is_Integer else f"_power({', '.join(parts)})"
    if type(e).__name__ not in _PRECISE:
        raise Unknown(f"no value is known here for {type(e).__name__}")
    return f"{type(e).__name__}({', '.join(parts)})"


_EXACT = {"Abs": abs, "Max": max, "Min": min, "__builtins__": {}}
#: Pairs of precisions: a value counts if both give the same.
_DIGITS = ((40, 80), (120, 300))

Point = Sequence[Fraction]


class Function:
    """An expression at numbers: exact where rational, in floats, and by mpmath."""

    def __init__(self, e: Any, symbols: Sequence[sp.Symbol]) -> None:
        constants: list[Any] = []
        names = {s: f"v{i}" for i, s in enumerate(symbols)}
        self.e, self.constants, self.symbols = sp.sympify(e), constants, tuple(symbols)
        self.code = compile(
            f"lambda {', '.join(names.values())}: {_line(self.e, names, constants)}", "<expression>", "eval"
        )
        self.rational = all(isinstance(c, Fraction) for c in constants)
        self._known: dict[int, Callable[..., Any]] = {}

    def _at(self, digits: int, names: dict[str, Any], constant: Callable[[Any], Any]) -> Callable[..., Any]:
        if digits not in self._known:
            self._known[digits] = eval(self.code, {**names, "c": [constant(c) for c in self.constants]})
        return self._known[digits]

    def exact(self, point: Point) -> Fraction | None:
        """The value at a rational point; None where it is no rational arithmetic."""
        if not self.rational:
            return None
        try:
            v = self._at(-1, _EXACT, lambda c: c)(*point)
        except NameError:
            return None
        return v if isinstance(v, Fraction) else None

    def rough(self, x: Sequence[float]) -> Any:
        return self._at(0, _ROUGH, lambda c: float(c if isinstance(c, Fraction) else getattr(mpmath, c)))(*x)

    def __call__(self, *x: Any, digits: int = DIGITS) -> Any:
        with mpmath.workdps(digits):
            number = lambda q: (
                mpmath.mpf(q.numerator) / q.denominator if isinstance(q, (int, Fraction)) else q
            )
            f = self._at(
                digits, _PRECISE, lambda c: number(c) if isinstance(c, Fraction) else +getattr(mpmath, c)
            )
            try:
                v = f(*map(number, x))
            except mpmath.libmp.NoConvergence:
                raise OverflowError("out of reach") from None
            if not isinstance(v, mpmath.matrix) and (mpmath.isnan(v) or mpmath.isinf(v)):
                raise ValueError(f"{self.e} has no finite value")
            return v


def _pair(f: Function, point: Point, digits: tuple[int, int]) -> tuple[Any, Any]:
    """A value with few and with many digits, without an imaginary part that shrinks with more."""
    low, high = (f(*point, digits=d) for d in digits)
    wrong = [abs(mpmath.im(v)) for v in (low, high)]
    if wrong[1] > abs(high) * mpmath.mpf(10) ** -20 and abs(wrong[0] - wrong[1]) < wrong[1] / 1000:
        raise ValueError("the value is not real")
    return mpmath.re(low), mpmath.re(high)


def order(big: Function, small: Function, point: Point) -> int | None:
    """The sign of ``big - small``, None if too close; raises one of `Out` if a side is not real."""
    a, b = big.exact(point), small.exact(point)
    if a is not None and b is not None:
        return (a > b) - (a < b)
    for digits in _DIGITS:
        low, high = (x - y for x, y in zip(_pair(big, point, digits), _pair(small, point, digits)))
        if abs(low - high) < abs(high) / 1000:
            return 1 if high > 0 else -1
    return _tie(big, small, point)


def _tie(big: Function, small: Function, point: Point) -> int | None:
    """0 where SymPy finds the same number on both sides, as in ``exp(0)`` and 1."""
    if any(abs(q) > 100 for q in point):  # gamma would be written out
        return None
    put = {s: sp.Rational(q) for s, q in zip(big.symbols, point)}
    return 0 if (big.e - small.e).xreplace(put) == 0 else None


def number(q: Any) -> Fraction:
    """A rational number, or one very close to an exact constant."""
    q = sp.sympify(q)
    if q.is_Rational:
        return Fraction(int(q.p), int(q.q))
    man, exp = mpmath.re(Function(q, ())()).man_exp
    return Fraction(int(man)) * Fraction(2) ** int(exp)
