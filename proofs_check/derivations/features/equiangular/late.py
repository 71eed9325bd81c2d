"""The updates, the attention and the loss at late times of the flow over equiangular features."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, log, symm
from numerics.derivations.kernel.rules import assume, equal, gcongr, instantiate
from numerics.derivations.kernel.terms import CLOCK, Term, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.flow import (
    E,
    X,
    lam,
    loss_now,
    nonnegative,
    rate,
    spent,
    time_now,
    y,
)
from proofs_check.derivations.features.equiangular.multiples import loss
from proofs_check.derivations.features.equiangular.phases import (
    a,
    mean_attention,
    own_update,
)
from proofs_check.derivations.features.equiangular.reached import (
    HALF,
    K_,
    LATE,
    LATE_LOSS,
    LATE_REST,
    ORDER,
    Rational,
    given,
    logarithms,
    now_,
    of_each,
    u,
    unit,
)
from proofs_check.derivations.features.equiangular.score_updates import (
    own_update_now,
)
from proofs_check.derivations.features.equiangular.setting import (
    M,
    eta,
    here,
    k,
    kappa,
    m,
    t,
    zero_or_one,
)
from proofs_check.derivations.features.steps import ind, scaled, times

three_classes = assume("at least three classes", 3, "<=", M + 1)
late_given = given | hypotheses(three_classes)
late, at, odds = ind(a - HALF), ind(E * y - HALF), (1 - a) / a


@cache
def far() -> Theorem:
    """Whether a >= 1/2 is whether e^lambda/(e^lambda + M) is."""
    e = late - at
    one, two = (
        show(e, "<=", 0, gcongr(late, mean_attention())),
        show(-e, "<=", 0, gcongr(at, mean_attention())),
    )
    return show(late, "==", at, show(e, "==", 0, one, two, e))


@cache
def odds_now() -> Theorem:
    moved = show(odds, "==", (1 - E * y) / (E * y), mean_attention(), a, E * y)
    return calc(moved, ("==", M / E, E))


def margin(first: Rational, last: Rational) -> Term:
    """1 + first/r + (last K + 6 lambda)/r^2 with r = a/(1 - a)."""
    return 1 + first * odds + (last * K_ + 6 * lam(t)) * odds**2


@cache
def bounds_of_time() -> tuple[Theorem, Theorem]:
    """The time with 1 - e^-lambda for lambda, from below; and lambda is not negative."""
    low = show(
        1 - 1 / E, "<=", lam(t), calc(instantiate(show(1 + u, "<=", exp(u)), {u: -lam(t)}), ("==", 1 / E))
    )
    return low, nonnegative()


@cache
def even() -> Theorem:
    """K - 1 <= e^lambda where a >= 1/2, which the prover puts in."""
    return show(at * M, "<=", at * E, E)


def between(quantity: Term, limit: Term, first: int) -> tuple[Theorem, Theorem]:
    """`quantity`, which has the time as a factor, between limit and its margin where a >= 1/2."""
    tangent, some = bounds_of_time()
    over = 1 + first * (M / E) + (2 * K_ + 6 * lam(t)) * (M / E) ** 2
    return (
        show(at * limit, "<=", at * quantity, E, lam(t), even(), tangent, three_classes),
        show(at * quantity, "<=", at * (limit * over), E, lam(t), even(), some, three_classes),
    )


def bounded(
    gate: Term, some: Theorem, known: Theorem, bounds: tuple[Theorem, Theorem], low: Theorem, high: Theorem
) -> tuple[Theorem, Theorem]:
    """A quantity that is known on the line, times a gate, which is not negative, between its bounds
    where a >= 1/2; `low` and `high` say what these are at lambda.
    """
    left = calc(
        late * gate * low.lhs,
        ("==", gate * low.lhs * at, scaled(gate * low.lhs, far())),
        ("==", gate * at * low.rhs, scaled(gate * at, low)),
        ("==", gate * bounds[0].lhs),
        ("<=", gate * bounds[0].rhs, times(gate, bounds[0], some)),
        ("==", at * known.rhs),
        ("==", late * known.rhs, symm(scaled(known.rhs, far()))),
        ("==", late * known.lhs, symm(scaled(late, known))),
    )
    right = calc(
        late * known.lhs,
        ("==", late * known.rhs, scaled(late, known)),
        ("==", at * known.rhs, scaled(known.rhs, far())),
        ("==", gate * bounds[1].lhs),
        ("<=", gate * bounds[1].rhs, times(gate, bounds[1], some)),
        ("==", gate * at * high.rhs),
        ("==", gate * at * high.lhs, symm(scaled(gate * at, high))),
        ("==", late * (gate * high.lhs), symm(scaled(gate * high.lhs, far()))),
    )
    return left, right


def margin_now(first: int) -> Theorem:
    over = 1 + first * (M / E) + (2 * K_ + 6 * lam(t)) * (M / E) ** 2
    return show(margin(first, 2), "==", over, odds_now(), odds, M / E)


def of_the_rest(value: Term, factor: Term, power: Term) -> Theorem:
    """factor (1 - a)^2 times the time, on the line."""
    square = show((1 - a) ** 2, "==", (1 - E * y) ** 2, mean_attention(), a, E * y)
    return calc(
        value,
        ("==", factor * now_ * (1 - a) ** 2),
        ("==", factor * now_ * (1 - E * y) ** 2, scaled(factor * now_, square)),
        ("==", power * (rate * CLOCK(t)), E, CLOCK(t)),
        ("==", power * spent, scaled(power, time_now())),
    )


def late_update_statements(
    first: Rational = 3, last: Rational = 2, least: Rational = 1
) -> tuple[Statement, ...]:
    """2K eta g_k t/(K - 1) is at least `least`, and at most its margin, for a >= 1/2 and K >= 3."""
    value = 2 * K_ * (eta * own_update * CLOCK(t)) / M
    return (
        Statement(late * here * least, "<=", late * here * value, late_given),
        Statement(late * here * value, "<=", late * here * margin(first, last), late_given),
    )


@of_each(LATE, late_update_statements, (1, 2))
@cache
def late_updates() -> tuple[Theorem, Theorem]:
    quantity, value = 2 * spent * E * y**3, 2 * K_ * (eta * own_update * CLOCK(t)) / M
    each = 2 * K_ * eta * CLOCK(t) / M
    known = calc(
        here * value,
        ("==", each * (here * own_update)),
        ("==", each * (here * (M * (unit * E * y**3))), scaled(each, own_update_now())),
        ("==", 2 * here * E * y**3 * (rate * CLOCK(t)), here, E, CLOCK(t)),
        ("==", here * quantity, scaled(2 * here * E * y**3, time_now())),
    )
    some = calc(0, ("<=", here**2), ("==", here, instantiate(zero_or_one, {m: k})))
    return bounded(here, some, known, between(quantity, term(1), 3), equal(1, 1), margin_now(3))


def late_rest_statements(
    first: Rational = 4, last: Rational = 2, least: Rational = 1
) -> tuple[Statement, ...]:
    """2K t (1 - a)^2/(K - 1)^2 is at least `least`, and at most its margin, for such a and K."""
    value = 2 * K_ * now_ * (1 - a) ** 2 / M**2
    return (
        Statement(late * least, "<=", late * value, late_given),
        Statement(late * value, "<=", late * margin(first, last), late_given),
    )


@of_each(LATE_REST, late_rest_statements, (1, 2))
@cache
def late_rest() -> tuple[Theorem, Theorem]:
    quantity, value = 2 * spent * y**2, 2 * K_ * now_ * (1 - a) ** 2 / M**2
    known = of_the_rest(value, 2 * K_ / M**2, 2 * y**2)
    return bounded(
        term(1), show(0, "<=", term(1)), known, between(quantity, term(1), 4), equal(1, 1), margin_now(4)
    )


def order_statements(
    least: Rational = Fraction(1, 6), most: Rational = Fraction(3, 2)
) -> tuple[Statement, ...]:
    """(1 - a)^2 t is between `least` and `most` times K^2 (1 - a)^2 + K, for such a and K."""
    value, order = (1 - a) ** 2 * now_, K_**2 * (1 - a) ** 2 + K_
    return (
        Statement(late * (least * order), "<=", late * value, late_given),
        Statement(late * value, "<=", late * (most * order), late_given),
    )


@of_each(ORDER, order_statements, (1, 2))
@cache
def order() -> tuple[Theorem, Theorem]:
    rest, (tangent, _) = M * y, bounds_of_time()
    quantity, size = rest**2 * spent / K_, K_**2 * rest**2 + K_
    log_M = show(log(M), "<=", M / 6 + Fraction(4, 5))
    top = calc(logarithms(M)[0], ("<=", M / 6 + Fraction(4, 5) + E / M - 1, log_M))
    low, high = Fraction(1, 6), Fraction(3, 2)
    bounds = (
        show(at * (low * size), "<=", at * quantity, E, lam(t), even(), tangent, three_classes),
        show(at * quantity, "<=", at * (high * size), E, lam(t), even(), top, three_classes),
    )
    square = show((1 - a) ** 2, "==", (1 - E * y) ** 2, mean_attention(), a, E * y)
    size_now = calc(
        K_**2 * (1 - a) ** 2 + K_,
        ("==", K_**2 * (1 - E * y) ** 2 + K_, scaled(K_**2, square)),
        ("==", size, E),
    )
    known = of_the_rest((1 - a) ** 2 * now_, term(1), rest**2 / K_)
    scaled_sizes = scaled(term(low), size_now), scaled(term(high), size_now)
    return bounded(term(1), show(0, "<=", term(1)), known, bounds, *scaled_sizes)


def late_loss_statements(
    first: Rational = 4, last: Rational = 2, least: Rational = 1
) -> tuple[Statement, ...]:
    """4 eta kappa^2 t loss/(K - 1) is at least `least`, and at most its margin, where a >= 1/2 and
    K >= 3.
    """
    value = 4 * eta * kappa**2 * CLOCK(t) * loss(X) / M
    return (
        Statement(late * least, "<=", late * value, late_given),
        Statement(late * value, "<=", late * margin(first, last), late_given),
    )


@of_each(LATE_LOSS, late_loss_statements, (1, 2))
@cache
def late_loss() -> tuple[Theorem, Theorem]:
    each = 4 * eta * kappa**2 * CLOCK(t) / M
    known = calc(
        each * loss(X),
        ("==", each * loss_now().rhs, scaled(each, loss_now())),
        ("==", 2 * y**2 * (rate * CLOCK(t)), E, CLOCK(t)),
        ("==", 2 * y**2 * spent, scaled(2 * y**2, time_now())),
    )
    bounds = between(2 * spent * y**2, term(1), 4)
    return bounded(term(1), show(0, "<=", term(1)), known, bounds, equal(1, 1), margin_now(4))
