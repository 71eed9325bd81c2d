"""R11, the lower half of the late law: the loss is at least a multiple of e^{-2 gamma |Q|}, and how
its logarithm and the path of Q move along the flow.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log, sqrt, turned
from numerics.derivations.flows import derivative
from numerics.derivations.rules import arithmetic, assume, integrate, specialise
from numerics.derivations.sorts import POSITIVE, REALS, Range, Sort
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.terms import Function, Op, Term, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.features.feature_flow import (
    K,
    M,
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
    r,
    spread,
    square,
    t,
    w,
)
from proofs_check.derivations.features.margin import gamma, p_min, rarest
from proofs_check.derivations.features.steps import added, gap, ind, times

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


@cache
def odds_of_a_near_class() -> Theorem:
    """1{some class is near} mu e^{-gamma |Q|} <= the odds of all others, as e^y is at least
    e^z (1 + y - z).
    """
    y, z = log_mass(n, k) - score_gap, log(mu) - gamma * size
    slack = gamma * size - score_gap
    heavier, closer = gap(times(chosen, masses)), arithmetic(0, "<=", chosen * slack, hide=(slack,))
    larger = chain(heavier, added(closer, heavier.rhs), chosen * (y - z))
    tangent = specialise(arithmetic(1 + u, "<=", exp(u)), {u: y - z})
    scale = exp(z)
    line = chain(
        chosen * scale,
        added(times(scale, larger), chosen * scale),
        times(chosen * scale, tangent),
        exp(y) * chosen,
    )
    line = chain(line, times(exp(y), arithmetic(chosen, "<=", 1)), odds)
    form = arithmetic(chosen * least, "==", chosen * scale, hide=(slack, size))
    count = others(chosen)
    all_of_them = chain(count * least, integrate("coordinates", (n,), chain(form, line), (M,)))
    one = times(least, arithmetic(some, "<=", count))
    return chain(some * least, one, count * least, all_of_them)


@cache
def share_of_a_query() -> Theorem:
    """(mu/2)^2 e^{-2 gamma |Q|} 1{some class is near} <= the error of the query."""
    y, S = some * least, others(odds)
    small = chain(times(least, arithmetic(some, "<=", 1)), arithmetic(least, "<=", 1, hide=(size,)))
    small = chain(y, small)
    doubled = chain(added(odds_of_a_near_class(), S * y), added(times(S, small), S), 2 * S)
    away = chain(arithmetic(y / 2, "==", own / 2 * (y + S * y), hide=(S, y)), times(own / 2, doubled))
    away = chain(away, arithmetic(away.rhs, "==", 1 - own, hide=(S,)))
    first = arithmetic(0, "<=", y / 2)
    both = chain(times(y / 2, away), times(1 - own, away, chain(first, away)), (1 - own) ** 2)
    rest = arithmetic((1 - own) ** 2, "==", others(w) ** 2, adds_up(), hide=(own,))
    whole = chain((y / 2) ** 2, both, rest, added(arithmetic(0, "<=", others(w**2)), rest.rhs), error)
    return chain(arithmetic(some * (least**2 / 4), "<=", (y / 2) ** 2, hide=(size,)), whole)


@cache
def at_least() -> Theorem:
    """c e^{-2 gamma |Q|} <= loss."""
    low = least**2 / 4
    each = chain(times(low * some, rarest), times(p, share_of_a_query()))
    total = integrate("coordinates", (k,), each, (K,))
    found = times(low * p_min, specialise(margin, {A: ((i, j), Q(i, j, t))}))
    line = times(spread / 2, chain(found, total))
    c = spread / 2 * p_min * (mu / 2) ** 2
    form = arithmetic(c * exp(-2 * gamma * size), "==", line.lhs, hide=(size,))
    return chain(form, line, loss)


@cache
def logarithm() -> tuple[Theorem, Theorem]:
    """psi' = 4 eta x^2 loss and 2 x |Q'| = psi', with x = |g|/(2 loss), psi = ln(1/loss)."""
    steep = sqrt(square) / (2 * loss)
    slope = derivative(-log(loss), t)
    fallen = loss_falls()
    first = arithmetic(slope, "==", eta * square / loss, fallen, hide=(fallen.lhs, square, loss))
    form = arithmetic(4 * eta * steep**2 * loss, "==", eta * square / loss, hide=(square, loss))
    moved = arithmetic(Q.rate(i, j, t) ** 2, "==", eta**2 * g(i, j, t) ** 2, flow)
    moved = chain(integrate("coordinates", (i, j), moved, (r, r)), eta**2 * square)
    path = arithmetic(
        2 * steep * sqrt(moved.lhs), "==", eta * square / loss, moved, hide=(moved.lhs, square, loss)
    )
    return chain(slope, first, turned(form)), chain(path, turned(first))


x = Variable("x", range=POSITIVE)


@cache
def square_of_a_ratio() -> Theorem:
    """1 - 2 gamma (1/gamma - 1/x)_+ <= (gamma/x)^2, from 1 - 2 (1 - u)_+ <= u^2 at u = gamma/x."""
    line = arithmetic(1 - 2 * Op("max", (term(0), 1 - u)), "<=", u**2)
    inverses, ratio = (Op("max", (term(0), e)) for e in (1 / gamma - 1 / x, 1 - gamma / x))
    same = arithmetic(gamma * inverses, "==", ratio)
    same = arithmetic(1 - 2 * same.lhs, "==", 1 - 2 * ratio, same, hide=(same.lhs, ratio))
    return chain(1 - 2 * gamma * inverses, same, specialise(line, {u: gamma / x}))


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
