"""The bracket in the limit of the gradient in U is at least v' Gamma v tr Gamma, which is positive
for a row v with Gamma v not 0.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz
from numerics.derivations.kernel.rules import integrate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.gaussian_tokens import R, n, rank
from proofs_check.derivations.softmax_average.softmax_average import d, i, over, v

h = Function("h", (Sort.INDEX,))
o = Variable("o", Sort.INDEX)
#: R'v and Gamma v for Gamma = R R', v'h, v' Gamma v and tr Gamma.
image = over(o, d, R(o, n) * v(o))
Gamma_v = over(n, rank, R(i, n) * image)
across, spread, trace = (
    over(i, d, v(i) * h(i)),
    over(n, rank, image**2),
    over(i, d, over(n, rank, R(i, n) ** 2)),
)
size = over(i, d, Gamma_v**2)


def bracket(two: int | Fraction = 2) -> Term:
    """((v'h)^2 + v' Gamma v)(|h|^2 + tr Gamma) + |Gamma v|^2 + two (v'h)(h' Gamma v)."""
    more = Fraction(two) * across * over(i, d, h(i) * Gamma_v)
    return (across**2 + spread) * (over(i, d, h(i) ** 2) + trace) + size + more


def statements(two: int | Fraction = 2, share: int | Fraction = 1) -> tuple[Statement, Statement]:
    """v' Gamma v tr Gamma, which is at least share |Gamma v|^2, is at most the bracket."""
    least = spread * trace
    return Statement(least, "<=", bracket(two)), Statement(Fraction(share) * size, "<=", least)


@proves("OURS:R4.exponent/limit", statements, part=(1, 2))
@cache
def theorems() -> tuple[Theorem, Theorem]:
    """The bracket less v' Gamma v tr Gamma is |(v'h) h + Gamma v|^2 + (v'h)^2 tr Gamma + v' Gamma v
    |h|^2, and |Gamma v|^2 is bounded by the inequality of Cauchy and Schwarz in each coordinate.
    """
    square = over(i, d, (across * h(i) + Gamma_v) ** 2)
    rest = square + across**2 * trace + spread * over(i, d, h(i) ** 2)
    first = calc(spread * trace, ("<=", spread * trace + rest), ("==", bracket()))
    each = cauchy_schwarz("coordinates", (n,), R(i, n), image, (rank,))
    return first, calc(integrate("coordinates", (i,), each, (d,)), ("==", spread * trace))
