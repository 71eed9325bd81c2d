"""Corollary C.3 of Boursier & Boyer, the proof: its two deterministic inequalities between the
printed ranges of delta, each proved or refuted for every prompt length and every score.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import exp, oo

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, forall
from proofs_check.core.claim import claim
from theory.bounds.concentration import delta_0, delta_min

L = sp.Symbol("L", integer=True, positive=True)
a2 = sp.Symbol("a2", nonnegative=True)  # sigma^2 |Uz|^2
x = sp.Symbol("x", positive=True)
DOMAIN = {L: Integers(1, oo), a2: Closed(0, oo)}
X = {x: L * exp(-2 * a2) / 8}


@claim("BB:CC.3.a", dial="c", reference=dict(x=sp.Rational(25, 2) * exp(-sp.Rational(1, 2))))
def delta_0_exceeds_delta_min(*, c: int | Fraction = 64) -> Evidence:
    r"""For every $x>0$, $e^{-x}\leq1/x^2$; at $x=Le^{-2\sigma^2\|Uz\|^2}/8$ this gives
    $\delta_0=c\,e^{4\sigma^2\|Uz\|^2}/L^2\geq\delta_{\min}$ with `c` = 64. Another `c` puts $c/64$
    in front of $1/x^2$.
    """
    reason = forall(exp(-x), "<=", sp.Rational(c, 64) / x**2, {x: (0, oo)})
    return all_of(reason, forall(delta_0(L, a2, c), ">=", delta_min(L, a2), DOMAIN, via=X))


@claim(
    "BB:CC.3.b",
    false="gap",
    costs="constants",
    why=r"Lemma C.1 is used at $\delta/4$ and so needs $\delta/4\geq\delta_{\min}$. Only $\delta\geq\delta_{0}\geq\delta_{\min}$ "
    r"has been shown; with the constant $64$, $\delta_{0}/4\geq\delta_{\min}$ fails.",
    details=r"Here $\delta_{\min}=\exp(-\frac{L}{8}e^{-2\sigma^{2}\|Uz\|^{2}})$. The corollary itself survives with $64$: its "
    r"bound holds for every $\delta\in(0,1)$, by another proof. The last display writes "
    r"$(T^{U,V}[\hat\mu_{L}](z)-T^{U,V}[\mu](z))^{2}$ for the squared norm of the difference, which is the case $f(z)=Vz$ "
    r"only.",
    instead=r"Put $139$ in place of $64$ in $\delta_0$; the same proof works with $\delta_{0}=c\,e^{4\sigma^{2}\|Uz\|^{2}}/L^{2}$ "
    r"for every $c\geq 1024/e^{2}=138.58\ldots$.",
    repair=dict(c=139),
    dial="c",
    needs=("BB:LC.1", "BB:CC.3.a"),
    argument=r"Lemma C.1 at $\delta/4$ asks for $\delta/4\geq\delta_{\min}$, where $\delta\geq\delta_0$ is all that is known.",
    hypotheses=("L in Integers", "L >= 1", "a2 >= 0", "64 * exp(4 * a2) < L**2"),
    reference={},
)
def quarter_of_delta_is_admissible(*, c: int | Fraction = 64) -> Evidence:
    r"""The proof needs $\delta_0/4\geq\delta_{\min}$ wherever $\delta_0<1$ leaves room for a
    $\delta$. With the printed `c` = 64 in $\delta_0$ this is refuted; it holds from
    $c=256\,(2/e)^2$ on, and the repair takes $139$.
    """
    return forall(
        delta_0(L, a2, c) / 4, ">=", delta_min(L, a2), DOMAIN, where=[(delta_0(L, a2, c), "<", 1)], via=X
    )
