"""Phase I of Li, Duan & Liang for the class of the query: its score, and the attention on it, which
stays of the order of its share of the prompt, for orthonormal features and every law of tasks and
of prompts.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import assume, induction, instantiate, integrate
from numerics.derivations.kernel.sorts import Range
from numerics.derivations.kernel.terms import FIRST, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.any_prompts.descent import (
    A,
    at_first,
    at_this_matrix,
    later_q,
    moved,
    now,
    own_score,
    q,
    t,
)
from proofs_check.derivations.features.any_prompts.early_attention import (
    BOUNDED,
    EXCHANGEABLE,
    P,
    Phase,
    counted,
    moved_so_far,
    not_negative,
    number,
    of_query,
    raised,
    ranges,
    rare,
    score_of_a_token,
    sides,
    token_score,
    total,
    u,
    uncounted,
    weight_of_a_token,
)
from proofs_check.derivations.features.any_prompts.early_scores import here_, masses, scores_stay_small
from proofs_check.derivations.features.any_prompts.setting import (
    B,
    a_class,
    distance,
    given,
    of_tasks,
    positive,
    prompts_weighted,
    queries_weighted,
    update,
)
from proofs_check.derivations.features.any_prompts.updates import entry, own_updates
from proofs_check.derivations.features.equiangular.phases import others
from proofs_check.derivations.features.equiangular.score_updates import two_classes, with_the_query
from proofs_check.derivations.features.equiangular.setting import (
    K,
    eta,
    here,
    k,
    m,
    mean,
    spread,
    task,
    zero_or_one,
)
from proofs_check.derivations.features.gradient import B as PROMPTS
from proofs_check.derivations.features.gradient import N, b, error, l, p, pi, prompts, tokens
from proofs_check.derivations.features.steps import product, scaled, times
from proofs_check.derivations.features.updates import product_of_sides
from proofs_check.derivations.proof import proves

A_k, g = instantiated(A, {m: k}), instantiated(now(update), {m: k})
count = tokens(of_query)


def attention_statement(share: Fraction = Fraction(3, 2)) -> Statement:
    """Attn_k is at most 3/2 of the share of the query's class in the prompt, in Phase I."""
    return Statement(here * A_k * N, "<=", Fraction(share) * here * count, given(*BOUNDED.setting))


@cache
def a_token() -> Theorem:
    return calc(0, ("<=", of_query**2), ("==", of_query, instantiate(a_class, {m: k})))


@cache
def weight_of_the_query() -> Theorem:
    """delta_kk member_k e^s <= delta_kk member_k e^{q_k} for the tokens of the query's class."""
    some = product(here, of_query, here_(), a_token())
    x, same = here * of_query, instantiate(score_of_a_token(), {m: k})
    score = calc(
        x * token_score,
        ("==", token_score * (here * of_query)),
        ("==", here * (of_query * own_score), symm(same)),
        ("==", x * own_score),
    )
    return raised(x, token_score, own_score, score, some)


@cache
def attention_by_scores(phase: Phase) -> Theorem:
    """delta_kk Attn_k N <= delta_kk |V_k| e^{q_k + tau} in every prompt."""
    far = phase.far
    low, high = (
        integrate("coordinates", (l,), line, (N,))
        for line in (weight_of_a_token(phase, scores_stay_small(phase)), weight_of_the_query())
    )
    some = instantiate(at_this_matrix(positive()), {m: k})
    return calc(
        here * A_k * N,
        ("==", exp(far) * (A_k * (exp(-far) * here * N))),
        ("<=", exp(far) * (A_k * (here * total)), times(exp(far), times(A_k, low, some))),
        ("==", exp(far) * high.lhs),
        ("<=", exp(far) * high.rhs, times(exp(far), high)),
        ("==", here * count * exp(own_score + far)),
    )


@cache
def square() -> Theorem:
    """E (f_k - yhat)^2 <= B^2 over the tasks."""
    up, down = (instantiate(side, {m: k}) for side in distance(of_tasks, task))
    line = at_this_matrix(product_of_sides((up, down), (up, down), up.lhs, up.lhs)[0])
    some, _, _, single = ranges()
    x = here * A_k
    inside = product(
        x,
        2 - x,
        product(here, A_k, here_(), instantiate(some, {m: k})),
        calc(0, ("<=", 2 - x, instantiate(single, {m: k}))),
    )
    return calc(
        mean(now(error) ** 2),
        ("==", integrate("mean", (task,), line).lhs),
        ("<=", integrate("mean", (task,), line).rhs, integrate("mean", (task,), line)),
        ("==", B**2 * (1 - x) ** 2),
        ("<=", B**2 * ((1 - x) ** 2 + x * (2 - x)), inside),
        ("==", B**2),
    )


@cache
def growth_by_attention(phase: Phase) -> Theorem:
    """delta_kk g_k <= delta_kk own size p_k E Attn_k."""
    return of_bounded_tasks() if phase is BOUNDED else of_exchangeable_tasks()


def of_bounded_tasks() -> Theorem:
    found, own = instantiate(at_this_matrix(entry()), {m: k}), instantiate(ranges()[0], {m: k})
    value, same = p(k) * prompts(pi(b) * (A_k * mean(now(error) ** 2))), instantiate(zero_or_one, {m: k})
    line = times(
        here * (p(k) * pi(b)) * A_k,
        square(),
        product(here * (p(k) * pi(b)), A_k, product(here, p(k) * pi(b), here_(), masses()), own),
    )
    total_ = integrate("coordinates", (b,), line, (PROMPTS,))
    return calc(
        here * g,
        ("==", here * found.rhs, scaled(here, found)),
        ("==", here**2 * (here * value)),
        ("==", here * here * value, scaled(here * value, same)),
        ("==", here**2 * value),
        ("==", here * value, scaled(value, same)),
        ("==", total_.lhs),
        ("<=", total_.rhs, total_),
        ("==", B**2 * p(k) * (here * prompts(pi(b) * A_k))),
    )


def of_exchangeable_tasks() -> Theorem:
    """As (1 - Attn_k)^2 is at most 1."""
    x, some = here * A_k, instantiate(ranges()[0], {m: k})
    high = at_this_matrix(own_updates()[1])
    own = product(here, A_k, here_(), some)
    inside = product(own.rhs, 2 - x, own, calc(0, ("<=", 2 - x, instantiate(ranges()[3], {m: k}))))
    inside = product(A_k, inside.rhs, some, inside)
    squared = scaled(A_k**3, instantiate(zero_or_one, {m: k}))
    each = calc(
        here * (A_k * (1 - A_k) ** 2),
        ("==", here * A_k - 2 * A_k**2 * here + A_k**3 * here),
        ("==", here * A_k - 2 * A_k**2 * here + A_k**3 * here**2, symm(squared)),
        ("==", here * A_k - A_k * (x * (2 - x))),
        ("<=", here * A_k - A_k * (x * (2 - x)) + A_k * (x * (2 - x)), inside),
        ("==", here * A_k),
    )
    weight = 2 * spread * (p(k) * pi(b))
    line = times(weight, each, product(2 * spread, p(k) * pi(b), masses()))
    total_ = integrate("coordinates", (b,), line, (PROMPTS,))
    return calc(
        high,
        ("==", total_.lhs),
        ("<=", total_.rhs, total_),
        ("==", 2 * spread * p(k) * (here * prompts(pi(b) * A_k))),
    )


@cache
def mean_attention(phase: Phase) -> Theorem:
    """delta_kk E Attn_k <= delta_kk e^{q_k + tau} P/K over the prompts."""
    bound = integrate(
        "coordinates", (b,), times(pi(b), attention_by_scores(phase), prompts_weighted), (PROMPTS,)
    )
    each, high = (
        integrate("coordinates", (l,), instantiate(rare[1], {m: k}), (N,)),
        exp(own_score + phase.far),
    )
    return calc(
        here * prompts(pi(b) * A_k),
        ("==", 1 / N * bound.lhs),
        ("<=", 1 / N * bound.rhs, bound),
        ("==", 1 / N * high * here * each.lhs),
        (
            "<=",
            1 / N * high * here * each.rhs,
            times(1 / N * high * here, each, product(1 / N * high, here, here_())),
        ),
        ("==", here * (high * (P / K))),
    )


@cache
def growth(phase: Phase) -> Theorem:
    """delta_kk g_k <= delta_kk own (P^2 size/K^2) e^{q_k + tau}."""
    high, size = exp(own_score + phase.far), phase.own * phase.size
    share = times(size * p(k), mean_attention(phase), product(size, p(k), queries_weighted))
    weight = size * (P / K) * high * here
    return calc(
        growth_by_attention(phase),
        ("<=", share.rhs, share),
        ("==", weight * p(k)),
        ("<=", weight * (P / K), times(weight, rare[0], product(size * (P / K) * high, here, here_()))),
        ("==", here * (phase.own * phase.unit * high)),
    )


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
