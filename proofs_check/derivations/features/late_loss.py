"""R11, the lower half of the late law: the loss is at least a multiple of e^{-2 gamma |Q|}, and how
its logarithm and the path of Q move along the flow.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, log, sqrt
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Range, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.feature_flow import (
    Q,
    adds_up,
    direction,
    entries,
    error,
    eta,
    flow,
    g,
    gradient,
    i,
    j,
    k,
    log_mass,
    loss,
    loss_falls,
    n,
    odds,
    others,
    own,
    p,
    queries,
    spread,
    square,
    t,
    w,
)
from proofs_check.derivations.features.margin import gamma, p_min, rarest
from proofs_check.derivations.features.steps import ind, times
from proofs_check.derivations.proof import proves

#: Any matrix, and the least mass of a class over the largest.
A = Function("A", (Sort.INDEX, Sort.INDEX))
mu = Variable("mu", range=Range(Fraction(0), Fraction(1), lo_open=True, hi_open=False))
u, size = Variable("u", range=REALS), sqrt(entries(Q(i, j, t) ** 2))
score_gap = entries(direction * Q(i, j, t))


def near(gap: Term, norm: Term) -> tuple[Term, Term]:
    """Whether a class scores at most gamma |Q| less than the query's own; and whether some does."""
    chosen = ind(gamma * norm - gap)
    return chosen, ind(others(chosen) - 1)


#: The definition of the margin: for every matrix there is a query with such a class.
margin = assume(
    "gamma is the largest margin of a matrix of norm 1",
    1,
    "<=",
    queries(near(entries(direction * A(i, j)), sqrt(entries(A(i, j) ** 2)))[1]),
    every=(A,),
)
chosen, some = near(score_gap, size)
masses = assume("masses", log(mu), "<=", log_mass(n, k), every=(n, k))

#: What the odds of such a class are at least.
least = mu * exp(-gamma * size)
x = Variable("x", range=POSITIVE)


def statements(quarter: Fraction = Fraction(1, 4), four: int = 4, two: int = 2) -> tuple[Statement, ...]:
    """c e^{-2 gamma |Q|} <= loss with c = (sigma_f^2/2) p_min quarter mu^2; psi' = four eta x^2
    loss and (four/2) x |Q'| = psi' along the flow, with x = |g|/(2 loss); and 1 - two gamma
    (1/gamma - 1/x)_+ <= (gamma/x)^2.
    """
    c = spread / 2 * p_min * quarter * mu**2
    given = hypotheses(margin, masses, rarest)
    steep, moving = sqrt(square) / (2 * loss), sqrt(entries(Q.rate(i, j, t) ** 2))
    slope = derivative(-log(loss), t)
    return (
        Statement(c * exp(-2 * gamma * size), "<=", loss, given),
        Statement(slope, "==", four * eta * steep**2 * loss, hypotheses(flow, gradient)),
        Statement(Fraction(four, 2) * steep * moving, "==", slope, hypotheses(flow, gradient)),
        Statement(1 - two * gamma * Op("max", (term(0), 1 / gamma - 1 / x)), "<=", (gamma / x) ** 2),
    )


@cache
def odds_of_a_near_class() -> Theorem:
    """1{some class is near} mu e^{-gamma |Q|} <= the odds of all others, as e^y is at least
    e^z (1 + y - z).
    """
    y, z = log_mass(n, k) - score_gap, log(mu) - gamma * size
    slack = gamma * size - score_gap
    larger = show(0, "<=", chosen * (y - z), times(chosen, masses), show(0, "<=", chosen * slack, slack))
    tangent = instantiate(show(1 + u, "<=", exp(u)), {u: y - z})
    each = calc(
        chosen * least,
        ("==", chosen * exp(z), slack, size),
        ("<=", exp(z) * (chosen + chosen * (y - z)), larger),
        ("==", chosen * exp(z) * (1 + y - z)),
        ("<=", chosen * exp(z) * exp(y - z), times(chosen * exp(z), tangent)),
        ("==", exp(y) * chosen),
        ("<=", odds, show(chosen, "<=", 1)),
    )
    return calc(
        some * least,
        ("<=", others(chosen) * least, times(least, show(some, "<=", others(chosen)))),
        ("==", others(chosen * least)),
        ("<=", others(odds), each),
    )


@cache
def away_from_the_class() -> Theorem:
    """(mu/2)^2 e^{-2 gamma |Q|} 1{some class is near} <= (1 - w_k)^2."""
    y, S = some * least, others(odds)
    small = calc(y, ("<=", least, show(some, "<=", 1)), ("<=", 1, size))
    away = calc(
        y / 2,
        ("==", own / 2 * (y + S * y), S, y),
        ("<=", own / 2 * (S + S * 1), odds_of_a_near_class(), small),
        ("==", 1 - own, S),
    )
    first = show(0, "<=", y / 2)
    return calc(
        some * (least**2 / 4),
        ("<=", (y / 2) ** 2, size),
        ("==", y / 2 * (y / 2)),
        ("<=", y / 2 * (1 - own), times(y / 2, away)),
        ("<=", (1 - own) * (1 - own), times(1 - own, away, calc(first, ("<=", 1 - own, away)))),
        ("==", (1 - own) ** 2),
    )


@cache
def share_of_a_query() -> Theorem:
    """(mu/2)^2 e^{-2 gamma |Q|} 1{some class is near} <= the error of the query."""
    return calc(
        away_from_the_class(),
        ("==", others(w) ** 2, adds_up(), own),
        ("<=", error),
    )


@proves("OURS:R11.lower", statements, part=1)
@cache
def at_least() -> Theorem:
    low = least**2 / 4
    near = instantiate(margin, {A: ((i, j), Q(i, j, t))})
    return calc(
        spread / 2 * p_min * (mu / 2) ** 2 * exp(-2 * gamma * size),
        ("==", spread / 2 * (low * p_min * 1), size),
        ("<=", spread / 2 * (low * p_min * queries(some)), times(low * p_min, near)),
        ("==", spread / 2 * queries(low * some * p_min)),
        ("<=", spread / 2 * queries(low * some * p), times(low * some, rarest)),
        ("<=", spread / 2 * queries(p * error), times(p, share_of_a_query())),
        ("==", loss),
    )


@proves("OURS:R11.lower", statements, part=(2, 3))
@cache
def logarithm() -> tuple[Theorem, Theorem]:
    """psi' = 4 eta x^2 loss and 2 x |Q'| = psi', with x = |g|/(2 loss), psi = ln(1/loss)."""
    steep, slope = sqrt(square) / (2 * loss), derivative(-log(loss), t)
    growth = calc(slope, ("==", eta * square / loss, loss_falls(), derivative(loss, t), square, loss))
    moved = calc(
        entries(Q.rate(i, j, t) ** 2),
        ("==", entries(eta**2 * g(i, j, t) ** 2), flow),
        ("==", eta**2 * square),
    )
    path = show(2 * steep * sqrt(moved.lhs), "==", eta * square / loss, moved, moved.lhs, square, loss)
    return (
        calc(growth, ("==", 4 * eta * steep**2 * loss, square, loss)),
        calc(path, ("==", slope, growth)),
    )


@proves("OURS:R11.lower", statements, part=4)
@cache
def square_of_a_ratio() -> Theorem:
    inverses, ratio = (Op("max", (term(0), e)) for e in (1 / gamma - 1 / x, 1 - gamma / x))
    return calc(
        1 - 2 * gamma * inverses,
        ("==", 1 - 2 * ratio, show(gamma * inverses, "==", ratio)),
        (
            "<=",
            (gamma / x) ** 2,
            instantiate(show(1 - 2 * Op("max", (term(0), 1 - u)), "<=", u**2), {u: gamma / x}),
        ),
    )
