"""Inequalities between integrated tails of a softmax average and of its tokens, for rational laws
on the line. The proofs of Lemmas C.4 and C.7 cut the integral of a tail ``P(|err|^m >= t)`` at a
threshold ``t_0`` and bound the rest by the tail of the largest ``|f(z_l)|``. Since
``int_s^oo P(X >= t) dt = E (X - s)_+``, both sides are finite sums, which Arb evaluates.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, reduce
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, ctx

from numerics.attention.exact.enumeration import compositions
from numerics.attention.exact.softmax_average import SoftmaxAverage, error_fourth, error_squared
from numerics.counterexamples.worst_case.families import Point, on_line
from numerics.counterexamples.worst_case.statement import evaluate, latex, population
from numerics.evidence import Evidence, Verdict
from numerics.rationals import arb_ball

__all__ = [
    "ERROR",
    "LIMIT",
    "MAXIMUM_TAIL",
    "OWN_TAIL",
    "TOKEN_TAIL",
    "TailChain",
    "increasing",
    "quantities",
]

LENGTHS = (1, 2, 3, 6, 7, 10, 11, 20, 40)
#: Count vectors that a case may have.
MOST_OUTCOMES = 150
#: Precision of the balls.
BITS = 128
HALF = Fraction(1, 2)
SCORES = tuple(Fraction(u) for u in ("0", "1", "1/2", "2", "4"))

#: The error ``E|err|^m``.
ERROR = sp.Symbol(r"\mathbb{E}\|\mathrm{err}\|^{m}", positive=True)
#: The integral from ``t_0`` of ``P(max |f|^m >= t/c - |R/S|^m)``, ``c = 2^(m-1)``.
MAXIMUM_TAIL = sp.Symbol(
    r"\int_{t_0}^\infty\mathbb{P}(\max_\ell\|f(z_\ell)\|^{m}\ge\tfrac{t}{c}-\|\tfrac RS\|^{m})dt",
    nonnegative=True,
)
#: The lower limit of the integrals below, ``s = (t_0/c - |R/S|^m)_+``.
LIMIT = sp.Symbol(r"(\tfrac{t_0}{c}-\|\tfrac RS\|^{m})_+", nonnegative=True)
#: The integral from s of ``P(|f(z_1)|^m >= t)``.
OWN_TAIL = sp.Symbol(r"\int_s^\infty\mathbb{P}(\|f(z_1)\|^{m}\ge t)dt", nonnegative=True)
#: The integral from s of ``P(C_f^m |z_1|^(mp) >= t)``.
TOKEN_TAIL = sp.Symbol(r"\int_s^\infty\mathbb{P}(C_f^{m}\|z_1\|^{mp}\ge t)dt", nonnegative=True)


@dataclass(frozen=True)
class _Case:
    """An instance in words, and the values of all symbols there."""

    where: Mapping[str, Any]
    at: Mapping[str, Any]


def _points(growth: int) -> list[Point]:
    """Laws with ``f(z) = z`` or ``f(z) = z^2`` at their atoms, the simplest first; the last has
    ``C_f = 2`` at one atom only.
    """
    laws: tuple[tuple[tuple[int | Fraction, ...], tuple[Fraction, ...], tuple[int, ...]], ...] = (
        ((1, -1), (HALF, HALF), (1, 1)),
        ((Fraction(9, 10), Fraction(-1, 10)), (Fraction(1, 10), Fraction(9, 10)), (1, 1)),
        ((1, 0, -1), (Fraction(1, 20), Fraction(9, 10), Fraction(1, 20)), (1, 1, 1)),
        ((1, -1), (HALF, HALF), (2, 1)),
    )
    return [
        Point(on_line(atoms, weights), u, tuple(Fraction(c * x**growth) for c, x in zip(factors, atoms)))
        for u in SCORES
        for atoms, weights, factors in laws
    ]


_LARGER = np.frompyfunc(lambda x, y: x.max(y), 2, 1)


def _larger(x: Any, y: Any) -> Any:
    return _LARGER(x, y) if isinstance(x, arb) or np.asarray(x).dtype == object else np.maximum(x, y)


@cache
def _cases(order: int, growth: int) -> tuple[_Case, ...]:
    """Every law at every length at which its prompts are few."""
    out = []
    with ctx.workprec(BITS):
        for L in LENGTHS:
            for point in _points(growth):
                if len(compositions(L, len(point.f))) <= MOST_OUTCOMES:
                    out.append(_case(L, point, order, growth))
    return tuple(out)


def _case(L: int, point: Point, order: int, growth: int) -> _Case:
    """The values of all symbols at one law and one length."""
    return _Case({"L": L, **point.describe()}, quantities(point.average(L), order, growth))


def quantities(c: SoftmaxAverage, order: int, growth: int) -> Mapping[str, Any]:
    """The values of all symbols by name, as floats of a batch of laws or as balls of one law.

    >>> half = Fraction(1, 2)
    >>> signs = Point(on_line((1, -1), (half, half)), Fraction(0), (Fraction(1), Fraction(-1)))
    >>> quantities(signs.average(2), 2, 1)[ERROR.name] == 0.5
    True
    """
    assert c.law is not None
    at, half, factor, zero = population(c), order // 2, 2 ** (order - 1), 0 * c.S
    f, present = c.law.f2**half, (compositions(c.L, len(c.law.p)) > 0).astype(c.law.p.dtype)
    peaks = reduce(_larger, (np.multiply.outer(present[:, i], f[i]) for i in range(len(f))))
    square = (c.R * c.R).sum(0) / c.S**2
    t0, ratio = (
        c.L * at["F4"] ** half,
        square if order == 2 else square * square,
    )  # not a power: the square may be a ball around 0
    limit = _larger(t0 / factor - ratio, zero)
    bound = at["C_f" if growth == 1 else "C_f2"] ** order
    mean = lambda weights, values: (weights * _larger(values, zero)).sum(0)
    extra = {
        ERROR.name: c.mean(error_squared if order == 2 else error_fourth),
        MAXIMUM_TAIL.name: mean(c.weight, factor * (peaks + ratio) - t0),
        LIMIT.name: limit,
        OWN_TAIL.name: mean(c.law.p, f - limit),
        TOKEN_TAIL.name: mean(c.law.p, bound * c.law.z2 ** (half * growth) - limit),
    }
    at.update(extra)
    return at


@dataclass(frozen=True)
class TailChain:
    """Expressions that increase, as `increasing` judges them."""

    chain: tuple[sp.Expr, ...]
    #: As in `increasing`.
    order: int
    growth: int = 1
    admitted: tuple[sp.Expr, Fraction] | None = None
    #: Each expression is claimed to be at most this times the next.
    factor: Fraction = Fraction(1)

    @property
    def checked(self) -> str:
        """The statement in LaTeX."""
        between = r" \le " if self.factor == 1 else rf" \le {sp.latex(sp.Rational(self.factor))}\cdot "
        return between.join(latex(e) for e in self.chain)

    def ratios(self, c: SoftmaxAverage) -> Any:
        """Left over right of the tightest link for a batch of laws in floating point; -oo where the
        hypothesis fails.
        """
        with np.errstate(all="ignore"):
            at = quantities(c, self.order, self.growth)
            assert c.law is not None
            values = [evaluate(e, at) + 0 * c.S for e in self.chain]
            rounding = 1e-12 * c.L * (c.law.f2 ** (self.order // 2)).max(0)
            worst = np.full_like(c.S, -np.inf)
            for left, right in pairwise(values):
                below = left - float(self.factor) * right
                ratio = np.where(
                    right > rounding,
                    left / (float(self.factor) * right),
                    np.where(below > rounding, np.inf, 0.0),
                )
                worst = np.where(
                    np.isfinite(below),
                    np.maximum(worst, np.where((left > rounding) | (below > rounding), ratio, 0.0)),
                    worst,
                )
            if self.admitted is not None:
                worst = np.where(evaluate(self.admitted[0], at) <= float(self.admitted[1]), worst, -np.inf)
        return worst

    def judged(self, L: int, point: Point) -> Evidence:
        """The statement at one rational law and one length, by Arb."""
        with ctx.workprec(BITS):
            return self._judged(_case(L, point, self.order, self.growth))[0]

    def _judged(self, case: _Case) -> tuple[Evidence, float, dict[str, Any]]:
        """What is true in a case, and the least quotient of two neighbours with its place."""
        common: dict[str, Any] = {
            "engine": "enumeration",
            "checked": self.checked,
            "dimension": "d = 1",
            "sides": (self,),
        }
        least: tuple[float, dict[str, Any]] = (np.inf, {})
        with ctx.workprec(BITS):
            values = [evaluate(e, case.at) for e in self.chain]
            factor = arb_ball(self.factor)
            for number, (left, right) in enumerate(((x, factor * y) for x, y in pairwise(values)), 1):
                sides = {"left": float(left), "right": float(right)}
                if left > right:
                    link = {"link": number} if len(self.chain) > 2 else {}
                    witness = {**case.where, **link, **sides}
                    return Evidence(
                        verdict=Verdict.REFUTED, witness=witness, witness_by="Arb", **common
                    ), *least
                if not left <= right and not _equal(left, right):
                    reason = f"the enclosures {left} and {right} overlap"
                    return Evidence(verdict=Verdict.OPEN, reason=reason, **common), *least
                if left > 0 and float(right) / float(left) < least[0]:
                    least = float(right) / float(left), {**case.where, **sides}
        return Evidence(verdict=Verdict.SUPPORTED, covered="one case", **common), *least

    def meets(self, case: _Case) -> bool:
        """Whether a case surely meets the hypothesis."""
        return self.admitted is None or bool(
            evaluate(self.admitted[0], case.at) <= arb_ball(self.admitted[1])
        )


def increasing(
    *chain: sp.Expr, order: int, growth: int = 1, admitted: tuple[sp.Expr, Fraction] | None = None
) -> Evidence:
    """Check that each expression is at most the next: SUPPORTED with the smallest quotient of two
    neighbours, REFUTED by Arb in the first case that fails, or OPEN. `order` (2 or 4) is the power
    m of the error, `growth` that of ``f(z) = z`` or ``z^2`` (in a quarter of the cases doubled for
    z > 0). Cases in which the first of `admitted` exceeds the second do not meet the hypotheses.
    """
    started = time.perf_counter()
    statement = TailChain(chain, order, growth, admitted)
    least: tuple[float, dict[str, Any]] = (np.inf, {})
    tried = 0
    for case in filter(statement.meets, _cases(order, growth)):
        tried += 1
        found, quotient, place = statement._judged(case)
        if not found.verdict.accepted:
            return found
        least = (quotient, place) if quotient < least[0] else least
    if not tried:
        raise ValueError("no case meets the hypotheses; lengthen the prompts")
    covered = (
        f"{tried} exact cases: 2 and 3 atoms, f(z) = {'z' if growth == 1 else f'z^{growth}'}, in some "
        "doubled for z > 0"
    )
    covered += f", L in {LENGTHS}, Uz in ({', '.join(map(str, SCORES))})"
    seconds = time.perf_counter() - started
    slack = least[0] if np.isfinite(least[0]) else None
    return found.replace(covered=covered, slack=slack, tightest=least[1], seconds=seconds)


def _equal(left: Any, right: Any) -> bool:
    """Whether two enclosures meet within rounding: then both sides are one number, up to an
    equality that Arb cannot see.
    """
    return bool(
        left.overlaps(right) and float((left - right).abs_upper()) <= 1e-12 * (1 + float(abs(left).upper()))
    )
