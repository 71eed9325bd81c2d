"""Theorem A from below: the mean squared error of softmax attention on Gaussian tokens is at least
its limit (e^s/L)(t + q) times 1 - 8 e^{7s/2}/L, for every length L.

P2 is at least L e^s/(e^{2s} + L - 1)^2 by a tangent of 1/S^2, where S is the sum of the
exponentials of the scores; and P3 is at most e^{9s/2}/L^2, as S/L is at least the geometric mean.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, symm
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, equal, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS
from numerics.derivations.kernel.terms import Op, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.steps import times
from proofs_check.derivations.linear_attention.softmax_errors.theorem_a import (
    limit_is_not_negative,
    mean_square,
    q,
    sharp_bound,
    spread_is_not_negative,
    t,
    variance_is_not_negative,
    weak_bound,
    weaker,
)
from proofs_check.derivations.linear_attention.softmax_errors.token_errors import (
    GIVEN,
    P2,
    P3,
    SCORE,
    STEIN,
    Q,
    along_the_query,
    alpha,
    coordinates,
    delta,
    error,
    k,
    l,
    picks,
    s,
    score,
    tokens,
    weight,
)
from proofs_check.derivations.linear_attention.softmax_errors.two_tokens import less_one, one_less
from proofs_check.derivations.proof import proves
from proofs_check.derivations.query.moments import (
    count,
    covariance_of,
    of_each,
    of_pairs,
    of_powers,
    rho,
    theta,
)
from proofs_check.derivations.softmax_average.gaussian_tokens import b as slope
from proofs_check.derivations.softmax_average.gaussian_tokens import mean, n, weight_of_a_vector

u, v = Variable("u", range=POSITIVE), Variable("v", range=POSITIVE)
x, nonnegative = Variable("x", range=REALS), Variable("y", range=NONNEGATIVE)
S = tokens(exp(score()))
#: The mean of S under a law in which one token is tilted by e^{2 score}.
tilted = less_one * exp(s / 2) + exp(5 * s / 2)


@cache
def second_power() -> Theorem:
    """L e^{2s}/m^2 <= P2 for the tilted mean m of S, as 1/S^2 is at least its tangent at m."""
    X, m = tokens(exp(2 * score(l))), tilted
    tangent = instantiate(show((3 * v - 2 * u) / v**3, "<=", 1 / u**2), {u: S, v: m})
    point = show(X * tangent.lhs, "<=", X * tangent.rhs, tangent, X, tangent.lhs, tangent.rhs)
    first = instantiate(of_powers(), {theta: term(2)})
    both = instantiate(of_pairs(), {theta: term(2), rho: term(1)})
    first = chain(mean(X), first, L * exp(2 * s))
    both = calc(chain(mean(X * S), both), ("==", L * exp(2 * s) * m, one_less, s))
    return calc(
        L * exp(2 * s) / m**2,
        ("==", (3 * m * first.lhs - 2 * both.lhs) / m**3, first, both, m, first.lhs, both.lhs, s),
        ("==", mean(X * tangent.lhs)),
        ("<=", mean(X * tangent.rhs), point),
        ("==", P2),
    )


@cache
def geometric_mean() -> Theorem:
    """L e^{y} <= S for the mean y of the scores, by 1 + x <= e^x."""
    y = tokens(score(l)) / L
    line = instantiate(show(1 + x, "<=", exp(x)), {x: score(l) - y})
    total = calc(
        L, ("==", tokens(1 + score(l) - y)), ("<=", tokens(exp(score(l) - y)), line), ("==", exp(-y) * S)
    )
    return calc(L * exp(y), ("<=", exp(-y) * S * exp(y), total, S, y), ("==", S, S, y))


@cache
def crossed() -> Theorem:
    """The covariances of the score of a token with those of all add up to s."""
    across, one = covariance_of(l, k), instantiate(picks, {alpha: ((k,), term(1))})
    total = integrate("coordinates", (k,), across, (L,))
    return calc(total, ("==", s * one.lhs), ("==", s * delta(l, l), one, one.lhs, s))


@cache
def third_power() -> Theorem:
    """P3 <= e^{9s/2}/L^2, where the variance of a score less the mean of all is s (1 - 1/L)."""
    y, low, own = tokens(score(k), k) / L, geometric_mean(), delta(l, l)
    inverse = show(1 / S**3, "<=", 1 / (L * exp(y)) ** 3, low, S, exp(y))
    point = calc(
        weight() ** 3,
        ("==", exp(3 * score(l)) * (1 / S**3)),
        ("<=", exp(3 * score(l)) * (1 / (L * exp(y)) ** 3), inverse),
        ("==", exp(3 * score(l) - 3 * y) / L**3, score(l), y),
    )
    along = along_the_query(l) - tokens(along_the_query(k), k) / L
    all_ = calc(
        integrate("coordinates", (l,), crossed(), (L,)),
        ("==", s * tokens(own)),
        ("==", s * L, count(), s, count().lhs),
    )
    forms = covariance_of(l, l), crossed(), all_
    square = equal(coordinates(along**2), forms[0].lhs - 2 / L * forms[1].lhs + forms[2].lhs / L**2)
    square = calc(
        square,
        ("==", s * (own - 2 / L * own + 1 / L), *forms, s, *(thm.lhs for thm in forms)),
    )
    at = instantiate(weight_of_a_vector(), {slope: ((n,), 3 * along)})
    body = mean(exp(3 * score(l) - 3 * y))
    value = calc(
        chain(body, at),
        ("==", exp(9 * square.lhs / 2)),
        ("==", exp(9 * square.rhs / 2), square, square.lhs, s),
    )
    each = calc(
        own * body,
        ("==", own * value.rhs, value, value.lhs, s),
        ("==", own * exp(9 * s * (1 - 1 / L) / 2), s),
    )
    total = calc(
        P3,
        ("<=", mean(tokens(exp(3 * score(l) - 3 * y) / L**3)), point),
        ("==", tokens(body) / L**3),
        (
            "==",
            tokens(exp(9 * s * (1 - 1 / L) / 2)) / L**3,
            of_each(each, body, exp(9 * s * (1 - 1 / L) / 2)),
        ),
        ("==", exp(9 * s * (1 - 1 / L) / 2) / L**2),
    )
    return total


def moment_statements(c: int | Fraction = 1, share: int | Fraction = 1) -> tuple[Statement, ...]:
    """c (e^s/L)(1 - 2 e^{2s}/L) <= P2 and P3 <= share e^{9s/2}/L^2."""
    given = hypotheses(*GIVEN, one_less)
    low = Fraction(c) * (exp(s) / L * (1 - 2 * exp(2 * s) / L))
    high = Fraction(share) * exp(9 * s / 2) / L**2
    return Statement(low, "<=", P2, given), Statement(P3, "<=", high, given)


@proves("OURS:R4.limit/weights", moment_statements, part=(1, 2))
@cache
def moments_at_the_limit() -> tuple[Theorem, Theorem]:
    """(e^s/L)(1 - 2 e^{2s}/L) <= P2 and P3 <= e^{9s/2}/L^2, where s >= 0."""
    positive, E = variance_is_not_negative(SCORE), exp(2 * s)
    one = show(1, "<=", E, positive, s)
    less = show((1 - 2 * E / L) / L, "<=", L / (less_one + E) ** 2, one_less, one, E)
    low = calc(
        exp(s) * less.lhs,
        (
            "<=",
            exp(s) * less.rhs,
            show(exp(s) * less.lhs, "<=", exp(s) * less.rhs, less, exp(s), less.lhs, less.rhs),
        ),
        ("==", L * exp(2 * s) / tilted**2, s),
        ("<=", P2, second_power()),
    )
    high = calc(third_power(), ("<=", exp(9 * s / 2) / L**2, positive, s))
    return low, high


#: What the limit loses at most, for every length.
lost = 8 * exp(7 * s / 2) / L


@cache
def error_from_below() -> Theorem:
    """(e^s/L)(t + q)(1 - 8 e^{7s/2}/L) <= P2 (t + q) - 6 (P3 - Q) q, the mean squared error."""
    (low, high), limit, total = moments_at_the_limit(), limit_is_not_negative(), t + q
    left, right = exp(s) / L * (1 - lost), low.lhs - 6 * high.rhs
    loss = show(
        2 * exp(2 * s) + 6 * exp(7 * s / 2), "<=", 8 * exp(7 * s / 2), variance_is_not_negative(SCORE), s
    )
    less = calc(
        left,
        (
            "<=",
            exp(s) / L * (1 - loss.lhs / L),
            show(
                exp(s) / L * (1 - loss.rhs / L),
                "<=",
                exp(s) / L * (1 - loss.lhs / L),
                loss,
                exp(s),
                loss.lhs,
                loss.rhs,
            ),
        ),
        ("==", right, s),
    )
    part = show(low.lhs * total, "<=", P2 * total, low, limit, low.lhs, P2, total)
    rest = show(P3 * q, "<=", high.rhs * total, high, spread_is_not_negative(), P3, high.rhs, t, q)
    return calc(
        chain(
            weak_bound * (1 - lost), show(left * total, "<=", right * total, less, limit, left, right, total)
        ),
        ("==", part.lhs - 6 * rest.rhs),
        ("<=", part.rhs - 6 * rest.lhs, part, rest),
        ("<=", P2 * t + (P2 - 6 * P3 + 6 * Q) * q, P2, P3, Q, t, q),
        ("==", mean_square, symm(error())),
    )


def limit_statements(factor: int | Fraction = 1) -> tuple[Statement, Statement]:
    """Both bounds of Theorem A, multiplied by `factor` and by 1 - 8 e^{7s/2}/L, or by 0 where this
    is negative, are at most the error.
    """
    given = hypotheses(*GIVEN, *STEIN, one_less)
    sharp, weak = (factor * Op("max", (term(0), 1 - lost)) * bound for bound in (sharp_bound, weak_bound))
    return Statement(sharp, "<=", mean_square, given), Statement(weak, "<=", mean_square, given)


@proves("OURS:R4.A.limit", limit_statements, part=(1, 2))
@cache
def limits() -> tuple[Theorem, Theorem]:
    share, low = Op("max", (term(0), 1 - lost)), error_from_below()
    top = lambda e: Op("max", (term(0), e))
    positive = calc(limit_is_not_negative(), ("==", t + q))
    positive = calc(0, ("<=", exp(s) / L * positive.rhs, times(exp(s) / L, positive)), ("==", weak_bound))
    line = show(top(x) * nonnegative, "<=", top(x * nonnegative))
    weak = calc(
        share * weak_bound,
        (
            "<=",
            top((1 - lost) * weak_bound),
            instantiate(line, {x: 1 - lost, nonnegative: weak_bound}, positive),
        ),
        ("<=", top(mean_square), low),
        ("==", mean_square, mean_square),
    )
    less = weaker()
    less = chain(arithmetic(sharp_bound, "==", less.lhs, hide=(s, t, q)), less, weak_bound)
    return chain(times(share, less), weak), weak
