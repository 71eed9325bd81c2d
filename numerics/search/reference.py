"""The one fixed instance at which every bound also says how much it gives away, so that bounds can
be compared with each other.

Rademacher tokens and query, d = 1, sigma = V = 1, U = 1/2, f(z) = z, L = 100 and query z = 1: the
score is 1/2 or -1/2, and every expectation is a sum over 101 outcomes. The slack at the tightest
point says how much better a bound could be; this one, how much it loses where nothing is chosen in
its favour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
import sympy as sp

from numerics.attention.softmax_average import SoftmaxAverage
from numerics.search.families import Point, on_line
from numerics.search.statement import Mean, Tail, evaluate, population
from theory.bounds.concentration import alpha_minus, alpha_plus, beta, delta_0, delta_min

__all__ = [
    "INSTANCE",
    "LENGTH",
    "TABLE",
    "Request",
    "at_reference",
    "loss_of_inequality",
    "loss_of_sides",
    "loss_of_statistic",
    "nothing_else",
]

HALF = Fraction(1, 2)
LENGTH = 100
INSTANCE = Point(on_line((1, -1), (HALF, HALF)), HALF, (Fraction(1), Fraction(-1)))
DIGITS = 30


def _table() -> dict[str, sp.Expr]:
    L, half, one, a2, delta = sp.Integer(LENGTH), sp.Rational(1, 2), sp.Integer(1), sp.Rational(1, 4), sp.Rational(1, 10)
    # no C_f2: f(z) = z is not bounded by a multiple of |z|^2 near 0
    ones = dict.fromkeys(("sigma", "sigma2", "V", "d", "p", "z", "C_f", "F2", "F4", "F8", "K", "Z4", "Z8"), one)
    weights = {"S": L * sp.cosh(half), "R": L * sp.sinh(half), "RS": sp.tanh(half), "EM2": sp.cosh(1), "EQ2": sp.cosh(1)}
    bounds = {"alpha_-": alpha_minus(L, a2, delta), "alpha_+": alpha_plus(L, a2, delta), "beta": beta(L, a2, delta, one)}
    deltas = {"delta_min": delta_min(L, a2), "delta_0": delta_0(L, a2)}
    return {"L": L, "U": half, "Uz": half, "a2": a2, "delta": delta, **ones, **weights, **bounds, **deltas}


#: Values of symbols by name: of the population (F4 and K are sqrt(E|f|^4), F8 is sqrt(E|f|^8)), of
#: delta, and of what Lemma C.1 calls alpha_-, alpha_+, beta.
TABLE: Mapping[str, sp.Expr] = MappingProxyType(_table())


@dataclass
class Request:
    """That engines shall evaluate at the reference instance, with further values, and why some
    could not.
    """

    values: Mapping[str, sp.Expr]
    only: bool = False
    why_not: list[str] = field(default_factory=list)


_REQUEST: ContextVar[Request | None] = ContextVar("largeprompt_reference", default=None)


class _Unable(Exception):
    """A statement has no ratio at the reference instance."""


@contextmanager
def at_reference(values: Mapping[str, Any] | None, *, only: bool = False) -> Iterator[Request]:
    """Make every engine inside the block evaluate its bound at the reference instance too; with
    None, none does.

    Parameters
    ----------
    values : mapping of str to numbers, or None
        Of symbols that `TABLE` does not name, or that shall differ from it.
    only : bool
        Searches that take seconds are left out: their Evidence is OPEN, with the slack at the
        reference instance. A check must not stop there, or the slack of its other parts is lost.

    Raises
    ------
    TypeError
        If a value is a float, or no number.

    Examples
    --------
    >>> from numerics.provers import Closed, forall
    >>> x = sp.Symbol("alpha_-", nonnegative=True)
    >>> with at_reference({}):
    ...     round(forall(1 / (1 - x), "<=", 2, {x: Closed(0, sp.Rational(1, 2))}).reference, 3)
    1.449
    """
    request = Request({**TABLE, **{name: _number(name, value) for name, value in (values or {}).items()}}, only)
    token = _REQUEST.set(None if values is None else request)
    try:
        yield request
    finally:
        _REQUEST.reset(token)


def _number(name: str, value: Any) -> sp.Expr:
    number = sp.sympify(value)
    if isinstance(value, float) or not isinstance(number, sp.Expr) or not number.is_number:
        raise TypeError(f"the reference value {name} = {value!r} is not an exact number; write an integer, a Fraction or SymPy")
    return number


def nothing_else() -> bool:
    """Whether only the slack at the reference instance is asked for.

    Examples
    --------
    >>> with at_reference({}, only=True):
    ...     nothing_else()
    True
    """
    request = _REQUEST.get()
    return request is not None and request.only


def loss_of_inequality(small: sp.Expr, big: sp.Expr, where: Iterable[sp.Expr] = ()) -> float | None:
    """``big / small`` at the reference instance, if it is asked for and both are positive there.

    Parameters
    ----------
    small, big : sympy.Expr
    where : iterable of sympy.Expr
        What the hypotheses say is not negative: where the instance does not meet them, the
        statement says nothing about it.

    Returns
    -------
    float or None
        None if nothing asks, or if the reason has been noted in the `Request`.
    """
    return _answer(lambda values: _inequality(small, big, where, values))


def loss_of_statistic(left: Mean | Tail | sp.Expr, right: sp.Expr, *, exponents: bool = False) -> float | None:
    """How much a bound on the softmax average gives away at the reference instance, if it is asked
    for.

    For an expectation the bound over the exact value. For a tail at its parameter's value: the
    threshold over the least one for which the bound would be true (for lower tails the other way
    round), which stays finite where the probability is zero; with ``exponents`` the ratio of
    ``-ln``.

    Returns
    -------
    float or None
        None if nothing asks, or if the reason has been noted in the `Request`.
    """
    return _answer(lambda values: _statistic(left, right, exponents, values))


def loss_of_sides(sides: Callable[[], tuple[float, float]]) -> float | None:
    """Right over left side of a bound that the caller has put at the reference instance, if it is
    asked for.

    Returns
    -------
    float or None
        None if nothing asks, or if the reason has been noted in the `Request`.

    Examples
    --------
    >>> with at_reference({}):
    ...     loss_of_sides(lambda: (1.0, 16.0))
    16.0
    """
    return _answer(lambda _: _quotient(*sides()))


def _answer(loss: Any) -> float | None:
    request = _REQUEST.get()
    if request is None:
        return None
    try:
        ratio: float = loss(request.values)
    except _Unable as reason:
        request.why_not.append(str(reason))
        return None
    return ratio


def _value(e: sp.Expr, values: Mapping[str, sp.Expr]) -> sp.Expr:
    unknown = sorted({s.name for s in e.free_symbols} - set(values))
    if unknown:
        raise _Unable(f"no value for {', '.join(unknown)} at the reference instance; give reference=dict({unknown[0]}=...)")
    number = sp.N(e.subs({s: values[s.name] for s in e.free_symbols}), DIGITS)
    if not (number.is_number and number.is_real and number.is_finite):
        raise _Unable(f"{e} is {number} at the reference instance, not a real number")
    return number


def _inequality(small: sp.Expr, big: sp.Expr, where: Iterable[sp.Expr], values: Mapping[str, sp.Expr]) -> float:
    for gap in where:
        if _value(gap, values) < -(sp.Float(10) ** (5 - DIGITS)):
            shown = gap.xreplace({s: sp.Symbol(s.name) for s in gap.free_symbols})
            raise _Unable(f"the hypothesis {shown} >= 0 does not hold at the reference instance")
    return float(_quotient(_value(small, values), _value(big, values)))


@cache
def _average() -> SoftmaxAverage:
    return INSTANCE.average(LENGTH)


def _statistic(left: Mean | Tail | sp.Expr, right: sp.Expr, exponents: bool, values: Mapping[str, sp.Expr]) -> float:
    c = _average()
    known = {name: float(value) for name, value in values.items()}
    at = {**{name: float(value) for name, value in population(c).items()}, **known}
    unknown = sorted({s.name for e in (right, getattr(left, "threshold", right)) for s in e.free_symbols} - set(at))
    if unknown:
        raise _Unable(f"no value for {', '.join(unknown)} at the reference instance; give reference=dict({unknown[0]}=...)")
    bound = float(evaluate(right, at))
    if isinstance(left, Tail):
        return _tail(left, bound, float(evaluate(left.threshold, at)), exponents, c)
    return _quotient(float(c.mean(left.variable)) if isinstance(left, Mean) else float(evaluate(left, at)), bound)


def _quotient(value: Any, bound: Any) -> Any:
    if not (value > 0 and bound > 0):
        raise _Unable(f"the sides are {float(value):.6g} and {float(bound):.6g} at the reference instance, not both positive")
    return bound / value


def _tail(left: Tail, bound: float, threshold: float, exponents: bool, c: SoftmaxAverage) -> float:
    if not 0 < bound < 1:
        raise _Unable(f"the bound on the probability is {bound:.6g} at the reference instance and says nothing")
    if exponents:
        probability = float(c.probability(left.variable, left.op, threshold))
        if not 0 < probability < 1:
            raise _Unable(f"the probability is {probability:.6g} at the reference instance: no exponent")
        return float(np.log(probability) / np.log(bound))
    value = np.array([float(v) for v in left.variable.of(c)])
    order = np.argsort(value if left.op == "<=" else -value, kind="stable")
    reached = np.cumsum(np.array([float(w) for w in c.weight])[order])
    # ties add up before they are compared: only the last of equal values counts
    last = np.append(~np.isclose(np.diff(value[order]), 0, atol=1e-12), True)
    best = float(value[order][last][np.argmax(reached[last] > bound)])
    if best <= 0 or threshold <= 0:
        raise _Unable(f"the threshold {threshold:.6g} and the best one {best:.6g} at the reference instance have no ratio")
    return best / threshold if left.op == "<=" else threshold / best
