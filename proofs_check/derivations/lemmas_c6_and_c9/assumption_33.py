"""Assumption 3.3 of Boursier & Boyer from R3: moments of the tilted law, averaged over the query,
and bounds that serve every law on a ball of matrices U.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import chain
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import assume, gcongr, instantiate
from numerics.derivations.kernel.sorts import POSITIVE
from numerics.derivations.kernel.terms import Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.lemmas_c6_and_c9.queries import (
    POWERS,
    constant_of_the_query,
    constants,
    length,
    length_of_the_query,
    query_moment,
    square,
)
from proofs_check.derivations.lemmas_c6_and_c9.real_moments import at_least_one, score2, theorem_R3
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.query_average import (
    U,
    at_the_query,
    norm_of_the_score,
    norm_U,
    operator_norm,
)
from proofs_check.derivations.softmax_average.softmax_average import d, m0, mean, sigma, sub_gaussian, w
from proofs_check.derivations.softmax_average.tilted import QUERY, TOKEN, query, sub_gaussian_query
from proofs_check.derivations.tails.real_powers import r

rho = Variable("rho", range=POSITIVE)
on_the_ball = assume("|U| is at most 2 rho, on the ball", norm_U, "<=", 2 * rho)
GIVEN = (sub_gaussian(), at_least_one, operator_norm(U, norm_U, d), length_of_the_query())


def _left(p: int, q: int) -> Term:
    """E[E_w|Z|^p |z|^{p'}] over the query, where q is p'."""
    at = instantiated(mean(w * TOKEN.square ** (p // 2) if p else w) / m0, at_the_query)
    return QUERY.mean(at * length(query) ** q if q else at)


def statements(share: int | Fraction = 1) -> tuple[Statement, ...]:
    """E[E_w|Z|^p |z|^{p'}] <= share sigma^{2p} M_{p,p'} for p, p' = 0, 4, 8, not both 0."""
    given = hypotheses(*GIVEN)
    return tuple(
        Statement(_left(p, q), "<=", Fraction(share) * sigma ** (2 * p) * query_moment(p, q), given)
        for p, q in POWERS
    )


def ball_statements(share: int | Fraction = 1) -> tuple[Statement, ...]:
    """The same with the constants that serve every law of the query, at |U| = 2 rho."""
    u_, d_ = sp.symbols("U d", positive=True)
    given = hypotheses(*GIVEN, sub_gaussian_query(), on_the_ball)
    bound = lambda p, q: from_sympy(constant_of_the_query(p, q, 4, u_, d_), {u_: 2 * rho, d_: d})
    return tuple(
        Statement(_left(p, q), "<=", Fraction(share) * sigma ** (2 * p) * bound(p, q), given)
        for p, q in POWERS
    )


@proves("OURS:R3.A33", statements, part=range(1, 9))
@cache
def theorems() -> tuple[Theorem, ...]:
    """R3 at every query, where |Uz| <= |U||z|, times |z|^{p'}."""
    return tuple(_averaged(p, q) if p else show(_left(p, q), "<=", query_moment(p, q)) for p, q in POWERS)


def _averaged(p: int, q: int) -> Theorem:
    half, weight, left = p // 2, length(query) ** q if q else term(1), mean(w * TOKEN.square ** (p // 2)) / m0
    bound = lambda score: (8 * sigma**4 * (score + d / 5 + half)) ** half
    near = calc(norm_of_the_score(), ("==", norm_U**2 * square, length_of_the_query()))
    moment = show(left, "<=", bound(score2), instantiate(theorem_R3(), {r: term(half - 1)}))
    moment = calc(instantiate(moment, at_the_query), ("<=", bound(norm_U**2 * square), near))
    return calc(
        _left(p, q),
        ("<=", QUERY.mean(bound(norm_U**2 * square) * weight), moment),
        ("==", sigma ** (2 * p) * query_moment(p, q)),
    )


@proves("OURS:R3.A33/ball", ball_statements, part=range(1, 9))
@cache
def ball_theorems() -> tuple[Theorem, ...]:
    """The constants rise with |U|."""
    found = []
    for (p, _), plain, constant in zip(POWERS, theorems(), constants(), strict=True):
        scale = sigma ** (2 * p)
        line = calc(plain, ("<=", scale * constant.rhs, constant))
        found.append(chain(line, gcongr(line.rhs, on_the_ball)) if p else line)
    return tuple(found)
