"""Means over the outcome of what a smooth loss changes between two outputs a and b: the displays in
the proof of Lemma E.2 of Boursier & Boyer.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial

from numerics.derivations.derived import sqrt
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import integrate
from numerics.derivations.kernel.terms import START, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.transfer.risks import segment
from proofs_check.derivations.transfer.risks.outcomes import (
    j,
    k,
    labels,
    larger,
    mean,
    mean_of_a_product,
    outputs,
    size,
    size_of_a_mean,
    variable,
    vector,
)

a, b, y = (vector(name, 4)(j, k) for name in ("a", "b", "y"))
A, B, Y, D = (sqrt(e) for e in (outputs(a**2), outputs(b**2), labels(y**2), outputs((a - b) ** 2)))
#: The larger of |(a, y)| and |(b, y)|.
M = larger(sqrt(outputs(a**2) + labels(y**2)), sqrt(outputs(b**2) + labels(y**2)))


def smooth_statements(factor: int | Fraction = 1) -> tuple[Statement, Statement]:
    """|E l(c, y) - E l(b, y)| <= E|l(c, y) - l(b, y)| at the time t, where c = b + t(a - b), and
    this is at most E max(|(a, y)|, |(b, y)|)|c - b|, up to t = 1, where c = a; a factor multiplies
    the squares of the right sides.
    """
    root, mean = sqrt(term(Fraction(factor))), partial(bind, *segment.OUTCOMES)
    before, after = (mean(segment.loss(at)) for at in (START, segment.t))
    given = (segment.chain_rule, segment.from_the_origin, segment.flat, segment.on_the_segment)
    bound = mean(segment.M * (segment.now * sqrt(segment.S)))
    apart = mean(size(segment.change))
    return Statement(size(after - before), "<=", root * apart), Statement(
        apart, "<=", root * bound, hypotheses(*given)
    )


@proves("BB:LE.2.smooth", smooth_statements, part=1)
@cache
def size_of_the_mean() -> Theorem:
    """|E X| <= E|X|."""
    before, after = (bind(*segment.OUTCOMES, segment.loss(at)) for at in (START, segment.t))
    apart = bind(*segment.OUTCOMES, size(segment.change))
    return show(size(after - before), "<=", apart, size_of_a_mean(segment.change, segment.OUTCOMES))


@proves("BB:LE.2.smooth", smooth_statements, part=2)
@cache
def on_average() -> Theorem:
    """The mean of the bound at every outcome."""
    return integrate(*segment.OUTCOMES, segment.from_the_start())


def holder_statement(power: int = 4) -> Statement:
    """E|y|(|a| + |b|)|a - b| <= (E|y|^4)^{1/4} (E(|a| + |b|)^4)^{1/4} (E|a - b|^2)^{1/2}; a power
    stands for the 4.
    """
    root = lambda X: mean(X**power) ** Fraction(1, power)
    return Statement(mean(Y * (A + B) * D), "<=", root(Y) * root(A + B) * sqrt(mean(D**2)))


@proves("BB:LE.2.prod/holder", holder_statement)
@cache
def holder() -> Theorem:
    """The Cauchy-Schwarz inequality for |y|(|a| + |b|) and |a - b|, and for the squares of |y| and
    |a| + |b|.
    """
    fourths = sqrt(mean(Y**4)) * sqrt(mean((A + B) ** 4))
    squares = show(mean((Y * (A + B)) ** 2), "<=", fourths, mean_of_a_product(Y**2, (A + B) ** 2))
    return calc(
        mean(Y * (A + B) * D),
        ("<=", sqrt(mean((Y * (A + B)) ** 2)) * sqrt(mean(D**2)), mean_of_a_product(Y * (A + B), D)),
        ("<=", sqrt(fourths) * sqrt(mean(D**2)), squares),
    )


def sum_statements(share: int | Fraction = 1) -> tuple[Statement, Statement]:
    """E max(|(a, y)|, |(b, y)|)|a - b| <= share E(|y| + |a| + |b|)|a - b|, and the Cauchy-Schwarz
    inequality for the right side; share multiplies the sum.
    """
    total = Y + A + B
    return (
        Statement(mean(M * D), "<=", Fraction(share) * mean(total * D)),
        Statement(mean(total * D), "<=", Fraction(share) * sqrt(mean(total**2)) * sqrt(mean(D**2))),
    )


@proves("BB:LE.2.prod", sum_statements, part=1)
@cache
def maximum_below_the_sum() -> Theorem:
    """max(|(a, y)|, |(b, y)|) <= |y| + |a| + |b|."""
    squares = *ends, last = outputs(a**2), outputs(b**2), labels(y**2)
    point = calc(
        M,
        ("<=", larger(Y + A, Y + B), *(show(sqrt(e + last), "<=", Y + sqrt(e), *squares) for e in ends)),
        ("<=", Y + A + B, *squares),
    )
    return show(mean(M * D), "<=", mean((Y + A + B) * D), point)


@proves("BB:LE.2.prod", sum_statements, part=2)
@cache
def schwarz_of_the_sum() -> Theorem:
    """The Cauchy-Schwarz inequality for |y| + |a| + |b| and |a - b|."""
    return mean_of_a_product(Y + A + B, D)


#: Two random numbers with two moments.
X, Z = (variable(name)(k) for name in ("X", "Z"))


def schwarz_statement(power: int = 2) -> Statement:
    """E|XZ| <= (E|X|^2)^{1/2} (E|Z|^2)^{1/2}; a power stands for the 2 of the moments."""
    root = lambda e: sqrt(mean(size(e) ** power))
    return Statement(mean(size(X) * size(Z)), "<=", root(X) * root(Z))


@proves("BB:LE.4.split/schwarz", schwarz_statement)
@cache
def schwarz() -> Theorem:
    """The Cauchy-Schwarz inequality for the absolute values."""
    return mean_of_a_product(size(X), size(Z))
