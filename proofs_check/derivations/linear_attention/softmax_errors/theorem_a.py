"""Theorem A and R4 (c) as statements about independent Gaussian tokens and their softmax weights.

The mean squared error is that of R4 (c); its moments of the weights meet Q <= P3, and P2 is at most
e^s/(e^s + L - 1).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import chain, exp, log
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, gcongr, instantiate
from numerics.derivations.kernel.sorts import REALS, Range
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.linear_attention.softmax_errors import token_errors as of_tokens
from proofs_check.derivations.linear_attention.softmax_errors.softmax_weights import (
    equal_statement,
    equal_weights,
)
from proofs_check.derivations.linear_attention.softmax_errors.token_errors import (
    GIVEN,
    P2,
    P3,
    STEIN,
    Q,
    alpha,
    k,
    l,
    power_sum,
    rows,
    tokens,
    weight,
)
from proofs_check.derivations.linear_attention.softmax_errors.two_tokens import (
    less_one,
    one_less,
    weights_are_spread,
)
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.gaussian_tokens import mean
from theory.attention.gaussian_errors import P2_slope, gaussian_second_moment, limit_of_output_error
from theory.attention.gaussian_errors import theorem_A as bound

theta = Variable("theta", range=Range(Fraction(0), Fraction(1), False, False))
number = Variable("x", range=REALS)
#: tr(V Gamma V'), |V Gamma U z|^2, and the mean squared error of the output.
t, q = rows(of_tokens.spread), rows(of_tokens.limit**2)
mean_square = mean(rows((of_tokens.output - of_tokens.limit) ** 2))
_symbols = _P2, _P3, _Q, _s, _n, _t, _q = sp.symbols("P2 P3 Q s n t q", positive=True)
_VALUES = dict(zip(_symbols, (P2, P3, Q, of_tokens.s, less_one, t, q), strict=True))


def _term(e: sp.Expr, values: dict[sp.Symbol, Term] = _VALUES) -> Term:
    return from_sympy(sp.sympify(e), values)


# Moments of the weights.


def slope_statement(four: int = 4) -> Statement:
    """P2 - four P3 + 3 Q <= P2 - P2^2."""
    return Statement(_term(P2_slope(_P2, sp.Rational(four, 4) * _P3, _Q)), "<=", P2 - P2**2)


@cache
def cubes() -> Theorem:
    """Q <= P3: the sum of p_l p_k (p_l - p_k)^2 over all pairs is 2 pi_3 - 2 pi_2^2, where p_l is
    the square of alpha_l.
    """
    pairs = bind(
        "coordinates", (l, k), alpha(l) ** 2 * alpha(k) ** 2 * (alpha(l) ** 2 - alpha(k) ** 2) ** 2, (L, L)
    )
    sums = 2 * tokens(alpha(l) ** 2) * tokens(alpha(l) ** 6) - 2 * tokens(alpha(l) ** 4) ** 2
    total = instantiate(calc(0, ("<=", pairs), ("==", sums)), {alpha: ((l,), weight() ** Fraction(1, 2))})
    point = show(power_sum(2) ** 2, "<=", power_sum(3), total)
    return show(Q, "<=", P3, point)


@cache
def squares() -> Theorem:
    """P2^2 <= Q, by the mean of 2 P2 x - P2^2 <= x^2 at x = pi_2."""
    x, y = power_sum(2), P2
    return show(P2**2, "<=", Q, show(2 * y * x - y**2, "<=", x**2, x, y))


@proves("OURS:R4.A.ode/slope", slope_statement)
def slope() -> Theorem:
    """P2 - P2^2 - (P2 - 4 P3 + 3 Q) = 4 (P3 - Q) + (Q - P2^2) is not negative."""
    return show(P2 - 4 * P3 + 3 * Q, "<=", P2 - P2**2, squares(), cubes())


def solution_statement(one: int = 1) -> Statement:
    """P2 <= e^s/(e^s + L - 1), with `one` in the place of the 1."""
    curve = _term(bound(_s, _n + 2 - one, sp.S.One, sp.S.Zero))
    return Statement(P2, "<=", curve, hypotheses(*GIVEN, one_less))


def power_statement(end: int | Fraction = 1) -> Statement:
    """P2 <= e^{r s} L^{-r} for every r in [0, end]."""
    r = Variable("theta", range=Range(Fraction(0), Fraction(end), False, False))
    return Statement(P2, "<=", exp(r * (of_tokens.s - log(L))), hypotheses(*GIVEN, one_less))


@cache
def _curve_below_its_limit() -> Theorem:
    """e^s/(e^s + L - 1) <= e^s/L, as s >= 0."""
    E = exp(of_tokens.s)
    one = show(1, "<=", E, variance_is_not_negative(of_tokens.SCORE), of_tokens.s)
    return show(weights_are_spread().rhs, "<=", E / L, one, one_less, E)


@proves("OURS:T5.2.gap/power", power_statement)
def below_a_power() -> Theorem:
    """P2 is at most e^s/L and at most 1."""
    curve, E = weights_are_spread(), exp(of_tokens.s)
    short, long = calc(curve, ("<=", 1, E)), calc(curve, ("<=", E / L, _curve_below_its_limit()))
    x = of_tokens.s - log(L)
    long = chain(long, arithmetic(E / L, "==", exp(x)))
    large, small = Op("ind", (x,)), Op("above", (-x,))
    split = arithmetic(P2, "<=", large * P2 + small * P2, hide=(P2,))
    parts = gcongr(large * P2, short), gcongr(small * P2, long)
    cases = Op("ind", (number,)) * 1 + Op("above", (-number,)) * exp(number)
    lemma = instantiate(arithmetic(cases, "<=", exp(theta * number)), {number: x})
    return chain(split, gcongr(split.rhs, *parts), lemma)


# The mean squared error.


def second_moment_statement(six: int = 6) -> Statement:
    """R4 (c)."""
    found = _term(gaussian_second_moment(_P2, sp.Rational(six, 6) * _P3, _Q, _t, _q))
    return Statement(mean_square, "==", found, hypotheses(*GIVEN, *STEIN))


#: e^s/(e^s + L - 1) (t + q) and e^s/L (t + q).
sharp_bound, weak_bound = _term(bound(_s, _n + 1, _t, _q)), _term(limit_of_output_error(_s, _t, _q)) / L


def error_statements(c: int | Fraction = 1) -> tuple[Statement, Statement]:
    """The mean squared error is at most c e^s/(e^s + L - 1) (t + q) and c e^s/L (t + q)."""
    given = hypotheses(*GIVEN, *STEIN, one_less)
    sharp, weak = c * sharp_bound, c * weak_bound
    return Statement(mean_square, "<=", sharp, given), Statement(mean_square, "<=", weak, given)


@cache
def variance_is_not_negative(form: of_tokens.Form) -> Theorem:
    """A diagonal entry of a covariance is the mean of squares of coefficients."""
    square, entry = tokens(of_tokens.coordinates(form[0](l) ** 2)), of_tokens.of_one_token(form, form)
    total = instantiate(of_tokens.single(form, form), {alpha: ((l,), term(1))})
    return show(0, "<=", entry, calc(0, ("<=", square), ("==", L * entry, total)))


@cache
def spread_is_not_negative() -> Theorem:
    """0 <= tr(V Gamma V')."""
    return show(0, "<=", t, variance_is_not_negative(of_tokens.VALUE))


@cache
def limit_is_not_negative() -> Theorem:
    """0 <= t + q."""
    return calc(spread_is_not_negative(), ("<=", t + q))


@proves("OURS:R4.A", error_statements, part=1)
@cache
def error() -> Theorem:
    """The error is P2 (t + q) - 6 (P3 - Q) q, and P2 is below the curve."""
    curve = weights_are_spread()
    return calc(
        of_tokens.error(),
        ("<=", P2 * (t + q), cubes(), P2, P3, Q, t, q),
        ("<=", curve.rhs * (t + q), curve, limit_is_not_negative(), P2, t + q, curve.rhs),
    )


@cache
def weaker() -> Theorem:
    """e^s/(e^s + L - 1) <= e^s/L, as s >= 0."""
    less = _curve_below_its_limit()
    curve, E = less.lhs, less.rhs
    return show(curve * (t + q), "<=", E * (t + q), less, limit_is_not_negative(), curve, E, t + q)


@proves("OURS:R4.A", error_statements, part=2)
def weaker_error() -> Theorem:
    """e^s/(e^s + L - 1) is at most e^s/L."""
    return chain(error(), weaker())


def solution_statements(one: int = 1) -> tuple[Statement, Statement]:
    return solution_statement(one), equal_statement(one)


proves("OURS:R4.A.ode", solution_statements, part=1)(weights_are_spread)
proves("OURS:R4.A.ode", solution_statements, part=2)(equal_weights)
proves("OURS:R4.c", second_moment_statement)(of_tokens.error)
