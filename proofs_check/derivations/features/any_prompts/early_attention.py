"""The attention in Phase I of Li, Duan & Liang, while scores are small: on another class it is at
most 3/2 of the share of its tokens in the prompt, whatever the law of prompts is.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import assume, induction, instantiate, integrate
from numerics.derivations.kernel.sorts import REALS
from numerics.derivations.kernel.terms import FIRST, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.any_prompts.descent import (
    A,
    at_this_matrix,
    own_score,
    own_score_grows,
    q,
    t,
)
from proofs_check.derivations.features.any_prompts.first_steps import (
    P,
    Phase,
    counted,
    number,
    rare,
    uncounted,
)
from proofs_check.derivations.features.any_prompts.setting import (
    a_class,
    positive,
    prompts_weighted,
)
from proofs_check.derivations.features.any_prompts.updates import with_the_class
from proofs_check.derivations.features.equiangular.phases import others
from proofs_check.derivations.features.equiangular.score_updates import (
    two_classes,
    with_the_query,
)
from proofs_check.derivations.features.equiangular.setting import (
    K,
    c,
    each_class,
    eta,
    here,
    k,
    m,
    n,
    of_n,
    picks,
    same,
    symmetric,
    there,
    zero_or_one,
)
from proofs_check.derivations.features.gradient import B as PROMPTS
from proofs_check.derivations.features.gradient import (
    N,
    adds_up,
    b,
    e,
    l,
    member,
    one_class,
    pi,
    prompts,
    some_class,
    tokens,
)
from proofs_check.derivations.features.steps import gap, product, scaled, times
from proofs_check.derivations.features.updates import modulus

u = Variable("u", range=REALS)


# A token has the score of its class: tokens of another class than the query's have small ones.

of_class, of_query = member(b, l, m), member(b, l, k)
q_n = instantiated(q, {m: n})
token_score = of_n(member(b, l, n) * q_n)
odds = exp(token_score)


@cache
def not_negative(phase: Phase) -> Theorem:
    """0 <= tau, as the number of a step is not negative."""
    numbers = assume("numbers so far", 0, "<=", number(t), every=(t,))
    (hypothesis,) = numbers.assumptions
    step = calc(0, ("<=", number(t) + 1, numbers), ("==", number.after(t), symm(counted)))
    found = induction(hypothesis, t, calc(0, ("==", number(FIRST), symm(uncounted))), step)
    return product(eta * phase.most, number(t), found)


@cache
def sides(phase: Phase, small: Theorem) -> tuple[Theorem, Theorem]:
    """delta q <= delta tau and -delta q <= delta tau, where delta says that two classes differ."""
    far = phase.far
    up, down = (
        calc(
            others * (sign * q),
            ("<=", others * modulus(q), times(others, show(sign * q, "<=", modulus(q), q), two_classes())),
            ("<=", others * far, small),
        )
        for sign in (1, -1)
    )
    return up, down


@cache
def score_of_a_token() -> Theorem:
    """delta_mm member_m q_m = delta_mm member_m s for the score s of a token."""
    chosen = instantiate(one_class, {c: ((n,), same(m, n)), e: ((n,), q_n)})
    one = lambda body: instantiate(picks, {c: ((n,), body)})
    return calc(
        there * (of_class * q),
        ("==", of_n(same(m, n) * (member(b, l, n) * q_n)), symm(one(member(b, l, n) * q_n))),
        ("==", chosen.lhs),
        ("==", chosen.rhs, chosen),
        ("==", token_score * of_n(same(m, n) * member(b, l, n))),
        ("==", token_score * (there * of_class), scaled(token_score, one(member(b, l, n)))),
    )


def raised(x: Term, low: Term, high: Term, line: Theorem, some: Theorem) -> Theorem:
    """x e^s <= x e^t from x s <= x t and 0 <= x, as e^s (1 + t - s) <= e^t."""
    tangent = times(exp(low), instantiate(show(1 + u, "<=", exp(u)), {u: high - low}))
    weighted, apart = times(x, tangent, some), calc(gap(line), ("==", x * high - x * low))
    left = product(exp(low), apart.rhs, apart)
    return calc(
        x * exp(low),
        ("<=", x * exp(low) + left.rhs, left),
        ("==", weighted.lhs),
        ("<=", weighted.rhs, weighted),
        ("==", x * exp(high)),
    )


@cache
def weight_of_a_class(phase: Phase, small: Theorem) -> Theorem:
    """delta member_m e^s <= delta member_m e^tau, as s is q_km."""
    far, x = phase.far, others * of_class
    some = calc(0, ("<=", of_class**2), ("==", of_class, a_class))
    scores = calc(
        x * token_score,
        (
            "==",
            of_class * token_score * (others * there),
            symm(scaled(of_class * token_score, with_the_class())),
        ),
        ("==", others * (token_score * (there * of_class))),
        ("==", others * (there * (of_class * q)), scaled(others, symm(score_of_a_token()))),
        ("==", of_class * q * (others * there)),
        ("==", of_class * q * others, scaled(of_class * q, with_the_class())),
        ("==", of_class * (others * q)),
        ("<=", of_class * (others * far), times(of_class, sides(phase, small)[0], some)),
        ("==", x * far),
    )
    return raised(x, token_score, far, scores, product(others, of_class, two_classes(), some))


def of_another_class(x: Term) -> Theorem:
    """sum_n delta_nk member_n x_n = delta_kk (sum_n member_n x_n - member_k x_k), where delta_nk
    says that n and k differ.
    """
    pair, here_n, d = (instantiated(body, {m: n}) for body in (others, there, same(m, k)))
    each = member(b, l, n) * x
    all_of = instantiate(each_class, {c: ((m,), instantiated(each, {n: m}))})
    return calc(
        of_n(member(b, l, n) * (pair * x)),
        ("==", here * of_n(here_n * each) - of_n(d * each)),
        ("==", here * of_n(each) - of_n(d * each), scaled(here, all_of)),
        ("==", here * of_n(each) - of_n(same(k, n) * each), instantiate(symmetric, {m: n})),
        (
            "==",
            here * of_n(each) - here * instantiated(each, {n: k}),
            instantiate(picks, {m: k, c: ((n,), each)}),
        ),
    )


@cache
def other_tokens() -> Theorem:
    return calc(of_another_class(term(1)), ("==", here - here * of_query, some_class))


@cache
def scores_add_up() -> Theorem:
    found = of_another_class(q_n)
    own = here * (of_query * own_score)
    return show(here * token_score, "==", found.lhs + own, found, found.lhs, here * token_score, own)


@cache
def weight_of_a_token(phase: Phase, small: Theorem) -> Theorem:
    """delta_kk e^{-tau} <= delta_kk e^s in the same way, as no score is less than -tau."""
    far = phase.far
    member_n = instantiated(of_class, {m: n})
    some = calc(0, ("<=", member_n**2), ("==", member_n, instantiate(a_class, {m: n})))
    class_ = instantiate(some, {n: k})
    here_ = calc(0, ("<=", here**2), ("==", here, instantiate(zero_or_one, {m: k})))
    least = integrate(
        "coordinates", (n,), times(member_n, instantiate(sides(phase, small)[1], {m: n}), some), (K,)
    )
    apart = other_tokens()
    low = calc(
        -(here * token_score),
        ("==", -scores_add_up().rhs, scaled(term(-1), scores_add_up())),
        ("==", least.lhs - of_query * (here * own_score)),
        ("<=", least.rhs - of_query * (here * own_score), least),
        ("<=", least.rhs, product(of_query, here * own_score, class_, own_score_grows())),
        ("==", far * apart.lhs),
        ("==", far * (here - here * of_query), scaled(far, apart)),
        (
            "<=",
            far * here,
            product(far, here * of_query, not_negative(phase), product(here, of_query, here_, class_)),
        ),
    )
    least = calc(here * -far, ("==", -low.rhs), ("<=", -low.lhs, low), ("==", here * token_score))
    return raised(here, -far, token_score, least, here_)


# The attention on another class, at every step at which the scores are small

total = tokens(odds)
count = tokens(of_class)


@cache
def ranges() -> tuple[Theorem, Theorem, Theorem, Theorem]:
    """0 <= A_m, delta A_m <= delta and delta A_k <= delta for two classes, and delta_mm A_m <= 1:
    one term of a sum that is 1.
    """
    some, d = at_this_matrix(positive()), same(m, n)
    A_n = instantiated(A, {m: n})
    single = calc(
        there * A,
        ("==", of_n(d * A_n), symm(instantiate(picks, {c: ((n,), A_n)}))),
        (
            "<=",
            of_n(A_n),
            times(A_n, show(d, "<=", 1, instantiate(zero_or_one, {k: n})), instantiate(some, {m: n})),
        ),
        ("==", 1, at_this_matrix(adds_up())),
    )
    other, own = (
        times(others, single, two_classes()),
        times(others, instantiate(single, {m: k}), two_classes()),
    )
    A_k = instantiated(A, {m: k})
    return (
        some,
        calc(
            others * A, ("==", A * (others * there), symm(scaled(A, with_the_class()))), ("<=", others, other)
        ),
        calc(
            others * A_k,
            ("==", A_k * (others * here), symm(scaled(A_k, with_the_query()))),
            ("<=", others, own),
        ),
        single,
    )


@cache
def moved_so_far(phase: Phase) -> Theorem:
    """tau is at most 3/2 of the limit of the phase."""
    return calc(phase.far, ("<=", Fraction(3, 2) * phase.limit, phase.early))


@cache
def small_scores(phase: Phase) -> Theorem:
    """e^{2 tau} <= 3/2 in Phase I."""
    least = exp(term(3 * phase.limit))
    return calc(exp(2 * phase.far), ("<=", least, moved_so_far(phase)), ("<=", Fraction(3, 2)))


@cache
def attention_by_counts(phase: Phase, small: Theorem) -> Theorem:
    """delta Attn_m N <= delta (3/2) |V_m| in every prompt."""
    far = phase.far
    low, high = (
        integrate("coordinates", (l,), line, (N,))
        for line in (weight_of_a_token(phase, small), weight_of_a_class(phase, small))
    )
    gated = product(others, A, two_classes(), ranges()[0])
    class_ = calc(0, ("<=", of_class**2), ("==", of_class, a_class))
    some = product(others, count, two_classes(), calc(0, ("<=", count, class_)))
    return calc(
        others * A * N,
        ("==", A * N * others),
        ("==", A * N * (others * here), symm(scaled(A * N, with_the_query()))),
        ("==", exp(far) * (others * A * (exp(-far) * here * N))),
        ("<=", exp(far) * (others * A * (here * total)), times(exp(far), times(others * A, low, gated))),
        ("==", exp(far) * (A * total * (others * here))),
        ("==", exp(far) * (A * total * others), scaled(exp(far) * A * total, with_the_query())),
        ("==", exp(far) * high.lhs),
        ("<=", exp(far) * high.rhs, times(exp(far), high)),
        ("==", others * count * exp(2 * far)),
        ("<=", others * count * Fraction(3, 2), times(others * count, small_scores(phase), some)),
    )


@cache
def mean_attention(phase: Phase, small: Theorem) -> Theorem:
    """delta E Attn_m <= delta (3/2) P/K over the prompts."""
    bound = integrate(
        "coordinates", (b,), times(pi(b), attention_by_counts(phase, small), prompts_weighted), (PROMPTS,)
    )
    each = integrate("coordinates", (l,), rare[1], (N,))
    return calc(
        others * prompts(pi(b) * A),
        ("==", 1 / N * bound.lhs),
        ("<=", 1 / N * bound.rhs, bound),
        ("==", Fraction(3, 2) / N * others * each.lhs),
        (
            "<=",
            Fraction(3, 2) / N * others * each.rhs,
            times(Fraction(3, 2) / N * others, each, two_classes()),
        ),
        ("==", others * (Fraction(3, 2) * (P / K))),
    )
