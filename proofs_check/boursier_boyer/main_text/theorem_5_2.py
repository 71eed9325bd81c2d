"""Theorem 5.2 of Boursier & Boyer as printed, which is derived as Theorem 4.3 is, and Remark 5.3:
the parameters at which training with infinite prompts ends, their risk, label noise, and singular
covariances. Fixed points and risks are proved for every dimension; limits are found by integrating
the gradient flow.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import sympy as sp
from sympy import Rational, exp, oo, sqrt

from numerics.counterexamples.drawn.flows import drawn_ends
from numerics.evidence import Evidence, Verdict, all_of
from numerics.provers import computed, forall, identity, trace_identity
from numerics.regression.flow.starts import Start, ends_at, theta_starts
from proofs_check.boursier_boyer.main_text.theorem_4_3 import CONSTANTS
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.regression.trained_risk import NOISY, PRINTED, ZERO, attained, trained_risk_below
from theory.regression.limit import limit_parameters
from theory.regression.risk import icl_risk
from theory.symbolic.algebra import Algebra
from theory.symbolic.regression_moments import DATA, risk_of_blocks, token_moments

#: On what the derivation rests that is derived elsewhere.
MODEL = (
    "BB:5.RL",
    "BB:5.Rinf",
    "BB:5.rows",
    "BB:5.block",
    "BB:F.2.C2/polynomial",
    "BB:T5.2/coordinates",
    "OURS:T5.2/scale",
)


@claim(
    "BB:T5.2",
    control=({"c": Fraction(0)}, {"any_start": True}),
    needs=(*MODEL, "BB:T5.2.range", "BB:R5.3.limits", "BB:R5.3.risk0"),
    cites=CONSTANTS,
)
def theorem_5_2(*, c: Fraction = Fraction(1), any_start: bool = False) -> Evidence:
    r"""For model (11), every covariance $\Sigma\neq0$ and the start of Assumption 5.1 with any
    $\alpha>0$ it is derived that $\mathcal{R}_L(\theta_L(t))\leq\varepsilon$ for all $L\geq
    L^\star$ and all times $t\geq T$ at which the flow (7) exists, and so its limit; and that from
    the same explicit $T$ on $\mathcal{R}_\infty(\theta_\infty(t))\leq\varepsilon$. This is the
    derivation of BB:T4.3 for the squared loss, where what Theorem 4.3 supposes is derived of the
    model: that tokens and query are sub-Gaussian with twelve moments of $\sigma_\mu$, that the
    infinite-prompt flow stays in a ball, and that its risk tends to 0. All is told in the
    coordinates $\kappa U$, $\kappa V$ with $\kappa^2=\max(1,\|\Sigma\|_{\rm op})$, at the query
    $x_{\rm q}/\kappa$, where the flows are those of $\kappa^2\mathcal{R}$.

    Second route: on instances inside the printed range of $\alpha$, $\Sigma=4$ among them, the
    bound holds at the end of integrated flows, at a length $L(\varepsilon)$ and at $L=10^6$, and
    that of the infinite-prompt flow. Here `c` multiplies $\varepsilon$, and with
    `any_start` the flows start anywhere, such as at $\alpha=0$, where they rest.
    """
    checked = (
        r"\lim_t\mathcal R_L(U_L(t),V_L(t))\le\mathcal R^\star+\varepsilon,\quad L\ge L(\varepsilon),\ "
        r"\mathcal R^\star=0"
    )
    instances = (*PRINTED, *(ZERO if any_start else ()))
    search = trained_risk_below(instances, c, checked)
    limit = attained(instances, c, r"\lim_t\mathcal R_\infty(U_\infty(t),V_\infty(t))=\mathcal R^\star")
    return derivation("BB:T5.2", search, search, limit, c=c, any_start=any_start)


@claim("BB:T5.2/coordinates", control=({"power": 1}, {"factor": 2}))
def the_flow_in_larger_coordinates(*, power: int = 2, factor: int = 1) -> Evidence:
    r"""If $\theta'=-\nabla\mathcal{R}(\theta)$, then it is derived that $\kappa\theta$ moves with
    $-\kappa\nabla\mathcal{R}(\theta)$, and that $\kappa^2\mathcal{R}$ changes at the rate of the
    inner product of this vector with the speed of $\kappa\theta$, as its gradient at
    $\kappa\theta$ is $\kappa\nabla\mathcal{R}(\theta)$; `power` stands for the exponent of
    $\kappa^2$, and `factor` multiplies the first vector. The second route are a straight path, and
    the gradient for $\mathcal{R}(\theta)=\frac12(a\theta-b)^2$.
    """
    a, b, g, t, x, kappa = sp.symbols("a b g t x kappa", positive=True)
    moved = identity(sp.Derivative(kappa * (x - g * t), t), -factor * kappa * g)
    larger = kappa**power * (a * x / kappa - b) ** 2 / 2
    slope = identity(sp.Derivative(larger, x), kappa * (a * (a * x / kappa - b)))
    return derivation("BB:T5.2/coordinates", moved, slope, power=power, factor=factor)


@claim(
    "BB:T5.2/inference",
    false="gap",
    costs="nothing",
    hypotheses=("d in Integers", "d >= 1", "Sigma > 0", "alpha > 0", "alpha**4*d*Sigma**4 < 4"),
    needs=("BB:LF.1.i", "OURS:T5.2/scale"),
    repair={"rescaled": True},
    control={"rescaled": False},
)
def the_query_of_the_theorem_is_sub_gaussian(*, rescaled: bool = False) -> Evidence:
    r"""Assumption 4.2 (i) asks for $\mathbb{E}e^{v^\top x_{\rm q}/\kappa}\leq e^{\|v\|^2/2}$, for
    every invertible $\Sigma$. With $\kappa=1$, as in the proof, this fails at $\Sigma=2$; with
    $\kappa=\max(1,\|\Sigma\|_{\rm op}^{1/2})$ (`rescaled`) it is derived in every dimension. The
    second route has $d=1$.
    """
    Sigma, v = sp.symbols("Sigma v", positive=True)
    ranges = {Sigma: (0, oo), v: (0, oo)}
    if rescaled:
        line = forall(Sigma * v**2 / 2, "<=", sp.Max(1, Sigma) * v**2 / 2, ranges)
        return derivation("BB:T5.2/inference", line, rescaled=rescaled)
    found = forall(Sigma * v**2 / 2, "<=", v**2 / 2, ranges)
    if found.verdict is not Verdict.REFUTED:
        return found
    left, right = exp(1), exp(Rational(1, 2))  # at Sigma = 2, v = 1; alpha = 1/2 is below sqrt(2)/2
    if not (left > right and Rational(1, 2) < sqrt(2) / 2):
        return found
    at = {"d": 1, "Sigma": 2, "alpha": Fraction(1, 2), "v": 1}
    witness = {**at, "E e^{v x_q}": f"exp({sp.log(left)})", "e^{v^2/2}": str(right)}
    return found.replace(witness=witness)


ALGEBRA = Algebra(symmetric=["S", "J"], vectors=["w", "x"], inverse=[("S", "J")])
S, J, w, x = (ALGEBRA[name] for name in ("S", "J", "w", "x"))
SINGULAR = Algebra(
    general=["M"], symmetric=["S", "G", "H"], vectors=["w"], params=["u"], pseudo_inverse=[("S", "G", "H")]
)


def remark(start: Start, exponent: float) -> tuple[np.ndarray, float]:
    """The limits as printed."""
    inverse = np.linalg.inv(start.Sigma)
    scale = np.trace(inverse @ inverse) ** exponent
    return inverse / scale, float(scale)


@claim("BB:R5.3.limits/fixed_point", control=({"exponent": Rational(1, 2)}, {"factor": 2}))
def limits_are_a_balanced_fixed_point(*, exponent: Rational = Rational(1, 4), factor: int = 1) -> Evidence:
    r"""The printed limits $U=T^{-1/4}\Sigma^{-1}$ and $u=T^{1/4}$ with $T={\rm tr}(\Sigma^{-2})$
    are balanced: $\|U\|_F^2$ and $u^2$ are both $T^{1/2}$. Since $uU=\Sigma^{-1}$, the vector field
    of the flow vanishes there. Here `exponent` stands for the $\frac14$ of $U$ and $u$, and
    `factor` multiplies $uU$.
    """
    T = sp.Symbol("T", positive=True)
    with sp.evaluate(False):
        U_norm, u_square = T * (T**-exponent) ** 2, (T**exponent) ** 2
    balanced = identity(U_norm, u_square)
    if not balanced.verdict.accepted:
        return balanced
    scaled = factor * J  # u U
    in_U = trace_identity(S * S * scaled * S, S * S)
    return all_of(balanced, in_U, trace_identity((S * scaled * S * scaled * S).tr(), (S * scaled * S).tr()))


@claim(
    "BB:R5.3.limits",
    needs=("BB:5.block", "OURS:R5.limit/rate", "BB:R5.3.limits/fixed_point"),
    control={"exponent": Rational(1, 2)},
)
def limits_for_an_invertible_covariance(*, exponent: Rational = Rational(1, 4)) -> Evidence:
    r"""For invertible $\Sigma$, every $d$ and every $\alpha>0$ it is derived that $U$ and $u$ tend
    to $v^{-1}\Sigma^{-1}$ and $v={\rm tr}(\Sigma^{-2})^{1/4}$ at an exponential rate: $|u-v|^2\leq
    E/v^2$ and $\|U-\Sigma^{-1}/v\|_F^2\leq4E/a^2$ with
    $E=2\mathcal{R}(0)e^{-2\lambda^3a^2t}/\lambda^3$, the least eigenvalue $\lambda$ and a number
    $a>0$ that $u$ never falls below. Here `exponent` stands for $\frac14$. The second route are
    integrated paths.
    """
    checked = (
        r"U(t)\to\operatorname{tr}(\Sigma^{-2})^{-1/4}\Sigma^{-1},\ u(t)"
        r"\to\operatorname{tr}(\Sigma^{-2})^{1/4}"
    )
    limit = partial(remark, exponent=float(exponent))
    search = ends_at(limit, theta_starts(), checked=checked).replace(sides=(drawn_ends(limit, "balanced"),))
    return derivation("BB:R5.3.limits", search, search, exponent=Fraction(int(exponent.p), int(exponent.q)))


@claim("BB:R5.3.risk0", control=({"factor": 2}, {"least": Fraction(1, 100)}), needs=("BB:R5.3.limits",))
def the_risk_at_the_limit_is_zero(*, factor: int = 1, least: int | Fraction = 0) -> Evidence:
    r"""At $U=\Sigma^{-1}/t$ and $u=t$, for every $t>0$ and $d$, the risk of attention is derived to
    be 0, and a mean of half a squared error is not negative, whatever is predicted, where `least`
    stands for 0; `factor` multiplies $\Sigma^{-1}$. The second route is $u\,w^\top\Sigma Ux=w^\top
    x$, and the closed form of the risk in $d=1$ and 2.
    """
    exact = trace_identity(factor * (w.T * S * J * x), w.T * x)
    parts = [exact]
    for d in (1, 2):
        Sigma = sp.Matrix(d, d, lambda i, j: sp.Symbol(f"s_{min(i, j)}{max(i, j)}"))
        u = sp.Symbol("u", positive=True)
        risk = computed(r"\mathcal{R}_\infty", icl_risk(Sigma, factor * Sigma.inv() / u, u))
        parts.append(identity(risk + Sigma.trace() / 2, Sigma.trace() / 2))
    e = sp.Symbol("e", real=True)
    bounded = forall(Rational(least), "<=", e**2 / 2, {e: (-sp.oo, sp.oo)})
    return derivation("BB:R5.3.risk0", all_of(*parts), bounded, factor=factor, least=least)


@claim(
    "BB:R5.3.noise",
    control=({"factor": 2}, {"c": Fraction(0)}),
    needs=(*MODEL, "BB:R5.3.noise/risk"),
    cites=CONSTANTS,
)
def label_noise_reaches_only_the_corner(*, factor: int = 1, c: Fraction = Fraction(1)) -> Evidence:
    r"""For $y=w^\top x$ with label noise of any law of mean 0 and variance $\tau^2$, independent of
    the Gaussian $x$, and every $d$ it is derived that $\mathbb{E}xx^\top=\Sigma$,
    $\mathbb{E}xy=\Sigma w$ and $\mathbb{E}y^2=w^\top\Sigma w+\tau^2$, so that the noise reaches
    only the corner of the covariance; `factor` multiplies each right side. The second route has
    Gaussian noise.

    And Theorem 5.2 is derived with Gaussian label noise of the prompts and of the query:
    $\mathcal{R}_L(\theta_L(t))$ and its limit are at most $\frac12\tau^2+\varepsilon$, as for
    BB:T5.2; `c` multiplies $\varepsilon$. The second route are integrated flows.
    """
    square, column, corner = token_moments(noise=True)
    S, w, r = (DATA[name] for name in ("S", "w", "r"))
    checked = r"\lim_t\mathcal R_L(U_L(t),V_L(t))\le\tfrac{\tau^2}{2}+\varepsilon,\quad L\ge L(\varepsilon)"
    search = trained_risk_below(NOISY, c, checked, noise=0.5)
    return derivation(
        "BB:R5.3.noise",
        trace_identity(square, factor * S),
        trace_identity(column, factor * S * w),
        trace_identity(corner, factor * (w.T * S * w + r.T * r)),
        search,
        search,
        factor=factor,
        c=c,
    )


@claim("BB:R5.3.noise/risk", control={"factor": 2}, needs=("BB:5.block",))
def label_noise_stays_out_of_the_risk(*, factor: int = 1) -> Evidence:
    r"""With $p=b=0$ the infinite-prompt risk with label noise is that without, $\frac12{\rm
    tr}((q\Sigma A-I)\Sigma(q\Sigma A-I)^\top)$, because the noisy corner of $\Gamma_w$ meets $U$
    only through its row $b^\top$; `factor` multiplies the risk without noise.

    So flow and limits are those without noise, once $b$ stays 0 (BB:5.block).
    """
    S, A, q = (DATA[name] for name in ("S", "A", "q"))
    on_manifold = risk_of_blocks(noise=True).substitute("p", 0 * DATA["p"]).substitute("b", 0 * DATA["b"])
    bracket = q * S * A - DATA.I
    return trace_identity(on_manifold, factor * (bracket * S * bracket.T).tr() / 2)


@claim("BB:R5.3.deg/fixed_point", control={"factor": 2})
def the_pseudo_inverse_gives_a_fixed_point_of_risk_0(*, factor: int = 1) -> Evidence:
    r"""At $uU=\Sigma^\dagger+uP(M)$, for any $M$ and $\Sigma$ of any rank, the vector field of the
    flow vanishes, and $w^\top\Sigma(uU)x=w^\top x$ for every $x$ in the range of $\Sigma$; `factor`
    multiplies $\Sigma^\dagger$.
    """
    S, G, H, M, w, u = (SINGULAR[name] for name in ("S", "G", "H", "M", "w", "u"))
    scaled = factor * G + u * (M - H * M * H)
    in_U = trace_identity(S * S * scaled * S, S * S)
    in_u = trace_identity((S * scaled * S * scaled.T * S).tr(), (S * scaled.T * S).tr())
    return all_of(in_U, in_u, trace_identity(w.T * S * scaled * S, w.T * S))


@claim(
    "BB:R5.3.deg",
    control={"factor": 2},
    needs=("BB:F.3.4c", "BB:5.block", "OURS:R5.limit/rate", "BB:R5.3.deg/fixed_point"),
)
def the_pseudo_inverse_takes_the_place_of_the_inverse(*, factor: int = 1) -> Evidence:
    r"""For covariances $\Sigma\neq0$ of any rank, every $d$ and $\alpha>0$ it is derived as for
    BB:F.3.4c that $U$ tends to $\gamma\Sigma^\dagger+P(U(0))$ and $u$ to $1/\gamma$ at an
    exponential rate; `factor` multiplies $\gamma\Sigma^\dagger$. The second route are integrated
    paths.
    """
    checked = r"U(t)\to\gamma\Sigma^{\dagger}+P(U(0)),\ u(t)\to 1/\gamma"
    limit = partial(by_pseudo_inverse, factor=factor)
    drawn = drawn_ends(limit, "balanced", singular=True)
    starts = theta_starts(singular=True, scales=(0.6,))
    search = ends_at(limit, starts, checked=checked).replace(sides=(drawn,))
    return derivation("BB:R5.3.deg", search, factor=factor)


def by_pseudo_inverse(start: Start, factor: int) -> tuple[np.ndarray, float]:
    """The limit that `limit_parameters` states, its part in the range times a factor."""
    p = limit_parameters(start.Sigma, U0=start.U0, u0=start.u0)
    onto = start.Sigma @ np.linalg.pinv(start.Sigma, hermitian=True, rcond=1e-10)
    U = p.U[:-1, :-1]
    return U + (factor - 1) * (onto @ U @ onto), float(p.V[-1, -1])
