"""Where one token carries the error: the output is near the token, and the mean squared error at a
query with s1 <= s <= s2 is at least t (L/2) e^{theta^2 s1/2 - theta (a + w)}.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp, symm
from numerics.derivations.kernel.rules import arithmetic, instantiate, integrate
from numerics.derivations.kernel.terms import Term, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.steps import gap, ind, product, times
from proofs_check.derivations.linear_attention.softmax_errors.gaussian_scores import at_the_query
from proofs_check.derivations.linear_attention.softmax_errors.theorem_a import (
    mean_square,
    q,
    spread_is_not_negative,
    t,
)
from proofs_check.derivations.linear_attention.softmax_errors.token_errors import (
    P2,
    P3,
    Q,
    alpha,
    error,
    error_of_a_row,
    k,
    l,
    ones,
    s,
    score,
    tokens,
    weight,
)
from proofs_check.derivations.query.average import limit_below_spread, trace
from proofs_check.derivations.query.one_token import (
    E,
    F,
    S,
    T,
    a,
    above_a,
    at_least_one,
    beyond,
    c,
    deviation,
    ends,
    eps,
    gain,
    gains,
    least,
    least_gain,
    less,
    member,
    others_are_there,
    own,
    r,
    s1,
    s2,
    second_power,
    spread,
    v,
    window,
    x,
)
from proofs_check.derivations.softmax_average.gaussian_tokens import g, mean
from proofs_check.derivations.softmax_average.query_average import V
from proofs_check.derivations.softmax_average.softmax_average import i, j

#: The softmax average of the scores, less its limit s.
average = tokens(weight(k) * score(k), k)
away = average - s


@cache
def near_the_token() -> Theorem:
    """delta (x - sum p_k x_k) is at most delta (T/F - 1)/eps, as y <= (e^{eps y} - 1)/eps for
    y = x - x_k, and p <= 1.
    """
    line = instantiate(show(v, "<=", (exp(eps * v) - 1) / eps), {v: x - score(k)})
    total = calc(tokens(weight(k), k), ("==", S / S), ("==", 1, S))
    apart = calc(
        x - average,
        ("==", x * total.lhs - average, total, total.lhs, x, average),
        ("==", tokens(weight(k) * (x - score(k)), k)),
        ("<=", tokens(weight(k) * line.rhs, k), times(weight(k), line)),
        ("==", (exp(eps * x) * T / S - total.lhs) / eps),
        ("==", (exp(eps * x) * T / S - 1) / eps, total, total.lhs, exp(eps * x) * T / S),
    )
    smaller = times(own * T / (F * S), chain(own * E, member(term(1)), S))
    return calc(
        times(own, apart),
        ("==", 1 / eps * (own * T / (F * S) * (own * E) - own), T, S, x),
        ("<=", 1 / eps * (own * T / (F * S) * S - own), smaller),
        ("==", own * spread, T, S, x),
    )


@cache
def squared_distance() -> Theorem:
    """1{window} c^2 times the gain of a token is at most 1{window} p times the squared distance of
    the average from s.
    """
    p, J, W = E / S, own * window * above_a, away
    inside = window * above_a
    one = calc(chain(own * p, times(1 / S, chain(own * E, member(term(1)), S))), ("==", 1, S))
    far = arithmetic(ind(v - a) * (c + 1), "<=", ind(v - a) * (v - s2), beyond)
    far = times(own * window, instantiate(far, {v: x}))
    far = calc(
        chain(J * (c + 1), far, J * (x - s) + own * above_a * (window * (s - s2))),
        ("<=", J * (x - s) + own * above_a * 0, times(own * above_a, ends()[1])),
        ("==", J * W + inside * (own * (x - average))),
        ("<=", J * W + inside * (own * spread), times(inside, near_the_token())),
    )
    R, once = J * spread, arithmetic(J * J, "==", J)
    less_ = calc(chain(J * p, times(inside * own, one), J), ("==", J))
    below = chain(
        product(J - J * p, 2 * J - J * p, *(show(0, "<=", n_ * J - J * p, less_, J, J * p) for n_ in (1, 2))),
        (J * J) * (1 - p) * (2 - p),
    )
    fraction = (1 - p) * (2 - p) / p
    below = calc(0, ("<=", 1 / p * below.rhs, times(1 / p, below)), ("==", (J * J) * fraction, J, p))
    below = calc(
        below,
        ("==", J * fraction, show(J * J * fraction, "==", J * fraction, once, J * J, J, fraction)),
        ("==", J * (p - 3 + 2 / p), J, p),
    )
    below = show(J * (3 - 2 / p), "<=", J * p, chain(below, J * p - J * (3 - 2 / p)))
    there = chain(
        product(
            inside,
            own * (T / F - 1) / eps,
            calc(
                0,
                ("<=", 1 / eps * (own * (T / F - 1)), times(1 / eps, others_are_there(less, T))),
                ("==", own * (T / F - 1) / eps),
            ),
        ),
        R,
    )
    at_most = calc(less_, ("==", J * 1), ("<=", J * c, times(J, at_least_one)))
    again = show(J * J * spread, "==", R, once, J * J, J, spread)
    smaller = times(R, at_most, there)
    smaller = calc(
        p * (J * J * spread),
        ("==", R * (J * p), J, p, spread),
        ("<=", R * (J * c), smaller),
        ("==", c * (J * J * spread), J, spread),
    )
    smaller = calc(
        chain(p * R, show(p * R, "==", p * (J * J * spread), again, p, R, J * J * spread), smaller),
        ("==", c * R, again, R, J * J * spread),
    )
    far = times(2 * c * p, chain(J * (c + 1), far, J * W + R))
    square = times(p * J, show(2 * c * r - c**2, "<=", r**2))
    square = instantiate(square, {r: W})
    return calc(
        c**2 * (J * (3 - 2 / p)) - 2 * c * (c * R),
        ("<=", c**2 * (J * p) - 2 * c * (p * R), times(c**2, below), times(2 * c, smaller)),
        ("==", c**2 * (J * p) + 2 * c * p * (J * W) - far.rhs, J, p, W, R),
        ("<=", c**2 * (J * p) + 2 * c * p * (J * W) - far.lhs, far),
        ("==", p * J * (2 * c * W - c**2) - 2 * c * (p * J), J, p, W),
        ("<=", p * J * (2 * c * W - c**2)),
        ("<=", p * J * W**2, square),
    )


@cache
def distance() -> Theorem:
    """1{window} c^2 times the mean of all gains is at most 1{window} E (sum p x - s)^2, which R4
    (c) gives for the score in the place of a row of V.
    """
    p, found = weight(), squared_distance()
    inner = calc(
        times(window * c**2, gains()),
        ("==", found.lhs),
        ("<=", found.rhs, found),
        ("<=", p * window * away**2, times(p * window * away**2, arithmetic(own * above_a, "<=", 1))),
    )
    one = calc(tokens(weight()), ("==", S / S), ("==", 1, S))
    every = calc(
        chain(
            window * c**2 * tokens(gain), times(window * c**2, symm(instantiate(ones, {alpha: ((l,), gain)})))
        ),
        ("==", tokens(window * c**2 * (own * gain))),
        ("<=", tokens(p * window * away**2), inner),
        ("==", window * away**2 * one.lhs),
        ("==", window * away**2, one, one.lhs, away),
    )
    average = chain(
        window * (c**2 * mean(tokens(gain))), integrate("normal", (g,), every), window * mean(away**2)
    )
    scores = instantiate(error_of_a_row(), {V: ((i, j), at_the_query(j))})
    scores = chain(mean(away**2), scores, P2 * s + (P2 - 6 * P3 + 6 * Q) * s**2)
    return calc(average, ("==", window * scores.rhs, scores))


@cache
def error_in_the_window() -> Theorem:
    """1{window} t (L/2) e^{theta^2 s1/2 - theta (a + w)} is at most the error P2 t + (P2 - 6 P3 +
    6 Q) q: that is a mean of t P2 and of t E (sum p x - s)^2/s, as 0 <= q <= t s.
    """
    A, E2 = P2 - 6 * P3 + 6 * Q, mean(tokens(gain))
    late = arithmetic(ind(v - s1) * ind(s2 - v) * v, "<=", ind(v - s1) * ind(s2 - v) * c**2, deviation)
    late = instantiate(late, {v: s})
    squared = chain(window * c**2 * E2, distance())
    far = calc(
        window * s * least,
        ("==", least * (window * s)),
        ("<=", least * (window * c**2), times(least, late)),
        ("==", c**2 * (window * least)),
        ("<=", c**2 * (window * E2), times(c**2, least_gain())),
        ("==", window * c**2 * E2),
        ("<=", squared.rhs, squared),
        ("==", window * s * (P2 + s * A), P2, A, s, window),
    )
    Y = P2 + s * A
    second = _without_s(Y - least, chain(gap(far), window * (s * (Y - least))))
    first = chain(gap(second_power()), window * (P2 - least))
    same = show(trace, "==", t, spread_is_not_negative())
    below = calc(limit_below_spread(), ("==", s * t, same, trace, s))
    below = chain(gap(below), t * s - q)
    D = P2 * t + A * q - t * least
    both = calc(
        0,
        ("<=", (t * s - q) * first.rhs, product(t * s - q, first.rhs, below, first)),
        ("<=", (t * s - q) * first.rhs + q * second.rhs, product(q, second.rhs, second)),
        ("==", window * (s * D), window, s, t, q, P2, A, least),
    )
    return calc(
        window * (t * least),
        (
            "<=",
            window * (P2 * t + A * q),
            chain(_without_s(D, both), window * (P2 * t + A * q) - window * (t * least)),
        ),
        ("==", window * mean_square, chain(P2 * t + A * q, symm(error()), mean_square)),
        ("<=", mean_square, show(window, "<=", 1)),
    )


def _without_s(D: Term, thm: Theorem) -> Theorem:
    """0 <= 1{window} D from 0 <= 1{window} s D, as s >= s1 there."""
    return arithmetic(0, "<=", window * D, thm, hide=(s, D))
