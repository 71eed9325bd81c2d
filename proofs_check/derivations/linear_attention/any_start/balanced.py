"""R6: from a balanced start, |U(0)| = u(0), and for an invertible S the flow of linear attention
ends at U = v^{-1} S_L^{-1} and u = v = tr(S_L^{-2})^{1/4}.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import symm
from numerics.derivations.kernel.rules import assume, discharge, instantiate
from numerics.derivations.kernel.terms import START
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.linear_attention.any_start import limit
from proofs_check.derivations.linear_attention.any_start.limit import (
    T,
    b,
    decayed,
    fade,
    inverse,
    size,
    unseen,
    v,
)
from proofs_check.derivations.linear_attention.bounded_flow import balanced, q, seen
from proofs_check.derivations.linear_attention.eigenbasis import U, at_start, h, pairs, t, u
from proofs_check.derivations.linear_attention.matrices import i, j
from proofs_check.derivations.linear_attention.rate_of_the_limit import masked, regular
from proofs_check.derivations.proof import proves

fourth_root = lambda exponent: assume("v = T^{1/4}", v, "==", T ** Fraction(exponent))


def statement(exponent: Fraction = Fraction(1, 4)) -> Statement:
    """(1 - e^{-beta t})^2 ((u - v)^2 + |U - S_L^-1/v|^2) is at most a constant times e^{-speed t};
    the exponent stands for 1/4.
    """
    given = limit.statement().assumptions - limit.root.assumptions
    own = hypotheses(balanced, regular, fourth_root(exponent))
    both = (u - v) ** 2 + pairs((U - inverse / v) ** 2)
    return Statement(fade**2 * both, "<=", size * (decayed / q**2), given | own)


@cache
def root() -> Theorem:
    """v^4 = T + b v^2, as b = 0."""
    first = at_start(U) ** 2
    seen_part = at_start(h(i) * h(j) * U) ** 2
    none = calc(
        b,
        ("==", pairs(first) - at_start(seen), symm(balanced)),
        ("==", pairs(seen_part) - at_start(seen), show(first, "==", seen_part, symm(regular))),
        ("==", at_start(seen) - at_start(seen), instantiate(masked(), {t: START})),
        ("==", 0),
    )
    return calc(v**4, ("==", T, fourth_root(Fraction(1, 4)), T), ("==", T + b * v**2, none, b))


@proves("OURS:R6.fixed/lambda", statement)
@cache
def theorem() -> Theorem:
    """What S does not see of U(0) is 0."""
    (known,) = limit.root.assumptions
    found = discharge(limit.theorem(), known, root())
    none = calc(at_start(unseen), ("==", at_start(U) - at_start(h(i) * h(j) * U)), ("==", 0, regular))
    same = show(U - inverse / v, "==", limit.away(), none, at_start(unseen))
    each = show((U - inverse / v) ** 2, "==", limit.away() ** 2, same, U - inverse / v, limit.away())
    off = pairs((U - inverse / v) ** 2)
    return calc(
        fade**2 * ((u - v) ** 2 + off),
        ("==", fade**2 * ((u - v) ** 2 + pairs(limit.away() ** 2)), each),
        ("<=", found.rhs, found),
    )
