"""R8: the noise term for uniform tokens of the sphere of R^3 is at most 36 w/n, for every prompt
length n and every width from 1/4 on.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, symm
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as n
from numerics.derivations.kernel.rules import arithmetic, assume, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE, Range
from numerics.derivations.kernel.terms import Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.kernel_sums import mean
from proofs_check.derivations.window.sphere_in_3d.heights import ARCHIMEDES
from proofs_check.derivations.window.uniform.cap_measure import height, q
from proofs_check.derivations.window.uniform.kernel_means import w
from proofs_check.derivations.window.uniform.noise_order import at_most, noise

s, wide = Variable("s", range=POSITIVE), Variable("omega", range=Range(Fraction(1, 4), lo_open=False))


@cache
def uniform() -> Theorem:
    """E e^{s t} = sinh(s)/s for the height t of a token."""
    value = (exp(s) - exp(-s)) / (2 * s)
    name = f"{ARCHIMEDES}: E e^(s t), and the generating function of the uniform law"
    return assume(name, mean(exp(s * height)), "==", value, every=(s, q), cited=True)


def mean_weight(rate: Term) -> Theorem:
    """E e^{-rate (1 - t)} = (1 - e^{-2 rate})/(2 rate)."""
    found, weight_ = instantiate(uniform(), {s: rate}), exp(-rate * (1 - height))
    return calc(
        mean(weight_),
        ("==", exp(-rate) * found.lhs),
        ("==", exp(-rate) * found.rhs, found),
        ("==", (1 - exp(-2 * rate)) / (2 * rate)),
    )


def statement(constant: int = 36, power: int | Fraction = 1) -> Statement:
    """E sum gamma^2 <= constant w^power/n for w >= 1/4."""
    level = instantiated(bind("query", (q,), noise), {w: wide})
    return Statement(level, "<=", constant * wide ** Fraction(power) / n, hypotheses(uniform()))


@proves("OURS:R8.above", statement)
@cache
def few_squares() -> Theorem:
    """7 eps = 7 E W^2/(n (E W)^2) with E W >= 63/(400 w) and E W^2 <= 1/(8w)."""
    first, second = mean_weight(2 * wide), mean_weight(4 * wide)
    low = arithmetic(63 / (400 * wide), "<=", first.rhs)
    first = chain(low, symm(first))
    second = chain(second, arithmetic(second.rhs, "<=", 1 / (8 * wide)))
    found = calc(
        instantiate(at_most(), {w: wide}),
        ("==", 7 * second.lhs * first.rhs**-2 / n),
        ("<=", 7 * second.rhs * first.lhs**-2 / n, first, second),
        ("<=", 36 * wide / n),
    )
    return chain(statement().lhs, integrate("query", (q,), found), statement().rhs)
