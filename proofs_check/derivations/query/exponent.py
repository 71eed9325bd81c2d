"""R4.B from above at every lambda: over a Gaussian query the mean squared error is at most an
explicit multiple of L^{-beta}, for every beta <= 1 with beta (1 + beta) lambda < 1.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp, log, sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import assume, equal, instantiate, integrate
from numerics.derivations.kernel.terms import Op, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.linear_attention.softmax_errors.gaussian_scores import z
from proofs_check.derivations.linear_attention.softmax_errors.theorem_a import (
    cubes,
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
    error,
    s,
)
from proofs_check.derivations.proof import proves
from proofs_check.derivations.query import from_above
from proofs_check.derivations.query.average import (
    finite,
    gaussian_number,
    lam,
    largest,
    put,
    queries,
    room,
    trace,
    u,
    zeta,
)
from proofs_check.derivations.query.from_above import beta, sigma

deviation = sqrt(Op("max", (term(0), s)))
same_law = assume(
    "Curtiss (1942): scores and sqrt(s) g have one finite generating function, and so one law",
    P2,
    "==",
    instantiated(from_above.P2, {sigma: deviation}),
    every=(z,),
    cited=True,
)
enough = assume("there is room r below 1", beta * (1 + beta) * lam + room, "<=", 1)
weight = exp(beta * (1 + beta) / 2 * s) * (trace + q)


def statement(c: int = 20) -> Statement:
    """E <= c L^{-beta} times a number that does not depend on L."""
    given = hypotheses(*GIVEN, *STEIN, from_above.gaussian, same_law, largest, enough)
    return Statement(queries(mean_square), "<=", c * exp(-beta * log(L)) * finite, given)


@cache
def at_a_query() -> Theorem:
    """The error is at most P2 (t + q), and so 20 L^{-beta} e^{beta (1 + beta) s/2} (t + q)."""
    positive, power = variance_is_not_negative(SCORE), instantiate(from_above.theorem(), {sigma: deviation})
    total = trace + q
    bound = calc(
        same_law,
        ("<=", power.rhs, power),
        ("==", 20 * exp(-beta * log(L)) * exp(beta * (1 + beta) * s / 2), positive, s),
    )
    return calc(
        error(),
        ("<=", P2 * (t + q), cubes(), P2, P3, Q, t, q),
        ("<=", P2 * total),
        ("<=", bound.rhs * total, bound),
        ("==", 20 * exp(-beta * log(L)) * weight),
    )


@proves("OURS:R4.B/above", statement)
@cache
def theorem() -> Theorem:
    half = show(beta * (1 + beta) * lam, "<=", 1 - room, enough)
    number = gaussian_number(beta * (1 + beta) / 2, half)
    scale = 20 * exp(-beta * log(L))
    outside = instantiate(equal(queries(u * weight), u * queries(weight)), {u: scale})
    return calc(
        chain(queries(mean_square), integrate("normal", (zeta,), put(at_a_query())), outside),
        ("<=", scale * number.rhs, number),
    )
