"""How large the updates and scores are along the flow over equiangular features."""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import gcongr, instantiate
from numerics.derivations.kernel.terms import term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.flow import (
    A,
    E,
    X,
    lam,
    nonnegative,
    on_the_line,
    y,
)
from proofs_check.derivations.features.equiangular.multiples import score_of
from proofs_check.derivations.features.equiangular.phases import (
    a,
    mean_attention,
    other_attention_now,
    others,
    own_update,
    update,
    updates_now,
)
from proofs_check.derivations.features.equiangular.reached import (
    EARLY,
    HALF,
    K_,
    OTHER_ATTENTION,
    OTHERS,
    UPDATES,
    Rational,
    from_one,
    given,
    of_each,
    unit,
)
from proofs_check.derivations.features.equiangular.setting import (
    K,
    M,
    both,
    counted,
    here,
    k,
    m,
    of_the_query,
    projections,
    same,
    score,
    t,
    there,
    zero_or_one,
)
from proofs_check.derivations.features.steps import ind, product, scaled, times

score_own = instantiated(score(X), {m: k})


@cache
def with_the_query() -> Theorem:
    """Two different classes are classes: their indicator times delta_kk is itself."""
    here_too = instantiate(zero_or_one, {m: k})
    return calc(
        others * here,
        ("==", there * here**2 - here * same(m, k)),
        ("==", there * here - same(m, k), scaled(there, here_too), scaled(term(-1), of_the_query())),
        ("==", others),
    )


@cache
def of_two_classes() -> tuple[Theorem, Theorem]:
    """Two different classes are not the same, and both are classes."""
    d, (square, mixed, own) = same(m, k), projections()
    return (
        calc(
            others * d, ("==", both * d - d * d), ("==", d - d * d, mixed), ("==", 0, scaled(term(-1), own))
        ),
        calc(
            others * both,
            ("==", both * both - both * d),
            ("==", both - both * d, square),
            ("==", others, scaled(term(-1), mixed)),
        ),
    )


@cache
def two_classes() -> Theorem:
    """Whether two classes are different is not negative."""
    none, whole = of_two_classes()
    squared = calc(
        others,
        ("==", others * both, symm(whole)),
        ("==", others**2 + others * same(m, k)),
        ("==", others**2, none),
    )
    return calc(0, ("<=", others**2), ("==", others, symm(squared)))


@cache
def number_of_classes() -> Theorem:
    return show(K_ / K, "==", 1, scaled(1 / K, counted))


@cache
def own_score_of(matrix: Theorem, positive: Theorem) -> Theorem:
    """q_k = z M/K, at a matrix that is z times the one."""
    z, square = positive.rhs, instantiate(zero_or_one, {m: k})
    own = instantiate(score_of(matrix, positive), {m: k})
    return calc(
        scaled(here, own),
        ("==", z * here**2 - z / K * here * here**2),
        ("==", z * here - z / K * here * here, scaled(z, square), scaled(-z / K * here, square)),
        ("==", z * here - z / K * here, scaled(-z / K, square)),
        ("==", here * z * (M / K), scaled(here * z, show(1 - 1 / K, "==", M / K, scaled(1 / K, counted)))),
    )


@cache
def scores_of(matrix: Theorem, positive: Theorem) -> tuple[Theorem, Theorem]:
    """For two different classes q_k = z M/K and q_km = -z/K."""
    z, d, (none, whole), gate = positive.rhs, same(m, k), of_two_classes(), with_the_query()
    own, other = own_score_of(matrix, positive), score_of(matrix, positive)
    q = instantiated(other.lhs, {m: k})
    return (
        calc(
            others * q,
            ("==", q * (others * here), symm(scaled(q, gate))),
            ("==", others * (here * q)),
            ("==", others * (here * z * (M / K)), scaled(others, own)),
            ("==", z * (M / K) * (others * here)),
            ("==", z * (M / K) * others, scaled(z * (M / K), gate)),
        ),
        calc(
            scaled(others, other),
            ("==", z * (others * d) - z / K * (others * both)),
            ("==", z * 0 - z / K * others, scaled(z, none), scaled(-z / K, whole)),
            ("==", -(z / K * others)),
        ),
    )


@cache
def own_score_now() -> Theorem:
    return own_score_of(on_the_line(), nonnegative())


def gap_statement(gap: int = 1) -> Statement:
    """q_k - q_km is `gap` times lambda for two different classes."""
    return Statement(others * (score_own - score(X) - gap * lam(t)), "==", term(0), given)


@cache
def gap_of_the_scores() -> Theorem:
    own, other = scores_of(on_the_line(), nonnegative())
    return calc(
        others * (score_own - score(X) - lam(t)),
        ("==", others * score_own - others * score(X) - others * lam(t)),
        ("==", own.rhs - other.rhs - others * lam(t), own, scaled(term(-1), other)),
        ("==", others * lam(t) * (K_ / K) - others * lam(t)),
        ("==", others * lam(t) * 1 - others * lam(t), scaled(others * lam(t), number_of_classes())),
        ("==", 0),
    )


def update_statement(power: int = 2) -> Statement:
    """g_k = kappa^2 sigma_f^2 a (1 - a)^power/(K - 1)."""
    return Statement(here * own_update, "==", here * (unit * a * (1 - a) ** power / M), given)


@cache
def own_update_now() -> Theorem:
    """g_k = kappa^2 sigma_f^2 M E/(E + M)^3."""
    square, e = instantiate(zero_or_one, {m: k}), unit * E * y**3
    return calc(
        here * own_update,
        ("==", here * (e * K_ * (here - here * here / K)), scaled(here, instantiate(updates_now(), {m: k}))),
        ("==", e * K_ * here**2 - e * (K_ / K) * (here * here**2)),
        ("==", e * K_ * here**2 - e * 1 * (here * here**2), scaled(-e * here**3, number_of_classes())),
        ("==", e * K_ * here - e * here * here, scaled(e * K_, square), scaled(-e * here, square)),
        ("==", e * K_ * here - e * here, scaled(-e, square)),
        ("==", here * (M * e)),
    )


@of_each(UPDATES, update_statement, 1)
@cache
def updates() -> Theorem:
    value = unit * a * (1 - a) ** 2 / M
    moved = show(value, "==", unit * (E * y) * (1 - E * y) ** 2 / M, mean_attention(), a, E * y)
    return calc(
        own_update_now(),
        ("==", here * (unit * (E * y) * (1 - E * y) ** 2 / M), here, E),
        ("==", here * value, scaled(here, symm(moved))),
    )


def other_statements(classes: int = 1, sign: int = -1) -> tuple[Statement, ...]:
    """For two different classes (K - classes) g_km = -g_k, which has the sign."""
    value = unit * a * (1 - a) ** 2 / M**2
    return (
        Statement(others * ((K_ - classes) * update), "==", -others * own_update, given),
        Statement(others * update, "==", sign * others * value, given),
    )


@cache
def other_update_now() -> Theorem:
    """g_km = -kappa^2 sigma_f^2 E/(E + M)^3 for two different classes."""
    d, e, (none, whole) = same(m, k), unit * E * y**3, of_two_classes()
    return calc(
        others * update,
        ("==", others * (e * K_ * (d - both / K)), scaled(others, updates_now())),
        ("==", e * K_ * (others * d) - e * (K_ / K) * (others * both)),
        ("==", e * K_ * 0 - e * (K_ / K) * others, scaled(e * K_, none), scaled(-e * (K_ / K), whole)),
        ("==", e * K_ * 0 - e * 1 * others, scaled(-e * others, number_of_classes())),
        ("==", -others * e),
    )


@of_each(OTHERS, other_statements, (1, 2))
@cache
def other_updates() -> tuple[Theorem, Theorem]:
    e, own_value = unit * E * y**3, unit * a * (1 - a) ** 2 / M
    squared = show(own_value / M, "==", unit * (E * y) * (1 - E * y) ** 2 / M**2, mean_attention(), a, E * y)
    gate = with_the_query()
    own_too = calc(
        others * own_update,
        ("==", own_update * (others * here), symm(scaled(own_update, gate))),
        ("==", others * (here * own_update)),
        ("==", others * (here * (M * e)), scaled(others, own_update_now())),
        ("==", M * e * (others * here)),
        ("==", M * e * others, scaled(M * e, gate)),
    )
    return (
        calc(
            others * (M * update),
            ("==", M * (others * update)),
            ("==", M * (-others * e), scaled(M, other_update_now())),
            ("==", -(M * e * others)),
            ("==", -(others * own_update), symm(scaled(term(-1), own_too))),
        ),
        calc(
            other_update_now(),
            ("==", -others * (unit * (E * y) * (1 - E * y) ** 2 / M**2), others, E),
            ("==", -others * (own_value / M), symm(scaled(-others, squared))),
            ("==", -others * (unit * a * (1 - a) ** 2 / M**2)),
        ),
    )


def other_attention_statements(least: Rational = 1, most: Rational = 2) -> tuple[Statement, ...]:
    """The attention on another class is between least and most times (1 - a)/K."""
    rest = (1 - a) / K_
    return (
        Statement(others * (least * rest), "<=", others * A, given),
        Statement(others * A, "<=", others * (most * rest), given),
    )


@of_each(OTHER_ATTENTION, other_attention_statements, (1, 2))
@cache
def other_attention() -> tuple[Theorem, Theorem]:
    d, (none, whole) = same(m, k), of_two_classes()
    value = calc(
        others * A,
        ("==", A * others + 0),
        ("==", A * (others * both), symm(scaled(A, whole))),
        ("==", others * (both * A)),
        ("==", others * (both * y + (E - 1) * y * d), scaled(others, other_attention_now())),
        ("==", y * (others * both) + (E - 1) * y * (others * d)),
        ("==", y * others + (E - 1) * y * 0, scaled(y, whole), scaled((E - 1) * y, none)),
        ("==", others * ((1 - E * y) / M), others, E),
        (
            "==",
            others * ((1 - a) / M),
            symm(scaled(others / M, show(1 - a, "==", 1 - E * y, mean_attention()))),
        ),
    )
    rest = show(
        0,
        "<=",
        1 - a,
        calc(0, ("<=", 1 - E * y, E), ("==", 1 - a, symm(show(1 - a, "==", 1 - E * y, mean_attention())))),
    )
    low = show((1 - a) / K_, "<=", (1 - a) / M, rest, 1 - a)
    high = show((1 - a) / M, "<=", 2 * ((1 - a) / K_), rest, 1 - a)
    return (
        calc(
            others * ((1 - a) / K_),
            ("<=", others * ((1 - a) / M), times(others, low, two_classes())),
            ("==", others * A, symm(value)),
        ),
        calc(value, ("<=", others * (2 * ((1 - a) / K_)), times(others, high, two_classes()))),
    )


def early_statements(least: Rational = HALF, most: Rational = 1, gap: int = 1) -> tuple[Statement, ...]:
    """g_k is at least least kappa^2 sigma_f^2/K^2 while a <= 1/2, and at most that times e^lambda,
    times most; and q_k - q_km is `gap` times lambda.
    """
    before = ind(HALF - a)
    return (
        Statement(before * here * (least * unit / K_**2), "<=", before * here * own_update, given),
        Statement(here * own_update, "<=", here * (most * unit * E / K_**2), given),
        gap_statement(gap),
    )


@of_each(EARLY, early_statements, (1, 2, 3))
@cache
def early_updates() -> tuple[Theorem, Theorem, Theorem]:
    before, at = ind(HALF - a), ind(HALF - E * y)
    some, value = (
        calc(0, ("<=", here**2), ("==", here, instantiate(zero_or_one, {m: k}))),
        M * (unit * E * y**3),
    )
    small = show(at * E, "<=", at * M, E)
    low = show(at * (HALF * unit / K_**2), "<=", at * value, E, small, from_one())
    high = show(value, "<=", unit * E / K_**2, E, from_one())
    there, back = gcongr(before, mean_attention()), gcongr(at, mean_attention())
    unit_there, value_there = here * (HALF * unit / K_**2), here * value
    return (
        calc(
            before * here * (HALF * unit / K_**2),
            ("==", unit_there * before),
            ("<=", unit_there * at, times(unit_there, there, product(here, HALF * unit / K_**2, some))),
            ("==", here * (at * (HALF * unit / K_**2))),
            ("<=", here * (at * value), times(here, low, some)),
            ("==", value_there * at),
            ("<=", value_there * before, times(value_there, back, product(here, value, some))),
            ("==", before * (here * own_update), symm(scaled(before, own_update_now()))),
        ),
        calc(
            own_update_now(), ("==", here * value), ("<=", here * (unit * E / K_**2), times(here, high, some))
        ),
        gap_of_the_scores(),
    )
