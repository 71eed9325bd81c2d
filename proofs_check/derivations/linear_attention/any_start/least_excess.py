"""R6: L times the least excess risk of linear attention, which is half of sum_i (l_i - l_i^2/m_i)
by R5.limit/square with the eigenvalues m_i = (1 + 1/L) l_i + T/L of S_L, for an invertible S: it is
at most its limit, half of tr S + d T, and at least that less a multiple of 1/L.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import symm
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import assume
from numerics.derivations.kernel.sorts import NONNEGATIVE
from numerics.derivations.kernel.terms import Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.steps import product, times
from proofs_check.derivations.linear_attention.bounded_flow import m, not_negative, r
from proofs_check.derivations.linear_attention.eigenbasis import l, trace
from proofs_check.derivations.linear_attention.global_minima import low, smallest
from proofs_check.derivations.linear_attention.matrices import d, i
from proofs_check.derivations.proof import proves

T = trace(l(i)) + Variable("tau2", range=NONNEGATIVE)
lengths = assume("m_i = (1 + 1/L) l_i + T/L", m(i), "==", (1 + 1 / L) * l(i) + T / L, every=(i,))
inverse = assume("r_i = 1/m_i", r(i) * m(i), "==", 1, every=(i,))
excess, end = trace(l(i) - l(i) ** 2 * r(i)), trace(l(i)) + d * T


def statements(share: int | Fraction = 1) -> tuple[Statement, Statement]:
    """L times the excess is at most share (tr S + d T)/2, and at least this less a multiple of
    1/L.
    """
    given, bound = hypotheses(lengths, inverse, not_negative), Fraction(share) * end
    rest = trace((l(i) + T) ** 2) / (low * L)
    return Statement(L * excess / 2, "<=", bound / 2, given), Statement(
        bound / 2 - rest / 2, "<=", L * excess / 2, given | hypotheses(smallest)
    )


@cache
def of_one() -> tuple[Theorem, Theorem]:
    """L (l - l^2/m) = (l + T) - (l + T)^2/(L m), and 0 <= r <= 1/low."""
    s = l(i) + T
    positive = calc(0, ("<=", low), ("<=", l(i), smallest))
    T_positive = show(0, "<=", T, calc(0, ("<=", trace(l(i)), positive)), trace(l(i)))
    share = r(i) * s / L
    one = calc(r(i) * l(i) + share, ("==", r(i) * m(i), lengths), ("==", 1, inverse))
    split = calc(
        L * (l(i) - l(i) ** 2 * r(i)),
        ("==", L * l(i) * (1 - r(i) * l(i))),
        ("==", L * l(i) * (one.lhs - r(i) * l(i)), one, one.lhs, r(i), l(i)),
        ("==", s * (r(i) * l(i))),
        ("==", s * (one.lhs - share)),
        ("==", s * (1 - share), one, one.lhs, share, s),
    )
    positive_s = show(0, "<=", s, positive, T_positive, T)
    some = calc(product(r(i), s, not_negative, positive_s), ("==", L * share))
    some = calc(0, ("<=", 1 / L * (L * share), times(1 / L, some)), ("==", share))
    small = calc(
        low * r(i),
        ("<=", l(i) * r(i), times(r(i), smallest, not_negative)),
        ("<=", l(i) * r(i) + share, some),
        ("==", one.lhs),
        ("==", 1, one),
    )
    return split, small


@proves("OURS:R6.valley/linear", statements, part=(1, 2))
@cache
def theorems() -> tuple[Theorem, Theorem]:
    """The sum over the eigenvalues."""
    (split, small), s = of_one(), l(i) + T
    square = times(s**2 / L, not_negative)
    most = calc(split, ("==", s - s**2 / L * r(i)), ("<=", s - s**2 / L * 0, square), ("==", s))
    far = times(s**2 / (low * L), small)
    least = calc(
        s - s**2 / (low * L),
        ("==", s - s**2 / (low * L) * 1),
        ("<=", s - s**2 / (low * L) * (low * r(i)), far),
        ("==", split.rhs),
        ("==", split.lhs, symm(split)),
    )
    above = calc(L * excess, ("==", trace(split.lhs)), ("<=", trace(s), most), ("==", end))
    under = calc(
        end - trace(s**2) / (low * L),
        ("==", trace(least.lhs)),
        ("<=", trace(split.lhs), least),
        ("==", L * excess),
    )
    return (
        calc(L * excess / 2, ("<=", end / 2, above, excess, end)),
        calc(statements()[1].lhs, ("==", under.lhs / 2), ("<=", L * excess / 2, under)),
    )
