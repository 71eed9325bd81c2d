"""Theorem 5.2 of Boursier & Boyer as printed: the trained risk is within epsilon of the best one
for prompts longer than some L(epsilon). The statement is derived as Theorem 4.3 is, and tried by
integrating the flow; the step of its proof that needs a covariance of norm at most 1 is refuted.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import Rational, exp, oo, sqrt

from numerics.evidence import Evidence, Verdict
from numerics.provers import forall
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.trained_risk import PRINTED, trained_risk_below


@claim(
    "BB:T5.2",
    control={"c": Fraction(0)},
    needs=(
        "BB:5.RL",
        "BB:5.Rinf",
        "BB:5.rows",
        "BB:5.block",
        "BB:A5.1",
        "BB:T5.2.range",
        "BB:T4.3",
        "BB:4.loss/half",
        "BB:F.2.lin",
        "BB:F.2.Zh",
        "BB:F.2.C2",
        "BB:LF.1",
        "BB:LF.1.i",
        "BB:LF.1.ii.f",
        "BB:LF.1.iii",
        "BB:R5.3.risk0",
        "BB:F.3.4c",
        "BB:F.3.fin/bounded",
        "OURS:T5.2",
    ),
)
def theorem_5_2(*, c: Fraction = Fraction(1)) -> Evidence:
    r"""As BB:T4.3, with 0 for the limit, it is derived for the risks of half the squared loss, with
    $\frac\varepsilon2$ for $\varepsilon$; what is special to model (11) is in the argument. Second
    route: on instances inside the printed range of $\alpha$, $\Sigma=4$ among them, the bound holds
    at the end of integrated flows, at a length $L(\varepsilon)$ and at $L=10^6$. Here `c`
    multiplies $\varepsilon$.
    """
    checked = (
        r"\lim_t\mathcal R_L(U_L(t),V_L(t))\le\mathcal R^\star+\varepsilon,\quad L\ge L(\varepsilon),\ "
        r"\mathcal R^\star=0"
    )
    return derivation("BB:T5.2", trained_risk_below(PRINTED, c, checked), c=c)


@claim(
    "BB:T5.2/inference",
    false="gap",
    costs="nothing",
    hypotheses=("d in Integers", "d >= 1", "Sigma > 0", "alpha > 0", "alpha**4*d*Sigma**4 < 4"),
    needs=("BB:LF.1.i",),
    repair={"rescaled": True},
    control={"rescaled": False},
)
def the_query_of_the_theorem_is_sub_gaussian(*, rescaled: bool = False) -> Evidence:
    r"""Assumption 4.2 (i) asks for $\mathbb{E}e^{vx_{\rm q}/\kappa}\leq e^{v^2/2}$, for every
    invertible $\Sigma$. With $\kappa=1$, as in the proof, this fails at $\Sigma=2$; with
    $\kappa=\max(1,\|\Sigma\|_{\rm op}^{1/2})$ (`rescaled`) it holds.
    """
    Sigma, v = sp.symbols("Sigma v", positive=True)
    ranges = {Sigma: (0, oo), v: (0, oo)}
    if rescaled:
        return forall(Sigma * v**2 / 2, "<=", sp.Max(1, Sigma) * v**2 / 2, ranges)
    found = forall(Sigma * v**2 / 2, "<=", v**2 / 2, ranges)
    if found.verdict is not Verdict.REFUTED:
        return found
    left, right = exp(1), exp(Rational(1, 2))  # at Sigma = 2, v = 1; alpha = 1/2 is below sqrt(2)/2
    if not (left > right and Rational(1, 2) < sqrt(2) / 2):
        return found
    at = {"d": 1, "Sigma": 2, "alpha": Fraction(1, 2), "v": 1}
    witness = {**at, "E e^{v x_q}": f"exp({sp.log(left)})", "e^{v^2/2}": str(right)}
    return found.replace(witness=witness)
