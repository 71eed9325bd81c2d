"""Bounds on the softmax average as data, with the ratio that decides whether they hold.
``E X <= c B`` becomes "the largest of ``E X / B`` is at most c", and
``P(X >= T(delta)) <= c B(delta)`` is first rewritten in the threshold ``t = T(delta)``. One search
for the largest ratio then answers for every value of the constants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import add, mul
from typing import Any

import numpy as np
import numpy.typing as npt
import sympy as sp
from flint import arb

from numerics.attention.exact.law_moments import OF_THE_LAW
from numerics.attention.exact.softmax_average import LATEX, POPULATION, RandomVariable, SoftmaxAverage
from numerics.rationals import arb_ball

__all__ = ["Mean", "Normal", "Statement", "Tail", "evaluate", "latex", "normal_form", "population"]

Array = npt.NDArray[Any]
#: A function of the quantities and of what makes a number of a rational.
Value = Callable[[Mapping[str, Any], Callable[[Any], Any]], Any]
#: The threshold of a tail.
T = sp.Symbol("t", positive=True)
#: Squares of rounding errors are smaller than this.
SQUARED_ROUNDING = 1e-25


@dataclass(frozen=True)
class Mean:
    """The expectation of a function of the prompt."""

    variable: RandomVariable

    @property
    def latex(self) -> str:
        """How it is written."""
        return rf"\mathbb{{E}} {self.variable.latex}"


@dataclass(frozen=True)
class Tail:
    """The probability that a function of the prompt passes a threshold."""

    variable: RandomVariable
    #: ``">="``, ``">"`` or ``"<="``.
    op: str
    #: In population quantities and ``parameter``.
    threshold: sp.Expr
    #: The number in (0, 1) for every value of which the bound is claimed.
    parameter: sp.Symbol
    #: The bound is claimed from this value of the parameter on, at which the threshold is largest.
    least: sp.Expr | None = None

    def __post_init__(self) -> None:
        if self.op not in (">=", ">", "<="):
            raise ValueError(f"a tail passes its threshold by '>=', '>' or '<=', got {self.op!r}")
        if self.op == "<=" and self.least is not None:
            raise ValueError(
                "a least parameter belongs to a tail beyond its threshold; use '>=' or '>', or drop least="
            )

    @property
    def latex(self) -> str:
        """How it is written."""
        sign = {">=": r"\ge", ">": ">", "<=": r"\le"}[self.op]
        return rf"\mathbb{{P}}\left({self.variable.latex} {sign} {latex(self.threshold)}\right)"


@lru_cache(maxsize=1024)
def latex(expr: sp.Expr) -> str:
    r"""LaTeX in the paper's notation.

    >>> latex(sp.Symbol("EM2", positive=True) / 2)
    '\\frac{\\mathbb{E}M^2}{2}'
    """
    return str(
        sp.latex(
            expr, symbol_names={s: LATEX[s.name] for s in sp.sympify(expr).free_symbols if s.name in LATEX}
        )
    )


def evaluate(expr: sp.Expr, at: Mapping[str, Any]) -> Any:
    """The value, in floats or Arb balls as the quantities are, of an expression built from
    rationals, symbols, sums, products, powers, maxima, exp and log; TypeError for any other
    function.
    """
    rational = arb_ball if arb in map(type, at.values()) else float
    return _compiled(sp.sympify(expr))(at, rational)


@lru_cache(maxsize=1024)
def _compiled(expr: sp.Expr) -> Value:
    """The value of an expression as a function of the quantities and of what makes a number of a
    rational; SymPy's questions to an expression take longer than its value.
    """
    if expr.is_Rational:
        number = float(expr)
        return lambda at, rational: number if rational is float else rational(expr)
    if expr.is_Symbol:
        return lambda at, rational: _given(expr.name, at, rational)
    if expr is sp.E:
        return lambda at, rational: np.exp(rational(sp.S.One))
    if isinstance(expr, sp.exp):
        exponent = _compiled(expr.exp)
        return lambda at, rational: np.exp(exponent(at, rational))
    args = [_compiled(a) for a in expr.args]
    if expr.is_Add:
        return _folded(add, args)
    if expr.is_Mul:
        return _folded(mul, args)
    if expr.is_Pow:
        base, power = args[0], expr.args[1]
        if power.is_Integer:
            return lambda at, rational: base(at, rational) ** int(power)
        if (2 * power).is_Integer:
            return lambda at, rational: np.sqrt(base(at, rational)) ** int(2 * power)
        return lambda at, rational: np.exp(args[1](at, rational) * np.log(base(at, rational)))
    if isinstance(expr, sp.log):
        return lambda at, rational: np.log(args[0](at, rational))
    if isinstance(expr, sp.Max):
        return _folded(_larger, args)
    raise TypeError(
        f"cannot evaluate {expr.func.__name__} in a bound: use sums, products, powers, maxima, exp and log"
    )


def _folded(combine: Callable[[Any, Any], Any], values: Sequence[Value]) -> Value:
    """The values combined from the left to the right."""
    first, *others = values

    def folded(at: Mapping[str, Any], rational: Callable[[Any], Any]) -> Any:
        out = first(at, rational)
        for value in others:
            out = combine(out, value(at, rational))
        return out

    return folded


def _given(name: str, at: Mapping[str, Any], rational: Callable[[Any], Any]) -> Any:
    try:
        value = at[name]
    except KeyError:
        raise ValueError(
            f"the bound contains {name}, for which there is no value; known here: {', '.join(at)}"
        ) from None
    return (
        rational(sp.Integer(value)) if isinstance(value, int) else value
    )  # the root of an int would be a float


def _larger(x: Any, y: Any) -> Any:
    return x.max(y) if hasattr(x, "mid") else np.maximum(x, y)


def population(c: SoftmaxAverage) -> dict[str, Any]:
    """The population quantities of an instance by name; those of `OF_THE_LAW` are computed when one
    is asked for.
    """
    return _Quantities(c)


class _Quantities(dict[str, Any]):
    def __init__(self, c: SoftmaxAverage) -> None:
        super().__init__({name: of(c) for name, of in POPULATION.items()})
        self.law = c.law

    def __contains__(self, name: object) -> bool:
        known = self.law is not None and (name == "F8" or self.law.z2 is not None)
        return super().__contains__(name) or (known and name in OF_THE_LAW)

    def __missing__(self, name: str) -> Any:
        if name not in self:
            raise KeyError(name)
        assert self.law is not None
        self[name] = value = OF_THE_LAW[name](self.law)
        return value


@dataclass(frozen=True)
class Statement:
    """A bound in the form "worst ratio of two sides <= coefficient"; two statements that differ in
    the coefficient share it.
    """

    #: What is bounded; for a tail, up to its threshold, which is ``t`` below.
    left: Mean | RandomVariable | sp.Expr
    #: The bound without its numerical factor, in population quantities and (for a tail) ``t``.
    core: sp.Expr
    op: str = ""
    #: Positive exactly when the threshold ``t`` of a tail belongs to a positive parameter.
    proper: sp.Expr | None = None
    #: Compare ``-ln`` of a tail with ``-ln`` of its bound.
    exponents: bool = False
    #: The thresholds that belong to the parameter 1 and to its least value: the statement is about
    #: those above the first, up to the second.
    admitted: tuple[sp.Expr, sp.Expr] | None = None

    def ratios(self, c: SoftmaxAverage) -> Array:
        """Left over right without the coefficient, the worst over all thresholds; shape of the
        batch.
        """
        values, thresholds = self.by_threshold(c)
        return values if thresholds is None else values.max(0)

    @np.errstate(divide="ignore", invalid="ignore", over="ignore")
    def by_threshold(self, c: SoftmaxAverage) -> tuple[Array, Array | None]:
        """The ratio at every threshold that some outcome attains, and those thresholds."""
        at = population(c)
        if not isinstance(self.left, RandomVariable):
            left = c.mean(self.left.variable) if isinstance(self.left, Mean) else evaluate(self.left, at)
            return _clean(left / evaluate(self.core, at), left), None
        value = self.left.of(c)
        order = np.argsort(value if self.op == "<=" else -value, axis=0, kind="stable")
        t = np.take_along_axis(value, order, 0)
        reached = np.cumsum(np.take_along_axis(c.weight, order, 0), axis=0)
        if self.admitted is not None:  # what lies beyond a larger threshold also lies beyond the largest
            t = np.minimum(t, evaluate(self.admitted[1], at))
        at["t"] = t
        bound = evaluate(self.core, at)
        proper = evaluate(self.proper, at) > 0 if self.proper is not None else True
        if self.admitted is not None:
            proper &= t > evaluate(self.admitted[0], at)
        if self.exponents:
            proper &= reached < 1 - 1e-12
            return np.where(proper, _clean(bound / -np.log(reached), t), 0.0), t
        return np.where(proper & (t > 0), _clean(reached / bound, t), 0.0), t


def _clean(ratio: Any, left: Any) -> Array:
    """The ratio, where a bound of 0/0 holds if its left side is 0 up to rounding and fails
    otherwise.
    """
    return np.where(np.isnan(ratio), np.where(left <= SQUARED_ROUNDING, 0.0, np.inf), ratio)


@dataclass(frozen=True)
class Normal:
    """A statement, the largest ratio that it allows, and the parameter of a tail as a function of
    ``t``.
    """

    statement: Statement
    limit: sp.Expr
    parameter: sp.Expr | None = None


@lru_cache(maxsize=256)
def _solved(threshold: sp.Expr, parameter: sp.Symbol) -> list[sp.Expr]:
    """The values of the parameter that may be positive and make the threshold ``t``."""
    factor, power = threshold.as_independent(parameter, as_Add=False)
    base, exponent = power.as_base_exp()
    if base == parameter and exponent.is_Rational and factor.is_positive:
        return [(T / factor) ** (1 / exponent)]
    return [r for r in sp.solve(sp.Eq(threshold, T), parameter) if r.is_positive is not False]


@lru_cache(maxsize=256)
def normal_form(left: Mean | Tail | sp.Expr, right: sp.Expr, *, exponents: bool = False) -> Normal:
    """Rewrite ``left <= right`` as ``ratio <= limit``, where only the limit depends on numerical
    factors. ValueError where the threshold cannot be solved for the parameter, or the bound is not
    positive.
    """
    bound: sp.Expr = right
    root: sp.Expr = None
    if isinstance(left, Tail):
        roots = _solved(left.threshold, left.parameter)
        if len(roots) != 1:
            raise ValueError(
                f"{left.threshold} = t has {len(roots)} solutions {left.parameter}; state the threshold so "
                "that there is one"
            )
        root = roots[0]
        bound = right.subs(left.parameter, root)
    if exponents:
        bound = -sp.expand_log(sp.log(bound))
    factor, core = sp.powsimp(bound).as_coeff_Mul()
    if core.is_Add:
        content, core = core.primitive()
        factor *= content
    if not factor > 0:
        raise ValueError(f"the bound {right} has the factor {factor}; a ratio needs a positive right side")
    limit = 1 / factor if exponents else factor
    if not isinstance(left, Tail):
        return Normal(Statement(left, core), limit)
    # at the thresholds that are attained "over" and "at or over" differ, in their suprema they do
    # not: one search for both
    side = "<=" if left.op == "<=" else ">="
    at = lambda value: left.threshold.subs(left.parameter, value)
    admitted = None if left.least is None else (at(sp.S.One), at(left.least))
    return Normal(
        Statement(left.variable, core, side, root.as_coeff_Mul()[1], exponents, admitted), limit, root
    )
