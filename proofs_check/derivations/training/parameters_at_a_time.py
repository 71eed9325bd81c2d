"""The finite-prompt parameters at one time, close to the limit of the infinite-prompt parameters:
what Section 4 of Boursier & Boyer draws from Lemma E.1.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import chain, integrated, sqrt
from numerics.derivations.rules import arithmetic, assume, equal, replace, specialise
from numerics.derivations.sorts import POSITIVE, Sort
from numerics.derivations.statements import Statement, from_sympy, hypotheses
from numerics.derivations.terms import CLOCK, Function, Op, Term, Variable
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.risks.mean_of_a_vector import norm, norm_of_a_sum
from proofs_check.derivations.risks.outcomes import i, p, parameters
from proofs_check.derivations.training import two_flows
from proofs_check.derivations.training.risk_along_the_flow import at_a_time
from proofs_check.derivations.training.two_flows import (
    EVERY,
    T,
    beta,
    bound_26,
    early,
    g2,
    horizon,
    s,
    t,
    theta,
    thetaL,
)
from theory.regression.transfer import slow_time

eps = Variable("epsilon", range=POSITIVE)
part = eps / (2 * sqrt(2))
#: The limit of the infinite-prompt parameters, and the indicators of the entries of U and of V.
limit, in_U, in_V = (Function(name, (Sort.INDEX,))(i) for name in ("limit", "inU", "inV"))
blocks = assume("every parameter is an entry of U or of V", in_U**2 + in_V**2, "==", 1, every=(i,))
nearly_there = assume(
    "T is at least T(epsilon), as the infinite-prompt parameters converge",
    Op("ind", (CLOCK(t) - T,)) * norm(theta(i, t) - limit),
    "<=",
    part,
    every=(t,),
)
long_prompts = assume("L is at least L*(epsilon), as g2 tends to 0", bound_26(T), "<=", part)
off = thetaL(i, s) - limit
here = Op("ind", (CLOCK(s) - T,)) * Op("ind", (T - CLOCK(s),))


def block(indicator: Term) -> Term:
    """The distance of the finite-prompt parameters from the limit in one block."""
    return norm(indicator * off)


def statement(c: int | Fraction = 1) -> Statement:
    """|U_L(T) - lim U_inf| + |V_L(T) - lim V_inf| <= c epsilon, where s is the time T."""
    given = hypotheses(*EVERY, early, blocks, nearly_there, long_prompts)
    return Statement(here * (block(in_U) + block(in_V)), "<=", Fraction(c) * eps, given)


@cache
def at_T() -> Theorem:
    """|theta_L(s) - theta_inf(s)| <= g2 T e^{beta T} for every time s up to T."""
    most = chain(two_flows.distance(), replace(bound_26(CLOCK(t)), horizon))
    return at_a_time(most)


@cache
def sum_of_the_blocks() -> Theorem:
    """|w_U| + |w_V| <= sqrt(2)|w| for the blocks of a vector w."""
    squares = parameters((in_U * off) ** 2), parameters((in_V * off) ** 2)
    each = equal((in_U * off) ** 2 + (in_V * off) ** 2, (in_U**2 + in_V**2) * off**2)
    each = chain(each, arithmetic(each.rhs, "==", off**2, blocks, hide=(in_U**2 + in_V**2, off)))
    total = integrated("coordinates", (i,), each, squares[0] + squares[1], None, (p,))
    most = sqrt(2) * sqrt(squares[0] + squares[1])
    return chain(arithmetic(block(in_U) + block(in_V), "<=", most, hide=squares), replace(most, total))


@cache
def theorem() -> Theorem:
    """The triangle inequality at the time T, with theta_inf(T) between."""
    apart, away = thetaL(i, s) - theta(i, s), theta(i, s) - limit
    way = chain(norm(off), norm_of_a_sum(apart, away))
    finite = at_T()
    finite = chain(finite, replace(finite.rhs, long_prompts))
    infinite = specialise(nearly_there, {t: s})
    blocks_at_T = replace(here * (block(in_U) + block(in_V)), sum_of_the_blocks())
    norms = norm(off), norm(apart), norm(away)
    close = arithmetic(here * norm(off), "<=", 2 * part, way, finite, infinite, hide=(*norms, part))
    scaled = chain(blocks_at_T, sqrt(2) * (here * norm(off)), replace(sqrt(2) * (here * norm(off)), close))
    return chain(scaled, arithmetic(scaled.rhs, "==", eps))


@cache
def slow_bound() -> Term:
    """g2^{1/2} ln(1/g2)/(2 beta), the bound (26) at the slow time."""
    return sqrt(g2) * _slow()


def _slow() -> Term:
    names = sp.symbols("g2 beta", positive=True)
    return from_sympy(slow_time(*names), dict(zip(names, (g2, beta), strict=True)))


slow = assume("T is ln(1/g2)/(2 beta)", T, "==", _slow())
half_way = (
    assume(
        "T is at least T(epsilon), as the infinite-prompt parameters converge and T tends to infinity",
        Op("ind", (CLOCK(t) - T,)) * norm(theta(i, t) - limit),
        "<=",
        eps / 2,
        every=(t,),
    ),
    assume("L is at least L*(epsilon), as g2 tends to 0", slow_bound(), "<=", eps / 2),
)


def slow_statements(schedule: str = "slow") -> tuple[Statement, Statement]:
    """At the slow time T |theta_L - lim| <= |theta_inf - lim| + g2^{1/2} ln(1/g2)/(2 beta), and
    both together are at most epsilon for long prompts.
    """
    given = hypotheses(*EVERY, early, *([slow] if schedule == "slow" else []))
    return (
        Statement(here * norm(off), "<=", here * norm(theta(i, s) - limit) + slow_bound(), given),
        Statement(here * norm(off), "<=", eps, given | hypotheses(*half_way)),
    )


@cache
def at_the_slow_time() -> Theorem:
    """The triangle inequality at the time T, and (26) there."""
    apart, away = thetaL(i, s) - theta(i, s), theta(i, s) - limit
    way = chain(norm(off), norm_of_a_sum(apart, away))
    finite = at_T()
    there = arithmetic(bound_26(T), "==", slow_bound(), slow)
    finite = chain(finite, replace(finite.rhs, there))
    bound = slow_statements()[0].rhs
    hidden = norm(off), norm(apart), norm(away), slow_bound()
    positive = chain(arithmetic(0, "<=", bound_26(T)), there)
    return arithmetic(here * norm(off), "<=", bound, way, finite, positive, hide=hidden)


@cache
def parameters_converge() -> Theorem:
    """Both terms are at most epsilon/2 for long prompts."""
    near, small = specialise(half_way[0], {t: s}), half_way[1]
    close = at_the_slow_time()
    away = norm(theta(i, s) - limit)
    less = arithmetic(here * away, "<=", eps / 2, near, hide=(away,))
    return chain(close, arithmetic(close.rhs, "<=", eps, less, small, hide=(here * away, slow_bound())))
