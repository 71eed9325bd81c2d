"""R12: whatever the features, the flow takes at least the time K/(6 e eta sigma_f^2 R^4) until a
query has the attention 1/2 on its own class; K is M + 1 here.

While the norm of Q is at most 1/(2 R^2), no score exceeds 1/2, so that no attention exceeds b =
e/K, and the norm of Q grows at most at the speed 3 e eta sigma_f^2 R^2/K.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.binding import bind, instantiated
from numerics.derivations.derived import cauchy_schwarz, chain, exp, read_up_to, root, sqrt, turned
from numerics.derivations.flows import derivative
from numerics.derivations.rules import (
    arithmetic,
    assume,
    begin,
    continuation,
    equal,
    fall,
    integrate,
    limit,
    replace,
)
from numerics.derivations.sorts import POSITIVE, Sort
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.terms import CLOCK, START, Function, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.features.feature_flow import (
    G,
    K,
    M,
    Q,
    adds_up,
    diagonal,
    diagonal_from_the_rest,
    direction,
    entries,
    error,
    eta,
    flow,
    gradient,
    h,
    i,
    j,
    k,
    log_mass,
    n,
    odds,
    others,
    own,
    p,
    queries,
    r,
    spread,
    t,
    v,
    w,
    x,
)
from proofs_check.derivations.features.steps import added, gap, ind, product, scaled, times

R, delta = Variable("R", range=POSITIVE), Variable("delta", range=POSITIVE)
#: The features of the other classes.
u = Function("u", (Sort.INDEX, Sort.INDEX, Sort.INDEX))

differences = assume(
    "x are the differences of features", x(n, k, i), "==", v(k, i) - u(n, k, i), every=(n, k, i)
)
coordinates = lambda e: bind("coordinates", (i,), e, (r,))
own_norm = assume("|v_k| <= R", coordinates(v(k, i) ** 2), "<=", R**2, every=(k,))
norm = assume("|v_m| <= R", coordinates(u(n, k, i) ** 2), "<=", R**2, every=(n, k))
balanced = assume("balanced prompts", log_mass(n, k), "==", 0, every=(n, k))
probabilities = assume("the probabilities add up to 1", queries(p), "==", 1)
from_0 = assume("Q(0) = 0", Q(i, j, START), "==", 0, every=(i, j))
six_classes = assume("at least six classes", 6, "<=", M + 1)

#: The bound of all attentions, that of the norm of Q, and the speed and the time to it.
b, rho = exp(term(1)) / (M + 1), 1 / (2 * R**2)
speed = 3 * b * eta * spread * R**2
last = rho / speed
#: An earlier time, and what keeps the norm away from 0, where it has no derivative.
T, small = last / (1 + delta), rho * (delta / (2 * (1 + delta)))
Y = sqrt(entries(Q(i, j, t) ** 2) + small**2)

barrier = assume("|Q| <= 1/(2 R^2)", Y, "<=", rho, every=(t,))
early = assume("times up to T", CLOCK(t), "<=", T, every=(t,))

own_score, score = entries(v(k, i) * v(k, j) * Q(i, j, t)), entries(u(n, k, i) * v(k, j) * Q(i, j, t))


@cache
def small_scores() -> tuple[tuple[Theorem, Theorem], ...]:
    """|v_m Q v_k| <= R^2 Y, by Cauchy-Schwarz, as the norm of v_m v_k^T is at most R^2."""
    N, shown = entries(Q(i, j, t) ** 2), []
    for s, left, bound in ((own_score, v(k, i), own_norm), (score, u(n, k, i), norm)):
        schwarz = cauchy_schwarz("coordinates", (i, j), Q(i, j, t), left * v(k, j), (r, r))
        schwarz = chain(s**2, schwarz, N * (bound.lhs * own_norm.lhs))
        schwarz = chain(schwarz, replace(schwarz.rhs, bound, own_norm), N * R**4)
        schwarz = chain(schwarz, times(R**4, arithmetic(N, "<=", Y**2, hide=(N,))), (R**2 * Y) ** 2)
        shown.append((root(schwarz, s, R**2 * Y), root(schwarz, -s, R**2 * Y)))
    return tuple(shown)


@cache
def by_scores() -> Theorem:
    """(v_k - v_m) Q v_k is the difference of two scores."""
    each = arithmetic(
        direction * Q(i, j, t),
        "==",
        v(k, i) * v(k, j) * Q(i, j, t) - u(n, k, i) * v(k, j) * Q(i, j, t),
        differences,
    )
    return chain(integrate("coordinates", (i, j), each, (r, r)), own_score - score)


@cache
def no_large_attention() -> tuple[Theorem, Theorem]:
    """w_k <= e/K and w_m <= e/K within the barrier, where all scores lie between -1/2 and 1/2."""
    half = Fraction(1, 2)
    low, e = exp(term(-half)), exp(own_score)
    bounds = [[chain(s, times(R**2, barrier), half) for s in both] for both in small_scores()]
    (own_up, own_down), (up, down) = bounds
    above = lambda s, thm: replace(low, arithmetic(-half, "<=", s, thm, hide=(s,)))
    least = integrate("coordinates", (n,), above(score, down), (M,))
    odds_of_scores = arithmetic(e * odds, "==", exp(score), balanced, by_scores(), hide=(score, own_score))
    total = integrate("coordinates", (n,), odds_of_scores, (M,))
    rest = chain(low * M, least, turned(total), e * others(odds))
    most = chain(added(above(own_score, own_down), low * M), added(rest, e), e * (1 + others(odds)))
    S, classes = others(odds), M + 1
    whole = chain(low * classes, low + low * M, most)
    shown = []
    for weight, s, thm, bound in (
        (own, own_score, arithmetic(own * whole.rhs, "==", e, hide=(S, e)), own_up),
        (w, score, odds_of_scores, up),
    ):
        line = times(weight, whole)
        if weight == w:
            line = chain(line, arithmetic(line.rhs, "==", e * odds, hide=(S, e, odds)))
        line = chain(weight * (low * classes), line, thm, replace(exp(s), bound))
        shown.append(arithmetic(weight, "<=", b, line, hide=(weight,)))
    return shown[0], shown[1]


@cache
def slow() -> Theorem:
    """For each query the sum over m of <(v_k - v_m) v_k^T, Q>, weighted by -H_mk, is at most 3 b
    sigma_f^2 p R^2 Y.
    """
    own_small, small = no_large_attention()
    S2, Z, unit = others(w**2), R**2 * Y, spread * p
    squares = integrate("coordinates", (n,), times(w, small), (M,))
    squares = chain(S2, squares, b * others(w), scaled(b, adds_up()))
    f = own + w - own**2 - S2
    both = chain(added(times(own, own_small), S2), added(squares, own * b), b)
    hidden = (own, w, S2, b)
    up = arithmetic(f, "<=", 2 * b, own_small, small, hide=hidden)
    down = arithmetic(-f, "<=", 2 * b, both, hide=hidden)
    (own_up, _), (score_up, score_down) = small_scores()
    first, second = (
        product(s.rhs - s.lhs, q.rhs - q.lhs, gap(s), gap(q)) for s, q in ((up, score_up), (down, score_down))
    )
    crossed = chain(first, added(second, first.rhs))
    form = arithmetic(crossed.rhs, "==", 4 * (b * Z) + 2 * (f * score), hide=(f, score, b, Z))
    crossed = arithmetic(-(f * score), "<=", 2 * (b * Z), chain(crossed, form), hide=(f * score, b * Z))
    each = times(unit * w, crossed)
    rest = chain(-others(h * score), integrate("coordinates", (n,), each, (M,)), unit * 2 * b * Z * others(w))
    rest = chain(rest, scaled(unit * 2 * b * Z, adds_up()))
    first = times(diagonal, own_up)
    weighted = arithmetic(
        h * entries(direction * Q(i, j, t)),
        "==",
        h * own_score - h * score,
        by_scores(),
        hide=(h, own_score, score),
    )
    sum_squared = arithmetic(others(w) ** 2, "==", (1 - own) ** 2, adds_up(), hide=(own,))
    few = chain(error, added(sum_squared, S2), added(squares, (1 - own) ** 2))
    away = arithmetic(0, "<=", 1 - own, hide=(others(odds),))
    inner = own * ((1 - own) ** 2 + b * (1 - own)) + 2 * b * (1 - own)
    enough = arithmetic(inner, "<=", 3 * b, own_small, away, hide=(own, b))
    line = chain(
        integrate("coordinates", (n,), weighted, (M,)),
        own_score * others(h) - others(h * score),
        arithmetic(
            own_score * others(h) - others(h * score),
            "==",
            diagonal * own_score - others(h * score),
            diagonal_from_the_rest(),
            hide=(own_score, others(h), others(h * score), diagonal),
        ),
        added(first, -others(h * score)),
        added(rest, first.rhs),
    )
    return chain(line, times(unit * Z, chain(added(times(own, few), 2 * b * (1 - own)), inner, enough)))


@cache
def at_the_start() -> Theorem:
    """The sum of the squares of the entries of Q is 0 at the time 0."""
    return chain(
        integrate("coordinates", (i, j), arithmetic(Q(i, j, START) ** 2, "==", 0, from_0), (r, r)), 0
    )


@cache
def norm_grows_slowly() -> Theorem:
    """Y <= small + speed t within the barrier."""
    N, inner = entries(Q(i, j, t) ** 2), entries(Q(i, j, t) * Q.rate(i, j, t))
    along = arithmetic(Q(i, j, t) * Q.rate(i, j, t), "==", eta * (G * Q(i, j, t)), flow, gradient, hide=(G,))
    total = integrate("coordinates", (k,), slow(), (K,))
    most = scaled(3 * b * spread * R**2 * Y, probabilities)
    moved = chain(
        integrate("coordinates", (i, j), along, (r, r)), eta * total.lhs, times(eta, chain(total, most))
    )
    moved = chain(moved, speed * Y)
    dN = derivative(N, t)
    form = arithmetic(derivative(Y, t), "==", inner / Y, equal(dN, 2 * inner), hide=(N, dN, inner))
    rate = chain(form, times(1 / Y, moved), speed)
    e = Y - speed * CLOCK(t)
    fallen = fall(e, t, chain(derivative(e, t), added(rate, -speed), 0))
    none = at_the_start()
    first = arithmetic(fallen.rhs, "==", small, begin(), none, hide=(none.lhs,))
    return chain(Y, added(chain(fallen, first), speed * CLOCK(t)), small + speed * CLOCK(t))


@cache
def small_attention() -> Theorem:
    """w_k <= e/K at all times up to T, as the barrier is not reached by then."""
    (kept,) = barrier.assumptions
    most = small + rho / (1 + delta)
    way = arithmetic(speed * T, "<=", rho / (1 + delta))
    inside = chain(norm_grows_slowly(), added(chain(times(speed, early), way), small), most)
    below = arithmetic(most, "<", rho)
    none = at_the_start()
    start = arithmetic(instantiated(Y, {t: START}), "<=", rho, none, hide=(none.lhs,))
    thm = continuation(kept, t, inside, below, start, no_large_attention()[0])
    return read_up_to(T, thm, early)


@cache
def theorem() -> Theorem:
    """A time at which w_k >= 1/2 is at least K/(6 e eta sigma_f^2 R^4), as no attention reaches 1/2
    up to any earlier time T.
    """
    there, now = ind(own - Fraction(1, 2)), ind(T - CLOCK(t))
    large = times(now, arithmetic(there * Fraction(1, 2), "<=", there * own, hide=(own,)))
    both = chain(large, times(there, small_attention()), now * there * b)
    few = arithmetic(b, "<", Fraction(1, 2), six_classes)
    never = arithmetic(now * there, "<=", 0, both, few, hide=(T, own, b))
    later = arithmetic(there * T, "<=", there * CLOCK(t) + T * (now * there), hide=(T, own))
    later = chain(later, replace(later.rhs, never), there * CLOCK(t))
    scale = 1 + delta
    form = arithmetic(there * last, "==", scale * (there * T), hide=(last, own))
    line = chain(form, times(scale, later), there * CLOCK(t) + delta * (there * CLOCK(t)))
    first = (M + 1) / (6 * exp(term(1)) * eta * spread * R**4)
    return chain(there * first, limit(line, delta, there * CLOCK(t), there * CLOCK(t)))


def statement(six: int = 6, times: int = 6, half: Fraction = Fraction(1, 2)) -> Statement:
    """A time of the flow at which w_k >= half is at least K/(times e eta sigma_f^2 R^4), for K >=
    six.
    """
    there, first = ind(own - half), (M + 1) / (times * exp(term(1)) * eta * spread * R**4)
    classes = assume("at least six classes", six, "<=", M + 1)
    given = hypotheses(flow, gradient, differences, own_norm, norm, balanced, probabilities, from_0, classes)
    return Statement(there * first, "<=", there * CLOCK(t), given)
