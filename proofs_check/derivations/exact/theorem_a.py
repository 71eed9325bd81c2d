"""Theorem A: a differential inequality for P2 in the variance s of the scores, its solution, and
the bound of the mean squared error that follows.

The variance s is the time of the kernel, so that P2, P3 and Q are functions of time; what they meet
is our R4 (e).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import chain, exp
from numerics.derivations.flows import derivative
from numerics.derivations.rules import arithmetic, assume, begin, fall, replace, specialise, then
from numerics.derivations.sorts import NONNEGATIVE, Range, Sort
from numerics.derivations.statements import Statement, from_sympy
from numerics.derivations.terms import CLOCK, START, Function, Term, Variable
from numerics.derivations.theorems import Theorem
from theory.attention.gaussian_errors import P2_slope, gaussian_second_moment, limit_of_output_error
from theory.attention.gaussian_errors import theorem_A as bound

s = Variable("s", Sort.TIME)
P2, P3, Q = (Function(name, (Sort.TIME,), Fraction(order)) for name, order in (("P2", 1), ("P3", 0), ("Q", 0)))
mean_square = Function("mean_square", (Sort.TIME,))
#: The number of tokens but one, L - 1; tr(V Gamma V'); |V Gamma U z|^2; and a share of a limit.
n, t, q = (Variable(name, range=NONNEGATIVE) for name in ("n", "t", "q"))
share = Variable("share", range=Range(Fraction(0), Fraction(1)))
_symbols = sp.symbols("P2 P3 Q s n t q", positive=True)
_P2, _P3, _Q, _s, _n, _t, _q = _symbols
_values = dict(zip(_symbols, (P2(s), P3(s), Q(s), CLOCK(s), n, t, q), strict=True))


def _term(e: sp.Expr) -> Term:
    return from_sympy(sp.sympify(e), _values)


SCORES = "P2, P3 and Q are the moments of the softmax weights of L scores of the variance s, which no rule knows"
below_Q = assume("OURS:R4.e/jensen: P2^2 <= Q", P2(s) ** 2, "<=", Q(s), every=(s,), argument=SCORES)
below_P3 = assume("OURS:R4.e/order: Q <= P3", Q(s), "<=", P3(s), every=(s,), argument=SCORES)
logistic = assume("OURS:R4.A.ode/slope", P2.rate(s), "<=", P2(s) - P2(s) ** 2, every=(s,), argument=SCORES)
start = assume("OURS:R4.A.ode: equal weights at s = 0", P2(START), "==", 1 / (1 + n), argument=SCORES)
_limit = _term(limit_of_output_error(_s, _t, _q) / (_n + 1))
near = assume(
    "OURS:R4.limit: the error is at least this share of its limit divided by L",
    share * _limit,
    "<=",
    mean_square(s),
    every=(s,),
    argument="by R4.limit this holds from some L on",
)


def slope_of_P2(four: int = 4) -> Theorem:
    """The slope of P2, with `four` in the place of its 4."""
    slope = P2_slope(_P2, sp.Rational(four, 4) * _P3, _Q)
    return assume("OURS:R4.e/slope", P2.rate(s), "==", _term(slope), every=(s,), argument=SCORES)


def slope_statement(four: int = 4) -> Statement:
    given = slope_of_P2(four).assumptions | below_Q.assumptions | below_P3.assumptions
    return Statement(P2.rate(s), "<=", P2(s) - P2(s) ** 2, given)


def solution_statement(one: int = 1) -> Statement:
    """With `one` in the place of the 1 in L - 1."""
    curve = _term(bound(_s, _n + 2 - one, sp.S.One, sp.S.Zero))
    return Statement(P2(s), "<=", curve, logistic.assumptions | start.assumptions)


def slope() -> Theorem:
    """P2 - P2^2 - P2' = 4 (P3 - Q) + (Q - P2^2) is not negative."""
    return arithmetic(P2.rate(s), "<=", P2(s) - P2(s) ** 2, slope_of_P2(), below_Q, below_P3)


@cache
def _below_the_curve(rate: Theorem) -> Theorem:
    """With E = e^s and N = E + L - 1 the function P2 N^2/E - N falls, since its derivative is at
    most -(P2 N - E)^2/E; it is 0 at s = 0.
    """
    E = exp(CLOCK(s))
    N = E + n
    weight = N**2 / E
    gap = P2(s) * weight - N
    square = (P2(s) * N - E) ** 2 / E
    slopes = weight * P2.rate(s) + (P2(s) * (2 * N - weight) - E)
    falls = chain(derivative(gap, s), slopes, replace(slopes, rate), -square, arithmetic(-square, "<=", 0, hide=(E,)))
    fallen = fall(gap, s, falls)
    first = arithmetic(fallen.rhs, "==", 0, begin(), start)
    less = arithmetic(P2(s) * weight, "<=", N, then(fallen, first), hide=(P2(s) * weight, N))
    back = arithmetic(P2(s), "==", E / N**2 * (P2(s) * weight), hide=(E, N))
    return chain(back, replace(back.rhs, less), arithmetic(E / N**2 * N, "==", E / N, hide=(E, N)))


def solution() -> Theorem:
    """The curve bounds P2 if its slope is at most logistic."""
    return _below_the_curve(logistic)


def error_statements(c: int | Fraction = 1) -> tuple[Statement, Statement]:
    """The mean squared error of R4 (c) is at most the bound, and the bound at most e^s/L (t + q);
    `c` multiplies the bounds.
    """
    given = slope_of_P2().assumptions | below_Q.assumptions | below_P3.assumptions | start.assumptions
    sharp = _term(bound(_s, _n + 1, _t, _q))
    found = _term(gaussian_second_moment(_P2, _P3, _Q, _t, _q))
    return Statement(found, "<=", c * sharp, given), Statement(sharp, "<=", c * _limit)


def error() -> Theorem:
    """The error is P2 (t + q) - 6 (P3 - Q) q, and P2 is below the curve."""
    found = _term(gaussian_second_moment(_P2, _P3, _Q, _t, _q))
    product = P2(s) * (t + q)
    return chain(arithmetic(found, "<=", product, below_P3), replace(product, _below_the_curve(slope())))


def bound_below_its_limit() -> Theorem:
    """With y = e^{-s} <= 1, y + (L - 1) y <= 1 + (L - 1) y."""
    y = Variable("y", range=Range(Fraction(0), Fraction(1), hi_open=False))
    decay = exp(-CLOCK(s))
    less = specialise(arithmetic(1 / (1 + n * y), "<=", 1 / y * (1 / (1 + n))), {y: decay}, arithmetic(decay, "<=", 1))
    return replace(less.lhs * (t + q), less)


def ratio_statements(factor: int | Fraction = 1) -> tuple[Statement, Statement]:
    """If L times the error is at least a share of its limit, both bounds, multiplied by `factor`,
    are at most the error divided by the share.
    """
    bounds, most = (_term(bound(_s, _n + 1, _t, _q)), _limit), mean_square(s) / share
    sharp, weak = (Statement(factor * e, "<=", most, near.assumptions) for e in bounds)
    return sharp, weak


def ratios() -> tuple[Theorem, Theorem]:
    """The larger bound is the limit divided by L, and the other one is below it."""
    weak = chain(_limit, replace(share**-1 * (share * _limit), near), mean_square(s) / share)
    return chain(bound_below_its_limit(), weak), weak
