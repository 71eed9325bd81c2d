"""R11, the lower half of the late law: the loss is at least a multiple of e^{-2 gamma |Q|}, and how
its logarithm and the path of Q move along the flow.

At every time one pair of a query and another class is selected, whose score differs least.
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
from proofs_check.derivations.features.steps import added, gap, product, scaled, times

#: 1 for the selected pair, else 0; the least mass of a class over the largest.
selected = Function("sel", (Sort.INDEX, Sort.INDEX, Sort.TIME))
mu = Variable("mu", range=Range(Fraction(0), Fraction(1), lo_open=True))
chosen, size = selected(n, k, t), sqrt(entries(Q(i, j, t) ** 2))
count, score_gap = others(chosen), entries(direction * Q(i, j, t))
u = Variable("u", range=REALS)

zero_or_one = assume("a pair is selected or not", chosen**2, "==", chosen, every=(n, k, t))
of_a_query = assume("one pair or none of each query", count**2, "==", count, every=(k, t))
one_pair = assume("one pair of all", queries(count), "==", 1, every=(t,))
within = assume(
    "the selected scores differ by at most gamma |Q|", chosen * score_gap, "<=", chosen * (gamma * size), every=(n, k, t)
)
masses = assume("masses", log(mu), "<=", log_mass(n, k), every=(n, k))

#: What the odds of the selected class are at least.
least = mu * exp(-gamma * size)


@cache
def _is_between_0_and_1(X: Term, switch: Theorem) -> tuple[Theorem, Theorem]:
    """0 <= X and X <= 1 for an X that is its own square."""
    some = chain(arithmetic(0, "<=", X**2), switch)
    twice = specialise(arithmetic(2 * u - 1, "<=", u**2), {u: X})
    return some, arithmetic(X, "<=", 1, chain(twice, switch), hide=(X,))


@cache
def odds_of_the_selected() -> Theorem:
    """N_k mu e^{-gamma |Q|} <= the odds of all others, as e^y >= e^z (1 + y - z)."""
    some, most = _is_between_0_and_1(chosen, zero_or_one)
    y, z = log_mass(n, k) - score_gap, log(mu) - gamma * size
    heavier, closer = gap(times(chosen, masses, some)), gap(within)
    larger = chain(heavier, added(closer, heavier.rhs), chosen * (y - z))
    tangent = specialise(arithmetic(1 + u, "<=", exp(u)), {u: y - z})
    scale = exp(z)
    line = chain(
        chosen * scale,
        added(times(scale, larger), chosen * scale),
        times(chosen * scale, tangent, product(chosen, scale, some)),
        exp(y) * chosen,
        times(exp(y), most),
        odds,
    )
    form = arithmetic(chosen * least, "==", chosen * scale, hide=(chosen, size))
    return chain(count * least, integrate("coordinates", (n,), chain(form, line), (M,)))


@cache
def share_of_the_selected() -> Theorem:
    """(mu/2)^2 e^{-2 gamma |Q|} N_k <= the error of the query k."""
    y = count * least
    some, most = _is_between_0_and_1(count, of_a_query)
    small = chain(times(count, arithmetic(least, "<=", 1, hide=(size,)), some), most)
    not_negative = product(count, least, some)
    first = arithmetic(0, "<=", y / 2, not_negative, hide=(y,))
    S = others(odds)
    doubled = chain(added(times(term(1), odds_of_the_selected()), S * y), added(times(S, small), S), 2 * S)
    away = chain(arithmetic(y / 2, "==", own / 2 * (y + S * y), hide=(S, y)), times(own / 2, doubled))
    away = chain(away, arithmetic(away.rhs, "==", 1 - own, hide=(S,)))
    both = chain(times(y / 2, away, first), times(1 - own, away, chain(first, away)), (1 - own) ** 2)
    rest = arithmetic((1 - own) ** 2, "==", others(w) ** 2, adds_up(), hide=(own,))
    whole = chain((y / 2) ** 2, both, rest, added(arithmetic(0, "<=", others(w**2)), rest.rhs), error)
    return chain(scaled(least**2 / 4, turned(of_a_query)), (y / 2) ** 2, whole)


@cache
def at_least() -> Theorem:
    """c e^{-2 gamma |Q|} <= loss."""
    some, _ = _is_between_0_and_1(count, of_a_query)
    weight = product(least**2 / 4, count, some)
    each = chain(times(least**2 / 4 * count, rarest, weight), times(p, share_of_the_selected()))
    total = integrate("coordinates", (k,), each, (K,))
    low = scaled(least**2 / 4 * p_min, turned(one_pair))
    line = times(spread / 2, chain(low, total))
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
    path = arithmetic(2 * steep * sqrt(moved.lhs), "==", eta * square / loss, moved, hide=(moved.lhs, square, loss))
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
    """c e^{-2 gamma |Q|} <= loss with c = (s/2) p_min quarter mu^2; psi' = four eta x^2 loss and
    (four/2) x |Q'| = psi' along the flow, with x = |g|/(2 loss); and 1 - two gamma (1/gamma -
    1/x)_+ <= (gamma/x)^2.
    """
    c = spread / 2 * p_min * quarter * mu**2
    pair = hypotheses(zero_or_one, of_a_query, one_pair, within, masses, rarest)
    steep, moving = sqrt(square) / (2 * loss), sqrt(entries(Q.rate(i, j, t) ** 2))
    slope = derivative(-log(loss), t)
    return (
        Statement(c * exp(-2 * gamma * size), "<=", loss, pair),
        Statement(slope, "==", four * eta * steep**2 * loss, hypotheses(flow, gradient)),
        Statement(Fraction(four, 2) * steep * moving, "==", slope, hypotheses(flow, gradient)),
        Statement(1 - two * gamma * Op("max", (term(0), 1 / gamma - 1 / x)), "<=", (gamma / x) ** 2),
    )
