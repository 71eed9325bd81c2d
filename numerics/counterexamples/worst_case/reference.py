"""What bounds give away at one fixed instance, so that they can be compared with each other: the
slack at the tightest point says how much better a bound could be, the loss at a reference instance
how much it gives away where nothing is chosen in its favour. Engines know no instance: their
`Evidence` carries the sides that they judged, and `with_losses` evaluates those afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from numerics.attention.exact.softmax_average import SoftmaxAverage
from numerics.counterexamples.worst_case.families import Point
from numerics.counterexamples.worst_case.statement import Mean, Tail, evaluate, population
from numerics.evidence import Evidence
from numerics.provers.statements.statement import Inequality, Statement

__all__ = ["NoLoss", "ReferenceInstance", "StatisticBound", "with_losses"]

#: Decimal digits to which both sides of an inequality are evaluated.
DIGITS = 30


class NoLoss(Exception):
    """A bound has no ratio of its sides at the reference instance; the message says why."""


@dataclass(frozen=True)
class StatisticBound:
    """``left <= right`` for a statistic of the prompt, as `worst_case.worst_average` judges
    it; with ``exponents`` a tail and its bound are compared by ``-ln``.
    """

    left: Mean | Tail | sp.Expr
    right: sp.Expr
    exponents: bool = False


@dataclass(frozen=True, kw_only=True)
class ReferenceInstance:
    """A law of the tokens, a score, a prompt length, and the values of all symbols in bounds."""

    #: The instance in words, for tables.
    name: str
    #: Tokens, score ``Uz`` and the values of ``f`` at the tokens.
    point: Point
    length: int
    #: Values of symbols by name.
    values: Mapping[str, sp.Expr]

    def with_values(self, more: Mapping[str, Any]) -> ReferenceInstance:
        """The same instance with further values of symbols, or other ones; floats are refused."""
        return replace(
            self, values={**self.values, **{name: _number(name, value) for name, value in more.items()}}
        )

    def loss(self, sides: Any) -> float:
        """Right over left side of a bound (or of the two sides that a callable makes of this
        instance). For a tail at its parameter's value it is the threshold over the least one for
        which the bound would be true (for lower tails the other way round), which stays finite
        where the probability is zero. `NoLoss` says why there is none.
        """
        if isinstance(sides, Statement):
            sides = sides.inequality
        if isinstance(sides, Inequality):
            return float(_inequality(sides, self.values))
        if isinstance(sides, StatisticBound):
            return float(_statistic(sides, self))
        if not callable(sides):
            raise NoLoss("an equation gives nothing away")
        return float(_quotient(*sides(self)))


def with_losses(evidence: Evidence, at: ReferenceInstance) -> tuple[Evidence, list[str]]:
    """An evidence whose `reference` is the loss at an instance, and why some sides have none. Where
    several inequalities were judged, as in a conjunction, it is the largest loss. Parts, routes and
    controls get their own.
    """
    found: dict[
        int, float | str
    ] = {}  # a conjunction shares its sides with its parts: none is evaluated twice

    def loss(sides: Any) -> float | str:
        try:
            return at.loss(sides)
        except NoLoss as reason:
            return str(reason)

    def settled(e: Evidence) -> Evidence:
        for sides in e.sides:
            if id(sides) not in found:
                found[id(sides)] = loss(sides)
        values = [v for sides in e.sides if isinstance(v := found[id(sides)], float)]
        return e.replace(
            reference=max(values, default=None),
            parts=tuple(map(settled, e.parts)),
            routes=tuple(map(settled, e.routes)),
            control=None if e.control is None else settled(e.control),
        )

    return settled(evidence), [reason for reason in found.values() if isinstance(reason, str)]


def _number(name: str, value: Any) -> sp.Expr:
    number = sp.sympify(value)
    if isinstance(value, float) or not isinstance(number, sp.Expr) or not number.is_number:
        raise TypeError(
            f"the reference value {name} = {value!r} is not an exact number; write an "
            "integer, a Fraction or SymPy"
        )
    return number


def _refuse_unknown(names: set[str]) -> None:
    if names:
        unknown = sorted(names)
        raise NoLoss(
            f"no value for {', '.join(unknown)} at the reference instance; give "
            f"reference=dict({unknown[0]}=...)"
        )


def _value(e: sp.Expr, values: Mapping[str, sp.Expr]) -> sp.Expr:
    _refuse_unknown({s.name for s in e.free_symbols} - set(values))
    number = sp.N(e.subs({s: values[s.name] for s in e.free_symbols}), DIGITS)
    if not (number.is_number and number.is_real and number.is_finite):
        raise NoLoss(f"{e} is {number} at the reference instance, not a real number")
    return number


def _inequality(sides: Inequality, values: Mapping[str, sp.Expr]) -> Any:
    for gap in sides.where:
        # The last five digits may be lost by cancellation.
        if _value(gap, values) < -(sp.Float(10) ** (5 - DIGITS)):
            shown = gap.xreplace({s: sp.Symbol(s.name) for s in gap.free_symbols})
            raise NoLoss(f"the hypothesis {shown} >= 0 does not hold at the reference instance")
    return _quotient(_value(sides.small, values), _value(sides.big, values))


@cache
def _average(point: Point, length: int) -> SoftmaxAverage:
    return point.average(length)


def _statistic(sides: StatisticBound, instance: ReferenceInstance) -> Any:
    left, right = sides.left, sides.right
    c = _average(instance.point, instance.length)
    known = {name: float(value) for name, value in instance.values.items()}
    at = {**{name: float(value) for name, value in population(c).items()}, **known}
    bounds = (right, getattr(left, "threshold", right))
    _refuse_unknown({s.name for e in bounds for s in e.free_symbols} - set(at))
    bound = float(evaluate(right, at))
    if isinstance(left, Tail):
        return _tail(left, bound, float(evaluate(left.threshold, at)), sides.exponents, c)
    return _quotient(
        float(c.mean(left.variable)) if isinstance(left, Mean) else float(evaluate(left, at)), bound
    )


def _quotient(value: Any, bound: Any) -> Any:
    if not (value > 0 and bound > 0):
        raise NoLoss(
            f"the sides are {float(value):.6g} and {float(bound):.6g} at the reference "
            "instance, not both positive"
        )
    return bound / value


def _tail(left: Tail, bound: float, threshold: float, exponents: bool, c: SoftmaxAverage) -> float:
    if not 0 < bound < 1:
        raise NoLoss(
            f"the bound on the probability is {bound:.6g} at the reference instance and says nothing"
        )
    if exponents:
        probability = float(c.probability(left.variable, left.op, threshold))
        if not 0 < probability < 1:
            raise NoLoss(f"the probability is {probability:.6g} at the reference instance: no exponent")
        return float(np.log(probability) / np.log(bound))
    value = np.array([float(v) for v in left.variable.of(c)])
    order = np.argsort(value if left.op == "<=" else -value, kind="stable")
    reached = np.cumsum(np.array([float(w) for w in c.weight])[order])
    # ties add up before they are compared: only the last of equal values counts
    last = np.append(~np.isclose(np.diff(value[order]), 0, atol=1e-12), True)
    best = float(value[order][last][np.argmax(reached[last] > bound)])
    if best <= 0 or threshold <= 0:
        raise NoLoss(
            f"the threshold {threshold:.6g} and the best one {best:.6g} at the reference "
            "instance have no ratio"
        )
    return best / threshold if left.op == "<=" else threshold / best
