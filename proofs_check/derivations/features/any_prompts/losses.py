"""Lemma 1 from both sides for exchangeable tasks, and what a small loss says of the attention and
of tasks that were not seen in training.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import instantiate, integrate
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.any_prompts.setting import (
    B,
    close,
    distance,
    error_bounds,
    given,
    of_prompts,
    of_unseen,
    own,
    rest,
    unseen,
    w,
    weights,
)
from proofs_check.derivations.features.equiangular.reached import Rational
from proofs_check.derivations.features.equiangular.setting import (
    K,
    c,
    each_class,
    exchangeable,
    here,
    k,
    l,
    m,
    mean,
    n,
    of_k,
    of_n,
    picks,
    same,
    spread,
    zero_or_one,
)
from proofs_check.derivations.features.gradient import B as PROMPTS
from proofs_check.derivations.features.gradient import (
    b,
    error,
    loss,
    p,
    pi,
)
from proofs_check.derivations.features.steps import product, scaled, times
from proofs_check.derivations.features.updates import product_of_sides
from proofs_check.derivations.proof import proves


def loss_statements(least: Rational = 1, most: Rational = 2) -> tuple[Statement, ...]:
    """The loss is between least/2 and most/2 times sigma_f^2 sum_k p_k E (1 - Attn_k)^2."""
    unit, setting = spread / 2 * of_k(of_prompts(rest**2)), given(exchangeable)
    return Statement(least * unit, "<=", loss, setting), Statement(loss, "<=", most * unit, setting)


@proves("LDL:L1.Theta", loss_statements, part=(1, 2))
@cache
def loss_by_attention() -> tuple[Theorem, Theorem]:
    low, high = (
        integrate(
            "coordinates",
            (k,),
            integrate("coordinates", (b,), times(p(k) * pi(b), line, weights()[0]), (PROMPTS,)),
            (K,),
        )
        for line in error_bounds()
    )
    gated = lambda e: instantiate(each_class, {c: ((k,), of_prompts(e))})
    square, error_ = gated(spread * rest**2), gated(mean(error**2))
    return (
        calc(
            spread / 2 * of_k(of_prompts(rest**2)),
            ("==", square.rhs / 2),
            ("==", square.lhs / 2, symm(square)),
            ("<=", error_.lhs / 2, low),
            ("==", error_.rhs / 2, error_),
            ("==", loss),
        ),
        calc(
            loss,
            ("==", error_.rhs / 2),
            ("==", error_.lhs / 2, symm(error_)),
            ("<=", square.lhs, high),
            ("==", square.rhs, square),
            ("==", 2 * (spread / 2 * of_k(of_prompts(rest**2)))),
        ),
    )


def attention_statement(constant: Rational = 2) -> Statement:
    """p_k sigma_f^2 E (1 - Attn_k)^2 <= 2 loss for each class."""
    return Statement(here * (spread * of_prompts(rest**2)), "<=", constant * loss, given(exchangeable))


@proves("LDL:Pr1.1", attention_statement)
@cache
def attention_by_loss() -> Theorem:
    """One query is part of the sum over all."""
    each = spread * of_prompts(rest**2)
    e_l, below_one = (
        instantiated(each, {k: l}),
        show(same(k, l), "<=", 1, instantiate(zero_or_one, {m: k, k: l})),
    )
    some = calc(0, ("<=", each, times(spread * rest**2, weights()[0])))
    return calc(
        here * each,
        (
            "==",
            bind("coordinates", (l,), same(k, l) * e_l, (K,)),
            symm(instantiate(picks, {m: k, c: ((l,), e_l)})),
        ),
        ("<=", bind("coordinates", (l,), e_l, (K,)), times(e_l, below_one, instantiate(some, {k: l}))),
        ("==", 2 * (spread / 2 * of_k(of_prompts(rest**2)))),
        ("<=", 2 * loss, loss_by_attention()[0]),
    )


def unseen_statement(constant: Rational = 2) -> Statement:
    """p_k sigma_f^2 E (yhat - f(v_k))^2 <= c B^2 loss for every task whose values differ by at most
    B, where the loss is that of exchangeable tasks.
    """
    missed = of_n(w * unseen(n)) - unseen(k)
    left = here * (spread * of_prompts(missed**2))
    return Statement(left, "<=", constant * B**2 * loss, given(exchangeable, close(of_unseen)))


@proves("LDL:Pr1.3", unseen_statement)
@cache
def unseen_tasks() -> Theorem:
    up, down = (instantiate(side, {m: k}) for side in distance(of_unseen))
    square = product_of_sides((up, down), (up, down), up.lhs, up.lhs)[0]
    weight = here * (spread * p(k) * pi(b))
    total = integrate(
        "coordinates",
        (b,),
        times(weight, square, product(here * (p(k) * pi(b)), spread, weights()[1])),
        (PROMPTS,),
    )
    keep = instantiate(zero_or_one, {m: k})
    kept = calc(
        here * (1 - here * own) ** 2,
        ("==", here - 2 * own * here**2 + own**2 * here * here**2),
        ("==", here - 2 * own * here + own**2 * here * here, scaled(-2 * own + own**2 * here, keep)),
        ("==", here - 2 * own * here + own**2 * here, scaled(own**2, keep)),
        ("==", here * rest**2),
    )
    each = integrate("coordinates", (b,), scaled(spread * p(k) * pi(b) * B**2, kept), (PROMPTS,))
    return calc(
        unseen_statement().lhs,
        ("==", total.lhs),
        ("<=", total.rhs, total),
        ("==", each.lhs),
        ("==", each.rhs, each),
        ("==", B**2 * (here * (spread * of_prompts(rest**2)))),
        ("<=", B**2 * (2 * loss), attention_by_loss()),
        ("==", 2 * B**2 * loss),
    )
