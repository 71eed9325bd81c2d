"""When the flow over equiangular features has reached a loss: from a time on that is known.

The classes are M + 1, rho is sigma_f over the root of the loss, and lambda the score gap.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, log, symm
from numerics.derivations.kernel.rules import instantiate
from numerics.derivations.kernel.sorts import REALS, Range
from numerics.derivations.kernel.terms import CLOCK, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.flow import (
    E,
    X,
    lam,
    loss_now,
    rate,
    setting,
    spent,
    time_now,
)
from proofs_check.derivations.features.equiangular.multiples import loss as loss_at
from proofs_check.derivations.features.equiangular.setting import M, eta, kappa, spread, t
from proofs_check.derivations.features.steps import both_ways, cancelled, ind, scaled, times
from proofs_check.derivations.proof import proves

rho, u = Variable("rho", range=Range(Fraction(1), lo_open=False)), Variable("u", range=REALS)
K_ = M + 1
#: The time of the repaired theorems, in units of 1/(eta kappa^2 sigma_f^2).
last = K_**2 + 3 * K_ * log(K_ * rho) + 3 * K_ * rho + K_ * rho**2 / 2


@cache
def logarithm() -> Theorem:
    """lambda <= log(M rho) + e^lambda/(M rho) - 1."""
    gap = lam(t) - log(M * rho)
    tangent = instantiate(show(1 + u, "<=", exp(u)), {u: gap})
    return show(lam(t), "<=", log(M * rho) + E / (M * rho) - 1, calc(tangent, ("==", E / (M * rho))))


def statement(factor: Fraction = Fraction(1), loss: Fraction = Fraction(1)) -> Statement:
    """From (K^2 + 3K log(K rho) + 3K rho + K rho^2/2)/(eta kappa^2 sigma_f^2) on the loss is at
    most `loss` times (sigma_f/rho)^2; `factor` multiplies the time.
    """
    late = ind(CLOCK(t) - Fraction(factor) * last / (eta * kappa**2 * spread))
    return Statement(
        late * (loss_at(X) - Fraction(loss) * spread / rho**2), "<=", term(0), hypotheses(*setting)
    )


@proves("LDL:T1", statement)
@proves("LDL:T2", statement)
@proves("LDL:4.thr", statement)
@cache
def theorem() -> Theorem:
    early = ind(M * rho - E)
    most = (M * rho) ** 2 / 2 + 3 * M**2 * rho + 3 * M**2 * log(M * rho) + M**3
    T = last / (eta * kappa**2 * spread)
    late = ind(CLOCK(t) - T)
    rest = (E**2 - 1) / 2 + 3 * M * (E - 1) + M**3 * (1 - 1 / E)
    bound = calc(
        early * spent,
        ("==", early * rest + early * (3 * M**2) * lam(t)),
        ("<=", early * rest + early * (3 * M**2) * (log(M * rho) + E / (M * rho) - 1), logarithm()),
        ("<=", early * most, show(early * E, "<=", early * (M * rho), E), E, log(M * rho)),
    )
    both, more = late * early, K_ * last - most
    line = calc(
        both * (K_ * last),
        ("==", rate * (early * (late * T))),
        ("<=", rate * (early * (late * CLOCK(t))), show(late * T, "<=", late * CLOCK(t), T)),
        ("==", both * (rate * CLOCK(t))),
        ("==", both * spent, scaled(both, time_now())),
        ("==", late * (early * spent)),
        ("<=", late * (early * most), times(late, bound)),
    )
    some = show(0, "<=", log(K_ * rho))
    room = show(0, "<", more, log(M * rho), log(K_ * rho), larger(), some)
    never = cancelled(more, show(more * both, "<=", more * 0, line), both, term(0), room)
    level = spread / rho**2
    near = show((1 - early) * (loss_now().rhs - level), "<=", 0, E)
    return calc(
        late * (loss_at(X) - level),
        ("==", late * loss_now().rhs - late * level, scaled(late, loss_now())),
        ("==", late * ((1 - early) * (loss_now().rhs - level)) + both * (loss_now().rhs - level)),
        ("<=", late * 0 + both * (loss_now().rhs - level), times(late, near)),
        ("<=", loss_now().rhs * both, show(0, "<=", both * level)),
        ("<=", loss_now().rhs * 0, times(loss_now().rhs, never)),
        ("==", 0),
    )


@cache
def larger() -> Theorem:
    """log(M rho) <= log(K rho)."""
    return show(log(M * rho), "<=", log(K_ * rho))


def polynomial_statement(most: int | Fraction = 4) -> Statement:
    """The loss is at most sigma_f^2/rho^2 from `most` K^2 rho^2 on, in the same units."""
    enough = Fraction(most) * K_**2 * rho**2 / (eta * kappa**2 * spread)
    late = ind(CLOCK(t) - enough)
    return Statement(late * (loss_at(X) - spread / rho**2), "<=", term(0), hypotheses(*setting))


@proves("LDL:4.poly", polynomial_statement)
@cache
def in_polynomial_time() -> Theorem:
    """The time of Theorem 1 is at most this."""
    unit = 1 / (eta * kappa**2 * spread)
    T, enough = last / (eta * kappa**2 * spread), 4 * K_**2 * rho**2 / (eta * kappa**2 * spread)
    later = ind(CLOCK(t) - enough)
    sooner = calc(T, ("<=", enough, times(unit, show(last, "<=", 4 * K_**2 * rho**2))))
    earlier = ind(CLOCK(t) - T)
    square = show(later**2, "==", later)
    up = calc(
        later,
        ("==", later**2, symm(square)),
        ("<=", later * earlier, times(later, show(later, "<=", earlier, sooner))),
    )
    both = both_ways(up, show(later * earlier, "<=", later))
    beyond = loss_at(X) - spread / rho**2
    return calc(
        later * beyond,
        ("==", both.lhs * beyond),
        ("==", both.rhs * beyond, scaled(beyond, both)),
        ("==", later * theorem().lhs),
        ("<=", later * 0, times(later, theorem())),
        ("==", 0),
    )
