"""The reference instance of each paper: where its bounds also say how much they give away. Boursier
& Boyer's, which our own results share: Rademacher tokens and query, d = 1, sigma = V = 1, U = 1/2,
f(z) = z, L = 100 and query z = 1. The score is 1/2 or -1/2, and every expectation is a sum over 101
outcomes.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

import sympy as sp

from numerics.counterexamples.worst_case.families import Point, on_line
from numerics.counterexamples.worst_case.reference import ReferenceInstance
from theory.bounds.concentration import alpha_minus, alpha_plus, beta, delta_0, delta_min

__all__ = ["OF_PAPER", "RADEMACHER"]

ONE, HALF = Fraction(1), Fraction(1, 2)


def _values(L: sp.Integer) -> Mapping[str, sp.Expr]:
    """Values of symbols by name: of the population (F4 and K are sqrt(E|f|^4), F8 is
    sqrt(E|f|^8)), of delta, and of what Lemma C.1 calls alpha_-, alpha_+, beta.
    """
    half, one, a2, delta = sp.Rational(1, 2), sp.Integer(1), sp.Rational(1, 4), sp.Rational(1, 10)
    # no C_f2: f(z) = z is not bounded by a multiple of |z|^2 near 0
    ones = dict.fromkeys(
        ("sigma", "sigma2", "V", "d", "p", "z", "C_f", "F2", "F4", "F8", "K", "Z4", "Z8"), one
    )
    weights = {
        "S": L * sp.cosh(half),
        "R": L * sp.sinh(half),
        "RS": sp.tanh(half),
        "EM2": sp.cosh(1),
        "EQ2": sp.cosh(1),
    }
    bounds = {
        "alpha_-": alpha_minus(L, a2, delta),
        "alpha_+": alpha_plus(L, a2, delta),
        "beta": beta(L, a2, delta, one),
    }
    deltas = {"delta_min": delta_min(L, a2), "delta_0": delta_0(L, a2)}
    return MappingProxyType(
        {"L": L, "U": half, "Uz": half, "a2": a2, "delta": delta, **ones, **weights, **bounds, **deltas}
    )


RADEMACHER = ReferenceInstance(
    name="Rademacher, d = 1, L = 100, Uz = 1/2, delta = 1/10",
    point=Point(on_line((1, -1), (HALF, HALF)), HALF, (ONE, -ONE)),
    length=100,
    values=_values(sp.Integer(100)),
)
#: The instance that each paper brings, by its key; none of LDL's bounds is about such tokens.
OF_PAPER: Mapping[str, ReferenceInstance] = MappingProxyType({"BB": RADEMACHER, "OURS": RADEMACHER})
