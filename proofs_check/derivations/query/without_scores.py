"""R4.B at lambda = 0: no query has a score, all weights are 1/L, and the averaged error is t/L."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import assume, instantiate, integrate
from numerics.derivations.kernel.terms import GAUSSIAN
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.gaussian_tokens.moments import equality
from proofs_check.derivations.linear_attention.softmax_errors.theorem_a import (
    mean_square,
    q,
    t,
    variance_is_not_negative,
)
from proofs_check.derivations.linear_attention.softmax_errors.token_errors import (
    GIVEN,
    P2,
    P3,
    SCORE,
    STEIN,
    Q,
    alpha,
    error,
    k,
    l,
    power_sum,
    s,
    tokens,
    weight,
)
from proofs_check.derivations.linear_attention.softmax_errors.two_tokens import one_less, weights_are_spread
from proofs_check.derivations.proof import proves
from proofs_check.derivations.query.average import (
    at,
    at_the_query,
    limit_below_spread,
    put,
    queries,
    y,
    zeta,
)
from proofs_check.derivations.softmax_average.gaussian_tokens import g, n

no_scores = assume("A is 0", at(s, y(n)), "<=", 0, every=(y,))


def statement(factor: int | Fraction = 1) -> Statement:
    """The averaged error is factor t/L."""
    given = hypotheses(*GIVEN, *STEIN, one_less, no_scores)
    return Statement(queries(mean_square), "==", Fraction(factor) * t / L, given)


@cache
def equal_weights_at_least() -> Theorem:
    """1/L <= P2: the sum of (p_l - p_k)^2 over all pairs is 2 L pi_2 - 2."""
    pairs = bind("coordinates", (l, k), (alpha(l) - alpha(k)) ** 2, (L, L))
    sums = 2 * (L * tokens(alpha(l) ** 2)) - 2 * tokens(alpha(l)) ** 2
    total = instantiate(calc(0, ("<=", pairs), ("==", sums)), {alpha: ((l,), weight())})
    total = chain(total, 2 * (L * power_sum(2)) - 2)
    each = show(1 / L, "<=", power_sum(2), total, power_sum(2))
    return calc(1 / L, ("==", bind("normal", (g,), 1 / L)), ("<=", P2, each))


@cache
def at_a_query() -> Theorem:
    """s = 0, so that q <= t s = 0 and 1/L <= P2 <= e^s/(e^s + L - 1) = 1/L."""
    none, here = instantiate(no_scores, {y: ((n,), GAUSSIAN(n, zeta))}), at_the_query
    none = equality(none, put(variance_is_not_negative(SCORE)))
    small = calc(put(limit_below_spread()), ("==", 0, none))
    same = equality(small, show(0, "<=", small.lhs))
    most = calc(put(weights_are_spread()), ("==", 1 / L, none, one_less))
    weights = equality(most, put(equal_weights_at_least()))
    moments = here(P2), here(P3), here(Q), here(q), t
    return calc(
        put(error()),
        ("==", here(P2) * t, same, *moments),
        ("==", 1 / L * t, weights, *moments),
        ("==", t / L),
    )


@proves("OURS:R4.B/flat", statement)
def theorem() -> Theorem:
    return calc(integrate("normal", (zeta,), at_a_query()), ("==", t / L))
