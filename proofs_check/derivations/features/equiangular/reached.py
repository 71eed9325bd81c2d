"""When the attention along the flow over equiangular features is reached; and which claims on the
phases of Li, Duan & Liang say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from numerics.derivations.derived import exp, log, symm
from numerics.derivations.kernel.rules import arithmetic, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, REALS
from numerics.derivations.kernel.terms import CLOCK, Number, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.flow import (
    E,
    lam,
    nonnegative,
    rate,
    setting,
    spent,
    time_now,
    y,
)
from proofs_check.derivations.features.equiangular.phases import (
    a,
    mean_attention,
)
from proofs_check.derivations.features.equiangular.setting import (
    M,
    eta,
    kappa,
    spread,
    t,
)
from proofs_check.derivations.features.steps import cancelled, ind, scaled, times
from proofs_check.derivations.proof import Derivation, proves

Rational = int | Fraction
HALF = Fraction(1, 2)
w, r_, u, z = (
    *(Variable(name, range=POSITIVE) for name in ("w", "ratio")),
    Variable("u", range=REALS),
    Variable("x", range=POSITIVE),
)
K_ = M + 1
given = hypotheses(*setting)
#: The time in units of 1/(eta kappa^2 sigma_f^2), and the unit of updates.
now_, unit = eta * kappa**2 * spread * CLOCK(t), kappa**2 * spread
#: The claims that say the same.
UPDATES = "LDL:P3/rate.lower", "LDL:P4/rate.lower", "LDL:5.3"
EARLY = "LDL:P2/rate.lower", "LDL:L4.1/lower"
OTHERS = ("LDL:P2.osc", "LDL:P2.osc/trend", "LDL:P3/off", "LDL:P4/off", "LDL:L7.2", "LDL:L9.2")
OTHER_ATTENTION = "LDL:L6.3", "LDL:L9.prem"
TIME = "LDL:P2/time.upper", "LDL:3.1.orth"
HALF_TIME = "LDL:P2.attn", "LDL:L5.2", "LDL:P3/attn", "LDL:P4/attn", "LDL:L8.attn"
REST, START, PHASE_2 = ("LDL:L7.prem",), ("LDL:L4.attn",), ("LDL:L6.1",)
LATE = "LDL:P3/rate", "LDL:P4/rate", "LDL:L7.1"
LATE_REST, LATE_LOSS, ORDER = ("LDL:L6.2",), ("LDL:cmp1",), ("LDL:L8.1", "LDL:L10.1")


def of_each(
    ids: Sequence[str], statements: Callable[..., Any], part: int | Sequence[int] = 1
) -> Callable[[Derivation], Derivation]:
    """The decorated function derives each of the claims."""

    def register(derivation: Derivation) -> Derivation:
        for id in ids:
            proves(id, statements, part=part)(derivation)
        return derivation

    return register


def passed(Y: Term) -> Term:
    """K times the time at which e^lambda is Y."""
    return (Y**2 - 1) / 2 + 3 * M * (Y - 1) + 3 * M**2 * log(Y) + M**3 * (1 - 1 / Y)


@cache
def logarithms(Y: Term) -> tuple[Theorem, Theorem]:
    """lambda <= log Y + e^lambda/Y - 1, and 1 - Y/e^lambda <= lambda - log Y."""
    gap, tangent = lam(t) - log(Y), show(1 + u, "<=", exp(u))
    first = calc(instantiate(tangent, {u: gap}), ("==", E / Y))
    second = calc(instantiate(tangent, {u: -gap}), ("==", Y / E))
    return (
        show(lam(t), "<=", log(Y) + E / Y - 1, first),
        show(1 - Y / E, "<=", lam(t) - log(Y), second),
    )


def letters(*terms: Term) -> tuple[Term, ...]:
    """The terms that are no numbers, as letters for a prover."""
    return tuple(e for e in terms if not isinstance(e, Number))


def from_then_on(Y: Term, last: Term, enough: Theorem) -> Theorem:
    """e^lambda >= Y from the time `last` on, where K times it is at least that of Y."""
    early, late = ind(Y - E), ind(now_ - last)
    way = calc(
        early * (3 * M * (Y - E)),
        ("<=", early * (3 * M * (Y - E) + 3 * M**2 * (1 - E / Y)), *letters(E, Y)),
        ("<=", early * (3 * M * (Y - E) + 3 * M**2 * (log(Y) - lam(t))), logarithms(Y)[0]),
        ("<=", early * (passed(Y) - spent), *letters(E, Y, lam(t), log(Y))),
        ("<=", early * (K_ * last - spent), enough),
    )
    none = calc(
        late * early * (3 * M * (Y - E)),
        ("==", late * way.lhs),
        ("<=", late * way.rhs, times(late, way)),
        ("==", early * late * (K_ * last - spent)),
        ("==", early * late * (K_ * last - rate * CLOCK(t)), scaled(-early * late, time_now())),
        ("==", early * K_ * (late * (last - now_))),
        ("<=", early * K_ * 0, show(late * (last - now_), "<=", 0, last)),
    )
    never = cancelled(
        3 * M,
        show(3 * M * (late * early * (Y - E)), "<=", 3 * M * 0, none),
        late * early * (Y - E),
        term(0),
        show(0, "<", 3 * M),
    )
    return calc(
        late * (Y - E),
        ("<=", late * (early * (Y - E)), show(Y - E, "<=", early * (Y - E), *letters(E, Y))),
        ("<=", 0, never),
    )


def until_then(Y: Term, first: Term, soon: Theorem) -> Theorem:
    """e^lambda <= Y up to the time `first`, where K times it is at most that of Y."""
    beyond, early = ind(E - Y), ind(first - now_)
    way = calc(
        beyond * (3 * M * (E - Y)),
        ("<=", beyond * (3 * M * (E - Y) + 3 * M**2 * (1 - Y / E)), *letters(E, Y)),
        ("<=", beyond * (3 * M * (E - Y) + 3 * M**2 * (lam(t) - log(Y))), logarithms(Y)[1]),
        ("<=", beyond * (spent - passed(Y)), *letters(E, Y, lam(t), log(Y))),
        ("<=", beyond * (spent - K_ * first), soon),
    )
    none = calc(
        early * beyond * (3 * M * (E - Y)),
        ("==", early * way.lhs),
        ("<=", early * way.rhs, times(early, way)),
        ("==", beyond * early * (spent - K_ * first)),
        ("==", beyond * early * (rate * CLOCK(t) - K_ * first), symm(scaled(beyond * early, time_now()))),
        ("==", beyond * K_ * (early * (now_ - first))),
        ("<=", beyond * K_ * 0, show(early * (now_ - first), "<=", 0, first)),
    )
    product = early * beyond * (E - Y)
    never = cancelled(
        3 * M, show(3 * M * product, "<=", 3 * M * 0, none), product, term(0), show(0, "<", 3 * M)
    )
    return calc(
        early * (E - Y),
        ("<=", early * (beyond * (E - Y)), show(E - Y, "<=", beyond * (E - Y), *letters(E, Y))),
        ("<=", 0, never),
    )


def attention_from_then_on(Y: Term, thm: Theorem, late: Term) -> Theorem:
    """Y/(Y + M) <= a, where late (Y - e^lambda) <= 0."""
    by = M * y / (Y + M)
    return calc(
        late * (Y / (Y + M) - a),
        ("==", late * (Y / (Y + M)) - late * (E * y), scaled(-late, mean_attention())),
        ("==", by * (late * (Y - E)), *letters(late, E, Y)),
        ("<=", by * 0, times(by, thm)),
        ("==", 0),
    )


def attention_until_then(Y: Term, thm: Theorem, early: Term) -> Theorem:
    by = M * y / (Y + M)
    return calc(
        early * (a - Y / (Y + M)),
        ("==", early * (E * y) - early * (Y / (Y + M)), scaled(early, mean_attention())),
        ("==", by * (early * (E - Y)), *letters(early, E, Y)),
        ("<=", by * 0, times(by, thm)),
        ("==", 0),
    )


def half_time(logs: Rational = 3) -> Term:
    return K_**2 + logs * K_ * log(K_)


def time_statements(below: Rational = 5, logs: Rational = 3) -> tuple[Statement, ...]:
    """a >= 1/2 from K^2 + logs K log K on, and a <= 1/2 up to K^2 + 3K log K - below K."""
    first, last = half_time() - below * K_, half_time(logs)
    return (
        Statement(ind(now_ - last) * (HALF - a), "<=", term(0), given),
        Statement(ind(first - now_) * (a - HALF), "<=", term(0), given),
    )


def half_from(last: Term, enough: Theorem) -> Theorem:
    """a >= 1/2 from the time `last` on."""
    late = ind(now_ - last)
    found = attention_from_then_on(M, from_then_on(M, last, enough), late)
    return calc(late * (HALF - a), ("==", late * (M / (M + M) - a), late, a), ("<=", 0, found))


def half_until(first: Term, soon: Theorem) -> Theorem:
    """a <= 1/2 up to the time `first`."""
    early = ind(first - now_)
    found = attention_until_then(M, until_then(M, first, soon), early)
    return calc(early * (a - HALF), ("==", early * (a - M / (M + M)), early, a), ("<=", 0, found))


@of_each(TIME, time_statements, 1)
@cache
def half_reached() -> Theorem:
    last = half_time()
    return half_from(last, show(passed(M), "<=", K_ * last))


@of_each(TIME, time_statements, 2)
@cache
def half_not_before() -> Theorem:
    first = half_time() - 5 * K_
    return half_until(first, arithmetic(K_ * first, "<=", passed(M)))


def least_statement(logs: Rational = 3, least: Rational = HALF) -> Statement:
    """a >= least/(1 + x) for every x > 0 from K^2 + logs K log K on."""
    late = ind(now_ - half_time(logs))
    return Statement(late * (least / (1 + z) - a), "<=", term(0), given)


@of_each(HALF_TIME, least_statement, 1)
@cache
def at_least_half() -> Theorem:
    late = ind(now_ - half_time())
    return calc(
        late * (HALF / (1 + z) - a),
        ("<=", late * (HALF - a), times(late, show(HALF / (1 + z) - a, "<=", HALF - a, a))),
        ("<=", 0, half_reached()),
    )


def rest_statement(whole: Rational = 1) -> Statement:
    """1 - a = 1/(1 + ratio) at the time to e^lambda = M ratio, with `whole` for the 1."""
    when = passed(M * r_) / K_
    there = ind(now_ - when) * ind(when - now_)
    return Statement(there * (whole - a - 1 / (1 + r_)), "==", term(0), given)


@of_each(REST, rest_statement, 1)
@cache
def every_rest() -> Theorem:
    Y, when = M * r_, passed(M * r_) / K_
    late, early = ind(now_ - when), ind(when - now_)
    enough = show(passed(Y), "<=", K_ * when, log(Y))
    soon = show(K_ * when, "<=", passed(Y), log(Y))
    up = attention_from_then_on(Y, from_then_on(Y, when, enough), late)
    down = attention_until_then(Y, until_then(Y, when, soon), early)
    e = late * early * (1 - a - 1 / (1 + r_))
    most = calc(
        e, ("==", early * (late * (Y / (Y + M) - a)), late, early, a, r_), ("<=", early * 0, times(early, up))
    )
    least = calc(
        -e,
        ("==", late * (early * (a - Y / (Y + M))), late, early, a, r_),
        ("<=", late * 0, times(late, down)),
    )
    return show(e, "==", 0, most, least, e)


@cache
def from_one() -> Theorem:
    return calc(1, ("<=", E, nonnegative()))
