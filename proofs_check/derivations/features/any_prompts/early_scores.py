"""Phase I of Li, Duan & Liang, Lemma 4 and Proposition 2: how far gradient descent from Q = 0 moves
the scores of the other classes, for orthonormal features and every law of tasks and of prompts.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import induction, instantiate, integrate
from numerics.derivations.kernel.terms import FIRST, Term, term
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
    q,
    t,
)
from proofs_check.derivations.features.any_prompts.early_attention import (
    mean_attention,
    ranges,
    sides,
)
from proofs_check.derivations.features.any_prompts.first_steps import (
    BOUNDED,
    P,
    Phase,
    counted,
    number,
    rare,
    uncounted,
)
from proofs_check.derivations.features.any_prompts.setting import (
    B,
    between,
    given,
    one_of_the_rest,
    prompts_weighted,
    queries_weighted,
    squares,
    update,
)
from proofs_check.derivations.features.any_prompts.updates import (
    other_bounds,
    other_update,
    with_the_class,
)
from proofs_check.derivations.features.equiangular.phases import others
from proofs_check.derivations.features.equiangular.score_updates import (
    of_two_classes,
    two_classes,
    with_the_query,
)
from proofs_check.derivations.features.equiangular.setting import (
    K,
    eta,
    here,
    k,
    m,
    n,
    same,
    spread,
    symmetric,
    there,
    zero_or_one,
)
from proofs_check.derivations.features.gradient import B as PROMPTS
from proofs_check.derivations.features.gradient import b, p, pi, prompts
from proofs_check.derivations.features.steps import gap, product, scaled, times
from proofs_check.derivations.features.updates import modulus
from proofs_check.derivations.proof import proves

g = now(update)


def update_statement(c: Fraction = Fraction(1)) -> Statement:
    """|g_km| <= c (3/2) P^2 B^2/K^2 at every step of Phase I, for two different classes."""
    return Statement(
        others * modulus(g), "<=", others * (Fraction(c) * BOUNDED.most), given(*BOUNDED.setting)
    )


def step_statement(c: Fraction = Fraction(1)) -> Statement:
    """A step of Phase I moves q_km by at most c eta (3/2) P^2 B^2/K^2."""
    step = modulus(later_q - q)
    return Statement(
        others * step, "<=", others * (eta * (Fraction(c) * BOUNDED.most)), given(*BOUNDED.setting)
    )


@cache
def by_attention(phase: Phase) -> tuple[Theorem, Theorem]:
    """delta g_km and -delta g_km are at most size p_k delta E Attn_m."""
    return of_bounded_tasks() if phase is BOUNDED else of_exchangeable_tasks()


@cache
def masses() -> Theorem:
    return product(p(k), pi(b), queries_weighted, prompts_weighted)


def in_the_mean(size: Term, each: Theorem, side: Theorem) -> Theorem:
    """What is known of a prompt, over all of them."""
    line = times(size * p(k) * pi(b), each, product(size, p(k) * pi(b), masses()))
    total_ = integrate("coordinates", (b,), line, (PROMPTS,))
    return calc(
        side,
        ("==", total_.lhs),
        ("<=", total_.rhs, total_),
        ("==", size * p(k) * (others * prompts(pi(b) * A))),
    )


def of_bounded_tasks() -> tuple[Theorem, Theorem]:
    some, _, own, _ = ranges()
    A_k = instantiated(A, {m: k})
    rest = calc(gap(own), ("==", others * (1 - A_k)))
    square = product(others * (1 - A_k), A**2, rest)
    both_ = product(others * A, A_k, product(others, A, two_classes(), some), instantiate(some, {m: k}))
    each = calc(
        others * (A * (1 - A_k) * (1 - A)),
        ("<=", others * (A * (1 - A_k) * (1 - A)) + others * (1 - A_k) * A**2, square),
        ("==", others * A * (1 - A_k)),
        ("<=", others * A * (1 - A_k) + others * A * A_k, both_),
        ("==", others * A),
    )
    up, down = (in_the_mean(B**2, each, at_this_matrix(side)) for side in other_bounds())
    return up, down


def of_exchangeable_tasks() -> tuple[Theorem, Theorem]:
    """As Attn_k + Attn_m - sum_n Attn_n^2 is between -1 and 1."""
    some, A_k, lengths = ranges()[0], instantiated(A, {m: k}), now(squares)
    own, gated, x = instantiate(some, {m: k}), product(others, A, two_classes(), some), here * A_k
    # the attention on two classes is at most 1, and so is the sum of the squares
    pair = times(others, instantiate(at_this_matrix(one_of_the_rest()[0]), {n: m}), two_classes())
    apart = calc(others * same(k, m), ("==", others * same(m, k), symmetric), ("==", 0, of_two_classes()[0]))
    two = calc(
        others * A,
        ("==", A * (others * there), symm(scaled(A, with_the_class()))),
        ("==", pair.lhs + A * there * (others * same(k, m))),
        ("==", pair.lhs, scaled(A * there, apart)),
        ("<=", pair.rhs, pair),
        ("==", others - A_k * (others * here)),
        ("==", others - A_k * others, scaled(-A_k, with_the_query())),
    )
    inside = product(x, 1 - x, product(here, A_k, here_(), own), gap(instantiate(ranges()[3], {m: k})))
    squared = scaled(A_k**2, instantiate(zero_or_one, {m: k}))
    short = calc(
        at_this_matrix(between()[1]),
        ("==", x**2 + (1 - x) ** 2, symm(squared)),
        ("<=", x**2 + (1 - x) ** 2 + 2 * (x * (1 - x)), inside),
        ("==", 1),
    )
    left = product(A, others - A_k * others - others * A, some, gap(two))
    sum_ = A_k + A - lengths
    most = calc(
        others * (A * sum_),
        ("<=", others * (A * sum_) + A * (others - A_k * others - others * A), left),
        (
            "<=",
            others * (A * sum_) + A * (others - A_k * others - others * A) + others * A * lengths,
            product(others * A, lengths, gated),
        ),
        ("==", others * A),
    )
    least = calc(
        -(others * (A * sum_)),
        ("<=", -(others * (A * sum_)) + others * A * A_k, product(others * A, A_k, gated, own)),
        (
            "<=",
            -(others * (A * sum_)) + others * A * A_k + others * A * A,
            product(others * A, A, gated, some),
        ),
        (
            "<=",
            others * A * lengths + others * A * (1 - lengths),
            product(others * A, 1 - lengths, gated, gap(short)),
        ),
        ("==", others * A),
    )
    found = at_this_matrix(other_update())
    up = calc(others * g, ("==", -found.lhs), ("==", -found.rhs, scaled(term(-1), found)))
    return in_the_mean(spread, least, up), in_the_mean(spread, most, found)


@cache
def here_() -> Theorem:
    """0 <= delta_kk."""
    return calc(0, ("<=", here**2), ("==", here, instantiate(zero_or_one, {m: k})))


@cache
def updates(phase: Phase, small: Theorem) -> tuple[Theorem, Theorem]:
    """delta g_km and -delta g_km are at most delta (3/2) P^2 size/K^2, while scores are small."""
    size, share_ = phase.size, phase.size * (Fraction(3, 2) * (P / K))
    mean_ = times(size * p(k), mean_attention(phase, small), product(size, p(k), queries_weighted))
    up, down = (
        calc(
            line,
            ("==", mean_.lhs),
            ("<=", mean_.rhs, mean_),
            ("==", share_ * others * p(k)),
            (
                "<=",
                share_ * others * (P / K),
                times(share_ * others, rare[0], product(share_, others, two_classes())),
            ),
            ("==", others * phase.most),
        )
        for line in by_attention(phase)
    )
    return up, down


# Induction over the steps of Phase I


@cache
def scores_stay_small(phase: Phase) -> Theorem:
    """delta |q_km| <= delta tau at every step."""
    far, most = phase.far, phase.most
    further, found = eta * most * number.after(t), []
    for sign, side, step in zip((1, -1), sides(phase, phase.so_far), updates(phase, phase.so_far)):
        found.append(
            calc(
                sign * (others * later_q),
                ("==", sign * others * (q + eta * g), moved()),
                ("==", sign * (others * q) + eta * (sign * (others * g))),
                ("<=", others * far + eta * (sign * (others * g)), side),
                ("<=", others * far + eta * (others * most), step),
                ("==", others * (eta * most * (number(t) + 1))),
                ("==", others * further, counted),
            )
        )
    grown = show(
        others * modulus(later_q), "<=", others * further, two_classes(), *found, others, later_q, further
    )
    (hypothesis,) = phase.so_far.assumptions
    first = instantiated(q, {t: FIRST})
    start = calc(
        others * modulus(first),
        ("==", others * modulus(term(0)), at_first()),
        ("==", others * instantiated(far, {t: FIRST}), uncounted),
    )
    return induction(hypothesis, t, start, grown)


@proves("LDL:L4.2", update_statement)
@cache
def small_updates() -> Theorem:
    """|g_km| <= (3/2) P^2 B^2/K^2 for two different classes, at every step of Phase I."""
    up, down = (
        calc(sign * (others * g), ("==", line.lhs), ("<=", line.rhs, line))
        for sign, line in zip((1, -1), updates(BOUNDED, scores_stay_small(BOUNDED)))
    )
    return show(
        others * modulus(g), "<=", others * BOUNDED.most, two_classes(), up, down, others, g, BOUNDED.most
    )


@proves("LDL:P2.off", step_statement)
def small_steps() -> Theorem:
    """A step adds eta g_km to a score."""
    step = calc(later_q - q, ("==", eta * g, moved()))
    bound = times(eta, small_updates())
    return calc(
        others * modulus(later_q - q),
        ("==", others * modulus(eta * g), step),
        ("==", eta * (others * modulus(g))),
        ("<=", bound.rhs, bound),
        ("==", others * (eta * BOUNDED.most)),
    )
