"""Lemma E.1 of Boursier & Boyer (Appendix E.2) with equations (24) to (27): the gradient flow with
finite prompts stays near the one with infinite prompts. The inequality of Gronwall's type is
proved, and the statement is compared with both flows integrated for regression with one Gaussian
covariate.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from sympy import Rational, exp, oo

from numerics.evidence import Contradiction, Evidence, Verdict, all_of
from numerics.provers import Closed, forall, identity
from numerics.refutation import refuted_by_two_routes
from numerics.regression.softmax_vs_linear.scalar_constants import Transfer, transfers
from proofs_check.core.claim import claim
from proofs_check.instances.flows import STARTS, up_to
from theory.regression.any_parameters import full_risk
from theory.regression.transfer import distance_26, distance_of_flows

g, beta, t, rho = sp.symbols("g2 beta t rho", positive=True)
LENGTHS = (1.0, 2.0, 1e2, 1e4, 1e6)


def largest_distance(transfer: Transfer, start: tuple[float, float]) -> tuple[float, float, float]:
    """Return the largest ratio of |theta_L - theta| to (26) on [0, T], with the T of (27), where it
    is attained, and the ratio there by a finer integration.
    """
    times = up_to(transfer.T_27)
    found, again = (transfer.distance(start, times, rtol)[1:] / transfer.bound_26(times[1:]) for rtol in (1e-11, 1e-12))
    k = int(np.argmax(found))
    return float(found[k]), float(times[k + 1]), float(again[k])


@claim(
    "BB:LE.1",
    needs=("BB:24-27", "BB:CE.5"),
    control={"c": Fraction(3, 10)},
    argument="Corollary E.5 gives (24)-(26) on the ball, and (27) keeps the finite-prompt flow in it up to T; beta_L stands for "
    "beta_inf, the Lipschitz constant of grad R_inf (with that of grad R_L the same proof works, splitting at grad R_L(theta_inf))",
)
def the_flows_stay_together(*, c: Fraction = Fraction(1)) -> Evidence:
    """|theta_L(t) - theta_inf(t)| <= c g2 t e^{beta t} up to the T of (27): softmax attention on
    scalar regression, both flows integrated.
    """
    worst: dict[str, Any] = {"ratio": 0.0}
    for transfer in transfers(LENGTHS):
        for start in STARTS:
            ratio, time, again = largest_distance(transfer, start)
            if ratio > worst["ratio"]:
                worst = {"ratio": ratio, "L": transfer.L, "start": str(start), "t": time, "again": again}
    ratio, again = worst.pop("ratio"), worst.pop("again")
    if ratio > c:
        witness = {**worst, "S": "1/64", "|theta_L - theta| / (g2 t e^(beta t))": ratio, "allowed": c}
        return refuted_by_two_routes("integration of the flow", witness, ratio, float(c), again)
    covered = f"d = 1, S = 1/64, L = 1 to 1e6, {len(STARTS)} starts, times up to that of (27); suprema over the ball by quadrature"
    return Evidence(
        verdict=Verdict.SUPPORTED,
        engine="integration of the flow",
        checked=r"\|\theta_L(t)-\theta_\infty(t)\|\leq g_2(L)\,t\,e^{\beta_\infty t}",
        covered=covered,
        slack=float(c) / ratio,
        tightest=worst,
    )


@claim(
    "BB:LE.1/inference",
    false="typo",
    why=r"(26) is proved with $\beta_\infty^{\rm ICL}$, the Lipschitz constant of $\nabla\mathcal{R}_\infty$; (23) and Appendix "
    r"E.1 print $\beta_L^{\rm ICL}$, which is never defined. The Lipschitz constant of $\nabla\mathcal{R}_L$ may be smaller: in "
    r"model (11) with $\Sigma=1$ it is 1 for $L=1$, and $\beta_\infty\geq4$ once $\rho\geq1$. In E.1 a constant that may grow "
    r"with $L$ would not let the bound tend to 0.",
    instead=r"(23) with $\beta_\infty^{\rm ICL}$.",
    repair={"constant": "beta_inf"},
    control={"constant": "half of beta_inf"},
    needs=("BB:24-27",),
    hypotheses=("L >= 1", "rho >= 1", "g2 > 0", "t > 0"),
)
def the_constant_in_23(*, constant: str = "beta_L") -> Evidence:
    """g2 t e^{beta_inf t} <= g2 t e^{beta t} with the printed constant: full parameters of model
    (11) at d = 1, Sigma = 1, L = 1.
    """
    U11, v1, v2 = sp.symbols("U11 v1 v2", real=True)
    U = sp.Matrix([[U11, 0], [0, 0]])
    risk: Any = full_risk(sp.Matrix([[1]]), U, sp.Matrix([v1, v2]))
    at_least = risk.diff(U11, 2).subs({v1: 0, v2: 2, U11: 0})  # |theta| = 2 <= 2 rho
    one_token = (v1**2 + v2**2 + 1) / 2  # E(v1 x + v2 w x - w x_q)^2 / 2, whatever U is
    hessian = sp.hessian(one_token, (v1, v2))
    if at_least != 4 or hessian != sp.eye(2):
        raise Contradiction(f"the curvatures are {at_least} and {hessian}")
    value = {"beta_L": Rational(1), "beta_inf": at_least, "half of beta_inf": at_least / 2}[constant]
    found = forall(distance_26(g, at_least, t), "<=", distance_26(g, value, t), {g: (0, oo), t: (0, oo)})
    if found.verdict is Verdict.REFUTED:
        witness = {**found.witness, "L": 1, "rho": 1, "beta_inf at least": at_least, "beta used": value}
        return found.replace(witness=witness)
    return found


@claim(
    "BB:24-27",
    dial="c",
    reference={"r": 1},
    needs=("BB:24-27/gronwall", "BB:24-27/monotone", "BB:CE.5"),
    argument="(24) is the triangle inequality, (25) Lipschitz continuity on the convex ball, then Corollary E.5; |int| <= int | "
    "|; Gronwall's inequality up to the exit time tau; if tau < T then |theta_L(tau) - theta_inf(tau)| < rho by (26), (27) and "
    "monotony, so that theta_L(tau) is inside the ball of radius 2 rho, against the definition of tau",
)
def gronwall_bound(*, c: int | Fraction = 1) -> Evidence:
    """(26): g2 (e^{beta t} - 1)/beta <= c g2 t e^{beta t}; at beta t = r this is 1 -
    e^{-r} <= c r.
    """
    r = sp.Symbol("r", positive=True)
    scaled = identity(distance_of_flows(g, beta, t) / distance_26(g, beta, t), (1 - exp(-beta * t)) / (beta * t))
    return all_of(scaled, forall(1 - exp(-r), "<=", Rational(c) * r, {r: (0, oo)}))


@claim(
    "BB:24-27/gronwall",
    argument="with F = int f, f <= g2 t + beta F makes the first derivative nonpositive; so F <= g2 (e^{beta t} - 1 - beta "
    "t)/beta^2, whence f",
)
def gronwall_inequality() -> Evidence:
    """d/dt [e^{-beta t}(F + (g2/beta)(t + 1/beta))] = e^{-beta t}(F' - beta F - g2 t); then g2 t +
    beta F is at most (26) with equality.
    """
    F, slope = sp.symbols("F f", real=True)
    inside = exp(-beta * t) * (F + g / beta * (t + 1 / beta))
    derivative = identity(inside.diff(t) + inside.diff(F) * slope, exp(-beta * t) * (slope - beta * F - g * t))
    start = identity(inside.subs({t: 0}) - F, g / beta**2)
    largest = g * (exp(beta * t) - 1 - beta * t) / beta**2
    end = identity(g * t + beta * largest, distance_of_flows(g, beta, t))
    toy = identity(
        distance_of_flows(g, beta, t).diff(t), g + beta * distance_of_flows(g, beta, t)
    )  # R = -beta x^2/2, R_L = R - g2 x
    return all_of(derivative, start, end, toy)


@claim("BB:24-27/monotone", control={"factor": Fraction(1, 2)})
def the_bound_increases_in_time(*, factor: Fraction = Fraction(1)) -> Evidence:
    """(26) at t is below (26) at T = t + h, so (27) holds on all of [0, T]."""
    h = sp.Symbol("h", nonnegative=True)
    later = Rational(factor) * distance_26(g, beta, t + h)
    return forall(distance_26(g, beta, t), "<=", later, {g: (0, oo), beta: (0, oo), t: (0, oo), h: Closed(0, oo)})


@claim(
    "BB:24-27/exit",
    false="typo",
    why=r"At the exit time $\|\theta_L(\tau_L)\|=2\rho$, so only $f(\tau_L)\geq\rho$ follows when $B_\rho$ is closed; and the "
    r"proof uses both $\theta_L(\tau_L)\in B_{2\rho}$ (for $t\leq\tau_L$) and $\theta_L(\tau_L)\notin B_{2\rho}$, which exclude "
    r"each other.",
    instead=r"$f(\tau_L)\geq\rho$. If $\tau_L<T$, then $f(\tau_L)\leq g_2\tau_Le^{\beta\tau_L}<g_2Te^{\beta T}\leq\rho$, a "
    r"contradiction, so $\tau_L\geq T$ as claimed; for open balls (26) extends to $\tau_L$ by continuity.",
    repair={"op": ">="},
    control={"radius": Fraction(11, 10)},
    needs=("BB:24-27/monotone",),
    hypotheses=("rho > 0", "n >= 0", "n <= rho"),
)
def distance_at_the_exit(*, op: str = ">", radius: Fraction = Fraction(1)) -> Evidence:
    """At the exit |theta_L| = 2 rho and |theta_inf| = n <= rho, so f = |theta_L - theta_inf| is at
    least 2 rho - n, which is > rho as printed, >= rho as repaired.
    """
    n = sp.Symbol("n", nonnegative=True)
    domain = {rho: (0, oo), n: Closed(0, oo)}
    return forall(2 * rho - n, op, Rational(radius) * rho, domain, where=[(n, "<=", rho)]).replace(dimension="every d")
