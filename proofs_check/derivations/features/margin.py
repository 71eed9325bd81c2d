"""R11: along the flow the inverse of the loss grows at least at a rate that the margin decides, and
a small loss keeps the attention of every query on its own class.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.binding import instantiated
from numerics.derivations.derived import cauchy_schwarz, chain, root, sqrt, turned
from numerics.derivations.flows import derivative
from numerics.derivations.rules import arithmetic, assume, fall, integrate, specialise
from numerics.derivations.sorts import POSITIVE, REALS, Sort
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.terms import START, Function, Term, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.features.feature_flow import (
    G,
    K,
    M,
    adds_up,
    diagonal,
    diagonal_from_the_rest,
    direction,
    entries,
    error,
    eta,
    flow,
    g,
    gradient,
    h,
    i,
    j,
    k,
    loss,
    loss_falls,
    n,
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
from proofs_check.derivations.features.steps import added, cancelled, product, scaled, times

gamma, u = Variable("gamma", range=POSITIVE), Variable("u", range=REALS)
#: The matrix that reaches the margin; the least attention on an own class, and the integral of
#: its square.
best = Function("Qstar", (Sort.INDEX, Sort.INDEX))
a, area = Function("a", (Sort.TIME,)), Function("I", (Sort.TIME,), Fraction(1))

margin = assume("Q* has the margin gamma", 0, "<=", entries(direction * best(i, j)) - gamma, every=(n, k))
unit = assume("|Q*| <= 1", entries(best(i, j) ** 2), "<=", 1)
signs = assume("-H is not negative off the diagonal", 0, "<=", h, every=(n, k, t))
least = assume("a is at most the attention on an own class", a(t), "<=", own, every=(k, t))
some = assume("a is not negative", 0, "<=", a(t), every=(t,))
integral = assume("I grows at the rate a^2", area.rate(t), "==", a(t) ** 2, every=(t,))
from_0 = assume("I starts at 0", area(START), "==", 0)
at_start = instantiated(loss, {t: START})


@cache
def steep() -> Theorem:
    """gamma sum_k H_kk <= <g, Q*> <= |g|."""
    gap = product(h, entries(direction * best(i, j)) - gamma, signs, margin)
    inner = integrate("coordinates", (k,), integrate("coordinates", (n,), gap, (M,)), (K,))
    gap = chain(0, inner, entries(G * best(i, j)) - gamma * queries(others(h)))
    rows = integrate("coordinates", (k,), scaled(gamma, turned(diagonal_from_the_rest())), (K,))
    total = chain(
        gamma * queries(diagonal), rows, added(gap, gamma * queries(others(h))), entries(G * best(i, j))
    )
    here = arithmetic(G * best(i, j), "==", g(i, j, t) * best(i, j), gradient, hide=(G,))
    total = chain(total, integrate("coordinates", (i, j), here, (r, r)))
    schwarz = cauchy_schwarz("coordinates", (i, j), g(i, j, t), best(i, j), (r, r))
    schwarz = chain(schwarz, times(square, unit), square)
    return chain(total, root(schwarz, entries(g(i, j, t) * best(i, j)), sqrt(square)))


@cache
def share_of_the_loss() -> Theorem:
    """2 gamma a loss <= gamma sum_k H_kk."""
    each = times(spread * p * error, least)
    total = integrate("coordinates", (k,), each, (K,))
    return chain(2 * gamma * a(t) * loss, times(gamma, total), gamma * queries(diagonal))


@cache
def inverse_loss() -> Theorem:
    """1/loss(0) + 4 eta gamma^2 I <= 1/loss: its derivative is eta |g|^2/loss^2 >= 4 eta gamma^2
    a^2.
    """
    size = 2 * gamma * a(t) * loss
    bound = chain(share_of_the_loss(), steep())
    positive = chain(0, product(a(t), 2 * gamma * loss, some), size)
    X, Y = size, sqrt(square)
    both = chain(times(X, bound, positive), times(Y, bound, arithmetic(0, "<=", Y)), square)
    squares = chain(size**2, both)
    falling = 4 * eta * gamma**2 * area(t) - 1 / loss
    growth, speed = 4 * eta * gamma**2 * a(t) ** 2, eta / loss**2
    rise = chain(arithmetic(growth, "==", speed * size**2, hide=(loss,)), times(speed, squares))
    slope = arithmetic(
        derivative(falling, t),
        "==",
        growth - speed * square,
        loss_falls(),
        integral,
        hide=(loss, derivative(loss, t)),
    )
    fallen = fall(falling, t, chain(slope, added(rise, -(speed * square)), 0))
    first = arithmetic(fallen.rhs, "==", -1 / at_start, from_0, hide=(at_start,))
    inverse, before = 1 / loss, 1 / at_start
    end = chain(fallen, first)
    return chain(before + 4 * eta * gamma**2 * area(t), added(end, before + inverse), inverse)


@cache
def never_rises() -> Theorem:
    """The loss does not rise along the flow."""
    down = chain(loss_falls(), arithmetic(-eta * square, "<=", 0))
    return fall(loss, t, down)


#: Whether a number is that of a query, that is one of 1, .., K; the least probability of a query.
is_query, c, p_min = (
    Function("in", (Sort.INDEX,)),
    Function("c", (Sort.INDEX,)),
    Variable("pmin", range=POSITIVE),
)
numbered = assume("in(k) is 1 for the queries", is_query(k) ** 2, "==", is_query(k), every=(k,))
one_of_them = assume("a query is one of all", is_query(k) * c(k) ** 2, "<=", queries(c(k) ** 2), every=(k, c))
rarest = assume("the least probability", p_min, "<=", p, every=(k,))


def small_loss(eighth: Fraction = Fraction(1, 8)) -> Theorem:
    return assume("the loss at the start", at_start, "<=", Fraction(eighth) * spread * p_min)


@cache
def stays_on_the_own_class() -> Theorem:
    """w_k >= 1/2 for every query at all times, as (s/2) p_k (1 - w_k)^2 is at most the loss."""
    share = spread / 2 * p * error
    one = specialise(one_of_them, {c: ((k,), sqrt(share))})
    one = chain(is_query(k) * share, one, loss)
    low = chain(one, never_rises(), small_loss())
    e, rest = is_query(k), 1 - own
    inside = chain(arithmetic(0, "<=", e**2), numbered)
    enough = times(
        e * (spread / 2), times(rest**2, rarest), chain(product(e, spread / 2, inside), e * (spread / 2))
    )
    whole_error = chain(added(arithmetic(0, "<=", others(w**2)), others(w) ** 2), error)
    own_part = arithmetic(rest**2, "==", others(w) ** 2, adds_up(), hide=(own,))
    less = chain(own_part, whole_error)
    weight = chain(product(e, spread / 2 * p, inside), e * (spread / 2) * p)
    low = chain(
        enough, e * (spread / 2) * p * rest**2, times(e * (spread / 2) * p, less, weight), e * share, low
    )
    unit = spread / 2 * p_min
    quarter = cancelled(unit, low, e * rest**2, term(Fraction(1, 4)), arithmetic(0, "<", unit))
    half = _root_of_a_quarter(e * rest, chain(_one_or_none(e, rest), quarter))
    inner = times(e, half, inside)
    twice = chain(scaled(rest, turned(numbered)), e * (e * rest))
    return chain(e * (Fraction(1, 2) - own), added(chain(twice, inner), -e / 2), 0)


def _one_or_none(e: Term, rest: Term) -> Theorem:
    """(e x)^2 = e x^2 for an e that is 0 or 1."""
    return chain((e * rest) ** 2, scaled(rest**2, numbered), e * rest**2)


def _root_of_a_quarter(X: Term, thm: Theorem) -> Theorem:
    """x <= 1/2 from x^2 <= 1/4."""
    tangent = specialise(arithmetic(u - Fraction(1, 4), "<=", u**2), {u: X})
    return chain(X, added(chain(tangent, thm), term(Fraction(1, 4))), Fraction(1, 2))


def upper_statements(two: int = 2, four: int = 4) -> tuple[Statement, ...]:
    """gamma sum H_kk <= |g|, 2 gamma a loss <= gamma sum H_kk, and the growth of 1/loss; `two` and
    `four` stand for the factors 2 and 4.
    """
    steepness = gamma * queries(diagonal)
    given = hypotheses(gradient, margin, unit, signs)
    growth = four * eta * gamma**2 * area(t)
    return (
        Statement(Fraction(two, 2) * steepness, "<=", sqrt(square), given),
        Statement(two * gamma * a(t) * loss, "<=", steepness, hypotheses(least)),
        Statement(
            1 / at_start + growth, "<=", 1 / loss, given | hypotheses(flow, least, some, integral, from_0)
        ),
    )


def start_statement(eighth: Fraction = Fraction(1, 8)) -> Statement:
    """w_k >= 1/2 for every query and time, if the loss is at most s p_min/8 at first."""
    given = hypotheses(flow, gradient, numbered, one_of_them, rarest, small_loss(eighth))
    return Statement(is_query(k) * (Fraction(1, 2) - own), "<=", term(0), given)
