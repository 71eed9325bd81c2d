"""R6 on the line u S U = I, on which the risk of infinite prompts is least: the excess risk of
finite prompts is at most F(lambda)/(2L) at every length.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy import Rational, log, oo

from numerics.attention.quadrature.common_nodes import STEP, common_nodes
from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.counterexamples.drawn.computed import Computed, Decades, OneOf, Several, Share
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, computed, forall, identity, trace_identity
from numerics.regression.risk.gap_to_infinite_prompt import finite_prompt_gap, gap_at_nodes
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import supported
from theory.regression.task import RegressionTask
from theory.regression.valley import best_score_variance, linear_excess, valley_excess
from theory.symbolic.algebra import Algebra

Floats = NDArray[np.float64]
d, sigma, lam = sp.symbols("d sigma lambda", positive=True)
tau2 = sp.Symbol("tau2", nonnegative=True)
T = sigma + tau2


def quadratic(two: int) -> sp.Expr:
    """(d + 2)(two T - tr S) lambda^2 - (d + 4) T lambda + T, whose root is lambda* for two = 2."""
    return (d + 2) * (two * T - sigma) * lam**2 - (d + 4) * T * lam + T


@claim("OURS:R6.valley/scores", control=(dict(power=3), dict(one=2)), needs=("OURS:R5.limit/square",))
def the_valley_is_a_line(*, power: int = 2, one: int = 1) -> Evidence:
    r"""Where the infinite-prompt risk, half of ${\rm tr}(BSB^\top)$ with $B=uSU-I$, vanishes,
    $B=0$: this is derived in an eigenbasis of $S$, for every $d$ and every invertible $S$. At
    $U=vS^{-1}$, $uSU=uvI$, which is $I$ for $v=1/u$ only, and $S^{1/2}U^\top SUS^{1/2}=v^2I$, so
    that $\lambda=1/u^2$. Here `power` stands for the exponent of $v$, and `one` multiplies the $I$
    of $B$.
    """
    A = Algebra(symmetric=["R", "K"], params=["u", "v"], inverse=[("R", "K")])  # S = R R, S^-1 = K K
    R, K, u, v = A["R"], A["K"], A["u"], A["v"]
    U = v * K * K
    product, variance = u * (R * R) * U, R * U.T * (R * R) * U * R
    l, a, p = sp.symbols("l a p", real=True)  # d = 1: l, u U, and 1/l
    line = identity(p * (l * (l * a - 1) ** 2), (l * a - one) ** 2, given=[sp.Eq(p * l, 1)])
    return all_of(
        derivation("OURS:R6.valley/scores", line, one=one),
        trace_identity(product, u * v * A.I),
        trace_identity(variance, v**power * A.I),
    )


@claim(
    "OURS:R6.valley/minimum",
    control=(dict(half=Rational(1, 5)), dict(half=1), dict(two=1), dict(least=1)),
    cites=("the mean value theorem",),
)
def where_the_excess_is_least(
    *, half: int | Rational = Rational(1, 2), two: int = 2, least: int = 0
) -> Evidence:
    r"""For every $d\geq1$ and $\tau^2\geq0$, with $T={\rm tr}\,S+\tau^2$,
    $F'=-(1-2\lambda)^{-d/2-2}q/\lambda^2$ with $q=(d+2)(2T-{\rm tr}\,S)\lambda^2-(d+4)T\lambda+T$,
    and $q=(d+2)(2T-{\rm tr}\,S)(\lambda_*-\lambda)(\lambda'-\lambda)$ with the formula for
    $\lambda_*$, which is below $\frac12$, and a root $\lambda'$ that is above every
    $\lambda<\frac12$: $F$ falls before $\lambda_*$ and rises after. Here `two` stands for the 2 of
    $2T$, `half` for $\frac12$, and $\lambda_*$ and the factor are above `least` = 0.
    """
    F, q = valley_excess(lam, trace=sigma, d=d, noise=tau2), quadratic(two)
    domain = {d: Closed(1, oo), sigma: (0, oo), tau2: Closed(0, oo)}
    best, lead = best_score_variance(trace=sigma, d=d, noise=tau2), (d + 2) * (2 * T - sigma)
    other = T / (lead * best)
    return all_of(
        identity(sp.diff(F, lam) * (1 - 2 * lam) ** (d / 2 + 2) * lam**2, -q),
        identity(q, lead * (best - lam) * (other - lam)),
        *(forall(positive, ">", least, domain) for positive in (lead, best)),
        forall(best, "<", half, domain),
        forall(lam, "<", other, {**domain, lam: (0, half)}),
    )


#: Eigenvalues of S, the label noise, and lambda (None: the best one).
VALLEY_POINTS = {
    "S = I, d = 5, lambda*": ((1.0,) * 5, 0.0, None),
    "S = 1, lambda = 0.01": ((1.0,), 0.0, 0.01),
    "S = diag(1, 1/2), tau2 = 0.3, lambda*": ((1.0, 0.5), 0.3, None),
    "S = diag(1e-6, 4), lambda = 0.49": ((1e-6, 4.0), 0.0, 0.49),
}
LENGTHS = np.array([1.0, 2.0, 10.0, 1e4, 1e16])
#: Lengths at which drawn parameters are tried.
LONG = (1.0, 2.0, 3.0, 10.0, 1e2, 1e4, 1e8, 1e16, 1e30)


def on_the_valley(share: float) -> Computed:
    def held(d: int, l: Floats, tau2: float, lam: float, step: float = STEP) -> Floats:
        nodes, S = common_nodes(LONG, 400.0, step), np.diag(l[:d])
        return nodes.lengths * gap_at_nodes(nodes, S, lam**0.5 * np.linalg.inv(S), lam**-0.5, tau2)

    def bound(d: int, l: Floats, tau2: float, lam: float) -> float:
        return share * float(valley_excess(lam, trace=float(l[:d].sum()), d=d, noise=tau2)) / 2

    return Computed(
        "d = 1 to 4, eigenvalues of S from 1/1000 to 100, lambda below 1/2, label noise up to 10, L = 1 to "
        "1e30",
        {
            "d": OneOf((1, 2, 3, 4)),
            "l": Several(Decades(1e-3, 100.0), 4),
            "tau2": Decades(1e-3, 10.0, zero=True),
            "lam": Share(0.001, 0.499),
        },
        lambda **at: (held(**at), bound(**at)),
        lambda L, **at: held(**at, step=0.16)[LONG.index(L)],
        along=("L", LONG),
        where=lambda d, l, tau2, lam: {"d": d, "eigenvalues of S": l[:d], "tau2": tau2, "lambda": lam},
    )


@claim(
    "OURS:R6.valley",
    control={"share": Fraction(99, 100)},
    needs=(
        "OURS:R6",
        "OURS:R4.A",
        "OURS:R4.limit",
        "OURS:R6.valley/scores",
        "OURS:R6.valley/minimum",
        "OURS:R6.fixed/integral",
    ),
    cites=("dominated convergence",),
)
def excess_on_the_valley(*, share: Fraction = Fraction(1)) -> Evidence:
    r"""At four points of the valley and from $L=1$ to $10^{16}$,
    $L(R_L-\frac12\tau^2)\leq\frac12F(\lambda)$; `share` multiplies the bound.
    """
    return _at_points(share).replace(sides=(on_the_valley(float(share)),))


def _at_points(share: Fraction) -> Evidence:
    reached = []
    for name, (eigenvalues, noise, given) in VALLEY_POINTS.items():
        S = np.diag(eigenvalues)
        law = {"trace": float(sum(eigenvalues)), "d": len(eigenvalues), "noise": noise}
        at = best_score_variance(**law) if given is None else given
        v = at**-0.5
        point = np.linalg.inv(S) / v, v, RegressionTask(S, noise=noise, task_variance=1.0)
        held = LENGTHS * finite_prompt_gap(*point, LENGTHS)
        bound = float(share) * valley_excess(at, **law) / 2
        i = int(np.argmax(held))
        if held[i] > bound * (1 + 1e-9):
            again = LENGTHS[i] * float(finite_prompt_gap(*point, LENGTHS[i], step=0.05))
            witness = {"case": name, "L": f"{LENGTHS[i]:.0e}", "L (R_L - tau2/2)": held[i], "allowed": bound}
            return refuted_by_two_routes("quadrature", witness, float(held[i]), bound, again)
        reached.append(float(held[i]) / bound)
    covered = f"{'; '.join(VALLEY_POINTS)}; L = 1 to 1e16"
    return supported("quadrature", covered, slack=1 / max(reached))


@claim(
    "OURS:R6.valley/linear",
    control=({"share": Fraction(1, 2)}, {"share": Fraction(2)}),
    needs=("OURS:R5.finite", "OURS:R5.limit/square"),
)
def excess_of_linear_attention(*, share: Fraction = Fraction(1)) -> Evidence:
    r"""The least excess of linear attention over all $uU$ is by R5.limit/square the sum of
    $\frac12(l-l^2/s_L)$ over the eigenvalues $l$ of $S$, with $s_L=(1+\frac1L)l+\frac TL$ and
    $T={\rm tr}\,S+\tau^2$. It is derived for every $d$ that $L$ times this sum is at most its limit
    $\frac12({\rm tr}\,S+dT)$, and at least this less $\frac1{2L}\sum(l+T)^2/l_{\min}$. Tried is one
    eigenvalue; `share` multiplies the limit.
    """
    l, L = sp.symbols("l L", positive=True)
    s_L = (1 + 1 / L) * l + T / L
    scaled, end = l * (l + T) / (2 * s_L), Rational(share) * (l + T) / 2
    domain = {l: (0, oo), L: Closed(1, oo), sigma: (0, oo), tau2: Closed(0, oo)}
    limit = computed(rf"\lim_{{L\to\infty}}{sp.latex(scaled)}", sp.limit(scaled, L, oo))
    total = computed(r"\text{linear\_excess}", linear_excess(trace=sigma, d=d, noise=tau2))
    return all_of(
        identity(L * (l - l**2 / s_L) / 2, scaled),
        identity(limit, end),
        identity(total, sigma + d * T),
        derivation(
            "OURS:R6.valley/linear",
            forall(scaled, "<=", end, domain),
            forall(end - (l + T) ** 2 / (2 * l * L), "<=", scaled, domain),
            share=share,
        ),
    )


@claim(
    "OURS:R6.valley/ratio",
    control=(
        dict(least=3, first=Rational(4217, 1000)),
        dict(first=Rational(4219, 1000)),
        dict(edge=Rational(1, 5)),
        dict(four=5),
        dict(one=Rational(9, 10)),
    ),
    needs=("OURS:R6.valley/minimum", "OURS:R6.valley/linear"),
)
def softmax_pays_between_e_and_4_22(
    *,
    least: sp.Expr = sp.E,
    first: Rational = Rational(4218, 1000),
    edge: Rational = Rational(6, 25),
    four: int = 4,
    one: Rational = sp.S.One,
) -> Evidence:
    r"""Without label noise $x=\lambda_*$ is $2/(d+4+\sqrt{d^2+4d+8})$, which for $d\geq1$ is below
    $\frac6{25}$ and $\frac1d$ and falls as $d$ grows; the excess of linear attention in
    R6.valley/linear is ${\rm tr}\,S(1+d)$, and $r=F(\lambda_*)/({\rm tr}\,S(1+d))$ rises with
    $x\in(0,\frac6{25})$ from its limit $e$ at $x=0$; at $d=1$ it is $4.218$, correctly rounded.
    Here `least` and `first` stand for these two numbers, `edge` for $\frac6{25}$, `four` for the 4
    of $4d$ and `one` for the 1 of $\frac1d$.
    """
    x, unit = sp.symbols("x unit", positive=True)
    best, domain = 2 / (d + 4 + sp.sqrt(d**2 + four * d + 8)), {d: Closed(1, oo)}
    slope = computed(r"\partial_d\lambda_*", sp.diff(best, d))
    of_d = [
        identity(best_score_variance(trace=sigma, d=d, noise=sp.S.Zero), best),
        forall(best, "<", edge, domain),
        forall(best, "<", one / d, domain),
        forall(slope, "<", 0, domain).replace(control=forall(slope, "<", -1, domain)),
    ]
    of_x = (1 - 4 * x + 2 * x**2) / (x * (1 - x))
    excess = computed(r"\text{linear\_excess}", linear_excess(trace=sigma, d=d, noise=sp.S.Zero))
    of_d.append(identity(excess, (1 + d) * sigma))
    there = identity(quadratic(2).subs({lam: x, tau2: 0, d: of_x}), 0)
    exponent = (1 - 2 * x) / (2 * x * (1 - x))  # d/2 + 1
    parts = [
        identity(of_x / 2 + 1, exponent),
        identity(((1 - 2 * x) / x + 1) / (1 + of_x), (1 - x) ** 2 / (1 - 3 * x + x**2)),
    ]
    log_r = -exponent * log(1 - 2 * x) + 2 * log(1 - x) - log(1 - 3 * x + x**2)
    start = identity(computed(r"\lim_{x\to0}\ln r", sp.limit(log_r, x, 0)), log(least))

    def monotone(e: sp.Expr, op: str, beyond: int) -> Evidence:
        """Prove the sign of a derivative; it does not stay beyond another number."""
        above = lambda least: forall(sp.diff(e, x), op, least, {x: (0, Rational(6, 25))})
        return above(0).replace(control=above(beyond))

    at_one, rounding = sp.exp(log_r.subs(x, (5 - sp.sqrt(13)) / 6)), Rational(1, 2000)
    ends = [
        forall(at_one * unit, "<", (first + rounding) * unit, {unit: (0, oo)}),
        forall(at_one * unit, ">", (first - rounding) * unit, {unit: (0, oo)}),
    ]
    rising = monotone(log_r, ">", 2), monotone(of_x, "<", -20)
    return all_of(*of_d, there, *parts, start, *rising, *ends).replace(covered="x in (0, 6/25)")
