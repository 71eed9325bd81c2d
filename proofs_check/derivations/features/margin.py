"""R11: along the flow the inverse of the loss grows at least at a rate that the margin decides, and
a small loss keeps the attention of every query on its own class.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, root, sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import START, Function, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.feature_flow import (
    G,
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
from proofs_check.derivations.features.steps import cancelled, product, times
from proofs_check.derivations.proof import proves

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


@proves("OURS:R11.upper", upper_statements, part=1)
@cache
def steep() -> Theorem:
    """gamma sum_k H_kk <= <g, Q*> <= |g|."""
    reached = entries(direction * best(i, j))
    toward = entries(g(i, j, t) * best(i, j))
    schwarz = calc(
        cauchy_schwarz("coordinates", (i, j), g(i, j, t), best(i, j), (r, r)), ("<=", square * 1, unit)
    )
    return calc(
        gamma * queries(diagonal),
        ("==", gamma * queries(others(h)), diagonal_from_the_rest()),
        ("==", queries(others(h * gamma))),
        (
            "<=",
            queries(others(h * reached)),
            times(h, show(gamma, "<=", reached, margin, gamma, reached), signs),
        ),
        ("==", entries(G * best(i, j))),
        ("==", toward, show(G * best(i, j), "==", g(i, j, t) * best(i, j), gradient, G)),
        ("<=", sqrt(square), root(schwarz, toward, sqrt(square))),
    )


@proves("OURS:R11.upper", upper_statements, part=2)
@cache
def share_of_the_loss() -> Theorem:
    return calc(
        2 * gamma * a(t) * loss,
        ("==", gamma * queries(spread * p * error * a(t))),
        ("<=", gamma * queries(spread * p * error * own), least),
        ("==", gamma * queries(diagonal)),
    )


@proves("OURS:R11.upper", upper_statements, part=3)
@cache
def inverse_loss() -> Theorem:
    """The derivative of 1/loss is eta |g|^2/loss^2 >= 4 eta gamma^2 a^2."""
    size, Y = 2 * gamma * a(t) * loss, sqrt(square)
    bound = calc(share_of_the_loss(), ("<=", Y, steep()))
    positive = product(a(t), 2 * gamma * loss, some)
    squares = calc(
        size**2,
        ("<=", size * Y, times(size, bound, calc(positive, ("==", size)))),
        ("<=", Y * Y, times(Y, bound, show(0, "<=", Y))),
        ("==", square),
    )
    falling = 4 * eta * gamma**2 * area(t) - 1 / loss
    growth, speed = 4 * eta * gamma**2 * a(t) ** 2, eta / loss**2
    rise = calc(growth, ("==", speed * size**2, loss), ("<=", speed * square, squares))
    slope = calc(
        derivative(falling, t),
        ("==", growth - speed * square, loss_falls(), integral, loss, derivative(loss, t)),
        ("<=", 0, rise),
    )
    end = calc(antitone(falling, t, slope), ("==", -1 / at_start, from_0, at_start))
    return show(1 / at_start + 4 * eta * gamma**2 * area(t), "<=", 1 / loss, end)


@cache
def never_rises() -> Theorem:
    """The loss does not rise along the flow."""
    return antitone(loss, t, calc(loss_falls(), ("<=", 0)))


@proves("OURS:R11.start", start_statement)
@cache
def stays_on_the_own_class() -> Theorem:
    """w_k >= 1/2 for every query at all times, as (s/2) p_k (1 - w_k)^2 is at most the loss."""
    e, rest, half = is_query(k), 1 - own, spread / 2
    inside = calc(0, ("<=", e**2), ("==", e, numbered))
    share = half * p * error
    less = calc(rest**2, ("==", others(w) ** 2, adds_up(), own), ("<=", error))
    low = calc(
        e * half * (rest**2 * p_min),
        ("<=", e * half * (rest**2 * p), times(e * half, times(rest**2, rarest), product(e, half, inside))),
        ("==", e * (half * p) * rest**2),
        ("<=", e * (half * p) * error, times(e * (half * p), less, product(e, half * p, inside))),
        ("==", e * sqrt(share) ** 2),
        ("<=", loss, instantiate(one_of_them, {c: ((k,), sqrt(share))})),
        ("<=", spread * p_min / 8, never_rises(), small_loss()),
    )
    unit = half * p_min
    quarter = cancelled(unit, low, e * rest**2, term(Fraction(1, 4)), show(0, "<", unit))
    square = calc(
        (e * rest) ** 2,
        ("==", e**2 * rest**2),
        ("==", e * rest**2, numbered),
        ("<=", Fraction(1, 4), quarter),
    )
    near = calc(
        e * rest,
        (
            "<=",
            (e * rest) ** 2 + Fraction(1, 4),
            instantiate(show(u, "<=", u**2 + Fraction(1, 4)), {u: e * rest}),
        ),
        ("<=", Fraction(1, 2), square),
    )
    return calc(
        e * (Fraction(1, 2) - own),
        ("==", e * rest - e / 2),
        ("==", e**2 * rest - e / 2, numbered),
        ("<=", e * Fraction(1, 2) - e / 2, times(e, near, inside)),
        ("==", 0),
    )
