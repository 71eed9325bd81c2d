"""Our repair of Theorem 5.2 of Boursier & Boyer: the trained risk is within epsilon of the best one
from some L(epsilon) on, for any covariance, any start alpha != 0, and label noise.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, forall, identity, trace_identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.regression.trained_risk import (
    BEYOND,
    NOISY,
    PRINTED,
    SINGULAR,
    ZERO,
    trained_risk_below,
)
from theory.symbolic.algebra import Algebra


@claim("OURS:T5.2/scale", control={"power": 2})
def a_larger_query_is_a_larger_block(*, power: int = 1) -> Evidence:
    r"""In every dimension it is derived that $z^\top(\kappa U)(x/\kappa)=z^\top Ux$, so that the
    output at $(x,U)$ is that at $(x/\kappa,\kappa U)$; that $x/\kappa$ is 1-sub-Gaussian if $x$ is
    $\kappa$-sub-Gaussian; that $\|\kappa U\|\leq\kappa\|U\|$; and that the slopes in $U$ differ by
    the factor $\kappa$. Here `power` stands for the exponent of $\kappa$ under $x$ and in the norm.
    The second route has $d=2$.
    """
    kappa = sp.Symbol("kappa", positive=True)
    names = sp.symbols("z_1 z_2 x_1 x_2 u_11 u_12 u_21 u_22", real=True)
    z, x, U = sp.Matrix(names[:2]), sp.Matrix(names[2:4]), sp.Matrix(2, 2, names[4:])
    smaller = x / kappa**power
    score, scaled = (z.T * U * x)[0], (z.T * (kappa * U) * smaller)[0]
    slopes = [kappa * sp.Derivative((z.T * U * smaller)[0], entry) for entry in U]
    sizes = forall(kappa**2, "<=", kappa ** (2 * power), {kappa: (0, sp.oo)})
    slope = identity(slopes, [sp.Derivative(score, entry) for entry in U])
    return derivation("OURS:T5.2/scale", identity(scaled, score), sizes, sizes, slope, power=power)


@claim(
    "OURS:T5.2/bayes",
    control=({"factor": Fraction(2)}, {"share": Fraction(2)}),
    needs=("OURS:R5.limit", "BB:R5.3.risk0"),
)
def the_infinite_prompt_flow_reaches_the_bayes_risk(
    *, factor: Fraction = Fraction(1), share: Fraction = Fraction(1)
) -> Evidence:
    r"""At $U=\gamma S^++P(U(0))$ and $u=1/\gamma$, $w^\top S(uU)S=w^\top S$ for $S$ of any rank, so
    that the excess risk is 0. That the risk of any predictor is at least $\frac12\tau^2$ is
    derived, since the noise of the query's own label is independent of all that the predictor sees;
    tried is an error $r$ that is a number. Here `factor` multiplies $\gamma S^+$, and `share`
    $\frac12\tau^2$.
    """
    A = Algebra(
        general=["M"],
        symmetric=["S", "G", "H"],
        vectors=["w"],
        params=["u"],
        pseudo_inverse=[("S", "G", "H")],
    )
    S, G, H, M, w, u = (A[name] for name in ("S", "G", "H", "M", "w", "u"))
    end = factor * G + u * (M - H * M * H)
    r, tau2 = sp.symbols("r tau2", nonnegative=True)
    half = sp.Rational(share) * tau2 / 2
    number = forall(half, "<=", (r**2 + tau2) / 2, {r: Closed(0, sp.oo), tau2: Closed(0, sp.oo)})
    return all_of(
        trace_identity(w.T * S * end * S, w.T * S), derivation("OURS:T5.2/bayes", number, share=share)
    )


@claim(
    "OURS:T5.2",
    control=({"c": Fraction(1, 2)}, {"any_start": True}),
    needs=(
        "OURS:R1",
        "OURS:R2",
        "OURS:R3",
        "OURS:P3.1",
        "OURS:P3.4.V",
        "OURS:P3.4.U",
        "OURS:LF.1",
        "OURS:E.risk",
        "OURS:E.gradient",
        "OURS:E.moments",
        "OURS:E.moments/limit",
        "OURS:T4.3",
        "OURS:R5.limit",
        "OURS:R5.PL",
        "OURS:T5.2.gap",
        "OURS:T5.2/scale",
        "OURS:T5.2/bayes",
        "OURS:T5.2/explicit",
        "BB:5.block",
    ),
)
def repaired_theorem_5_2(*, c: Fraction = Fraction(1), any_start: bool = False) -> Evidence:
    r"""For every $\Sigma\neq0$, $\alpha\neq0$, $\tau^2\geq0$ and $\varepsilon>0$ the limit of the
    trained risk $R_L$ is at most $\frac12\tau^2+\varepsilon$ from some $L(\varepsilon)$ on. This is
    tried on integrated instances; `c` multiplies $\varepsilon$, and with `any_start` $\alpha$ is 0
    in one of them.
    """
    starts = (*PRINTED, *SINGULAR, *NOISY, *BEYOND, *(ZERO if any_start else ()))
    checked = r"\lim_t\mathcal R_L(U_L(t),V_L(t))\le\tfrac{\tau^2}{2}+\varepsilon,\quad L\ge L(\varepsilon)"
    return trained_risk_below(starts, c, checked, noise=0.5)
