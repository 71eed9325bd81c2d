"""How small the updates are late along the flow over equiangular features: at most 1/t."""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import log
from numerics.derivations.kernel.rules import assume, gcongr, instantiate
from numerics.derivations.kernel.terms import CLOCK, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.flow import E, lam, rate, spent, time_now, y
from proofs_check.derivations.features.equiangular.phases import a, mean_attention, own_update
from proofs_check.derivations.features.equiangular.reached import (
    K_,
    Rational,
    attention_from_then_on,
    from_one,
    from_then_on,
    given,
    now_,
    passed,
    z,
)
from proofs_check.derivations.features.equiangular.score_updates import own_update_now
from proofs_check.derivations.features.equiangular.setting import M, eta, here, k, m, t, zero_or_one
from proofs_check.derivations.features.steps import ind, product, scaled, times
from proofs_check.derivations.proof import proves

#: The odds of the attention are K.
Y, far = M * K_, K_ / (K_ + 1)


classes = assume("at least eight classes", 8, "<=", K_)


def statements(most: Rational = 1, by: Rational = 1) -> tuple[Statement, ...]:
    """For K >= 8 and from `by` K^3 on, in units of 1/(eta kappa^2 sigma_f^2), a is at least
    K/(K + 1); and where it is, eta g_k is at most `most`/t.
    """
    late, there, setting = ind(now_ - by * K_**3), ind(a - far), given | hypotheses(classes)
    return (
        Statement(late * (far - a), "<=", term(0), setting),
        Statement(there * (here * (eta * CLOCK(t) * own_update) - most * here), "<=", term(0), setting),
    )


@cache
def of_a_number() -> Theorem:
    """log x <= x/20 + 2."""
    return show(log(z), "<=", z / 20 + 2)


@proves("OURS:R7.updates", statements)
@cache
def far_in_time() -> Theorem:
    last = K_**3
    enough = show(passed(Y), "<=", K_ * last, instantiate(of_a_number(), {z: Y}), classes, log(Y))
    late = ind(now_ - last)
    found = attention_from_then_on(Y, from_then_on(Y, last, enough), late)
    return calc(late * (far - a), ("==", late * (Y / (Y + M) - a), late, a), ("<=", 0, found))


@cache
def a_class() -> Theorem:
    """delta_kk is not negative."""
    return calc(0, ("<=", here**2), ("==", here, instantiate(zero_or_one, {m: k})))


@proves("OURS:R7.updates", statements, part=2)
@cache
def small() -> Theorem:
    there, gate, share = ind(a - far), ind(E * y - far), M * E * y**3 / K_
    top = show(lam(t), "<=", E / 20 + 2, instantiate(of_a_number(), {z: E}))
    most = E**2 / 2 + 3 * M * E + 3 * M**2 * (E / 20 + 2) + M**3
    below = show(spent, "<=", most, top, from_one(), E, lam(t))
    line = calc(
        gate * (spent * share - 1),
        ("<=", gate * (most * share - 1), times(gate * share, below)),
        ("<=", 0, show(gate * (M * K_), "<=", gate * E, E), classes, E),
    )
    up, down = gcongr(there, mean_attention()), gcongr(gate, mean_attention())
    moved = calc(
        here * (eta * CLOCK(t) * own_update),
        ("==", eta * CLOCK(t) * own_update_now().rhs, scaled(eta * CLOCK(t), own_update_now())),
        ("==", rate * CLOCK(t) * share * here, E, here),
    )
    some = product(rate * CLOCK(t) * share, here, a_class())
    known = scaled(gate * share * here, time_now())
    return calc(
        there * (here * (eta * CLOCK(t) * own_update) - here),
        ("==", there * moved.lhs - there * here),
        ("==", there * moved.rhs - there * here, scaled(there, moved)),
        ("==", moved.rhs * there - here * there),
        ("<=", moved.rhs * gate - here * there, times(moved.rhs, up, some)),
        ("<=", moved.rhs * gate - here * gate, times(here, down, a_class())),
        ("==", known.lhs - here * gate),
        ("==", known.rhs - here * gate, known),
        ("==", here * (gate * (spent * share - 1))),
        ("<=", here * 0, times(here, line, a_class())),
    )
