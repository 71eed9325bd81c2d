"""The quadratic form of a token covariance of in-context regression, for Lemma F.1 and our
repair.
"""

from __future__ import annotations

import sympy as sp

from numerics.evidence import Evidence
from numerics.provers import trace_identity
from theory.symbolic.regression_moments import DATA, token_moments

#: |Sigma|_op, |w|, and the norms of the two blocks of a vector v = (a, b); in d = 1 these are the
#: numbers themselves.
Sigma, w, a, b = sp.symbols("Sigma w a b", nonnegative=True)


def quadratic_form(*, noise: bool, shifts: int = 1) -> Evidence:
    """v'Gamma_w v = (a + b w)'S (a + b w) + b^2 tau2 for v = (a, b), from the moments of a token,
    for every d; `shifts` multiplies b w on the right.
    """
    square, column, corner = token_moments(noise=noise)
    v, q, w, S, r = (DATA[name] for name in ("p", "q", "w", "S", "r"))
    form = v.T * square * v + 2 * (q * (v.T * column)) + q**2 * corner
    shifted = (v + shifts * (q * w)).T * S * (v + shifts * (q * w))
    return trace_identity(form, shifted + q**2 * (r.T * r) if noise else shifted)
