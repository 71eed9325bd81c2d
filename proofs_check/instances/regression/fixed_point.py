"""Proves that the limit of the flow of in-context regression is a fixed point of it: for Appendix
F.2 and our R5.
"""

from __future__ import annotations

import sympy as sp

from numerics.evidence import Evidence
from numerics.provers.eigenbasis import U_ij, delta, entrywise, l_i, l_j, m_i, motion, p_i, p_j, slope, u

W_ij = sp.Symbol("W_ij", real=True)
gamma = sp.Symbol("gamma", positive=True)


def stands_still(m: sp.Expr, *, factor: int = 1) -> list[Evidence]:
    """At U = factor gamma S_L^{-1} S S^+ + P(W), u = 1/gamma the field vanishes for factor = 1 and
    any W; and the square of U is that of gamma S_L^{-1} S S^+ and that of P(W).
    """
    inside, outside = factor * gamma * delta * l_i * p_i / m, (1 - l_i * p_i * l_j * p_j) * W_ij
    end = {U_ij: inside + outside, u: 1 / gamma, m_i: m}
    square = entrywise((inside + outside) ** 2, (inside / factor) ** 2 + outside**2)
    return [*(entrywise(f.subs(end, simultaneous=True), 0) for f in (motion, slope)), square]
