"""Lemma F.1 (i) of Boursier & Boyer: the covariance of a token of in-context regression, and the
sub-Gaussian constants of tokens and queries. They are derived from generating functions in every
dimension, and their quadratic forms are compared.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import Max, Rational, oo

from numerics.evidence import Evidence, Verdict, all_of
from numerics.provers import Closed, forall, trace_identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, refuted_exactly
from proofs_check.instances.quadratic_form import Sigma, a, b, quadratic_form, w
from theory.symbolic.regression_moments import DATA, token_moments


@claim(
    "BB:LF.1.corner",
    **TYPO,
    needs=("BB:12",),
    hypotheses=("d in Integers", "d >= 1", "Sigma > 0", "Sigma <= 1"),
    repair={"norm": "Sigma"},
    control={"norm": "2"},
)
def corner_of_the_token_covariance(*, norm: str = "2") -> Evidence:
    r"""For every $d$ the blocks are $\mathbb{E}xx^\top=\Sigma$, $\mathbb{E}xy=\Sigma w$ and
    $\mathbb{E}y^2=w^\top\Sigma w$. Printed is $w^\top w$ (`norm`) for the last one, which is
    another number in $d=1$ already.
    """
    w, S = DATA["w"], DATA["S"]
    square, column, corner = token_moments(noise=False)
    claimed = {"Sigma": w.T * S * w, "2": w.T * w}[norm]
    at = {"w": sp.Matrix([1]), "S": sp.Matrix([Rational(1, 2)])}
    if corner.evaluate(at) == claimed.evaluate(at):
        return all_of(
            trace_identity(square, S), trace_identity(column, S * w), trace_identity(corner, claimed)
        )
    law = {"d": 1, "Sigma": Rational(1, 2), "w": 1}
    witness = {**law, "E y^2": corner.evaluate(at), "printed corner": claimed.evaluate(at)}
    return refuted_exactly(witness)


PARAMETERS = {"printed": lambda k: Max(1, Sigma, w**2), "repaired": lambda k: Max(1, k * Sigma * (1 + w**2))}


@claim(
    "BB:LF.1.i",
    false="gap",
    costs="constants",
    hypotheses=("d in Integers", "d >= 1", "Sigma > 0", "Sigma <= 1"),
    needs=("BB:LF.1.corner", "BB:LF.1.i/query"),
    repair={"parameter": "repaired"},
    control={"k": Fraction(9, 10)},
)
def sub_gaussian_parameter_of_the_tokens(
    *, parameter: str = "printed", k: Fraction = Fraction(1)
) -> Evidence:
    r"""With $\sigma_\mu^2=\max(1,\|\Sigma\|_{\rm op}(1+\|w\|^2))$, where `k` multiplies
    $\|\Sigma\|_{\rm op}$, it is derived that a token is $\sigma_\mu$-sub-Gaussian at every task.
    With the printed `parameter`, it is not. The second route is $\|\Sigma\|_{\rm
    op}(\|a\|+|b|\,\|w\|)^2\leq\sigma_\mu^2(\|a\|^2+b^2)$ for every $v=(a,b)$, which is necessary in
    $d=1$.
    """
    bound = PARAMETERS[parameter](Rational(k)) * (a**2 + b**2)
    ranges = {Sigma: sp.Interval.Lopen(0, 1), w: Closed(0, oo), a: Closed(0, oo), b: Closed(0, oo)}
    found = forall(Sigma * (a + b * w) ** 2, "<=", bound, ranges)
    if found.verdict is Verdict.REFUTED or parameter == "printed":
        return found.replace(witness={"d": 1, **found.witness})
    return derivation("BB:LF.1.i", found, k=k)


@claim("BB:LF.1.i/form", control={"shifts": 2})
def exponent_of_the_generating_function(*, shifts: int = 1) -> Evidence:
    r"""For $v=(a,b)$, $v^\top\Gamma_wv=(a+bw)^\top\Sigma(a+bw)$, the square of a sum and not of the
    larger part; `shifts` multiplies $bw$.
    """
    return quadratic_form(noise=False, shifts=shifts)


@claim("BB:LF.1.i/query", control={"c": Fraction(9, 10)})
def the_query_is_sub_gaussian(*, c: Fraction = Fraction(1)) -> Evidence:
    r"""For the query, $\mathbb{E}e^{v^\top x}\leq e^{\|v\|^2/2}$ is derived for every $v$; `c`
    multiplies the $\|v\|^2$. The second route is $\|\Sigma\|_{\rm op}\|v\|^2\leq\|v\|^2$.
    """
    search = forall(Sigma * a**2, "<=", Rational(c) * a**2, {Sigma: Closed(0, 1), a: Closed(0, oo)})
    return derivation("BB:LF.1.i/query", search, c=c)
