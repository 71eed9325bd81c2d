"""Suprema over the ball of radius 2 rho in the bounds of Lemmas E.2 and E.4 of Boursier & Boyer:
the step from a point to Corollaries E.3 and E.5.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, sqrt
from numerics.derivations.kernel.rules import assume, gcongr, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE
from numerics.derivations.kernel.terms import Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.transfer.risks import distance_of_gradients as gradients
from proofs_check.derivations.transfer.risks import outcomes
from proofs_check.derivations.transfer.risks.distance_of_gradients import J, dJ, gap
from proofs_check.derivations.transfer.risks.distance_of_risks import D2, R
from proofs_check.derivations.transfer.risks.rates import (
    S,
    c,
    finite,
    mean,
    rate,
    sixth_power,
    square,
    twelfth,
    w,
    x,
)

FOURTH = Fraction(1, 4)
_y, _M, _M_sup = (Variable(name, range=NONNEGATIVE) for name in ("y4", "M", "Msup"))
_c1, _c1_sup, _c2, _c2_inf = (Variable(name, range=POSITIVE) for name in ("c1", "c1sup", "c2", "c2inf"))
extremes = (
    assume("supremum of c_1 over the ball", _c1, "<=", _c1_sup),
    assume("infimum of c_2 over the ball", _c2_inf, "<=", _c2),
    assume("supremum of E|T|^4 over the ball", _M, "<=", _M_sup),
)


def g1(c1: Term, c2: Term, M: Term) -> Term:
    """g_1(L, U, V) as it is displayed, with M = E|T|^4."""
    second, fourth = mean(rate(c2, 3, 1)), mean(rate(c2, 6, 2))
    return 2 * _y**FOURTH * sqrt(c1) * sqrt(second) * ((c1 * fourth) ** FOURTH + M**FOURTH)


def risk_statement(factor: int | Fraction = 1) -> Statement:
    """g_1(L, U, V) is at most a factor times the displayed bound with the extreme values."""
    return Statement(
        g1(_c1, _c2, _M), "<=", Fraction(factor) * g1(_c1_sup, _c2_inf, _M_sup), hypotheses(*extremes)
    )


@proves("BB:CE.3.b/monotone", risk_statement)
@cache
def of_the_risks() -> Theorem:
    """Every term rises in c_1 and M and falls in c_2."""
    return gcongr(g1(_c1, _c2, _M), *extremes)


def _vanishing() -> Term:
    """2 (E|y|^4)^{1/4} (c_1 (3/(c_2 e))^3 S)^{1/2} ((c_1 S)^{1/4}/ln(L)^{1/2} + M^{1/4}/ln L)."""
    cube = (3 / (_c2_inf * exp(1))) ** 3
    inside = (_c1_sup * S) ** FOURTH / sqrt(x) + _M_sup**FOURTH / x
    return 2 * _y**FOURTH * sqrt(_c1_sup) * sqrt(cube * S) * inside


def vanishing_statement(share: int | Fraction = 1) -> Statement:
    """g_1(L, U, V) is at most a share of a bound that is free of U and V and tends to 0."""
    return Statement(g1(_c1, _c2, _M), "<=", Fraction(share) * _vanishing(), hypotheses(*extremes, finite))


@proves("BB:CE.3.b", vanishing_statement)
@cache
def vanishing() -> Theorem:
    """The rates with the power 6 and 12 of sigma are at most (3/(ce))^3 S/ln(L)^2 and S ln(L)^2."""
    point = instantiate(show(rate(c, 6, 2, w), "<=", w**6 * x**2), {w: square, c: _c2_inf})
    fourth = calc(mean(rate(_c2_inf, 6, 2)), ("<=", x**2 * twelfth, point), ("<=", x**2 * S, finite))
    second = sixth_power(_c2_inf)
    inside = (_c1_sup * fourth.rhs) ** FOURTH + _M_sup**FOURTH
    return calc(
        of_the_risks(),
        ("<=", 2 * _y**FOURTH * sqrt(_c1_sup) * sqrt(second.rhs) * inside, second, fourth),
        ("==", _vanishing()),
    )


#: R, E D^2, E|J|^2 and E|dJ|^2, and their suprema.
at_a_point = tuple(Variable(name, range=NONNEGATIVE) for name in ("R", "D2", "J2", "dJ2"))
over_the_ball = tuple(Variable(f"{v.name}sup", range=NONNEGATIVE) for v in at_a_point)
at_most = tuple(
    assume(f"supremum of {v.name} over the ball", v, "<=", top)
    for v, top in zip(at_a_point, over_the_ball, strict=True)
)


def gradient_statement(factor: int | Fraction = 1) -> Statement:
    """The bound of Lemma E.4, as repaired, is at most a factor times the one with the suprema."""
    return Statement(gap(*at_a_point), "<=", Fraction(factor) * gap(*over_the_ball), hypotheses(*at_most))


@proves("BB:CE.5/monotone", gradient_statement)
@cache
def of_the_gradients() -> Theorem:
    """Every term rises in the risk and in the mean squares."""
    return gcongr(gap(*at_a_point), *at_most)


#: The means that the suprema bound.
_means = (R, D2, outcomes.mean(outcomes.parameters(J**2)), outcomes.mean(outcomes.parameters(dJ**2)))
on_the_ball = tuple(
    assume(f"supremum of {v.name} over the ball", e, "<=", top)
    for v, e, top in zip(at_a_point, _means, over_the_ball, strict=True)
)


def ball_statement(factor: int | Fraction = 1) -> Statement:
    """|grad R_L - grad R_inf| is on the whole ball at most a factor times the bound of Lemma E.4,
    as repaired, with the suprema.
    """
    plain = gradients.squared_statement()
    given = plain.assumptions | hypotheses(*on_the_ball)
    return Statement(plain.lhs, "<=", Fraction(factor) * gap(*over_the_ball), given)


@proves("BB:CE.5/one", ball_statement)
@cache
def over_the_whole_ball() -> Theorem:
    """Every term of the bound at a point rises in the risk and in the mean squares."""
    return calc(gradients.squared(), ("==", gap(*_means)), ("<=", gap(*over_the_ball), *on_the_ball))
