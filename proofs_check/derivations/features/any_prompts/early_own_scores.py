"""Phase I of Li, Duan & Liang for the class of the query: its score, and the attention on it, which
stays of the order of its share of the prompt, for orthonormal features and every law of tasks and
of prompts.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import assume, induction, instantiate, integrate
from numerics.derivations.kernel.terms import FIRST, term
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
    t,
)
from proofs_check.derivations.features.any_prompts.early_attention import (
    SETTING,
    P,
    counted,
    early,
    far,
    number,
    odds,
    of_query,
    ranges,
    rare,
    score_of_a_token,
    token_score,
    total,
    u,
    uncounted,
    weight_of_a_token,
)
from proofs_check.derivations.features.any_prompts.early_scores import scores_stay_small
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
from proofs_check.derivations.features.any_prompts.updates import entry
from proofs_check.derivations.features.equiangular.setting import (
    K,
    eta,
    here,
    k,
    m,
    mean,
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
#: How much a step moves the own score at most where it is 0, and the scores of others have moved.
unit = eta * P**2 * B**2 / K**2
slow = Fraction(5, 4) * unit * number(t)


def attention_statement(share: Fraction = Fraction(3, 2)) -> Statement:
    """Attn_k is at most 3/2 of the share of the query's class in the prompt, in Phase I."""
    return Statement(here * A_k * N, "<=", Fraction(share) * here * count, given(*SETTING))


@cache
def here_() -> Theorem:
    return calc(0, ("<=", here**2), ("==", here, instantiate(zero_or_one, {m: k})))


@cache
def a_token() -> Theorem:
    return calc(0, ("<=", of_query**2), ("==", of_query, instantiate(a_class, {m: k})))


@cache
def weight_of_the_query() -> Theorem:
    """delta_kk member_k e^s <= delta_kk member_k e^{q_k} for the tokens of the query's class."""
    some = product(
        here, of_query, here_(), calc(0, ("<=", of_query**2), ("==", of_query, instantiate(a_class, {m: k})))
    )
    x, same = here * of_query, instantiate(score_of_a_token(), {m: k})
    tangent = times(odds, instantiate(show(1 + u, "<=", exp(u)), {u: own_score - token_score}))
    left = calc(
        odds * (x * own_score - x * token_score),
        ("==", odds * (here * (of_query * own_score) - token_score * (here * of_query))),
        ("==", odds * (same.rhs - token_score * (here * of_query)), same, same.lhs, odds),
        ("==", 0),
    )
    weighted = times(x, tangent, some)
    weighted = calc(x * odds + left.lhs, ("==", weighted.lhs), ("<=", weighted.rhs, weighted))
    most = show(x * odds, "<=", weighted.rhs, weighted, left, x * odds, left.lhs, weighted.rhs)
    return calc(most, ("==", x * exp(own_score)))


@cache
def attention_by_scores() -> Theorem:
    """delta_kk Attn_k N <= delta_kk |V_k| e^{q_k + tau} in every prompt."""
    low, high = (
        integrate("coordinates", (l,), line, (N,))
        for line in (weight_of_a_token(scores_stay_small()), weight_of_the_query())
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
def growth_by_attention() -> Theorem:
    """delta_kk g_k <= delta_kk B^2 p_k E Attn_k."""
    found, own = instantiate(at_this_matrix(entry()), {m: k}), instantiate(ranges()[0], {m: k})
    value, same = p(k) * prompts(pi(b) * (A_k * mean(now(error) ** 2))), instantiate(zero_or_one, {m: k})
    masses = product(p(k), pi(b), queries_weighted, prompts_weighted)
    line = times(
        here * (p(k) * pi(b)) * A_k,
        square(),
        product(here * (p(k) * pi(b)), A_k, product(here, p(k) * pi(b), here_(), masses), own),
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


@cache
def mean_attention() -> Theorem:
    """delta_kk E Attn_k <= delta_kk e^{q_k + tau} P/K over the prompts."""
    bound = integrate("coordinates", (b,), times(pi(b), attention_by_scores(), prompts_weighted), (PROMPTS,))
    each, high = integrate("coordinates", (l,), instantiate(rare[1], {m: k}), (N,)), exp(own_score + far)
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
def growth() -> Theorem:
    """delta_kk g_k <= delta_kk (P^2 B^2/K^2) e^{q_k + tau}."""
    high = exp(own_score + far)
    share = times(B**2 * p(k), mean_attention(), product(B**2, p(k), queries_weighted))
    weight = B**2 * (P / K) * high * here
    return calc(
        growth_by_attention(),
        ("<=", share.rhs, share),
        ("==", weight * p(k)),
        ("<=", weight * (P / K), times(weight, rare[0], product(B**2 * (P / K) * high, here, here_()))),
        ("==", here * (P**2 * B**2 / K**2 * high)),
    )


@cache
def own_score_stays_small() -> Theorem:
    """delta_kk (1 - (5/4) eta (P^2 B^2/K^2) t) <= delta_kk e^{-q_k} at every step t."""
    so_far = assume("the own score so far", here * (1 - slow), "<=", here * exp(-own_score), every=(k, t))
    later, e = instantiated(later_q, {m: k}), exp(-own_score)
    step = instantiate(moved(), {m: k})
    fifth = calc(far, ("<=", Fraction(1, 5), early))
    speed = calc(
        eta * e * (here * g),
        ("<=", eta * e * growth().rhs, times(eta * e, growth())),
        ("==", unit * here * exp(far)),
        (
            "<=",
            unit * here * Fraction(5, 4),
            times(
                unit * here,
                calc(exp(far), ("<=", exp(term(Fraction(1, 5))), fifth), ("<=", Fraction(5, 4))),
                product(unit, here, here_()),
            ),
        ),
    )
    tangent = times(
        here * e, instantiate(show(1 + u, "<=", exp(u)), {u: -eta * g}), product(here, e, here_())
    )
    grown = calc(
        here * (1 - Fraction(5, 4) * unit * number.after(t)),
        ("==", here * (1 - Fraction(5, 4) * unit * (number(t) + 1)), counted),
        ("==", here * (1 - slow) - unit * here * Fraction(5, 4)),
        ("<=", here * e - unit * here * Fraction(5, 4), so_far),
        ("<=", here * e - eta * e * (here * g), speed),
        ("==", tangent.lhs),
        ("<=", tangent.rhs, tangent),
        ("==", here * exp(-(own_score + eta * g))),
        ("==", here * exp(-later), step),
    )
    (hypothesis,) = so_far.assumptions
    first = instantiate(at_first(), {m: k})
    start = calc(
        here * (1 - Fraction(5, 4) * unit * number(FIRST)),
        ("==", here * (1 - Fraction(5, 4) * unit * 0), uncounted),
        ("==", here * exp(-term(0))),
        ("==", here * exp(-first.lhs), first),
    )
    return induction(hypothesis, t, start, grown)


@cache
def small_exponent() -> Theorem:
    """delta_kk e^{q_k + tau} <= delta_kk 3/2 in Phase I."""
    sixth = calc(slow, ("<=", Fraction(1, 6), early))
    fifth = calc(far, ("<=", Fraction(1, 5), early))
    e = exp(own_score)
    least = times(here, show(Fraction(5, 6), "<=", 1 - slow, sixth), here_())
    own = calc(
        here * e,
        ("==", Fraction(6, 5) * e * (here * Fraction(5, 6))),
        ("<=", Fraction(6, 5) * e * (here * (1 - slow)), times(Fraction(6, 5) * e, least)),
        (
            "<=",
            Fraction(6, 5) * e * (here * exp(-own_score)),
            times(Fraction(6, 5) * e, own_score_stays_small()),
        ),
        ("==", Fraction(6, 5) * here),
    )
    return calc(
        here * exp(own_score + far),
        ("==", exp(far) * (here * e)),
        ("<=", exp(far) * (Fraction(6, 5) * here), times(exp(far), own)),
        (
            "<=",
            exp(term(Fraction(1, 5))) * (Fraction(6, 5) * here),
            times(
                Fraction(6, 5) * here,
                calc(exp(far), ("<=", exp(term(Fraction(1, 5))), fifth)),
                product(Fraction(6, 5), here, here_()),
            ),
        ),
        ("<=", here * Fraction(3, 2), here_()),
    )


@proves("LDL:P2/time.lower", attention_statement)
@cache
def attention_stays_small() -> Theorem:
    """Attn_k N <= (3/2) |V_k| for every query in every prompt, at every step of Phase I."""
    numbers = calc(
        0, ("<=", count, calc(0, ("<=", of_query**2), ("==", of_query, instantiate(a_class, {m: k}))))
    )
    return calc(
        attention_by_scores(),
        ("==", count * (here * exp(own_score + far))),
        ("<=", count * (here * Fraction(3, 2)), times(count, small_exponent(), numbers)),
        ("==", Fraction(3, 2) * here * count),
    )
