"""The bound of ours on the signal term of affine tasks from below, and its domain."""

from __future__ import annotations

import sympy as sp
from sympy import oo

from numerics.provers import Integers

__all__ = ["BELOW", "EVERY", "LONG", "WIDE", "d", "w"]

d = sp.Symbol("d", integer=True, positive=True)
w = sp.Symbol("w", positive=True)
#: The root of 3d/L^2 times a lower bound of the signal term, for every prompt length.
BELOW = (d - 1) / (d - 1 + 4 * w)
#: For d = 3 the root of 3d/L^2 times the limit of the signal term for long prompts, 1 - coth 2w +
#: 1/(2w).
LONG = 1 - (1 + sp.exp(-4 * w)) / (1 - sp.exp(-4 * w)) + 1 / (2 * w)
#: All dimensions and widths, and the windows that the paper calls wide.
EVERY = {d: Integers(2, oo), w: (0, oo)}
WIDE = (w, ">=", (d + sp.sqrt(d)) / 2)
