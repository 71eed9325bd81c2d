"""Phase I of Li, Duan & Liang for the class of the query: its score, and the attention on it, which
stays of the order of its share of the prompt, for orthonormal features and every law of tasks and
of prompts.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import assume, induction, instantiate
from numerics.derivations.kernel.sorts import Range
from numerics.derivations.kernel.terms import FIRST, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.any_prompts.descent import (
    at_first,
    later_q,
    moved,
    own_score,
    q,
    t,
)
from proofs_check.derivations.features.any_prompts.early_attention import (
    moved_so_far,
    not_negative,
    sides,
    u,
)
from proofs_check.derivations.features.any_prompts.early_growth import (
    A_k,
    a_token,
    attention_by_scores,
    count,
    g,
    growth,
)
from proofs_check.derivations.features.any_prompts.early_scores import here_, scores_stay_small
from proofs_check.derivations.features.any_prompts.first_steps import (
    BOUNDED,
    EXCHANGEABLE,
    Phase,
    counted,
    number,
    uncounted,
)
from proofs_check.derivations.features.any_prompts.setting import (
    given,
)
from proofs_check.derivations.features.equiangular.phases import others
from proofs_check.derivations.features.equiangular.score_updates import two_classes, with_the_query
from proofs_check.derivations.features.equiangular.setting import (
    eta,
    here,
    k,
    m,
)
from proofs_check.derivations.features.gradient import N
from proofs_check.derivations.features.steps import product, scaled, times
from proofs_check.derivations.proof import proves


def attention_statement(share: Fraction = Fraction(3, 2)) -> Statement:
    """Attn_k is at most 3/2 of the share of the query's class in the prompt, in Phase I."""
    return Statement(here * A_k * N, "<=", Fraction(share) * here * count, given(*BOUNDED.setting))


def slow(phase: Phase, at: Term) -> Term:
    """What e^{-q_k} falls by at most up to a step."""
    return phase.own * phase.lift * eta * phase.unit * at


@cache
def own_score_stays_small(phase: Phase) -> Theorem:
    """delta_kk (1 - own lift eta (P^2 size/K^2) t) <= delta_kk e^{-q_k} at every step t."""
    left = here * (1 - slow(phase, number(t)))
    so_far = assume("the own score so far", left, "<=", here * exp(-own_score), every=(k, t))
    later, e, fall = instantiated(later_q, {m: k}), exp(-own_score), slow(phase, term(1))
    lifted = calc(
        exp(phase.far),
        ("<=", exp(term(Fraction(3, 2) * phase.limit)), moved_so_far(phase)),
        ("<=", phase.lift),
    )
    unit = phase.own * eta * phase.unit * here
    speed = calc(
        eta * e * (here * g),
        ("<=", eta * e * growth(phase).rhs, times(eta * e, growth(phase))),
        ("==", unit * exp(phase.far)),
        ("<=", unit * phase.lift, times(unit, lifted, product(phase.own * eta * phase.unit, here, here_()))),
        ("==", here * fall),
    )
    tangent = times(
        here * e, instantiate(show(1 + u, "<=", exp(u)), {u: -eta * g}), product(here, e, here_())
    )
    grown = calc(
        here * (1 - slow(phase, number.after(t))),
        ("==", here * (1 - slow(phase, number(t) + 1)), counted),
        ("==", left - here * fall),
        ("<=", here * e - here * fall, so_far),
        ("<=", here * e - eta * e * (here * g), speed),
        ("==", tangent.lhs),
        ("<=", tangent.rhs, tangent),
        ("==", here * exp(-(own_score + eta * g))),
        ("==", here * exp(-later), instantiate(moved(), {m: k})),
    )
    (hypothesis,) = so_far.assumptions
    first = instantiate(at_first(), {m: k})
    start = calc(
        here * (1 - slow(phase, number(FIRST))),
        ("==", here * (1 - slow(phase, term(0))), uncounted),
        ("==", here * exp(-term(0))),
        ("==", here * exp(-first.lhs), first),
    )
    return induction(hypothesis, t, start, grown)


@cache
def small_exponent(phase: Phase, top: Fraction) -> Theorem:
    """delta_kk e^{q_k + tau} <= delta_kk top in Phase I."""
    e, far, left = exp(own_score), phase.far, 1 - phase.own * phase.lift * phase.limit
    moved_ = calc(slow(phase, number(t)), ("<=", 1 - left, phase.early))
    least = times(here, show(left, "<=", 1 - slow(phase, number(t)), moved_, slow(phase, number(t))), here_())
    own = calc(
        here * e,
        ("==", 1 / left * e * (here * left)),
        ("<=", 1 / left * e * least.rhs, times(1 / left * e, least)),
        ("<=", 1 / left * e * (here * exp(-own_score)), times(1 / left * e, own_score_stays_small(phase))),
        ("==", 1 / left * here),
    )
    high = calc(
        exp(far), ("<=", exp(term(Fraction(3, 2) * phase.limit)), moved_so_far(phase)), ("<=", top * left)
    )
    return calc(
        here * exp(own_score + far),
        ("==", exp(far) * (here * e)),
        ("<=", exp(far) * (1 / left * here), times(exp(far), own)),
        (
            "<=",
            top * left * (1 / left * here),
            times(1 / left * here, high, product(term(1 / left), here, here_())),
        ),
        ("==", top * here),
    )


@cache
def attention_stays_small(phase: Phase, top: Fraction) -> Theorem:
    """delta_kk Attn_k N <= delta_kk top |V_k| in every prompt, at every step of Phase I."""
    numbers = calc(0, ("<=", count, a_token()))
    return calc(
        attention_by_scores(phase),
        ("==", count * (here * exp(own_score + phase.far))),
        ("<=", count * (top * here), times(count, small_exponent(phase, top), numbers)),
        ("==", top * here * count),
    )


@proves("LDL:P2/time.lower", attention_statement)
def for_any_tasks() -> Theorem:
    """Where values differ by at most B."""
    return attention_stays_small(BOUNDED, Fraction(3, 2))


def exchangeable_statements(
    share: Fraction = Fraction(7, 4), own: Fraction = Fraction(7, 2), gap: Fraction = Fraction(9, 2)
) -> tuple[Statement, ...]:
    """For exchangeable tasks Attn_k is at most 7/4 of the share of the query's class in the prompt,
    g_k at most (7/2) P^2 sigma_f^2/K^2, and q_k - q_km at most (9/2) eta P^2 sigma_f^2/K^2 times
    the number of the step, in Phase I.
    """
    setting, unit = given(*EXCHANGEABLE.setting), EXCHANGEABLE.unit
    return (
        Statement(here * A_k * N, "<=", Fraction(share) * here * count, setting),
        Statement(here * g, "<=", Fraction(own) * here * unit, setting),
        Statement(others * (own_score - q), "<=", others * (Fraction(gap) * eta * unit * number(t)), setting),
    )


@cache
def own_score_by_steps(phase: Phase) -> Theorem:
    """delta_kk q_k <= delta_kk 3 eta (P^2 size/K^2) t for exchangeable tasks."""
    x, e = eta * phase.unit * number(t), exp(own_score)
    some = calc(0, ("<=", Fraction(2, 3) * phase.far, not_negative(phase)), ("==", x))
    most = calc(x, ("<=", phase.limit, phase.early))
    small = Variable("x", range=Range(Fraction(0), phase.limit, False, False))
    rate = phase.own * phase.lift
    curve = instantiate(show(exp(-3 * small), "<=", 1 - rate * small), {small: x}, some, most)
    low = calc(
        here * exp(own_score - 3 * x),
        ("==", e * (here * exp(-3 * x))),
        ("<=", e * (here * (1 - rate * x)), times(e, times(here, curve, here_()))),
        ("==", e * (here * (1 - slow(phase, number(t))))),
        ("<=", e * (here * exp(-own_score)), times(e, own_score_stays_small(phase))),
        ("==", here),
    )
    tangent = times(here, instantiate(show(1 + u, "<=", exp(u)), {u: own_score - 3 * x}), here_())
    return calc(
        here * own_score,
        ("==", tangent.lhs + here * (3 * x - 1)),
        ("<=", here * exp(own_score - 3 * x) + here * (3 * x - 1), tangent),
        ("<=", here + here * (3 * x - 1), low),
        ("==", here * (3 * x)),
    )


@proves("LDL:P2/early", exchangeable_statements, part=(1, 2, 3))
@cache
def for_exchangeable_tasks() -> tuple[Theorem, Theorem, Theorem]:
    phase, top, x = EXCHANGEABLE, Fraction(7, 4), eta * EXCHANGEABLE.unit * number(t)
    high = times(2 * phase.unit, small_exponent(phase, top))
    own, other = (
        times(others, own_score_by_steps(phase), two_classes()),
        sides(phase, scores_stay_small(phase))[1],
    )
    gap = calc(
        others * (own_score - q),
        ("==", own_score * others + -1 * (others * q)),
        ("==", own_score * (others * here) + -1 * (others * q), symm(scaled(own_score, with_the_query()))),
        ("==", own.lhs + other.lhs),
        ("<=", own.rhs + other.lhs, own),
        ("<=", own.rhs + other.rhs, other),
        ("==", others * here * (3 * x) + others * phase.far),
        ("==", others * (3 * x) + others * phase.far, scaled(3 * x, with_the_query())),
        ("==", others * (Fraction(9, 2) * x)),
    )
    return (
        attention_stays_small(phase, top),
        calc(growth(phase), ("==", high.lhs), ("<=", high.rhs, high), ("==", 2 * top * here * phase.unit)),
        gap,
    )
