"""Where the speed of the attention and the updates are largest along the flow over equiangular
features: the sentences of Li, Duan & Liang on what is fast, and large, at first and late.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import symm
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import instantiate
from numerics.derivations.kernel.sorts import Range
from numerics.derivations.kernel.terms import Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.flow import E, lam, scalar, y
from proofs_check.derivations.features.equiangular.phases import a, mean_attention, own_update
from proofs_check.derivations.features.equiangular.reached import HALF, K_, Rational, given, unit
from proofs_check.derivations.features.equiangular.score_updates import own_update_now
from proofs_check.derivations.features.equiangular.setting import M, eta, here, k, m, t, zero_or_one
from proofs_check.derivations.features.steps import product, scaled, times
from proofs_check.derivations.proof import proves

w = Variable("share", range=Range(Fraction(0), Fraction(1), False, False))
#: The attention on the own class, by the scalar of the flow.
share = E * y


def update(of: Term | Rational, rest: Term | Rational, power: int = 2) -> Term:
    """The update of the own score at an attention, and at what it leaves."""
    return here * (unit / M * (of * rest**power))


def speed(of: Term | Rational, rest: Term | Rational, cube: int = 3) -> Term:
    """The speed of the attention there."""
    return eta * unit * K_ / M**2 * (of**2 * rest**cube)


def first_statements(power: int = 2, largest: Fraction = Fraction(1, 3)) -> tuple[Statement, ...]:
    """g_k = kappa^2 sigma_f^2 a (1 - a)^power/(K - 1), at most what it is at a = `largest`."""
    return (
        Statement(here * own_update, "==", update(a, 1 - a, power), given),
        Statement(here * own_update, "<=", update(largest, 1 - largest), given),
    )


def late_statements(power: int = 2, eight: int = 8) -> tuple[Statement, ...]:
    """The same, and g_k is at most `eight` (1 - a)^2 times what it is at a = 1/2."""
    return (
        first_statements(power)[0],
        Statement(
            here * own_update, "<=", eight * (1 - a) ** 2 * update(Fraction(1, 2), Fraction(1, 2)), given
        ),
    )


def rise_statements(
    whole: int = 1, cube: int = 3, fastest: Fraction = Fraction(2, 5)
) -> tuple[Statement, ...]:
    """What the attention is, with a factor `whole`; and its speed, with an exponent `cube`, which
    is at most what it is at a = `fastest`.
    """
    moved = derivative(share, t)
    return (
        Statement(a, "==", whole * share, given),
        Statement(moved, "==", speed(a, 1 - a, cube), given),
        Statement(moved, "<=", speed(fastest, 1 - fastest), given),
    )


@cache
def ranges() -> tuple[Theorem, Theorem]:
    """0 <= a <= 1."""
    return show(0, "<=", share), show(share, "<=", 1)


@cache
def of_the_attention() -> Theorem:
    """The update by the attention."""
    value = show(a * (1 - a) ** 2, "==", share * (1 - share) ** 2, mean_attention(), a, share)
    return calc(
        own_update_now(),
        ("==", update(share, 1 - share), here, E),
        ("==", update(a, 1 - a), symm(scaled(here * unit / M, value))),
    )


@cache
def weight() -> Theorem:
    some = calc(0, ("<=", here**2), ("==", here, instantiate(zero_or_one, {m: k})))
    return product(here, unit / M, some)


@proves("LDL:5.2.init", first_statements, part=(1, 2))
@cache
def at_first() -> tuple[Theorem, Theorem]:
    """As a (1 - a)^2 <= 4/27."""
    most = instantiate(show(w * (1 - w) ** 2, "<=", Fraction(4, 27)), {w: share}, *ranges())
    return of_the_attention(), calc(
        own_update_now(),
        ("==", here * (unit / M) * most.lhs, here, E),
        ("<=", here * (unit / M) * most.rhs, times(here * (unit / M), most, weight())),
        ("==", update(Fraction(1, 3), Fraction(2, 3))),
    )


@proves("LDL:5.3.large", late_statements, part=(1, 2))
@cache
def late() -> tuple[Theorem, Theorem]:
    """As a <= 1."""
    one = instantiate(show(w * (1 - w) ** 2, "<=", (1 - w) ** 2), {w: share}, *ranges())
    rest = show((1 - a) ** 2, "==", (1 - share) ** 2, mean_attention(), a, share)
    return of_the_attention(), calc(
        own_update_now(),
        ("==", here * (unit / M) * one.lhs, here, E),
        ("<=", here * (unit / M) * one.rhs, times(here * (unit / M), one, weight())),
        ("==", here * (unit / M) * (1 - a) ** 2, symm(scaled(here * (unit / M), rest))),
        ("==", 8 * (1 - a) ** 2 * update(HALF, HALF)),
    )


@proves("LDL:abs.rise", rise_statements, part=(1, 2, 3))
@cache
def rise() -> tuple[Theorem, Theorem, Theorem]:
    """As a^2 (1 - a)^3 <= 108/3125."""
    most = instantiate(show(w**2 * (1 - w) ** 3, "<=", Fraction(108, 3125)), {w: share}, *ranges())
    value = show(a**2 * (1 - a) ** 3, "==", share**2 * (1 - share) ** 3, mean_attention(), a, share)
    moved = calc(
        derivative(share, t),
        ("==", M * E * y**2 * lam.rate(t), E, lam.rate(t)),
        ("==", M * E * y**2 * scalar.rhs, scaled(M * E * y**2, scalar)),
        ("==", speed(share, 1 - share), E),
    )
    rate = eta * unit * K_ / M**2
    return (
        mean_attention(),
        calc(moved, ("==", speed(a, 1 - a), symm(scaled(rate, value)))),
        calc(
            moved, ("<=", rate * most.rhs, times(rate, most)), ("==", speed(Fraction(2, 5), Fraction(3, 5)))
        ),
    )
