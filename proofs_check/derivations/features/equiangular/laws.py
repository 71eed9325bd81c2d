"""When the attention along the flow over equiangular features is reached, and how large the updates
of the scores are then: what is true of the phases of Li, Duan & Liang.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from numerics.derivations.derived import exp, log, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, arithmetic, assume, equal, gcongr, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import CLOCK, Number, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.flow import (
    A,
    E,
    X,
    lam,
    loss,
    loss_now,
    nonnegative,
    rate,
    scalar,
    setting,
    spent,
    time_now,
    y,
)
from proofs_check.derivations.features.equiangular.phases import (
    a,
    mean_attention,
    other_attention_now,
    others,
    own_update,
    score_now,
    update,
    updates_now,
)
from proofs_check.derivations.features.equiangular.setting import (
    K,
    M,
    both,
    counted,
    eta,
    here,
    k,
    kappa,
    m,
    of_the_query,
    projections,
    same,
    score,
    spread,
    t,
    there,
    zero_or_one,
)
from proofs_check.derivations.features.steps import cancelled, ind, product, scaled, times
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


# The time to the attention 1/2


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


# The updates


def update_statement(power: int = 2) -> Statement:
    """g_k = kappa^2 sigma_f^2 a (1 - a)^power/(K - 1)."""
    return Statement(here * own_update, "==", here * (unit * a * (1 - a) ** power / M), given)


@cache
def number_of_classes() -> Theorem:
    return show(K_ / K, "==", 1, scaled(1 / K, counted))


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
    d, e, (square, mixed, own) = same(m, k), unit * E * y**3, projections()
    none = calc(
        others * d, ("==", both * d - d * d), ("==", d - d * d, mixed), ("==", 0, scaled(term(-1), own))
    )
    whole = calc(
        others * both,
        ("==", both * both - both * d),
        ("==", both - both * d, square),
        ("==", others, scaled(term(-1), mixed)),
    )
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
    here_too = instantiate(zero_or_one, {m: k})
    gate = calc(
        others * here,
        ("==", there * here**2 - here * same(m, k)),
        ("==", there * here - same(m, k), scaled(there, here_too), scaled(term(-1), of_the_query())),
        ("==", others),
    )
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
    d, (square, mixed, own) = same(m, k), projections()
    none = calc(
        others * d, ("==", both * d - d * d), ("==", d - d * d, mixed), ("==", 0, scaled(term(-1), own))
    )
    whole = calc(
        others * both,
        ("==", both * both - both * d),
        ("==", both - both * d, square),
        ("==", others, scaled(term(-1), mixed)),
    )
    squared = calc(
        others, ("==", others * both, symm(whole)), ("==", others**2 + others * d), ("==", others**2, none)
    )
    some = calc(0, ("<=", others**2), ("==", others, symm(squared)))
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
            ("<=", others * ((1 - a) / M), times(others, low, some)),
            ("==", others * A, symm(value)),
        ),
        calc(value, ("<=", others * (2 * ((1 - a) / K_)), times(others, high, some))),
    )


# From the start, and from the attention 1/2 on


def early_statements(least: Rational = HALF, most: Rational = 1) -> tuple[Statement, ...]:
    """g_k is at least least kappa^2 sigma_f^2/K^2 while a <= 1/2, and at most that times e^lambda,
    times most.
    """
    before = ind(HALF - a)
    return (
        Statement(before * here * (least * unit / K_**2), "<=", before * here * own_update, given),
        Statement(here * own_update, "<=", here * (most * unit * E / K_**2), given),
    )


@cache
def from_one() -> Theorem:
    return calc(1, ("<=", E, nonnegative()))


@of_each(EARLY, early_statements, (1, 2))
@cache
def early_updates() -> tuple[Theorem, Theorem]:
    before, at = ind(HALF - a), ind(HALF - E * y)
    some, value = (
        calc(0, ("<=", here**2), ("==", here, instantiate(zero_or_one, {m: k}))),
        M * (unit * E * y**3),
    )
    low = show(at * (HALF * unit / K_**2), "<=", at * value, E, from_one())
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
    )


def score_statement(share: Rational = HALF) -> Statement:
    """q_k = (K - 1)/K log(K - 1) where a = share."""
    there = ind(a - share) * ind(share - a)
    return Statement(there * here * (score_own - M / K * log(M)), "==", term(0), given)


score_own = instantiated(score(X), {m: k})


def start_statements(
    least: Rational = 1, most: Rational = 3, share: Rational = Fraction(2, 3)
) -> tuple[Statement, ...]:
    """a is at least least/K, and at most most/K up to the time share K^2."""
    return (
        Statement(least / K_, "<=", a, given),
        Statement(ind(share * K_**2 - now_) * (a - most / K_), "<=", term(0), given),
    )


@of_each(START, start_statements, (1, 2))
@cache
def at_the_start() -> tuple[Theorem, Theorem]:
    first, three = Fraction(2, 3) * K_**2, term(3)
    early, soon = ind(first - now_), arithmetic(K_ * first, "<=", passed(three))
    return (
        calc(1 / K_, ("<=", E * y, E, from_one()), ("==", a, symm(mean_attention()))),
        calc(
            early * (a - 3 / K_),
            (
                "<=",
                early * (a - three / (three + M)),
                times(early, show(a - 3 / K_, "<=", a - three / (three + M), a)),
            ),
            ("<=", 0, attention_until_then(three, until_then(three, first, soon), early)),
        ),
    )


s = Variable("s", Sort.TIME)


def rising_statements(least: Rational = HALF, sign: int = 1) -> tuple[Statement, ...]:
    """a >= least/(1 + x) for every x > 0 where a >= 1/2, and a does not fall."""
    earlier = instantiated(a, {t: s})
    later = ind(CLOCK(t) - CLOCK(s))
    return (
        Statement(ind(a - HALF) * (least / (1 + z) - a), "<=", term(0), given),
        Statement(later * (sign * earlier), "<=", later * (sign * a), given),
    )


@of_each(PHASE_2, rising_statements, (1, 2))
@cache
def rising() -> tuple[Theorem, Theorem]:
    later, share = ind(CLOCK(t) - CLOCK(s)), E * y
    down = calc(
        derivative(-share, t), ("==", -(M * E * y**2) * lam.rate(t), E, lam.rate(t)), ("<=", 0, moving())
    )
    fallen = antitone(-share, t, down, s)
    then = instantiate(mean_attention(), {t: s})
    return (
        show(ind(a - HALF) * (HALF / (1 + z) - a), "<=", 0, a),
        calc(
            later * then.lhs,
            ("==", later * then.rhs, scaled(later, then)),
            ("<=", later * share, fallen),
            ("==", later * a, symm(scaled(later, mean_attention()))),
        ),
    )


@cache
def moving() -> Theorem:
    return calc(0, ("<=", scalar.rhs), ("==", lam.rate(t), symm(scalar)))


@cache
def gap_at_one_half() -> Theorem:
    """lambda = log M where a = 1/2."""
    above, below, gap = ind(a - HALF), ind(HALF - a), lam(t) - log(M)
    share = show(E * y - HALF, "==", a - HALF, symm(mean_attention()))
    both_ = above * below
    up = show(gap, "<=", E / M - 1, logarithms(M)[0])
    down = show(-gap, "<=", M / E - 1, logarithms(M)[1])
    c_up, c_down = 2 * (E + M) / M, 2 * (E + M) / E
    most = calc(
        both_ * gap,
        ("<=", both_ * (E / M - 1), times(both_, up)),
        ("==", above * c_up * below * (E * y - HALF), above, below, E),
        ("==", above * c_up * below * (a - HALF), scaled(above * c_up * below, share)),
        ("<=", above * c_up * 0, show(below * (a - HALF), "<=", 0, a)),
        ("==", 0),
    )
    least = calc(
        -(both_ * gap),
        ("==", both_ * -gap),
        ("<=", both_ * (M / E - 1), times(both_, down)),
        ("==", -(below * c_down * above) * (E * y - HALF), above, below, E),
        ("==", -(below * c_down * above) * (a - HALF), scaled(-(below * c_down * above), share)),
        ("==", below * c_down * (above * (HALF - a))),
        ("<=", below * c_down * 0, show(above * (HALF - a), "<=", 0, a)),
        ("==", 0),
    )
    return show(both_ * gap, "==", 0, most, least, both_ * gap)


@cache
def scores() -> Theorem:
    there_ = ind(a - HALF) * ind(HALF - a)
    square = instantiate(zero_or_one, {m: k})
    own_score = calc(
        here * score_own,
        ("==", here * (lam(t) * (here - here * here / K)), scaled(here, instantiate(score_now(), {m: k}))),
        ("==", lam(t) * here**2 - lam(t) / K * here * here**2),
        (
            "==",
            lam(t) * here - lam(t) / K * here * here,
            scaled(lam(t), square),
            scaled(-lam(t) / K * here, square),
        ),
        ("==", lam(t) * here - lam(t) / K * here, scaled(-lam(t) / K, square)),
        (
            "==",
            here * lam(t) * (M / K),
            scaled(here * lam(t), show(1 - 1 / K, "==", M / K, scaled(1 / K, counted))),
        ),
    )
    return calc(
        there_ * here * (score_own - M / K * log(M)),
        ("==", there_ * (here * score_own) - there_ * here * (M / K * log(M))),
        (
            "==",
            there_ * (here * lam(t) * (M / K)) - there_ * here * (M / K * log(M)),
            scaled(there_, own_score),
        ),
        ("==", here * (M / K) * (there_ * (lam(t) - log(M)))),
        ("==", here * (M / K) * 0, scaled(here * (M / K), gap_at_one_half())),
        ("==", 0),
    )


def scores_and_time(below: Rational = 5, logs: Rational = 3, share: Fraction = HALF) -> tuple[Statement, ...]:
    return score_statement(share), *time_statements(below, logs)


of_each(("LDL:L5.off/gap",), score_statement)(scores)
of_each(("LDL:L5.1",), scores_and_time, (1, 2, 3))(lambda: (scores(), half_reached(), half_not_before()))


# Late times

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


def between(quantity: Term, limit: Term, first: int) -> tuple[Theorem, Theorem]:
    """`quantity`, which has the time as a factor, between limit and its margin where a >= 1/2."""
    tangent, some = bounds_of_time()
    over = 1 + first * (M / E) + (2 * K_ + 6 * lam(t)) * (M / E) ** 2
    return (
        show(at * limit, "<=", at * quantity, E, lam(t), tangent, three_classes),
        show(at * quantity, "<=", at * (limit * over), E, lam(t), some, three_classes),
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
        show(at * (low * size), "<=", at * quantity, E, lam(t), tangent, three_classes),
        show(at * quantity, "<=", at * (high * size), E, lam(t), top, three_classes),
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
