"""Inequalities between integrated tails of a softmax average and of its tokens, for rational laws
on the line.

The proofs of Lemmas C.4 and C.7 integrate a tail ``P(|err|^m >= t)``: they cut it at a threshold
``t_0`` and bound the rest by the tail of the largest ``|f(z_l)|``. Every such integral is an
expectation, ``int_s^oo P(X >= t) dt = E (X - s)_+``, so that both sides are finite sums, which Arb
evaluates.
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

from numerics.attention.enumeration import compositions
from numerics.attention.softmax_average import error_fourth, error_squared
from numerics.evidence import Evidence, Verdict
from numerics.rationals import arb_ball
from numerics.search.families import Point, on_line
from numerics.search.statement import evaluate, latex, population

__all__ = ["ERROR", "LIMIT", "MAXIMUM_TAIL", "OWN_TAIL", "TOKEN_TAIL", "increasing"]

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
    r"\int_{t_0}^\infty\mathbb{P}(\max_\ell\|f(z_\ell)\|^{m}\ge\tfrac{t}{c}-\|\tfrac RS\|^{m})dt", nonnegative=True
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


def _positive(x: Any) -> Any:
    """The positive part of a ball."""
    return x.max(arb(0))


@cache
def _cases(order: int, growth: int) -> tuple[_Case, ...]:
    """Every law at every length at which its prompts are few."""
    out = []
    with ctx.workprec(BITS):
        for L in LENGTHS:
            for point in _points(growth):
                counts = compositions(L, len(point.f))
                if len(counts) <= MOST_OUTCOMES:
                    out.append(_case(L, point, counts, order, growth))
    return tuple(out)


def _case(L: int, point: Point, counts: Any, order: int, growth: int) -> _Case:
    """The values of all symbols at one law and one length."""
    c, half, factor = point.average(L), order // 2, 2 ** (order - 1)
    at = population(c)
    assert c.law is not None
    peaks = [reduce(lambda x, y: x.max(y), (v for v, n in zip(c.law.f2, row) if n)) ** half for row in counts]
    mean = lambda weights, values: sum((w * v for w, v in zip(weights, values)), arb(0))
    square = sum(c.R * c.R) / c.S**2
    t0, ratio = L * at["F4"] ** half, square if order == 2 else square * square  # not a power: the square may be a ball around 0
    limit = _positive(t0 / factor - ratio)
    bound = at["C_f" if growth == 1 else "C_f2"] ** order
    extra = {
        ERROR.name: c.mean(error_squared if order == 2 else error_fourth),
        MAXIMUM_TAIL.name: mean(c.weight, (_positive(factor * (peak + ratio) - t0) for peak in peaks)),
        LIMIT.name: limit,
        OWN_TAIL.name: mean(c.law.p, (_positive(f2**half - limit) for f2 in c.law.f2)),
        TOKEN_TAIL.name: mean(c.law.p, (_positive(bound * z2 ** (half * growth) - limit) for z2 in c.law.z2)),
    }
    at.update(extra)
    return _Case({"L": L, **point.describe()}, at)


def increasing(*chain: sp.Expr, order: int, growth: int = 1, admitted: tuple[sp.Expr, Fraction] | None = None) -> Evidence:
    """Check that each expression is at most the next, in every case.

    Parameters
    ----------
    chain : sympy.Expr
        In the symbols of this module and those of `numerics.attention.softmax_average`.
    order : {2, 4}
        The power m of the error.
    growth : {1, 2}
        ``f(z) = z`` or ``z^2``; in a quarter of the cases doubled for z > 0.
    admitted : pair, optional
        An expression and its largest value: other cases do not meet the hypotheses.

    Returns
    -------
    Evidence
        SUPPORTED with the smallest quotient of two neighbours, REFUTED by Arb in the first case
        that fails, or OPEN.

    Raises
    ------
    ValueError
        If no case is admitted.

    Examples
    --------
    >>> increasing(ERROR, 2 * OWN_TAIL + 2 * LIMIT + MAXIMUM_TAIL, order=2).verdict.value
    'SUPPORTED'
    """
    started = time.perf_counter()
    least: tuple[float, dict[str, Any]] = (np.inf, {})
    tried = 0
    common: dict[str, Any] = {"engine": "enumeration", "checked": r" \le ".join(latex(e) for e in chain), "dimension": "d = 1"}
    for case in _cases(order, growth):
        if admitted is not None and not evaluate(admitted[0], case.at) <= arb_ball(admitted[1]):
            continue
        tried += 1
        with ctx.workprec(BITS):
            values = [evaluate(e, case.at) for e in chain]
        for number, (left, right) in enumerate(pairwise(values), 1):
            sides = {"left": float(left), "right": float(right)}
            if left > right:
                witness = {**case.where, "link": number, **sides} if len(chain) > 2 else {**case.where, **sides}
                return Evidence(verdict=Verdict.REFUTED, witness=witness, witness_by="Arb", **common)
            if not left <= right and not _equal(left, right):
                return Evidence(verdict=Verdict.OPEN, reason=f"the enclosures {left} and {right} overlap", **common)
            if left > 0 and float(right) / float(left) < least[0]:
                least = float(right) / float(left), {**case.where, **sides}
    if not tried:
        raise ValueError("no case meets the hypotheses; lengthen the prompts")
    covered = f"{tried} exact cases: 2 and 3 atoms, f(z) = {'z' if growth == 1 else f'z^{growth}'}, in some doubled for z > 0"
    covered += f", L in {LENGTHS}, Uz in ({', '.join(map(str, SCORES))})"
    seconds = time.perf_counter() - started
    slack = least[0] if np.isfinite(least[0]) else None
    return Evidence(verdict=Verdict.SUPPORTED, covered=covered, slack=slack, tightest=least[1], seconds=seconds, **common)


def _equal(left: Any, right: Any) -> bool:
    """Whether two enclosures meet within rounding: then both sides are one number, up to an
    equality that Arb cannot see.
    """
    return bool(left.overlaps(right) and float((left - right).abs_upper()) <= 1e-12 * (1 + float(abs(left).upper())))
