"""Lemma 2: the updates of the scores over orthonormal features."""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.rules import equal, instantiate, integrate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc
from proofs_check.derivations.features.any_prompts.setting import (
    B,
    close,
    distance,
    error_bounds,
    given,
    of_prompts,
    of_tasks,
    of_the_task,
    orthonormal,
    own,
    positive,
    rest,
    squares,
    update,
    weights,
)
from proofs_check.derivations.features.equiangular.phases import others
from proofs_check.derivations.features.equiangular.reached import Rational
from proofs_check.derivations.features.equiangular.score_updates import (
    of_two_classes,
    two_classes,
    with_the_query,
)
from proofs_check.derivations.features.equiangular.setting import (
    K,
    both,
    c,
    common,
    exchangeable,
    f,
    here,
    k,
    l,
    m,
    mean,
    n,
    of_n,
    picks,
    same,
    spread,
    symmetric,
    task,
    there,
    zero_or_one,
)
from proofs_check.derivations.features.gradient import B as PROMPTS
from proofs_check.derivations.features.gradient import (
    H,
    b,
    error,
    gram,
    p,
    pi,
    prediction,
    share,
)
from proofs_check.derivations.features.steps import product, scaled, times
from proofs_check.derivations.features.updates import Sides, product_of_sides
from proofs_check.derivations.proof import proves

o = Variable("o", Sort.INDEX)


def gram_statement(power: int = 1) -> Statement:
    """The updates are G^power H G, of which g_km is the entry for m and k."""
    first = gram(m, n) if power == 1 else bind("coordinates", (o,), gram(m, o) * gram(o, n), (K,))
    each = first * instantiated(H, {m: n, k: l}) * gram(l, k)
    return Statement(update, "==", bind("coordinates", (l,), of_n(each), (K,)))


def formula_statements(factor: int = 1, power: int = 1) -> tuple[Statement, ...]:
    """For orthonormal features g_km is `factor` times E 1{query v_k} Attn_m (f_k - yhat)(f_m -
    yhat); and the updates for any.
    """
    value = of_prompts(mean(share * error * (f(m, task) - prediction)))
    return Statement(update, "==", factor * both * value, given(orthonormal)), gram_statement(power)


@proves("LDL:L2.raw/gram", gram_statement)
@proves("LDL:L2.raw", formula_statements, part=2)
def for_any_features() -> Theorem:
    """The sums are exchanged."""
    return equal(update, gram_statement().rhs)


@proves("LDL:L2.raw", formula_statements)
@cache
def entry() -> Theorem:
    """delta_mm delta_kk H_mk is the update of q_km, which is GHG with G = I."""
    H_nl, at_k = instantiated(H, {m: n, k: l}), instantiated(H, {k: n})
    first, second = instantiate(orthonormal, {k: n}), instantiate(orthonormal, {m: l})
    sums = lambda thm: integrate("coordinates", (l,), integrate("coordinates", (n,), thm, (K,)), (K,))
    one, two = sums(scaled(H_nl * gram(l, k), first)), sums(scaled(same(m, n) * H_nl, second))
    row = scaled(same(l, k), instantiate(picks, {c: ((n,), H_nl)}))
    rows = integrate("coordinates", (l,), row, (K,))
    turned = integrate("coordinates", (n,), scaled(at_k, instantiate(symmetric, {m: n})), (K,))
    return calc(
        update,
        ("==", one.lhs),
        ("==", one.rhs, one),
        ("==", two.rhs, two),
        ("==", rows.lhs),
        ("==", rows.rhs, rows),
        ("==", there * turned.lhs),
        ("==", there * turned.rhs, scaled(there, turned)),
        ("==", there * (here * H), scaled(there, instantiate(picks, {m: k, c: ((n,), at_k)}))),
        ("==", both * H),
    )


def own_statements(least: Rational = 1, most: Rational = 2) -> tuple[Statement, ...]:
    """g_k is between `least` and `most` times sigma_f^2 E 1{query v_k} Attn_k (1 - Attn_k)^2."""
    unit, g = here * (spread * of_prompts(own * rest**2)), here * instantiated(update, {m: k})
    setting = given(exchangeable, orthonormal)
    return Statement(least * unit, "<=", g, setting), Statement(g, "<=", most * unit, setting)


def growth_statement(least: Rational = 1) -> Statement:
    return own_statements(least)[0]


@proves("LDL:L2.eq12/lower", own_statements, part=(1, 2))
@cache
def own_updates() -> tuple[Theorem, Theorem]:
    square, at = instantiate(zero_or_one, {m: k}), instantiate(positive(), {m: k})
    weight = product(p(k) * pi(b), own, weights()[0], at)
    g = calc(
        here * instantiated(update, {m: k}),
        ("==", here * instantiate(entry(), {m: k}).rhs, scaled(here, instantiate(entry(), {m: k}))),
        ("==", here**2 * here * of_prompts(own * mean(error**2))),
        (
            "==",
            here * here * of_prompts(own * mean(error**2)),
            scaled(here * of_prompts(own * mean(error**2)), square),
        ),
        ("==", here * of_prompts(own * mean(error**2)), scaled(of_prompts(own * mean(error**2)), square)),
    )
    low, high = (
        integrate("coordinates", (b,), times(p(k) * pi(b) * own, line, weight), (PROMPTS,))
        for line in error_bounds()
    )
    unit = here * (spread * of_prompts(own * rest**2))
    return (
        calc(unit, ("==", low.lhs), ("<=", low.rhs, low), ("==", g.rhs), ("==", g.lhs, symm(g))),
        calc(g, ("==", high.lhs), ("<=", high.rhs, high), ("==", 2 * unit)),
    )


def other_statement(sign: int = 1) -> Statement:
    """-g_km is `sign` times sigma_f^2 E 1{query v_k} Attn_m (Attn_k + Attn_m - sum_n Attn_n^2)."""
    value = spread * of_prompts(share * (own + share - squares))
    return Statement(-(others * update), "==", sign * others * value, given(exchangeable, orthonormal))


@proves("LDL:L2.grow", growth_statement)
def growth() -> Theorem:
    return own_updates()[0]


@cache
def with_the_class() -> Theorem:
    """Two different classes are classes: their indicator times delta_mm is itself."""
    whole = of_two_classes()[1]
    return calc(
        others * there,
        ("==", there * (others * both), symm(scaled(there, whole))),
        ("==", others * here * there**2),
        ("==", others * here * there, scaled(others * here, instantiate(zero_or_one, {k: m}))),
        ("==", others, whole),
    )


@proves("LDL:L2.eq13/lower", other_statement)
@cache
def other_update() -> Theorem:
    (none, whole), gate, on_other = of_two_classes(), with_the_query(), with_the_class()
    found = of_the_task()
    each = calc(
        others * found.lhs,
        ("==", others * found.rhs, scaled(others, found)),
        (
            "==",
            spread * (others * same(k, m) - others * here * own - others * there * share + others * squares)
            + common * (others * both - others * here - others * there + others),
        ),
        (
            "==",
            spread * (others * same(m, k) - others * own - others * share + others * squares)
            + common * (others - others - others + others),
            scaled(spread * others, symm(symmetric)),
            scaled(-spread * own - common, gate),
            scaled(-spread * share - common, on_other),
            scaled(common, whole),
        ),
        ("==", -(others * (spread * (own + share - squares))), scaled(spread, none)),
    )
    weighted = integrate("coordinates", (b,), scaled(p(k) * pi(b) * share, each), (PROMPTS,))
    return calc(
        -(others * update),
        ("==", -(others * (both * H)), scaled(-others, entry())),
        ("==", -(others * both * H)),
        ("==", -(others * H), scaled(-H, whole)),
        ("==", -weighted.lhs),
        ("==", -weighted.rhs, scaled(term(-1), weighted)),
        ("==", others * (spread * of_prompts(share * (own + share - squares)))),
    )


def bound_statements(constant: Rational = 1) -> tuple[Statement, ...]:
    """|g_km| <= c B^2 E 1{query v_k} Attn_m (1 - Attn_k)(1 - Attn_m), in both signs, for tasks
    whose values differ by at most B.
    """
    bound, setting = (
        others * (B**2 * of_prompts(share * rest * (1 - share))),
        given(orthonormal, close(of_tasks, task)),
    )
    return tuple(Statement(sign * (others * update), "<=", constant * bound, setting) for sign in (1, -1))


@proves("LDL:L2.eq13/upper", bound_statements, part=(1, 2))
@cache
def other_bounds() -> Sides:
    (_, whole), gate, on_other = of_two_classes(), with_the_query(), with_the_class()
    up, down = there_ = distance(of_tasks, task)
    here_ = instantiate(up, {m: k}), instantiate(down, {m: k})
    U = (1 - here * own) * (1 - there * share)
    gated = calc(
        others * U,
        ("==", others - own * (others * here) - share * (others * there) + own * share * (others * both)),
        (
            "==",
            others - own * others - share * others + own * share * others,
            scaled(-own, gate),
            scaled(-share, on_other),
            scaled(own * share, whole),
        ),
        ("==", others * (rest * (1 - share))),
    )
    weight = p(k) * pi(b) * share
    some = product(p(k) * pi(b), share, weights()[0], positive())
    found = []
    for sign, each in zip((1, -1), product_of_sides(here_, there_, here_[0].lhs, there_[0].lhs)):
        averaged = integrate("mean", (task,), each)
        line = times(others, calc(averaged, ("==", B**2 * U)), two_classes())
        line = times(
            weight, calc(line, ("==", others * (B**2 * (rest * (1 - share))), scaled(B**2, gated))), some
        )
        total = integrate("coordinates", (b,), line, (PROMPTS,))
        found.append(
            calc(
                sign * (others * update),
                ("==", sign * (others * (both * H)), scaled(sign * others, entry())),
                ("==", sign * H * (others * both)),
                ("==", sign * H * others, scaled(sign * H, whole)),
                ("==", total.lhs),
                ("<=", total.rhs, total),
                ("==", others * (B**2 * of_prompts(share * rest * (1 - share)))),
            )
        )
    return found[0], found[1]
