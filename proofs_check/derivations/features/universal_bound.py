"""R12: whatever the features, the flow takes at least the time K/(6 e eta sigma_f^2 R^4) until a
query has the attention 1/2 on its own class; K is M + 1 here.

While the norm of Q is at most 1/(2 R^2), no score exceeds 1/2, so that no attention exceeds b =
e/K, and the norm of Q grows at most at the speed 3 e eta sigma_f^2 R^2/K.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, exp, read_up_to, sqrt
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, arithmetic, assume, begin, continuation, equal, limit
from numerics.derivations.kernel.sorts import POSITIVE, Sort
from numerics.derivations.kernel.terms import CLOCK, START, Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.feature_flow import (
    G,
    M,
    Q,
    adds_up,
    at,
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
from proofs_check.derivations.features.steps import gap, ind, product
from proofs_check.derivations.proof import proves

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

#: The matrix of the flow, and what is said at any matrix.
here, FLOW = Q(i, j, t), (own, w, h, diagonal, error)
own_score, score = entries(v(k, i) * v(k, j) * Q(i, j, t)), entries(u(n, k, i) * v(k, j) * Q(i, j, t))


def statement(six: int = 6, times: int = 6, half: Fraction = Fraction(1, 2)) -> Statement:
    """A time of the flow at which w_k >= half is at least K/(times e eta sigma_f^2 R^4), for K >=
    six.
    """
    there, first = ind(own - half), (M + 1) / (times * exp(term(1)) * eta * spread * R**4)
    classes = assume("at least six classes", six, "<=", M + 1)
    given = hypotheses(flow, gradient, differences, own_norm, norm, balanced, probabilities, from_0, classes)
    return Statement(there * first, "<=", there * CLOCK(t), given)


def of_entries(X: Term, Y: Term) -> Theorem:
    return cauchy_schwarz("coordinates", (i, j), X, Y, (r, r))


@cache
def small_scores(X: Term, size: Term) -> tuple[tuple[Theorem, Theorem], ...]:
    """|v_m X v_k| <= R^2 |X| by Cauchy-Schwarz, as the norm of v_m v_k^T is at most R^2; the norm
    of X is at most `size`.
    """
    N, shown = entries(X**2), []
    for e, left, bound in ((own_score, v(k, i), own_norm), (score, u(n, k, i), norm)):
        s = at(e, X)
        schwarz = calc(
            s**2,
            ("<=", N * (bound.lhs * own_norm.lhs), of_entries(X, left * v(k, j))),
            ("<=", N * R**4, bound, own_norm),
            ("<=", (R**2 * size) ** 2),
        )
        shown.append((show(s, "<=", R**2 * size, schwarz), show(-s, "<=", R**2 * size, schwarz)))
    return tuple(shown)


@cache
def by_scores(X: Term) -> Theorem:
    """(v_k - v_m) X v_k is the difference of two scores."""
    parts = v(k, i) * v(k, j) * X - u(n, k, i) * v(k, j) * X
    each = arithmetic(direction * X, "==", parts, differences)
    return show(entries(direction * X), "==", at(own_score, X) - at(score, X), each)


@cache
def no_large_attention(X: Term, inside: Theorem) -> tuple[Theorem, Theorem]:
    """w_k <= e/K and w_m <= e/K at a matrix X that is `inside` the barrier, where all scores lie
    between -1/2 and 1/2.
    """
    half, (of_own, of_other), others_odds = Fraction(1, 2), (at(own_score, X), at(score, X)), at(odds, X)
    e, S, here, there = exp(of_own), others(others_odds), at(own, X), at(w, X)
    low, high = exp(term(-half)), exp(term(half))
    bounds = [[calc(s, ("<=", half, inside)) for s in both] for both in small_scores(X, inside.lhs)]
    (own_up, own_down), (up, down) = bounds
    odds_of_scores = arithmetic(
        e * others_odds, "==", exp(of_other), balanced, by_scores(X), hide=(of_other, of_own)
    )
    whole = calc(
        low * (M + 1),
        ("<=", e + low * M, show(low, "<=", e, own_down)),
        ("<=", e + others(exp(of_other)), show(low, "<=", exp(of_other), down)),
        ("==", e * (1 + S), odds_of_scores),
    )
    on_own = calc(
        here * (low * (M + 1)), ("<=", here * (e * (1 + S)), whole), ("==", e, S, e), ("<=", high, own_up)
    )
    on_other = calc(
        there * (low * (M + 1)),
        ("<=", there * (e * (1 + S)), whole),
        ("==", e * others_odds, S, e, others_odds),
        ("==", exp(of_other), odds_of_scores),
        ("<=", high, up),
    )
    return show(here, "<=", b, on_own, here), show(there, "<=", b, on_other, there)


@cache
def slow(X: Term, inside: Theorem, toward: Term, size: Term) -> Theorem:
    """For each query the sum over m of <(v_k - v_m) v_k^T, A>, weighted by -H_mk at a matrix X
    `inside` the barrier, is at most 3 b sigma_f^2 p R^2 |A|, where A is the matrix `toward` which
    it is, and |A| is at most `size`.
    """
    own_small, small = no_large_attention(X, inside)
    own, w, h, diagonal, error = (at(e, X) for e in FLOW)
    S2, Z, unit, rest = others(w**2), R**2 * size, spread * p, 1 - own
    squares = calc(S2, ("<=", b * others(w), show(w**2, "<=", b * w, small)), ("==", b * rest, adds_up(X)))
    f = own + w - own**2 - S2
    up = show(f, "<=", 2 * b, own_small, small, own, w, S2, b)
    square_of_own = show(own**2, "<=", b * own, own_small)
    down = calc(-f, ("<=", own**2 + S2), ("<=", b * own + b * rest, square_of_own, squares), ("<=", 2 * b))
    (own_up, _), (score_up, score_down) = small_scores(toward, size)
    along_own, along_other = at(own_score, toward), at(score, toward)
    first, second = (
        product(one.rhs - one.lhs, other.rhs - other.lhs, gap(one), gap(other))
        for one, other in ((up, score_up), (down, score_down))
    )
    crossed = calc(
        0,
        ("<=", first.rhs + second.rhs, first, second, first.rhs, second.rhs),
        ("==", 4 * (b * Z) + 2 * (f * along_other), f, along_other, b, Z),
    )
    crossed = show(-(f * along_other), "<=", 2 * (b * Z), crossed, f * along_other, b * Z)
    each = show(-(h * along_other), "<=", unit * w * (2 * b * Z), crossed)
    few = calc(error, ("==", rest**2 + S2, adds_up(X)), ("<=", rest**2 + b * rest, squares))
    away = arithmetic(0, "<=", rest, hide=(others(at(odds, X)),))
    inner = own * (rest**2 + b * rest) + 2 * b * rest
    along, H, rest_of = entries(direction * toward), others(h), others(h * along_other)
    weighted = show(
        h * along, "==", h * along_own - h * along_other, by_scores(toward), h, along_own, along_other
    )
    return calc(
        others(h * along),
        ("==", along_own * H - rest_of, weighted),
        ("==", diagonal * along_own - rest_of, diagonal_from_the_rest(X), along_own, H, rest_of, diagonal),
        ("<=", diagonal * Z - rest_of, own_up),
        ("<=", diagonal * Z + unit * 2 * b * Z * others(w), each),
        ("==", diagonal * Z + unit * 2 * b * Z * rest, adds_up(X)),
        ("<=", unit * Z * inner, few),
        ("<=", unit * Z * (3 * b), show(inner, "<=", 3 * b, own_small, away, own, b)),
    )


@cache
def at_the_start() -> Theorem:
    """The sum of the squares of the entries of Q is 0 at the time 0."""
    return show(entries(Q(i, j, START) ** 2), "==", 0, from_0)


@cache
def norm_grows_slowly() -> Theorem:
    """Y <= small + speed t within the barrier."""
    N, inner, unit = entries(Q(i, j, t) ** 2), entries(Q(i, j, t) * Q.rate(i, j, t)), spread * p
    along = arithmetic(Q(i, j, t) * Q.rate(i, j, t), "==", eta * (G * Q(i, j, t)), flow, gradient, hide=(G,))
    moved = calc(
        inner,
        ("==", eta * queries(others(h * entries(direction * Q(i, j, t)))), along),
        ("<=", eta * queries(unit * (R**2 * Y) * (3 * b)), slow(here, barrier, here, Y)),
        ("==", speed * Y, probabilities),
    )
    dN, e = derivative(N, t), Y - speed * CLOCK(t)
    rate = calc(
        derivative(Y, t),
        ("==", inner / Y, equal(dN, 2 * inner), N, dN, inner),
        ("<=", speed, moved),
    )
    fallen = antitone(e, t, calc(derivative(e, t), ("<=", 0, rate)))
    none = at_the_start()
    first = calc(fallen, ("==", small, begin(), none, none.lhs))
    return show(Y, "<=", small + speed * CLOCK(t), first)


@cache
def small_attention() -> Theorem:
    """w_k <= e/K at all times up to T, as the barrier is not reached by then."""
    (kept,) = barrier.assumptions
    most, none = small + rho / (1 + delta), at_the_start()
    inside = calc(norm_grows_slowly(), ("<=", small + speed * T, early), ("<=", most))
    below = arithmetic(most, "<", rho)
    start = show(instantiated(Y, {t: START}), "<=", rho, none, none.lhs)
    own_small, _ = no_large_attention(here, barrier)
    return read_up_to(T, continuation(kept, t, inside, below, start, own_small), early)


@proves("OURS:R12.lower", statement)
@cache
def theorem() -> Theorem:
    """A time at which w_k >= 1/2 is at least K/(6 e eta sigma_f^2 R^4), as no attention reaches 1/2
    up to any earlier time T.
    """
    there, now, half = ind(own - Fraction(1, 2)), ind(T - CLOCK(t)), Fraction(1, 2)
    both = calc(
        now * (there * half),
        ("<=", now * (there * own), show(there * half, "<=", there * own, own)),
        ("<=", now * there * b, small_attention()),
    )
    never = show(now * there, "<=", 0, both, arithmetic(b, "<", half, six_classes), T, own, b)
    later = calc(
        there * T,
        ("<=", there * CLOCK(t) + T * (now * there), T, own),
        ("<=", there * CLOCK(t), never),
    )
    line = calc(
        there * last,
        ("==", (1 + delta) * (there * T), last, own),
        ("<=", there * CLOCK(t) + delta * (there * CLOCK(t)), later),
    )
    first = (M + 1) / (6 * exp(term(1)) * eta * spread * R**4)
    return chain(there * first, limit(line, delta, there * CLOCK(t), there * CLOCK(t)))
