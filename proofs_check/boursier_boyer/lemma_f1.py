"""Appendix F.1: the assumptions of Section 4 for in-context linear regression."""

from __future__ import annotations

from numerics.evidence import Evidence
from numerics.provers import trace_identity
from proofs_check.claims import claim
from proofs_check.gaussian_words import DATA, token_moments


@claim("BB:LF.1.corner", false="typo", repair={"norm": "Sigma"}, control={"norm": "2"})
def corner_of_the_token_covariance(*, norm: str = "2") -> Evidence:
    """E y^2 for y = w'x is w'w (printed in F.1) or w'S w (Section 5)."""
    w, S = DATA["w"], DATA["S"]
    return trace_identity(token_moments(noise=False)[2], w.T * w if norm == "2" else w.T * S * w)
