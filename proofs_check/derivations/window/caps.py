"""Chernoff's bounds for the number of tokens in a cap (proof of Lemma G.4 of Collins et al.)."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, integrated, log
from numerics.derivations.normal_form import LENGTH as N
from numerics.derivations.rules import arithmetic, replace, specialise
from numerics.derivations.statements import Statement
from numerics.derivations.terms import Term, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.features.counts import (
    count,
    expectation,
    moment,
    of_a_class_or_not,
    p,
    probabilities,
    prompt,
    u,
    x,
)
from proofs_check.derivations.features.steps import above, ind, times

#: The mean number of tokens in the cap, which is a class of `counts`, and log 2.
mass, ln_2 = N * p, log(term(2))
#: By how much the level 2 n sigma is exceeded, and n sigma/2 is missed.
excess, lack = count - 2 * mass, mass / 2 - count


def _rarely(distance: Term, at: Term, level: Fraction, rate: Fraction) -> Theorem:
    """P(distance > 0) <= 1/n^2 if n sigma >= 16 log n: the indicator is at most e^{log(2)
    distance}, which is e^{u |V| - u level n sigma} for u = at, and whose mean is at most e^{-rate n
    sigma}.
    """
    event, hidden = above(distance), (count, mass)
    inside = arithmetic(event * 0, "<=", event * (ln_2 * distance), hide=hidden)
    point = chain(event, replace(event * exp(event * 0), inside))
    point = chain(point, arithmetic(point.rhs, "<=", exp(ln_2 * distance), hide=hidden))
    grown, fixed = specialise(moment(), {u: at}), exp(-at * level * mass)
    mean = integrated("prompt", (prompt,), point, None, fixed * grown.lhs)
    mean = chain(mean, replace(fixed * grown.lhs, grown))
    some = chain(0, times(N, probabilities()[0]), mass)
    falls = arithmetic(exp(-at * level * x) * exp(x * (exp(at) - 1)), "<=", exp(-rate * x))
    mean = chain(mean, specialise(falls, {x: mass}, some))
    beyond = mass - 16 * log(N)
    whenever = ind(beyond)
    never_below = arithmetic(-rate * (whenever * beyond), "<=", 0, hide=(beyond,))
    power = N ** (-16 * rate)
    form = arithmetic(whenever * mean.rhs, "==", power * (whenever * exp(-rate * (whenever * beyond))), hide=(mass,))
    rare = chain(replace(whenever * mean.lhs, mean), form, replace(form.rhs, never_below))
    return chain(rare, arithmetic(rare.rhs, "<=", N**-2, hide=(beyond,)))


@cache
def too_many() -> Theorem:
    return _rarely(excess, ln_2, Fraction(2), Fraction(1, 3))


@cache
def too_few() -> Theorem:
    return _rarely(lack, -ln_2, Fraction(1, 2), Fraction(1, 8))


def statements(sixteen: int = 16, many: int = 2, few: int = 2) -> tuple[Statement, ...]:
    """P(N > 2 n sigma) <= n^-many and P(N < n sigma/2) <= n^-few for every cap with n sigma >=
    sixteen log n.
    """
    whenever, given = ind(mass - sixteen * log(N)), of_a_class_or_not.assumptions
    tails = (above(excess), many), (above(lack), few)
    return tuple(Statement(whenever * expectation(event), "<=", N**-power, given) for event, power in tails)
