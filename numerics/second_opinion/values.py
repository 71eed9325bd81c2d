"""The value of an expression at a point, in rational numbers as long as they suffice and in Arb's
balls beyond, by walking the expression.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import sympy as sp
from flint import arb, ctx, fmpq, fmpz

from numerics.second_opinion.goals import Goal, NotAsked

__all__ = ["Undefined", "Unknown", "ball", "false_at", "value"]

#: Bits in which balls are computed, so that an answer does not depend on anybody's precision.
BITS = 320
FUNCTIONS: dict[Any, Callable[[arb], arb]] = {
    **{
        sp.exp: arb.exp,
        sp.sin: arb.sin,
        sp.cos: arb.cos,
        sp.tan: arb.tan,
        sp.sinh: arb.sinh,
        sp.cosh: arb.cosh,
    },
    **{
        sp.tanh: arb.tanh,
        sp.atan: arb.atan,
        sp.erf: arb.erf,
        sp.erfc: arb.erfc,
        sp.gamma: arb.gamma,
        sp.loggamma: arb.lgamma,
    },
    **{sp.log: arb.log, sp.acos: arb.acos, sp.asin: arb.asin, sp.digamma: arb.digamma, sp.asinh: arb.asinh},
    sp.factorial: lambda x: (x + 1).gamma(),
}
CONSTANTS = {sp.pi: arb.pi, sp.E: arb.const_e, sp.EulerGamma: arb.const_euler}


class Undefined(Exception):
    """The expression has no real value there."""


class Unknown(Exception):
    """The ball is too wide to tell whether it has one."""


def ball(x: Any) -> arb:
    return x if isinstance(x, arb) else arb(x)


def value(e: sp.Expr, point: Mapping[sp.Symbol, Fraction]) -> Any:
    """The value as a rational number or as a ball that contains it: `Undefined` if there is none,
    `Unknown` if a ball is too wide to tell, and `NotAsked` if it holds what is not known here.
    """
    old, ctx.prec = ctx.prec, BITS
    try:
        return _value(e, point)
    finally:
        ctx.prec = old


def _value(e: sp.Expr, point: Mapping[sp.Symbol, Fraction]) -> Any:
    if e.is_Rational:
        return fmpq(int(e.p), int(e.q))
    if e in point:
        return fmpq(point[e].numerator, point[e].denominator)
    if type(e).__name__ == "Computed":
        return _value(e.args[1], point)
    if e in CONSTANTS:
        return CONSTANTS[e]()
    parts = [_value(a, point) for a in e.args]
    if isinstance(e, sp.Add):
        return sum(parts[1:], parts[0])
    if isinstance(e, sp.Mul):
        out = parts[0]
        for x in parts[1:]:
            out = out * x
        return out
    if isinstance(e, sp.Pow):
        return _power(*parts)
    if isinstance(e, (sp.Max, sp.Min)):
        if all(isinstance(x, fmpq) for x in parts):
            return (max if isinstance(e, sp.Max) else min)(parts)
        out = ball(parts[0])
        for x in parts[1:]:
            out = (out.max if isinstance(e, sp.Max) else out.min)(ball(x))
        return out
    if isinstance(e, sp.Abs):
        return abs(parts[0])
    if isinstance(e, (sp.floor, sp.ceiling)) and isinstance(parts[0], fmpq):
        return fmpq(parts[0].floor() if isinstance(e, sp.floor) else parts[0].ceil())
    if e.func in FUNCTIONS and len(parts) == 1:
        exact = {sp.exp: (0, 1), sp.log: (1, 0)}.get(e.func)
        if exact and parts[0] == exact[0]:
            return fmpq(exact[1])
        out = FUNCTIONS[e.func](ball(parts[0]))
        if out.is_finite():
            return out
        raise Undefined(str(e)) if e.func is sp.log and parts[0] <= 0 else Unknown(str(e))
    raise NotAsked(type(e).__name__)


def _power(x: Any, n: Any) -> Any:
    """``x**n`` in real numbers: the base is positive, or the exponent a whole number, or 0 is
    raised to a positive one.
    """
    if isinstance(x, fmpq) and isinstance(n, fmpq):
        if x == 0 and n <= 0:
            raise Undefined("0 to a power that is not positive")
        if n.denominator == 1:
            return x ** int(n) if abs(n) < 10_000 else ball(x) ** fmpz(int(n))
        if x < 0:
            raise Undefined("a root of a negative number")
        q = int(n.denominator)
        roots = [fmpz(y).root(q) for y in (x.numerator, x.denominator)]
        if all(r**q == y for r, y in zip(roots, (x.numerator, x.denominator))):
            return fmpq(*roots) ** int(n.numerator)
        return ball(x) ** ball(n)
    if isinstance(n, fmpq) and n.denominator == 1 and n >= 0:
        return ball(x) ** fmpz(int(n))
    base = ball(x)
    if isinstance(n, fmpq) and n.denominator == 1 and not base.contains(0):
        return base ** fmpz(int(n))
    if not base > 0:
        raise Unknown("a power of what is not known to be positive")
    return base ** ball(n)


def _holds(a: Any, op: str, b: Any) -> bool | None:
    """Whether a relation holds; None if the balls meet."""
    if isinstance(a, fmpq) and isinstance(b, fmpq):
        return {"<=": a <= b, "<": a < b, ">=": a >= b, ">": a > b, "==": a == b, "!=": a != b}[op]
    a, b = ball(a), ball(b)
    if op in ("==", "!="):
        return None if a.overlaps(b) else op == "!="
    if op in (">=", ">"):
        a, b, op = b, a, {">=": "<=", ">": "<"}[op]
    if op == "<=":
        return True if a <= b else False if a > b else None
    return True if a < b else False if a >= b else None


def false_at(goal: Goal, point: Mapping[sp.Symbol, Fraction]) -> bool:
    """Whether the point surely lies in the domain, meets what is given, and breaks the goal, or
    leaves a side undefined that has to be defined.
    """
    try:
        met = all(span.contains(point[s]) for s, span in goal.domain)
        if not (met and all(_holds(value(a, point), op, value(b, point)) is True for a, op, b in goal.given)):
            return False
    except (Undefined, Unknown, NotAsked):
        return False
    try:
        return _holds(value(goal.lhs, point), goal.op, value(goal.rhs, point)) is False
    except Undefined:
        return goal.defined
    except (Unknown, NotAsked):
        return False
