"""Lemma 3 of Li, Duan & Liang: the odds of two classes in Phase I, for orthonormal features and
every law of tasks and of prompts.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, log, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import POSITIVE
from numerics.derivations.kernel.terms import Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc
from proofs_check.derivations.features.any_prompts.descent import own_score, own_score_grows, q, t
from proofs_check.derivations.features.any_prompts.early_attention import (
    q_n,
    raised,
    sides,
)
from proofs_check.derivations.features.any_prompts.early_own_scores import own_score_by_steps
from proofs_check.derivations.features.any_prompts.early_scores import scores_stay_small
from proofs_check.derivations.features.any_prompts.first_steps import (
    BOUNDED,
    P,
    number,
)
from proofs_check.derivations.features.any_prompts.setting import B, given
from proofs_check.derivations.features.equiangular.phases import others
from proofs_check.derivations.features.equiangular.score_updates import two_classes, with_the_query
from proofs_check.derivations.features.equiangular.setting import K, eta, here, m, n
from proofs_check.derivations.features.steps import product, scaled, times
from proofs_check.derivations.proof import proves

C = Variable("C", range=POSITIVE)
#: The printed length of Phase I, of which C is the constant.
printed = assume(
    "at most C K log(K)/(eta B^2) steps", eta * B**2 * number(t), "<=", C * K * log(K), every=(t,)
)
#: C P^2 log(K)/K, and what it bounds.
order = C * P**2 * log(K) / K
moved = BOUNDED.unit * eta * number(t)


def theta(c: Fraction) -> Term:
    """The printed Theta(log K/K), with a constant."""
    return Fraction(c) * order


def odds_statements(c: Fraction = Fraction(9, 2), logs: int = 1) -> tuple[Statement, ...]:
    """e^{-(log K + theta)} <= e^{q_km - q_k} <= e^theta for two different classes, in Phase I."""
    setting, gap = given(*BOUNDED.setting, printed), q - own_score
    return (
        Statement(others * exp(gap), "<=", others * exp(theta(c)), setting),
        Statement(others * exp(-(logs * log(K) + theta(c))), "<=", others * exp(gap), setting),
    )


pair = others * instantiated(others, {m: n})


def ratio_statement(c: Fraction = Fraction(3)) -> Statement:
    """e^{q_km - q_kn} <= e^theta for two classes that differ from the query's, in Phase I."""
    return Statement(pair * exp(q - q_n), "<=", pair * exp(theta(c)), given(*BOUNDED.setting, printed))


@cache
def in_order() -> Theorem:
    """eta (P^2 B^2/K^2) t <= C P^2 log(K)/K."""
    line = times(P**2 / K**2, printed)
    return calc(moved, ("==", line.lhs), ("<=", line.rhs, line), ("==", order))


def of_the_order(c: Fraction, gate: Term, some: Theorem) -> Theorem:
    """gate c x <= gate theta for a gate of which `some` says that it is not negative."""
    line = times(Fraction(c) * gate, in_order(), calc(0, ("<=", Fraction(c) * gate, some)))
    return calc(
        gate * (Fraction(c) * moved), ("==", line.lhs), ("<=", line.rhs, line), ("==", gate * theta(c))
    )


@proves("LDL:L3.exp", odds_statements, part=(1, 2))
@cache
def odds_of_two_classes() -> tuple[Theorem, Theorem]:
    """As 0 <= q_k <= 3 x and |q_km| <= (3/2) x, with x = eta (P^2 B^2/K^2) t."""
    (up, down), most = sides(BOUNDED, scores_stay_small(BOUNDED)), theta(Fraction(9, 2))
    gate, grown = scaled(own_score, with_the_query()), times(others, own_score_grows(), two_classes())
    own = calc(
        others * own_score,
        ("==", own_score * (others * here), symm(gate)),
        ("==", others * (here * own_score)),
        ("<=", others * (here * (3 * moved)), times(others, own_score_by_steps(BOUNDED), two_classes())),
        ("==", 3 * moved * (others * here)),
        ("==", 3 * moved * others, scaled(3 * moved, with_the_query())),
    )
    positive = calc(
        0, ("<=", grown.rhs, grown), ("==", own_score * (others * here)), ("==", others * own_score, gate)
    )
    above = calc(
        others * (q - own_score),
        ("<=", others * (q - own_score) + others * own_score, positive),
        ("==", up.lhs),
        ("<=", up.rhs, up),
        ("==", others * (Fraction(3, 2) * moved)),
        ("<=", others * theta(Fraction(3, 2)), of_the_order(Fraction(3, 2), others, two_classes())),
        (
            "<=",
            others * theta(Fraction(3, 2)) + others * theta(Fraction(3)),
            product(others, theta(Fraction(3)), two_classes()),
        ),
        ("==", others * most),
    )
    below = calc(
        others * -(log(K) + most),
        ("<=", others * -(log(K) + most) + others * log(K), product(others, log(K), two_classes())),
        ("==", -(others * most)),
        ("<=", -(others * (Fraction(9, 2) * moved)), of_the_order(Fraction(9, 2), others, two_classes())),
        ("==", -(3 * moved * others) - down.rhs),
        ("<=", -(others * own_score) - down.rhs, own),
        ("<=", -(others * own_score) - down.lhs, down),
        ("==", others * (q - own_score)),
    )
    return (
        raised(others, q - own_score, most, above, two_classes()),
        raised(others, -(log(K) + most), q - own_score, below, two_classes()),
    )


@proves("LDL:L3.ratio", ratio_statement)
def ratio_of_two_classes() -> Theorem:
    """As both scores are at most (3/2) x in size."""
    up, down = sides(BOUNDED, scores_stay_small(BOUNDED))
    other = instantiated(others, {m: n})
    here_n, gate = (
        instantiate(two_classes(), {m: n}),
        product(others, other, two_classes(), instantiate(two_classes(), {m: n})),
    )
    first = times(other, up, here_n)
    second = times(others, instantiate(down, {m: n}), two_classes())
    line = calc(
        pair * (q - q_n),
        ("==", first.lhs + second.lhs),
        ("<=", first.rhs + second.lhs, first),
        ("<=", first.rhs + second.rhs, second),
        ("==", pair * (3 * moved)),
        ("<=", pair * theta(Fraction(3)), of_the_order(Fraction(3), pair, gate)),
    )
    return raised(pair, q - q_n, theta(Fraction(3)), line, gate)
