"""The transfer from infinite to finite prompts: how far risks, gradients and flows are apart, and
Theorem 4.3 of Boursier & Boyer with an explicit L(epsilon).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from sympy import Rational, exp, log, oo, sqrt

from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.counterexamples.drawn.tasks import on_drawn_tasks
from numerics.evidence import Evidence, all_of, confirmed
from numerics.provers import Closed, computed, forall, identity, trace_identity
from numerics.regression.softmax_vs_linear.few_atoms import edge_case_gaps
from numerics.regression.softmax_vs_linear.scalar_constants import transfers
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import supported, undecided
from proofs_check.instances.regression.flows import BALANCED, STARTS, drawn_flows, rate, worst_case
from proofs_check.instances.smooth_losses import (
    gradients_of_smooth_losses,
    risks_of_smooth_losses,
    young_at_its_best,
)
from theory.regression import transfer as bounds
from theory.symbolic.algebra import Algebra

r, D = sp.symbols("r D", real=True)  # T - y and T_L - T
lam, R, T2, y2, D2, J2, dJ2 = sp.symbols("lambda R T2 y2 D2 J2 dJ2", positive=True)
excess, mu, kappa, g1, g2, beta, rho, eps, t = sp.symbols(
    "excess mu kappa g1 g2 beta rho epsilon t", positive=True
)
REALS, POSITIVE = (-oo, oo), (0, oo)


def _enumerated(left: Callable[..., Any], right: Callable[..., Any]) -> Evidence:
    worst, where = worst_case(left, right)
    if worst > 1 + 1e-12:
        return undecided("enumeration", f"ratio {worst:.6g} at {where}")
    covered = (
        f"{len(edge_case_gaps())} cases in d = 1 with every prompt enumerated, L = 1, 2, 3, 8; largest "
        f"ratio {worst:.6g} ({where})"
    )
    return supported("enumeration", covered, slack=1 / worst)


def _gaussian() -> Evidence:
    """The same on the ball of the scalar regression with Gaussian tokens, where ``E D^2 = S u^2 (a
    - 2 C b)`` by R4 (c).
    """
    worst, where = 0.0, ""
    for transfer in transfers((1.0, 2.0, 1e2, 1e4, 1e8)):
        S, model, radius = transfer.infinite.S, transfer.finite, 2 * transfer.rho
        c, u = np.meshgrid(np.linspace(-radius, radius, 41) * 0.7, np.linspace(-radius, radius, 41) * 0.7)
        squares = S * u**2 * (model.a(c * S, 0) - 2 * c * S * model.b(c * S, 0))
        bound = bounds.risk_gap(transfer.infinite.risk(c, u), np.maximum(squares, 0.0))
        ratio = float(np.max(np.abs(model.risk_gap(c, u)) / np.maximum(bound, 1e-300)))
        if ratio > worst:
            worst, where = ratio, f"L = {transfer.L:g}"
    if worst > 1 + 1e-9:
        return undecided("quadrature", f"ratio {worst:.6g} at {where}")
    covered = (
        "scalar regression with Gaussian tokens, 1681 points of the ball, L = 1 to 1e8; largest "
        f"ratio {worst:.6g} ({where})"
    )
    return supported("quadrature", covered, slack=1 / worst)


@claim("OURS:E.risk", control={"c": Fraction(99, 100)}, needs=("OURS:E.risk/smooth",))
def distance_of_the_risks(*, c: int | Fraction = 1) -> Evidence:
    r"""For the squared loss, with $r=T-y$ and $D=T_L-T$,
    $\mathbb{E}\frac12(r+D)^2-\mathbb{E}\frac12r^2$ is at most the bound in absolute value for all
    random variables $r$ and $D$ with two moments: this is derived from the Cauchy-Schwarz
    inequality. Smooth losses are the part OURS:E.risk/smooth. A second route is Young's inequality,
    whose mean at the best $l$ is the bound, and tasks on few atoms. Here `c` multiplies the right
    side.
    """
    factor = Rational(c)
    right = factor * (lam * r**2 / 2 + D**2 / (2 * lam) + D**2 / 2)
    domain = {r: REALS, D: REALS, lam: POSITIVE}
    above = forall(((r + D) ** 2 - r**2) / 2, "<=", right, domain)
    below = forall(-((r + D) ** 2 - r**2) / 2, "<=", right, domain)
    mean = identity(
        sp.Subs(lam * 2 * R / 2 + D2 / (2 * lam) + D2 / 2, lam, sqrt(D2 / (2 * R))), bounds.risk_gap(R, D2)
    )
    search = all_of(above, below, mean)
    if c == 1 and search.verdict.accepted:
        left, right = lambda g: abs(g.risk_L - g.risk), lambda g: bounds.risk_gap(g.risk, g.D2)
        whole = search.replace(sides=(*search.sides, on_drawn_tasks(left, right)))
        search = confirmed(whole, _enumerated(left, right), _gaussian())
    return derivation("OURS:E.risk", search, c=c)


@claim("OURS:E.risk/smooth", control={"c": Fraction(99, 100)})
def distance_of_the_risks_for_a_smooth_loss(*, c: Fraction = Fraction(1)) -> Evidence:
    r"""At every outcome a loss with a 1-Lipschitz gradient is within $\frac12|D|^2$ of its tangent,
    where $D=t(a-b)$ is the way along the segment from the output $b=T$ to $a=T_L$ up to the time
    $t$. So $|\ell(T+D,y)-\ell(T,y)|\leq |\nabla_1\ell||D|+\frac12|D|^2$ with
    $|\nabla_1\ell|^2\leq|T|^2+|y|^2$, and the bound is derived on average, at every time; take
    $t=1$ for the end of the segments. In the formula below $\mu$ is a whole outcome: task, prompt,
    query and label. Four jointly 1-smooth losses, one
    not convex, confirm it. Here `c` multiplies the right side.
    """
    return derivation("OURS:E.risk/smooth", risks_of_smooth_losses(c), c=c)


@claim("OURS:E.gradient", sharp="c", needs=("OURS:E.gradient/smooth", "BB:LE.4.split/majorant"))
def distance_of_the_gradients(*, c: int | Fraction = 1) -> Evidence:
    r"""For the squared loss the gradients of the risks are the means of the gradients, as in
    BB:LE.4.split, and for all random gradients $J$, $dJ$ and numbers $r$, $D$ with two moments
    $|\mathbb{E}(J+dJ)(r+D)-\mathbb{E}Jr|$ is at most the bound: this is derived from the
    Cauchy-Schwarz inequality for the three means $\mathbb{E}\,dJ\,r$, $\mathbb{E}\,dJ\,D$ and
    $\mathbb{E}JD$. A second route is Young's inequality at the best $l$, and tasks on few atoms.
    Smooth losses are the part OURS:E.gradient/smooth. Here `c` multiplies the right side.
    """
    products = (2 * R, dJ2), (D2, dJ2), (J2, D2)
    roots = sum(sqrt(x * y) for x, y in products)
    search = all_of(*young_at_its_best(c, *products), identity(roots, bounds.gradient_gap(R, D2, J2, dJ2)))
    if c == 1 and search.verdict.accepted:
        left, right = lambda g: g.distance, lambda g: bounds.gradient_gap(g.risk, g.D2, g.J2, g.dJ2)
        search = confirmed(
            search.replace(sides=(*search.sides, on_drawn_tasks(left, right))), _enumerated(left, right)
        )
    return derivation("OURS:E.gradient", search, c=c)


@claim("OURS:E.gradient/smooth", control={"c": Fraction(99, 100)}, needs=("BB:LE.4.split/majorant",))
def distance_of_the_gradients_for_a_smooth_loss(*, c: Fraction = Fraction(1)) -> Evidence:
    r"""For jointly 1-smooth losses, outputs of every dimension and Jacobians in the operator norm
    the same bound of the gradients is derived with $\mathbb{E}|T|^2+\mathbb{E}|y|^2$ in place of
    $2R$: $g=\nabla_1\ell(T,y)$ stands for $r$ and $\nabla_1\ell(T+D,y)-g$ for $D$. The derivation
    starts from the formula of the gradient, as in BB:LE.4.split. Four losses on random laws confirm
    the bound. Here `c` multiplies the right side.
    """
    return derivation("OURS:E.gradient/smooth", gradients_of_smooth_losses(c), c=c)


@claim("OURS:E.gradient/split", control={"factor": Fraction(2)}, needs=("BB:LE.4.split/majorant",))
def the_gradient_splits_in_three(*, factor: Fraction = Fraction(1)) -> Evidence:
    r"""For the squared loss, whose slopes are $r=T-y$ and $r+D$, the difference of the gradients is
    derived to be $\mathbb{E}\,dJ\,r+\mathbb{E}JD+\mathbb{E}\,dJ\,D$, from the formula of the
    gradient as in BB:LE.4.split; for matrices of every dimension $(J+dJ)(r+D)-Jr=dJ\,r+J\,D+dJ\,D$.
    Here `factor` multiplies the last term.
    """
    words = Algebra(general=["J", "dJ", "r", "D"])
    J, dJ, residual, shift = (words[name] for name in ("J", "dJ", "r", "D"))
    parts = dJ * residual + J * shift + factor * (dJ * shift)
    search = trace_identity((J + dJ) * (residual + shift) - J * residual, parts)
    return derivation("OURS:E.gradient/split", search, factor=factor)


@claim("OURS:E.moments", control={"factor": Fraction(99, 100)}, needs=("OURS:E.moments/limit",))
def rates_from_twelve_moments(*, factor: int | Fraction = 1) -> Evidence:
    r"""For $k=6-\frac p2>0$ and all $a$, $c>0$ and $L>1$ the mean of
    $\sigma^p\ln(L)^a/L^{c/\sigma^2}$ is derived to be at most $(\frac
    k{ce})^k\,\mathbb{E}[\sigma^{12}]\ln(L)^{a-k}$ for every positive random $\sigma$. Where this
    does not tend to 0, for $p=8$ and $a=2$, the mean still does, which is the part
    OURS:E.moments/limit.

    Second route: with $u=\frac ck\ln(L)/\sigma^2$ the integrand is $(ue^{1-u})^k$ times the bound,
    and $ue^{1-u}\leq1$. Here `factor` multiplies the right side.
    """
    k, c, v, x = sp.symbols("k c v x", positive=True)  # v = sigma^2, x = ln L
    a = sp.Symbol("a", real=True)
    inner = c * x / (k * v)
    left = v ** (6 - k) * x**a * exp(-c * x / v)
    same = identity(left, (k / (c * sp.E)) ** k * v**6 * x ** (a - k) * (inner * exp(1 - inner)) ** k)
    L = sp.Symbol("L", positive=True)
    bound = computed(r"k = 6,\ a = 4", bounds.mean_of_rate(L, c, 0, 4, v**6))
    one = identity(bound, (6 / (c * sp.E)) ** 6 * v**6 / log(L) ** 2)
    return derivation("OURS:E.moments", all_of(same, _peak(1, factor), one), factor=factor)


def _peak(n: int, factor: int | Fraction) -> Evidence:
    u = sp.Symbol("u", positive=True)
    return forall((u * exp(1 - u)) ** n, "<=", Rational(factor), {u: POSITIVE})


@claim("OURS:E.moments/limit", control=({"factor": Fraction(99, 100)}, {"share": Fraction(2, 5)}))
def eight_moments_tend_to_zero(*, factor: int | Fraction = 1, share: int | Fraction = 1) -> Evidence:
    r"""The mean of $\sigma^8\ln(L)^2/L^{c/\sigma^2}$ tends to 0 as $L$ grows, if
    $\mathbb{E}\sigma^{12}$ is finite. It is derived to be at most
    $(\frac2{ce})^2\delta+(\frac3{ce})^3KS/\ln L$ for $S\geq\mathbb{E}\sigma^{12}$ and
    $\mathbb{E}[\sigma^{12};\sigma^2\geq K]\leq\delta$. As $\mathbb{E}\sigma^{12}$ is finite, a $K$
    can be chosen for the $\delta$ that $\varepsilon$ needs; then the mean is at most $\varepsilon$
    from a $\ln L$ on that $K$, $S$ and $\varepsilon$ give.

    Second route: $(ue^{1-u})^n\leq1$ for $n=2$ and 3 and $u=\frac cn\ln(L)/\sigma^2$; and for a
    single $\sigma^2$, just below $K$, at the least $\ln L$, the mean is $\frac12\varepsilon$ times
    this with $n=3$. Here `factor` and `share` multiply the right sides.
    """
    single = _peak(3, 2 * share)
    return derivation(
        "OURS:E.moments/limit", all_of(_peak(2, factor), _peak(3, factor)), single, factor=factor, share=share
    )


@claim("OURS:E.moments.heavy", control=({"tail": Fraction(9)}, {"least": Fraction(1, 2)}))
def twelve_moments_do_not_bound_the_rate_of_the_gradient(
    *, tail: Fraction = Fraction(7), least: int | Fraction = 1
) -> Evidence:
    r"""If $\mathbb{P}(\sigma^2>s)=s^{-7}$ for $s\geq1$, then $\mathbb{E}\sigma^{12}=7$ is finite,
    but $\mathbb{E}[\sigma^{12}\ln(L)^2/L^{c/\sigma^2}]$, which is exactly
    $\frac7cx(1-e^{-cx})$ with $x=\ln L$, is at least $7e^{-c}x$ for $x\geq1$, and so for $L\geq3$.
    Here `tail` stands for the 7 of the exponent, and `least` for the 1. At $L=2$ the bound fails
    for small $c$.
    """
    v, c, x = sp.symbols("v c x", positive=True)
    mean = lambda e: sp.integrate(-e * sp.diff(v ** -Rational(tail), v), (v, 1, oo))
    rate = mean(v**6 * x**2 * sp.exp(-c * x / v))
    return all_of(
        identity(computed(r"\mathbb{E}\sigma^{12}", mean(v**6)), 7),
        forall(rate, ">=", 7 * sp.exp(-c) * x, {x: Closed(least, oo), c: (0, oo)}),
    )


@claim("OURS:T4.3/horizon", control={"share": Fraction(2)}, needs=("BB:24-27/gronwall",))
def the_horizon_is_where_the_distance_is_rho(*, share: Fraction = Fraction(1)) -> Evidence:
    r"""At $t=\ln(1+\beta\rho/g_2)/\beta$ the bound of the distance, $g_2(e^{\beta t}-1)/\beta$, is
    $\rho$; `share` multiplies this $\rho$.
    """
    left = sp.Subs(bounds.distance_of_flows(g2, beta, t), t, bounds.horizon(g2, beta, rho))
    return identity(left, Rational(share) * rho)


@claim(
    "OURS:T4.3/best",
    control=({"half": Fraction(2, 5)}, {"share": Fraction(99, 100)}, {"most": Fraction(11, 10)}),
)
def the_best_time(
    *, half: Fraction = Fraction(1, 2), share: int | Fraction = 1, most: int | Fraction = 1
) -> Evidence:
    r"""The best time $t=\ln(1/q)/(\mu+\beta)$ with $q=\kappa g_2/(A\mu)$ is not negative if
    $q\leq1$. At it the bound of the risk is the stated one less $\kappa g_2/\beta$, and the stated
    condition on $g_2$ makes its second term at most $\frac12\varepsilon$. Here `half` stands for
    the $\frac12$, `share` multiplies the stated bound, and `most` bounds $q$.
    """
    q = kappa * g2 / (excess * mu)
    best = log(1 / q) / (mu + beta)
    there = bounds.transferred_risk(excess * exp(-mu * best), g1, kappa, g2, beta, best)
    limit = bounds.transferred_limit(excess, mu, g1, kappa, g2, beta)
    small = sp.Symbol("q", positive=True)
    where = [(small, "<=", Rational(most))]
    early = forall(
        0, "<=", log(1 / small) / (mu + beta), dict.fromkeys((small, mu, beta), POSITIVE), where=where
    )
    same = identity(there, Rational(share) * limit - kappa * g2 / beta)
    sufficient = bounds.sufficient_g2(eps, excess, mu, kappa, beta)
    enough = identity(
        bounds.transferred_limit(excess, mu, g1, kappa, sufficient, beta), g1 + Rational(half) * eps
    )
    return derivation("OURS:T4.3/best", early, same, enough, half=half, share=share, most=most)


@claim("OURS:T4.3", needs=("OURS:T4.3/horizon", "OURS:T4.3/best"), control={"c": Fraction(1, 10)})
def transfer_of_the_risk(*, c: Fraction = Fraction(1)) -> Evidence:
    r"""Before the time $\ln(1+\beta\rho/g_2)/\beta$ the flows are derived to differ by at most
    $g_2(e^{\beta t}-1)/\beta$. From every such time on, $R_L$ is at most $R(\theta(t))+g_1+\kappa
    g_2(e^{\beta t}-1)/\beta$, and so is its limit; from the best time on it is at most $R^*$ plus
    the stated bound where the risk falls at a known rate, and plus $\varepsilon$ for small $g_1$
    and $g_2$. Flows are integrated as a second route; `c` multiplies the bounds.
    """
    drawn = drawn_flows(
        lambda t, one, other: t.finite.risk(*other) - t.infinite.risk(*one),
        lambda t, times: bounds.transferred_risk(np.zeros_like(times), t.g1, t.kappa, t.g2, t.beta, times),
        lambda t: float(bounds.horizon(t.g2, t.beta, t.rho)),
        c,
    )
    search = _along_paths(c).replace(sides=(drawn,))
    return derivation("OURS:T4.3", search, search, search, search, c=c)


def _along_paths(c: Fraction) -> Evidence:
    worst: dict[str, Any] = {"ratio": 0.0}
    for transfer in transfers((1.0, 1e2, 1e4, 1e6, 1e16, 1e32)):
        S, end = transfer.infinite.S, float(bounds.horizon(transfer.g2, transfer.beta, transfer.rho))
        times = np.concatenate([[0.0], np.geomspace(end / 1000, end, 24)])
        for start in (*STARTS, *((x, x) for x in BALANCED)):
            one, other = transfer.paths(start, times)
            gap = np.asarray(
                bounds.transferred_risk(
                    np.zeros_like(times), transfer.g1, transfer.kappa, transfer.g2, transfer.beta, times
                )
            )
            ratios = (other.risk - one.risk) / gap
            k = int(np.argmax(ratios))
            if (
                transfer.L <= 1e6 and ratios[k] > worst["ratio"]
            ):  # beyond, the difference is below what an integration resolves
                same, finer = (path.risk[k] for path in transfer.paths(start, times, 1e-12))
                at = {"L": transfer.L, "start": str(start), "t": times[k]}
                worst = {"ratio": float(ratios[k]), "again": float((finer - same) / gap[k]), **at}
            if start in {(x, x) for x in BALANCED}:
                excess_, mu_ = rate(S, start[0])
                small = transfer.kappa * transfer.g2 / (excess_ * mu_)
                late = transfer.paths(start, np.array([0.0, 40 / S**2]))[1].risk[-1]
                bound = bounds.transferred_limit(
                    excess_, mu_, transfer.g1, transfer.kappa, transfer.g2, transfer.beta
                )
                fits = small <= 1 and np.log(1 / small) / (mu_ + transfer.beta) <= end
                if (fits and late > bound) or late > float(np.min(one.risk + gap)) * (1 + 1e-9):
                    reason = f"risk {late:.4g} above the bound at L = {transfer.L:g}, start {start}"
                    return undecided("integration of the flow", reason)
    ratio, again = worst.pop("ratio"), worst.pop("again")
    if ratio > c:
        witness = {**worst, "S": "1/64", "difference over bound": ratio, "allowed": c}
        return refuted_by_two_routes("integration of the flow", witness, ratio, float(c), again)
    covered = (
        "d = 1, S = 1/64, six starts: L = 1 to 1e6 at times up to the horizon, L = 1 to 1e32 for the "
        "limit (at t = 40/S^2)"
    )
    checked = r"\lim_t R_L(\theta_L(t))\leq R(\theta(t))+g_1+\kappa g_2\frac{e^{\beta t}-1}{\beta}"
    return supported(
        "integration of the flow", covered, checked=checked, slack=float(c) / ratio, tightest=worst
    )
