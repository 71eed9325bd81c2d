"""Steps of the proof of Lemma C.1: the two terms of (14), the inverse of the normaliser, the least
delta, and the last line.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import D_, N_, X_, Y_, chain, exp, log, sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, Range
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.lemmas_c6_and_c9.norms import length, scaled, triangle_of
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.moments import mean_square, weight_at_least_one, weights
from proofs_check.derivations.softmax_average.normaliser import alpha, lower_tail, variance
from proofs_check.derivations.softmax_average.softmax_average import (
    R_L,
    S_L,
    F,
    K,
    S,
    a2,
    error_squared,
    expectation,
    f,
    i,
    k,
    m,
    mean,
    over,
    sub_gaussian,
    w,
)
from theory.bounds.concentration import alpha_minus, alpha_plus, beta, delta_min

R = L * mean(w * f(i, k))
y_, s_ = (Variable(name, range=POSITIVE) for name in ("y_", "s_"))
v_, h_ = Variable("v_", range=POSITIVE), Variable("h_", range=Range(Fraction(1), lo_open=False))
HALF = term(Fraction(1, 2))
#: ln(1/delta), so that delta = e^{-ln(1/delta)} is any number in (0, 1).
inverse = Variable("ln(1/delta)", range=POSITIVE)
delta = exp(-inverse)
NAMES = sp.symbols("L a2 ln(1/delta) K", positive=True)
_L, _a2, _inverse, _K = NAMES
from_theory = lambda e: from_sympy(e, dict(zip(NAMES, (L, a2, inverse, K))))
minus, plus = (from_theory(e(_L, _a2, sp.exp(-_inverse))) for e in (alpha_minus, alpha_plus))


def size(x: Term) -> Term:
    """|x|, the larger one of x and -x."""
    return Op("max", (x, -x))


# -- (13) and (14) ---------------------------------------------------------------------------------


def two_terms_statement(factor: int | Fraction = 1) -> Statement:
    """|R_L/S_L - R/S| <= |R_L - R|/S_L + factor |R| |1/S_L - 1/S|."""
    apart = length(R_L - R) / S_L + Fraction(factor) * length(R) * size(1 / S_L - 1 / S)
    return Statement(sqrt(error_squared), "<=", apart)


@proves("BB:LC.1.13-14", two_terms_statement)
@cache
def two_terms() -> Theorem:
    """(14), the triangle inequality for (R_L - R)/S_L and R (1/S_L - 1/S)."""
    gap = 1 / S_L - 1 / S
    first = scaled(1 / S_L, R_L - R)
    second = arithmetic(sqrt(X_**2 * N_), "<=", size(X_) * sqrt(N_))
    second = instantiate(second, {X_: gap, N_: over(i, m, R**2)})
    return calc(
        sqrt(error_squared),
        ("<=", first.lhs + second.lhs, triangle_of((R_L - R) / S_L, R * gap)),
        ("<=", length(R_L - R) / S_L + length(R) * size(gap), first, second),
    )


# -- The inverse of the normaliser -----------------------------------------------------------------

#: 1 - alpha_-, a positive number: the proof takes alpha_- below 1.
rest = Variable("1 - alpha_-", range=POSITIVE)
#: Where the normaliser is between its two bounds.
event = Op("ind", (S_L - rest * S,)) * Op("ind", ((1 + plus) * S - S_L,))


@cache
def below_one() -> Theorem:
    """The hypothesis alpha_- < 1: a positive number is 1 - alpha_-."""
    return assume("alpha_- < 1", rest, "==", 1 - minus)


def _most(c: int | Fraction = 1) -> Term:
    return Fraction(c) * Op("max", (plus, minus / rest)) / S


def inverse_statements(c: int | Fraction = 1, share: int | Fraction = 1) -> tuple[Statement, ...]:
    """The five inequalities on the event, its probability, and that of the last inequality; a
    factor c stands in front of each bound, and `share` multiplies the 2 of 2 delta.
    """
    c, gap, likely = Fraction(c), event * (1 / S_L - 1 / S), 1 - 2 * Fraction(share) * delta
    only = below_one().assumptions
    given = sub_gaussian().assumptions | only
    return (
        Statement(event * (1 / (1 + plus) / S), "<=", event * (c / S_L)),
        Statement(event * (1 / S_L), "<=", event * (c / rest / S), only),
        Statement(event * (-c * plus / (1 + plus) / S), "<=", gap),
        Statement(gap, "<=", event * (c * minus / rest / S), only),
        Statement(event * size(1 / S_L - 1 / S), "<=", event * _most(c), only),
        Statement(likely, "<=", expectation(event), given),
        Statement(likely, "<=", expectation(Op("ind", (_most(c) - size(1 / S_L - 1 / S),))), given),
    )


@proves("BB:LC.1.inv", inverse_statements, part=range(1, 6))
@cache
def inequalities() -> tuple[Theorem, ...]:
    """The five inequalities on the event, from v y <= s <= h y for y = S and s = S_L."""
    over_v, under_h = Op("ind", (s_ - v_ * y_,)), Op("ind", (h_ * y_ - s_,))
    both, gap, most, least = over_v * under_h, 1 / s_ - 1 / y_, (1 - v_) / v_, (1 - h_) / h_
    low = arithmetic(over_v * (v_ * y_), "<=", over_v * s_)
    high = arithmetic(under_h * s_, "<=", under_h * (h_ * y_))
    first = show(both * (1 / h_ / y_), "<=", both * (1 / s_), high)
    second = show(both * (1 / s_), "<=", both * (1 / v_ / y_), low)
    under = show(both * (least / y_), "<=", both * gap, first)
    above = show(both * gap, "<=", both * (most / y_), second)
    below = calc(
        both * -gap,
        ("<=", both * ((h_ - 1) / h_ / y_), under),
        ("<=", both * ((h_ - 1) / y_), arithmetic((h_ - 1) / h_, "<=", h_ - 1)),
    )
    larger = lambda x, y: Op("max", (x, y))
    either = arithmetic(both * size(X_), "<=", larger(both * X_, both * -X_))
    joined = arithmetic(larger(both * (X_ * D_), both * (Y_ * D_)), "<=", both * (larger(Y_, X_) * D_))
    apart = calc(
        instantiate(either, {X_: gap}),
        ("<=", larger(both * (most * (1 / y_)), both * ((h_ - 1) * (1 / y_))), above, below),
        ("<=", both * (larger(h_ - 1, most) / y_), instantiate(joined, {X_: most, Y_: h_ - 1, D_: 1 / y_})),
    )
    at = {s_: S_L, y_: S, h_: 1 + plus, v_: rest}
    *plain, above, apart = (
        instantiate(line, at, arithmetic(1, "<=", 1 + plus)) for line in (first, second, under, above, apart)
    )
    same = show(1 - rest, "==", minus, below_one())
    return (*plain, *(chain(line, gcongr(line.rhs, same)) for line in (above, apart)))


def sandwich_statements(c: int | Fraction = 1, share: int | Fraction = 1) -> tuple[Statement, Statement]:
    """P(S_L >= (1 - alpha_-)S) >= 1 - share delta, and P((1 - alpha_-)S <= S_L <= (1 + c alpha_+)S)
    >= 1 - 2 delta.
    """
    given = sub_gaussian().assumptions | below_one().assumptions
    above, upper = Op("ind", (S_L - rest * S,)), Op("ind", ((1 + Fraction(c) * plus) * S - S_L,))
    return (
        Statement(1 - Fraction(share) * delta, "<=", expectation(above), given),
        Statement(1 - 2 * delta, "<=", expectation(above * upper), given),
    )


#: Where the normaliser is at most its lower bound, and where it is beyond its upper one.
low, high = Op("ind", (rest * S - S_L,)), Op("above", (S_L - (1 + plus) * S,))


@cache
def rarely_low() -> Theorem:
    """P(S_L <= (1 - alpha_-)S) <= delta: the lower tail at alpha_- is delta."""
    small = calc(minus, ("==", 1 - rest, below_one()), ("<", 1))
    tail = instantiate(lower_tail()[1], {alpha: minus}, small, show(0, "<", minus))
    return calc(
        expectation(low),
        ("<=", expectation(Op("ind", ((1 - minus) * S - S_L,))), below_one()),
        ("<=", tail.rhs, tail),
        ("==", delta),
    )


@proves("BB:LC.1.am", lambda **numbers: sandwich_statements(**numbers)[0])
@cache
def lower_event() -> Theorem:
    """P(S_L >= (1 - alpha_-)S) >= 1 - delta, by the lower tail."""
    cover = arithmetic(1 - Op("ind", (v_ * y_ - s_,)), "<=", Op("ind", (s_ - v_ * y_,)))
    return calc(
        1 - delta,
        ("<=", 1 - expectation(low), rarely_low()),
        ("<=", expectation(Op("ind", (S_L - rest * S,))), instantiate(cover, {s_: S_L, y_: S, v_: rest})),
    )


@proves("BB:LC.1.sand", lambda **numbers: sandwich_statements(**numbers)[1])
@proves("BB:LC.1.inv", inverse_statements, part=6)
@cache
def probability() -> Theorem:
    """P(the event) >= 1 - 2 delta: beyond the upper bound S_L is farther from S than the upper tail
    allows.
    """
    at, upper = {s_: S_L, y_: S, D_: plus, v_: rest}, (1 + D_) * y_
    chebyshev = arithmetic(Op("above", (s_ - upper,)), "<=", (s_ - y_) ** 2 / (D_ * y_) ** 2)
    outside = Op("ind", (v_ * y_ - s_,)) + Op("above", (s_ - upper,))
    cover = arithmetic(1 - outside, "<=", Op("ind", (s_ - v_ * y_,)) * Op("ind", (upper - s_,)))
    rarely_high = calc(
        expectation(high),
        ("<=", variance().lhs / (plus * S) ** 2, instantiate(chebyshev, at)),
        ("<=", variance().rhs / (plus * S) ** 2, variance()),
    )
    enough = arithmetic(rarely_high.rhs, "<=", delta, weight_at_least_one(), weights()[0])
    return calc(
        1 - 2 * delta,
        ("<=", 1 - expectation(low) - expectation(high), rarely_low(), chain(rarely_high, enough)),
        ("<=", expectation(event), instantiate(cover, at)),
    )


@proves("BB:LC.1.inv", inverse_statements, part=7)
@cache
def apart_with_probability() -> Theorem:
    """The last inequality with probability at least 1 - 2 delta."""
    apart, most = size(1 / S_L - 1 / S), _most()
    inside = show(event * apart, "<=", event * most, inequalities()[-1])
    likely = show(event, "<=", Op("ind", (most - apart,)), inside, most, apart)
    return calc(probability(), ("<=", expectation(Op("ind", (most - apart,))), likely))


# -- The least delta and the last line -------------------------------------------------------------

#: The inverse of delta at the least one.
least = from_theory(delta_min(_L, _a2))


def least_delta_statements(c: int | Fraction = 8) -> tuple[Statement, Statement]:
    """alpha_- <= 1/2 where delta >= delta_min, and delta >= delta_min where alpha_- <= 1/2."""
    least = from_theory(delta_min(_L, _a2, sp.Rational(c)))
    large, small = (
        assume("delta >= delta_min", least, "<=", delta),
        assume("alpha_- <= 1/2", minus, "<=", HALF),
    )
    return Statement(minus, "<=", HALF, large.assumptions), Statement(least, "<=", delta, small.assumptions)


@proves("BB:LC.1.dmin", least_delta_statements, part=(1, 2))
@cache
def least_delta() -> tuple[Theorem, Theorem]:
    """Both directions, from alpha_-^2 = 2 e^{2 a2} ln(1/delta)/L and delta_min = e^{-x} with x = L
    e^{-2 a2}/8.
    """
    large = assume("delta >= delta_min", least, "<=", delta)
    small = assume("alpha_- <= 1/2", minus, "<=", HALF)
    x = L * exp(-2 * a2) / 8
    logarithms = calc(-x, ("==", log(least)), ("<=", log(delta), large), ("==", -inverse))
    at_most = show(inverse, "<=", x, logarithms, x)
    square = calc(inverse, ("==", 4 * x * minus**2), ("<=", 4 * x * HALF**2, small), ("==", x))
    first = calc(minus, ("<=", instantiated(minus, {inverse: x}), at_most), ("==", HALF))
    return first, calc(least, ("==", exp(-x)), ("<=", delta, square))


def last_line_statements(c: int | Fraction = 3) -> tuple[Statement, Statement]:
    """The two terms add up to at most c e^{2 a2} (E|f|^4)^{1/4} sqrt(3/(delta L)), whose square is
    at most 27 beta^2.
    """
    c, common = Fraction(c), exp(2 * a2) * sqrt(3 / (delta * L))
    most = c * common * sqrt(K)
    lemma = 27 * from_theory(beta(_L, _a2, sp.exp(-_inverse), _K, c=1) ** 2)
    return (
        Statement(common * sqrt(mean(F)) + 2 * common * sqrt(K), "<=", most),
        Statement(most**2, "<=", lemma),
    )


@proves("BB:LC.1.fin/sum", last_line_statements, part=(1, 2))
@cache
def last_line() -> tuple[Theorem, Theorem]:
    """Jensen's inequality, sqrt(E|f|^2) <= (E|f|^4)^{1/4}, and the square."""
    first, second = last_line_statements()
    return show(first.lhs, "<=", first.rhs, mean_square()), arithmetic(second.lhs, "<=", second.rhs)
