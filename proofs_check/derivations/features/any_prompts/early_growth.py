"""Phase I of Li, Duan & Liang for the class of the query: the attention on it and the update of its
score, by the score.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import exp, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import instantiate, integrate
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc
from proofs_check.derivations.features.any_prompts.descent import (
    A,
    at_this_matrix,
    now,
    own_score,
)
from proofs_check.derivations.features.any_prompts.early_attention import (
    of_query,
    raised,
    ranges,
    score_of_a_token,
    token_score,
    total,
    weight_of_a_token,
)
from proofs_check.derivations.features.any_prompts.early_scores import here_, masses, scores_stay_small
from proofs_check.derivations.features.any_prompts.first_steps import (
    BOUNDED,
    P,
    Phase,
    rare,
)
from proofs_check.derivations.features.any_prompts.setting import (
    B,
    a_class,
    distance,
    of_tasks,
    positive,
    prompts_weighted,
    queries_weighted,
    update,
)
from proofs_check.derivations.features.any_prompts.updates import entry, own_updates
from proofs_check.derivations.features.equiangular.setting import (
    K,
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

A_k, g = instantiated(A, {m: k}), instantiated(now(update), {m: k})
count = tokens(of_query)


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
