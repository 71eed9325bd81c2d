"""Means over the affine and ReLU tasks of Collins et al., whose l_1, l_2 and b are independent and
uniform on [-L, L].
"""

from __future__ import annotations

import sympy as sp

__all__ = ["L", "averaged", "b", "l_1", "l_2"]

L = sp.Symbol("L", positive=True)
l_1, l_2, b = sp.symbols("l_1 l_2 b", real=True)


def averaged(value: sp.Expr) -> sp.Expr:
    """The mean of a polynomial over l_1, l_2 and b."""
    for name in (l_1, l_2, b):
        value = sp.integrate(sp.expand(value), (name, -L, L)) / (2 * L)
    return sp.expand(value)
