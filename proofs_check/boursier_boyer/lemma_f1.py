"""Appendix F.1: the assumptions of Section 4 for in-context linear regression."""

from __future__ import annotations

import sympy as sp

from numerics.evidence import Evidence, Verdict
from numerics.provers import trace_identity
from proofs_check.claims import claim
from proofs_check.gaussian_words import DATA, token_moments


@claim(
    "BB:LF.1.corner",
    false="typo",
    why=r"For $y=w^{\top}x$ with $x\sim\mathcal{N}(0,\Sigma)$ the variance of $y$ is $w^{\top}\Sigma w$, as in Section 5, and "
    r"not $\|w\|_{2}^{2}$.",
    instead=r"The corner of $\Gamma_{w}$ is $\|w\|_{\Sigma}^{2}=w^{\top}\Sigma w$.",
    needs=("BB:12",),
    hypotheses=("d in Integers", "d >= 1", "Sigma > 0"),
    repair={"norm": "Sigma"},
    control={"norm": "2"},
)
def corner_of_the_token_covariance(*, norm: str = "2") -> Evidence:
    """E y^2 for y = w'x is w'S w for every d (Section 5); printed in F.1 is w'w, which is another number in d = 1 already."""
    w, S = DATA["w"], DATA["S"]
    corner, claimed = token_moments(noise=False)[2], {"Sigma": w.T * S * w, "2": w.T * w}[norm]
    at = {"w": sp.Matrix([1]), "S": sp.Matrix([2])}
    if corner.evaluate(at) == claimed.evaluate(at):
        return trace_identity(corner, claimed)
    witness = {"d": 1, "Sigma": 2, "w": 1, "E y^2": corner.evaluate(at), "printed corner": claimed.evaluate(at)}
    return Evidence(verdict=Verdict.REFUTED, engine="exact arithmetic", witness=witness, witness_by="exact")
