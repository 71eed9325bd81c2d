"""The bound of ours on the signal term of affine tasks from below, and its domain."""

from __future__ import annotations

import sympy as sp
from sympy import oo

from numerics.provers import Integers

__all__ = ["BELOW", "BOUND", "EVERY", "LAWS", "LONG", "WIDE", "d", "w"]

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
#: How the bound is quoted.
BOUND = r"The root of $3d/L^2$ times the signal term is at least $\frac{d-1}{d-1+4w}$, by our R8."
#: What its derivation takes from the law of the tokens and does not derive.
LAWS = (
    r"Two properties of tokens that are independent and uniform on the sphere are used and not "
    r"derived: the weight $W$ of a "
    r"token is independent of the sum of the others, since given the query they are independent and "
    r"the law of $W$ is the same "
    r"for every query; and $(d-1)\mathbb E[Wt]=2w\,\mathbb E[W(1-t^2)]$ for $W=e^{-2w(1-t)}$, since "
    r"the density of the height "
    r"$t$ is proportional to $(1-t^2)^{(d-3)/2}$ and $(1-t^2)^{(d-1)/2}e^{2wt}$ vanishes at both ends."
)
