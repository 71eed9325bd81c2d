"""The attention at the start and from 1/2 on, and the scores at 1/2, along the flow."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import log, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, arithmetic, instantiate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import CLOCK, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.equiangular.flow import (
    E,
    X,
    lam,
    scalar,
    y,
)
from proofs_check.derivations.features.equiangular.phases import (
    a,
    mean_attention,
    others,
)
from proofs_check.derivations.features.equiangular.reached import (
    HALF,
    K_,
    PHASE_2,
    START,
    Rational,
    attention_until_then,
    from_one,
    given,
    half_not_before,
    half_reached,
    logarithms,
    now_,
    of_each,
    passed,
    time_statements,
    until_then,
    z,
)
from proofs_check.derivations.features.equiangular.score_updates import (
    gap_of_the_scores,
    own_score_now,
    score_own,
)
from proofs_check.derivations.features.equiangular.setting import (
    K,
    M,
    here,
    score,
    t,
)
from proofs_check.derivations.features.steps import ind, scaled, times


def score_statements(share: Rational = HALF) -> tuple[Statement, ...]:
    """q_k = (K - 1)/K log(K - 1), and q_k - q_km = log(K - 1), where a = share."""
    there = ind(a - share) * ind(share - a)
    return (
        Statement(there * here * (score_own - M / K * log(M)), "==", term(0), given),
        Statement(there * others * (score_own - score(X) - log(M)), "==", term(0), given),
    )


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


@of_each(("LDL:L5.off/gap",), score_statements, (1, 2))
@cache
def scores() -> tuple[Theorem, Theorem]:
    there_ = ind(a - HALF) * ind(HALF - a)
    own = calc(
        there_ * here * (score_own - M / K * log(M)),
        ("==", there_ * (here * score_own) - there_ * here * (M / K * log(M))),
        (
            "==",
            there_ * (here * lam(t) * (M / K)) - there_ * here * (M / K * log(M)),
            scaled(there_, own_score_now()),
        ),
        ("==", here * (M / K) * (there_ * (lam(t) - log(M)))),
        ("==", here * (M / K) * 0, scaled(here * (M / K), gap_at_one_half())),
        ("==", 0),
    )
    gap = calc(
        there_ * others * (score_own - score(X) - log(M)),
        ("==", there_ * (others * (score_own - score(X) - lam(t))) + others * (there_ * (lam(t) - log(M)))),
        ("==", 0, scaled(there_, gap_of_the_scores()), scaled(others, gap_at_one_half())),
    )
    return own, gap


def scores_and_time(below: Rational = 5, logs: Rational = 3, share: Fraction = HALF) -> tuple[Statement, ...]:
    return *score_statements(share), *time_statements(below, logs)


of_each(("LDL:L5.1",), scores_and_time, (1, 2, 3, 4))(lambda: (*scores(), half_reached(), half_not_before()))
