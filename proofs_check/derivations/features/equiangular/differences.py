"""The values of exchangeable tasks at two classes differ by 2 sigma_f^2 in the mean square."""

from __future__ import annotations

from numerics.derivations.kernel.rules import instantiate
from numerics.derivations.kernel.terms import term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc
from proofs_check.derivations.features.equiangular.phases import others
from proofs_check.derivations.features.equiangular.score_updates import with_the_query
from proofs_check.derivations.features.equiangular.setting import (
    both,
    common,
    delta,
    exchangeable,
    f,
    here,
    k,
    m,
    mean,
    of_classes,
    projections,
    same,
    spread,
    task,
    there,
    zero_or_one,
)
from proofs_check.derivations.features.steps import scaled
from proofs_check.derivations.proof import proves


def statement(two: int = 2) -> Statement:
    """E (f_m - f_k)^2 = two sigma_f^2 for two different classes."""
    left = others * mean((f(m, task) - f(k, task)) ** 2)
    return Statement(left, "==", others * (two * spread), hypotheses(*delta, exchangeable))


@proves("LDL:D3.all", statement)
def theorem() -> Theorem:
    d, (_, mixed, own), query = same(m, k), projections(), with_the_query()
    none = calc(
        others * d, ("==", both * d - d * d), ("==", d - d * d, mixed), ("==", 0, scaled(term(-1), own))
    )
    with_other = calc(
        others * there,
        ("==", here * there**2 - d * there),
        (
            "==",
            here * there - d,
            scaled(here, instantiate(zero_or_one, {k: m})),
            scaled(term(-1), of_classes),
        ),
        ("==", others),
    )
    parts = [exchangeable, instantiate(exchangeable, {k: m}), instantiate(exchangeable, {m: k})]
    cross, one, other = (scaled(others, part) for part in parts)
    one_square, other_square = (
        calc(
            square,
            ("==", spread * (others * own_class) + common * own_class * (others * own_class)),
            ("==", spread * others + common * own_class * (others * own_class), scaled(spread, kept)),
            ("==", spread * others + common * own_class * others, scaled(common * own_class, kept)),
            ("==", spread * others + common * (others * own_class)),
            ("==", spread * others + common * others, scaled(common, kept)),
        )
        for square, own_class, kept in ((one, there, with_other), (other, here, query))
    )
    product = calc(
        cross,
        ("==", spread * (others * d) + common * here * (others * there)),
        ("==", spread * 0 + common * here * others, scaled(spread, none), scaled(common * here, with_other)),
        ("==", common * (others * here)),
        ("==", common * others, scaled(common, query)),
    )
    return calc(
        others * mean((f(m, task) - f(k, task)) ** 2),
        ("==", one_square.lhs + other_square.lhs - 2 * product.lhs),
        ("==", one_square.rhs + other_square.lhs - 2 * product.lhs, one_square),
        ("==", one_square.rhs + other_square.rhs - 2 * product.lhs, other_square),
        ("==", one_square.rhs + other_square.rhs - 2 * product.rhs, scaled(term(-2), product)),
        ("==", others * (2 * spread)),
    )
