"""The bound of ours on the signal term of affine tasks from below, and its domain."""

from __future__ import annotations

import sympy as sp
from sympy import oo

from numerics.provers import Integers

__all__ = ["BELOW", "BOUND", "EVERY", "WIDE", "d", "w"]

d = sp.Symbol("d", integer=True, positive=True)
w = sp.Symbol("w", positive=True)
#: The root of 3d/L^2 times a lower bound of the signal term, for every prompt length.
BELOW = (d - 1) / (d - 1 + 4 * w)
#: All dimensions and widths, and the windows that the paper calls wide.
EVERY = {d: Integers(2, oo), w: (0, oo)}
WIDE = (w, ">=", (d + sp.sqrt(d)) / 2)
#: How the bound is quoted.
BOUND = r"The root of $3d/L^2$ times the signal term is at least $\frac{d-1}{d-1+4w}$, by our R8."
