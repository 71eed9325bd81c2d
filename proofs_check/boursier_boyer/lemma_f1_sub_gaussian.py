"""Lemma F.1 (i) of Boursier & Boyer: the covariance of a token of in-context regression, and the
sub-Gaussian constants of tokens and queries. All are quadratic forms, compared by identities and
inequalities for every dimension.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import Max, Rational, oo

from numerics.evidence import Evidence, Verdict
from numerics.provers import Closed, forall, trace_identity
from proofs_check.core.claim import claim
from proofs_check.instances.quadratic_form import Sigma, a, b, quadratic_form, w
from theory.symbolic.regression_moments import DATA, token_moments


@claim(
    "BB:LF.1.corner",
    false="typo",
    why=r"The label is $y=w^{\top}x$ with $x\sim\mathcal{N}(0,\Sigma)$, so $\mathbb{E}y^{2}=w^{\top}\Sigma w$: "
    r"for $d=1$, $\Sigma=1/2$, $w=1$ it is $1/2$ and not $\|w\|_{2}^{2}=1$.",
    instead=r"The corner is $\|w\|_{\Sigma}^{2}=w^{\top}\Sigma w$, as in equation (12).",
    needs=("BB:12",),
    hypotheses=("d in Integers", "d >= 1", "Sigma > 0", "Sigma <= 1"),
    repair={"norm": "Sigma"},
    control={"norm": "2"},
)
def corner_of_the_token_covariance(*, norm: str = "2") -> Evidence:
    """E y^2 for y = w'x is w'S w for every d (Section 5); printed in F.1 is w'w, which is another
    number in d = 1 already.
    """
    w, S = DATA["w"], DATA["S"]
    corner, claimed = token_moments(noise=False)[2], {"Sigma": w.T * S * w, "2": w.T * w}[norm]
    at = {"w": sp.Matrix([1]), "S": sp.Matrix([Rational(1, 2)])}
    if corner.evaluate(at) == claimed.evaluate(at):
        return trace_identity(corner, claimed)
    witness = {"d": 1, "Sigma": Rational(1, 2), "w": 1, "E y^2": corner.evaluate(at), "printed corner": claimed.evaluate(at)}
    return Evidence(verdict=Verdict.REFUTED, engine="exact arithmetic", witness=witness, witness_by="exact")


PARAMETERS = {
    "printed": lambda k: Max(1, Sigma, w**2),
    "repaired": lambda k: Max(1, k * Sigma * (1 + w**2)),
}


@claim(
    "BB:LF.1.i",
    false="gap",
    why=r"$\max(\|\Sigma\|_{\rm op},\|w\|^{2})$ bounds the diagonal blocks of $\Gamma_{w}$, not its norm: for $d=1$, $\Sigma=w=1$ "
    r"a token is $(x,x)$, $\|\Gamma_{w}\|_{\rm op}=2$, and $\mathbb{E}e^{v^{\top}z}=e^{2}$ at $v=(1,1)$ where $e$ is claimed.",
    instead=r"$\mu$ is $\sigma_{\mu}$-sub-Gaussian with $\sigma_{\mu}^{2}=\max\big(1,\|\Sigma\|_{\rm op}(1+\|w\|^{2})\big)$. "
    r"With this constant the sentence of Lemma F.1 itself, that (11) satisfies Assumption 4.2, is true.",
    hypotheses=("d in Integers", "d >= 1", "Sigma > 0", "Sigma <= 1"),
    needs=("BB:LF.1.corner", "BB:LF.1.i/form", "BB:LF.1.i/query"),
    repair={"parameter": "repaired"},
    control={"k": Fraction(9, 10)},
    argument="v'Gamma_w v = (a + bw)'S(a + bw) <= |S| (|a| + |b||w|)^2, with equality in d = 1, and E e^{v.z} = e^{v'Gamma_w v/2}",
)
def sub_gaussian_parameter_of_the_tokens(*, parameter: str = "printed", k: Fraction = Fraction(1)) -> Evidence:
    """|Sigma| (|a| + |b||w|)^2 <= sigma_mu^2 (|a|^2 + |b|^2) for v = (a, b): twice the exponents of
    a bound of E e^{v.z}, exact in d = 1, and of the sub-Gaussian bound; printed is sigma_mu^2 =
    max(1, |Sigma|, |w|^2).
    """
    bound = PARAMETERS[parameter](Rational(k)) * (a**2 + b**2)
    ranges = {Sigma: sp.Interval.Lopen(0, 1), w: Closed(0, oo), a: Closed(0, oo), b: Closed(0, oo)}
    found = forall(Sigma * (a + b * w) ** 2, "<=", bound, ranges)
    if found.verdict is Verdict.REFUTED:
        return found.replace(witness={"d": 1, **found.witness})
    return found.replace(dimension="every d (through the norms of the blocks)")


@claim("BB:LF.1.i/form")
def exponent_of_the_generating_function() -> Evidence:
    """v'Gamma_w v = (a + b w)'S (a + b w) for v = (a, b): the square of a sum, not of the larger
    part.
    """
    return quadratic_form(noise=False)


@claim("BB:LF.1.i/query", control={"largest": Fraction(3, 2)})
def the_query_is_sub_gaussian(*, largest: Fraction = Fraction(1)) -> Evidence:
    """v'S v <= |v|^2 wherever |S|_op <= 1: the query is 1-sub-Gaussian; a larger covariance is not,
    which needs the hypothesis.
    """
    ranges = {Sigma: Closed(0, largest), a: Closed(0, oo)}
    return forall(Sigma * a**2, "<=", a**2, ranges)
