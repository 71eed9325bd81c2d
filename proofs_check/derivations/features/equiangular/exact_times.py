"""R7: the exact time to every attention, the law of it for many classes, and the late loss."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, log, sqrt, symm
from numerics.derivations.kernel.rules import arithmetic, assume, instantiate
from numerics.derivations.kernel.sorts import Range
from numerics.derivations.kernel.terms import CLOCK, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.flow import (
    E,
    X,
    lam,
    loss_now,
    rate,
    spent,
    time_now,
    y,
)
from proofs_check.derivations.features.equiangular.multiples import loss
from proofs_check.derivations.features.equiangular.phases import a
from proofs_check.derivations.features.equiangular.reached import (
    HALF,
    K_,
    Rational,
    attention_from_then_on,
    attention_until_then,
    every_rest,
    from_one,
    from_then_on,
    given,
    half_from,
    half_not_before,
    half_reached,
    half_until,
    now_,
    passed,
    r_,
    time_statements,
    u,
    until_then,
)
from proofs_check.derivations.features.equiangular.setting import M, eta, kappa, t
from proofs_check.derivations.features.steps import ind, scaled, times
from proofs_check.derivations.proof import proves

share = Variable("share", range=Range(Fraction(0), Fraction(1), lo_open=True, hi_open=False))
ratio = Variable("ratio", range=Range(Fraction(1, 3), None, lo_open=False))


def time_and_loss_statements(
    three: int = 3, below: Rational = 5, logs: Rational = 3, four: int = 4
) -> tuple[Statement, ...]:
    """The attention r/(1 + r) at its time, with `three` for two of the coefficients; the two bounds
    of the time to 1/2; and how far `four` eta kappa^2 t loss is from K - 1 at most, at late times.
    """
    Y = M * r_
    when = ((Y**2 - 1) / 2 + three * M * (Y - 1) + three * M**2 * log(Y) + M**3 * (1 - 1 / Y)) / K_
    there = ind(now_ - when) * ind(when - now_)
    value, far = four * eta * kappa**2 * CLOCK(t) * loss(X) / M, 2 * K_ * now_
    return (
        Statement(there * (r_ / (1 + r_) - a), "==", term(0), given),
        *time_statements(below, logs),
        Statement(far * (1 - value), "<=", K_**2 * growth, given),
        Statement(sqrt(far) * (value - 1), "<=", growth * sqrt(growth), given),
    )


#: A bound of twice the time over (e^lambda + M)^2.
growth = 1 + 4 * M + 6 * M**2 + 2 * M**3


@proves("OURS:R7.time", time_and_loss_statements)
def attention_at_its_time() -> Theorem:
    when = passed(M * r_) / K_
    there = ind(now_ - when) * ind(when - now_)
    return calc(
        there * (r_ / (1 + r_) - a),
        ("==", there * (1 - a - 1 / (1 + r_)), there, a, r_),
        ("==", 0, every_rest()),
    )


@proves("OURS:R7.time", time_and_loss_statements, part=(2, 3))
def times_to_one_half() -> tuple[Theorem, Theorem]:
    return half_reached(), half_not_before()


@cache
def loss_and_time() -> tuple[Theorem, Theorem, Theorem]:
    """4 eta kappa^2 t loss/M = 2 F y^2 with F = K times the time; and bounds of 2 F."""
    each = 4 * eta * kappa**2 * CLOCK(t) / M
    known = calc(
        each * loss(X),
        ("==", each * loss_now().rhs, scaled(each, loss_now())),
        ("==", 2 * y**2 * (rate * CLOCK(t)), E, CLOCK(t)),
        ("==", 2 * y**2 * spent, scaled(2 * y**2, time_now())),
    )
    tangent = show(
        1 - 1 / E, "<=", lam(t), calc(instantiate(show(1 + u, "<=", exp(u)), {u: -lam(t)}), ("==", 1 / E))
    )
    top = show(lam(t), "<=", E, calc(instantiate(show(1 + u, "<=", exp(u)), {u: lam(t)})))
    low = show((E + M) ** 2 - K_**2, "<=", 2 * spent, E, lam(t), tangent, from_one())
    high = show(2 * spent, "<=", (E + M) ** 2 + (growth - 1) * (E + M), E, lam(t), top, from_one())
    return known, low, high


@proves("OURS:R7.time", time_and_loss_statements, part=(4, 5))
@cache
def late_loss() -> tuple[Theorem, Theorem]:
    known, low, high = loss_and_time()
    value, far = known.lhs, 2 * K_ * now_
    twice = show(far, "==", 2 * spent, time_now())
    grown = show(2 * spent, "<=", growth * (E + M) ** 2, E, high, from_one(), spent)
    below = calc(1 - 2 * y**2 * spent, ("<=", 1 - y**2 * low.lhs, times(y**2, low)), ("==", K_**2 * y**2, E))
    above = calc(
        2 * y**2 * spent - 1, ("<=", y**2 * high.rhs - 1, times(y**2, high)), ("==", (growth - 1) * y, E)
    )
    least = calc(
        far * (1 - value),
        ("==", far - far * (2 * y**2 * spent), scaled(-far, known)),
        ("==", far * (1 - 2 * y**2 * spent)),
        ("<=", far * (K_**2 * y**2), times(far, below)),
        ("==", K_**2 * y**2 * far),
        ("==", K_**2 * y**2 * (2 * spent), scaled(K_**2 * y**2, twice)),
        ("<=", K_**2 * y**2 * (growth * (E + M) ** 2), times(K_**2 * y**2, grown)),
        ("==", K_**2 * growth, E),
    )
    unit = calc(far, ("==", 2 * spent, twice), ("<=", (sqrt(growth) * (E + M)) ** 2, grown))
    root_ = show(
        sqrt(far), "<=", sqrt(growth) * (E + M), calc(sqrt(far) ** 2, ("==", far), ("<=", unit.rhs, unit))
    )
    most = calc(
        sqrt(far) * (value - 1),
        ("==", sqrt(far) * (2 * y**2 * spent) - sqrt(far), scaled(sqrt(far), known)),
        ("==", sqrt(far) * (2 * y**2 * spent - 1)),
        ("<=", sqrt(far) * ((growth - 1) * y), times(sqrt(far), above)),
        ("==", (growth - 1) * y * sqrt(far)),
        ("<=", (growth - 1) * y * (sqrt(growth) * (E + M)), times((growth - 1) * y, root_, positive_part())),
        ("==", (growth - 1) * sqrt(growth), E, sqrt(growth)),
        ("<=", growth * sqrt(growth), show(growth - 1, "<=", growth)),
    )
    return least, most


def positive_part() -> Theorem:
    return show(0, "<=", (growth - 1) * y, E)


# The next terms of the time to 1/2, and one law for every attention


def half_statements(
    constant: int = 8, high: Fraction = Fraction(17, 2), low: Fraction = Fraction(79, 10)
) -> tuple[Statement, ...]:
    """a >= 1/2 from K^2 + 3K log K - K/2 - 6 log K - constant + (3 log K + high)/K on, and a <= 1/2
    up to that with `low` in place of `high`.
    """
    last, first = (near_half(e, constant) for e in (high, low))
    return (
        Statement(ind(now_ - last) * (HALF - a), "<=", term(0), given),
        Statement(ind(first - now_) * (a - HALF), "<=", term(0), given),
    )


def near_half(end: Rational, constant: int = 8) -> Term:
    return K_**2 + 3 * K_ * log(K_) - K_ / 2 - 6 * log(K_) - constant + (3 * log(K_) + end) / K_


@proves("OURS:R7.half", half_statements, part=(1, 2))
@cache
def next_terms() -> tuple[Theorem, Theorem]:
    """As log(1 + 1/M) is between 1/M - 1/(2 M^2) and 1/M - 3/(10 M^2)."""
    gap = arithmetic(log(K_) - log(M), "==", log(1 + 1 / M))
    low = instantiate(arithmetic(share - share**2 / 2, "<=", log(1 + share)), {share: 1 / M})
    high = instantiate(arithmetic(log(1 + share), "<=", share - Fraction(3, 10) * share**2), {share: 1 / M})
    low, high = calc(low, ("==", gap.lhs, symm(gap))), calc(gap, ("<=", high.rhs, high))
    last, first = near_half(Fraction(17, 2)), near_half(Fraction(79, 10))
    enough = show(passed(M), "<=", K_ * last, log(K_), log(M), low)
    soon = show(K_ * first, "<=", passed(M), log(K_), log(M), high)
    return half_from(last, enough), half_until(first, soon)


many_classes = assume("at least 13 classes", 13, "<=", M + 1)


def law_of(square: Rational = 1, three: Rational = 3) -> Term:
    return square * K_**2 + three * K_ * log(K_ * ratio) + 3 * K_ * ratio + K_ * ratio**2 / 2


def law_statements(twelve: int = 12, square: Rational = 1, three: Rational = 3) -> tuple[Statement, ...]:
    """a >= r/(1 + r) from the law on, and a <= r/(1 + r) up to the law over 1 + twelve/(K - 1)."""
    law, level = law_of(square, three), ratio / (1 + ratio)
    more = given | hypotheses(many_classes)
    return (
        Statement(ind(now_ - law) * (level - a), "<=", term(0), more),
        Statement(ind(law / (1 + twelve / M) - now_) * (a - level), "<=", term(0), more),
    )


@proves("OURS:R7.law", law_statements, part=(1, 2))
@cache
def law() -> tuple[Theorem, Theorem]:
    Y, last, first = M * ratio, law_of(), law_of() / (1 + term(12) / M)
    up = arithmetic(log(K_ * ratio), "<=", log(Y) + 1 / M)
    some = arithmetic(0, "<=", log(Y), many_classes)
    enough = arithmetic(passed(Y), "<=", K_ * last, many_classes)
    soon = show(K_ * last, "<=", (1 + 12 / M) * passed(Y), log(K_ * ratio), log(Y), up, some, many_classes)
    by = 1 / (1 + 12 / M)
    soon = calc(
        K_ * first,
        ("==", by * (K_ * last)),
        ("<=", by * soon.rhs, times(by, soon)),
        ("==", passed(Y), passed(Y), M),
    )
    late, early, level = ind(now_ - last), ind(first - now_), ratio / (1 + ratio)
    return (
        calc(
            late * (level - a),
            ("==", late * (Y / (Y + M) - a), late, a, ratio),
            ("<=", 0, attention_from_then_on(Y, from_then_on(Y, last, enough), late)),
        ),
        calc(
            early * (a - level),
            ("==", early * (a - Y / (Y + M)), early, a, ratio),
            ("<=", 0, attention_until_then(Y, until_then(Y, first, soon), early)),
        ),
    )
