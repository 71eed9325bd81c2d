"""Appendix F.1: the assumptions of Section 4 for in-context linear regression."""

from __future__ import annotations

import sympy as sp

from numerics.evidence import Evidence
from numerics.provers import identity, trace_identity
from proofs_check.claims import claim
from proofs_check.gaussian_words import DATA, token_moments


@claim("BB:LF.1.corner", false="typo", hypotheses=("Sigma > 0",), repair={"norm": "Sigma"}, control={"norm": "2"})
def corner_of_the_token_covariance(*, norm: str = "2") -> Evidence:
    """E y^2 for y = w'x is w'S w for every d (Section 5); printed in F.1 is w'w, which is another number in d = 1 already."""
    w, S = DATA["w"], DATA["S"]
    if norm == "Sigma":
        return trace_identity(token_moments(noise=False)[2], w.T * S * w)
    Sigma, coefficient = sp.Symbol("Sigma", positive=True), sp.Symbol("w", real=True)
    return identity(coefficient**2 * Sigma, coefficient**2)
