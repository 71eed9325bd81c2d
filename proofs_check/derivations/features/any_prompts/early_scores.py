"""Phase I of Li, Duan & Liang, Lemma 4 and Proposition 2: how far gradient descent from Q = 0 moves
the scores of the other classes, for orthonormal features and every law of tasks and of prompts.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import induction, instantiate, integrate
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
    q,
    t,
)
from proofs_check.derivations.features.any_prompts.early_attention import (
    SETTING,
    P,
    counted,
    far,
    mean_attention,
    most,
    number,
    ranges,
    rare,
    sides,
    so_far,
    uncounted,
)
from proofs_check.derivations.features.any_prompts.setting import (
    B,
    given,
    prompts_weighted,
    queries_weighted,
    update,
)
from proofs_check.derivations.features.any_prompts.updates import other_bounds
from proofs_check.derivations.features.equiangular.phases import others
from proofs_check.derivations.features.equiangular.score_updates import two_classes
from proofs_check.derivations.features.equiangular.setting import (
    K,
    eta,
    k,
    m,
)
from proofs_check.derivations.features.gradient import B as PROMPTS
from proofs_check.derivations.features.gradient import b, p, pi
from proofs_check.derivations.features.steps import gap, product, times
from proofs_check.derivations.features.updates import modulus
from proofs_check.derivations.proof import proves

g = now(update)


def update_statement(c: Fraction = Fraction(1)) -> Statement:
    """|g_km| <= c (3/2) P^2 B^2/K^2 at every step of Phase I, for two different classes."""
    return Statement(others * modulus(g), "<=", others * (Fraction(c) * most), given(*SETTING))


def step_statement(c: Fraction = Fraction(1)) -> Statement:
    """A step of Phase I moves q_km by at most c eta (3/2) P^2 B^2/K^2."""
    step = modulus(later_q - q)
    return Statement(others * step, "<=", others * (eta * (Fraction(c) * most)), given(*SETTING))


@cache
def updates(small: Theorem) -> tuple[Theorem, Theorem]:
    """delta g_km and -delta g_km are at most delta (3/2) P^2 B^2/K^2, while scores are small."""
    some, _, own, _ = ranges()
    A_k, weight, share_ = (
        instantiated(A, {m: k}),
        B**2 * p(k) * pi(b),
        B**2 * (Fraction(3, 2) * (P / K)) * others,
    )
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
    masses = product(p(k), pi(b), queries_weighted, prompts_weighted)
    total_ = integrate(
        "coordinates", (b,), times(weight, each, product(B**2, p(k) * pi(b), masses)), (PROMPTS,)
    )
    mean_ = times(B**2 * p(k), mean_attention(small), product(B**2, p(k), queries_weighted))
    up, down = (
        calc(
            at_this_matrix(thm),
            ("==", total_.lhs),
            ("<=", total_.rhs, total_),
            ("==", mean_.lhs),
            ("<=", mean_.rhs, mean_),
            ("==", share_ * p(k)),
            (
                "<=",
                share_ * (P / K),
                times(share_, rare[0], product(B**2 * (Fraction(3, 2) * (P / K)), others, two_classes())),
            ),
            ("==", others * most),
        )
        for thm in other_bounds()
    )
    return up, down


# Induction over the steps of Phase I


@cache
def scores_stay_small() -> Theorem:
    """delta |q_km| <= delta tau at every step."""
    further, found = eta * most * number.after(t), []
    for sign, side, step in zip((1, -1), sides(so_far), updates(so_far)):
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
    (hypothesis,) = so_far.assumptions
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
        for sign, line in zip((1, -1), updates(scores_stay_small()))
    )
    return show(others * modulus(g), "<=", others * most, two_classes(), up, down, others, g, most)


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
        ("==", others * (eta * most)),
    )
