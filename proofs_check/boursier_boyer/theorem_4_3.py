"""Theorem 4.3 of Boursier & Boyer with its proof in Appendix E.1, and what Section 4 draws from
Lemma E.1 for the parameters: the limit that it speaks of need not exist. The theorem is derived
from Corollaries E.3 and E.5, and the statements are tried with explicit constants on integrated
flows of regression with one Gaussian covariate.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from numerics.evidence import Evidence, Verdict
from numerics.properties.computed import Computed, Decades, OneOf
from numerics.provers import Closed, forall, identity
from numerics.refutation import refuted_by_two_routes
from numerics.regression.softmax_vs_linear.scalar_constants import Transfer, transfers
from numerics.regression.softmax_vs_linear.scalar_flows import scalar_regressions
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.flows import BALANCED, STARTS, drawn_flows, rate, up_to
from proofs_check.instances.spiral import no_limit
from theory.regression.transfer import distance_26, slow_time, sufficient_g2

FLOW = "integration of the flow"
#: Why there are the constants and the times from which the derivations start.
CONSTANTS = (
    r"A $C^2$ risk has Lipschitz constants, $\kappa$ of its own and $\beta$ of its gradient, on the ball of radius $2\rho$, which "
    r"is compact and convex. "
)
#: Lengths at which the explicit L(epsilon) is looked up.
LENGTHS = tuple(10.0**k for k in (2, 4, 6, 8, 10, 12, 16, 20, 24, 32))


def least_risks(L: float, S: float) -> tuple[float, float]:
    """Return the least finite-prompt risk on the block manifold, where the best u at given c is
    known: by search, and by its derivative.
    """
    from scipy.optimize import brentq, minimize_scalar

    _, model = scalar_regressions(S, (L,), 3 / S)
    a, b = model.a, model.b
    gain = lambda C: (C + b(C, 0)) ** 2 / (C**2 + a(C, 0))
    slope = lambda C: 2 * (1 + b(C, 1)) * (C**2 + a(C, 0)) - (C + b(C, 0)) * (2 * C + a(C, 1))
    found = minimize_scalar(lambda C: -gain(C), bounds=(0.01, 3), method="bounded", options={"xatol": 1e-12})
    return float(S / 2 * (1 + found.fun)), float(S / 2 * (1 - gain(brentq(slope, 0.01, 3, xtol=1e-14))))


@claim("BB:E.1/split", control={"factor": 2})
def the_risk_splits_in_two(*, factor: int = 1) -> Evidence:
    r"""The difference of the risks splits in two brackets,
    $\mathcal{R}_L(\theta_L)-\mathcal{R}_\infty(\theta_\infty)=[\mathcal{R}_L(\theta_L)-\mathcal{R}_\infty(\theta_L)]
    +[\mathcal{R}_\infty(\theta_L)-\mathcal{R}_\infty(\theta_\infty)]$; `factor` multiplies the last
    term of the first one.
    """
    finite, same, infinite = sp.symbols("R_L R_same R", real=True)
    with sp.evaluate(False):
        brackets = (finite - factor * same) + (same - infinite)
    return identity(finite - infinite, brackets)


@claim(
    "BB:E.1",
    needs=("BB:CE.3.a", "BB:CE.5/limit"),
    control=({"c": Fraction(1, 10)}, {"radius": Fraction(19, 10)}),
    argument=CONSTANTS + r"$T(\varepsilon)$ exists as $\mathcal{R}_\infty$ has a limit along its flow, and then "
    r"$L^\star(\varepsilon)$, as $g_1$ and $g_2$ tend to 0. Since $\mathcal{R}_L$ does not increase along its flow, its limit is "
    r"at most each of its values.",
)
def the_risks_along_the_two_flows(*, c: Fraction = Fraction(1), radius: int | Fraction = 2) -> Evidence:
    r"""With the bounds $g_1$ and $g_2$ of Corollaries E.3 and E.5 it is derived that up to the time
    $T(\varepsilon)$ the finite-prompt flow is in the ball of radius $2\rho$ and
    $|\mathcal{R}_L(\theta_L(t))-\mathcal{R}_\infty(\theta_\infty(t))|\leq g_1+\kappa g_2te^{\beta
    t}$, and that from then on $\mathcal{R}_L(\theta_L(t))\leq\lim\mathcal{R}_\infty+2\varepsilon$,
    as it does not increase. Here $T(\varepsilon)$ is a time from which on $\mathcal{R}_\infty$ is
    within $\varepsilon$ of its limit, and $L\geq L^\star(\varepsilon)$ says that (27) holds and
    $g_1+\kappa g_2Te^{\beta T}\leq\varepsilon$. Integrated flows up to the time of (27) are the
    second route. Here `c` multiplies the bounds, and `radius` stands for the 2 in $2\rho$.
    """
    drawn = drawn_flows(
        lambda t, one, other: np.abs(t.finite.risk(*other) - t.infinite.risk(*one)),
        lambda t, times: t.g1 + t.kappa * t.bound_26(times),
        lambda t: t.T_27,
        c,
    )
    search = _along_paths(c).replace(sides=(drawn,))
    f, n, rho = sp.symbols("f n rho", nonnegative=True)
    where, domain = [(n, "<=", rho), (f, "<=", rho)], dict.fromkeys((f, n, rho), Closed(0, sp.oo))
    inside = forall(n + f, "<=", sp.Rational(radius) * rho, domain, where=where)
    return derivation("BB:E.1", inside, search, search, c=c, radius=radius)


def _along_paths(c: Fraction) -> Evidence:
    worst: dict[str, Any] = {"ratio": 0.0}
    rises = 0.0
    for transfer in transfers((1.0, 2.0, 1e2, 1e4, 1e6)):
        times = up_to(transfer.T_27)
        allowed = transfer.g1 + transfer.kappa * transfer.bound_26(times)
        for start in STARTS:
            (one, other), (same, finer) = (transfer.paths(start, times, rtol) for rtol in (1e-11, 1e-12))
            found, second = np.abs(other.risk - one.risk) / allowed, np.abs(finer.risk - same.risk) / allowed
            rises = max(rises, float(np.diff(other.risk).max()) / float(other.risk[0]))
            k = int(np.argmax(found))
            if found[k] > worst["ratio"]:
                at = {"L": transfer.L, "start": str(start), "t": times[k]}
                worst = {"ratio": float(found[k]), "again": float(second[k]), **at}
    ratio, again = worst.pop("ratio"), worst.pop("again")
    if rises > 1e-12:
        return Evidence(verdict=Verdict.OPEN, engine=FLOW, reason=f"the finite-prompt risk rises by {rises:.1e} of its start")
    if ratio > c:
        witness = {**worst, "S": "1/64", "difference over g1 + kappa g2 t e^(beta t)": ratio, "allowed": c}
        return refuted_by_two_routes(FLOW, witness, ratio, float(c), again)
    covered = "d = 1, S = 1/64, L = 1 to 1e6, 4 starts (one on the stable manifold of the saddle), times up to that of (27)"
    checked = r"|\mathcal{R}_L(\theta_L(t))-\mathcal{R}_\infty(\theta_\infty(t))|\leq g_1+\kappa g_2te^{\beta_\infty t}"
    return Evidence(
        verdict=Verdict.SUPPORTED, engine=FLOW, checked=checked, covered=covered, slack=float(c) / ratio, tightest=worst
    )


def first_length(epsilon: float, start: float) -> Transfer | None:
    """Return the first of `LENGTHS` that is at least the L(epsilon) of OURS:T4.3 for a balanced
    start.
    """
    for transfer in transfers(LENGTHS):
        excess, mu = rate(transfer.infinite.S, start)
        enough = transfer.g2 <= sufficient_g2(epsilon, excess, mu, transfer.kappa, transfer.beta)
        if enough and transfer.g1 <= epsilon / 2:
            return transfer
    return None


@claim(
    "BB:T4.3",
    needs=("BB:CE.3.a", "BB:CE.5/limit"),
    control={"c": Fraction(1, 200)},
    argument=CONSTANTS + r"$T(\frac\varepsilon2)$ exists as $\mathcal{R}_\infty$ has a limit along its flow, and then "
    r"$L(\varepsilon)=L^\star(\frac\varepsilon2)$, as $g_1$ and $g_2$ tend to 0. Since $\mathcal{R}_L$ does not increase along its "
    r"flow, its limit is at most each of its values.",
)
def finite_prompts_reach_the_infinite_prompt_risk(*, c: Fraction = Fraction(1)) -> Evidence:
    r"""With the bounds $g_1$ and $g_2$ of Corollaries E.3 and E.5 it is derived that
    $\mathcal{R}_L(\theta_L(t))\leq\lim\mathcal{R}_\infty(\theta_\infty)+\varepsilon$ for all times
    $t\geq T(\frac\varepsilon2)$ at which the flow (7) exists and all $L\geq
    L^\star(\frac\varepsilon2)$, that is, if $\mathcal{R}_\infty$ is within $\frac\varepsilon2$ of
    its limit from $T$ on, (27) holds, and $g_1+\kappa g_2Te^{\beta T}\leq\frac\varepsilon2$.

    Second route: for integrated flows that end in the minimum $\mathcal{R}_\infty=0$ the bound
    holds from an explicit $L(\varepsilon)$ on. From the saddle and from its stable manifold, where
    $\lim_t\mathcal{R}_\infty=\frac12\Sigma$, the finite-prompt flow may only do better. Here `c`
    multiplies $\varepsilon$.
    """
    return derivation("BB:T4.3", _to_the_end(c).replace(sides=(drawn_limits(c),)), c=c)


def drawn_limits(c: Fraction) -> Computed:
    """Return the statement at drawn epsilon, at the time 40/S^2, from which on the risk only falls:
    T4.3/best chooses an earlier one for the same L(epsilon).
    """

    def risk(epsilon: float, start: float, rtol: float = 1e-11) -> float:
        first = first_length(epsilon, start)
        if first is None:
            return math.nan
        _, path = first.paths((start, start), np.array([0.0, 40 / first.infinite.S**2]), rtol)
        return float(path.risk[-1])

    return Computed(
        "d = 1, S = 1/64, three balanced starts, epsilon from 1e-5 to 1/200, the first length L(epsilon), t = 40/S^2",
        {"epsilon": Decades(1e-5, 5e-3, 1e-3), "start": OneOf((0.95, 0.8, 0.9))},
        lambda **at: (risk(**at), float(c) * at["epsilon"]),
        lambda **at: risk(**at, rtol=1e-12),
        each=4,
    )


def _to_the_end(c: Fraction) -> Evidence:
    worst: dict[str, Any] = {"ratio": 0.0}
    seen = []
    for start in BALANCED:
        S = transfers(LENGTHS)[0].infinite.S
        for epsilon in (1e-3, 1e-4, 1e-5):
            first = first_length(epsilon, start)
            if first is None:
                return Evidence(verdict=Verdict.OPEN, engine=FLOW, reason=f"no length up to 1e32 is long enough for {epsilon}")
            seen.append(f"{first.L:.0e}")
            for transfer in (t for t in transfers(LENGTHS) if t.L >= first.L):
                _, path = transfer.paths((start, start), np.array([0.0, 40 / S**2]))
                ratio = float(path.risk[-1]) / epsilon  # at least that of the limit
                if ratio > worst["ratio"]:
                    worst = {"ratio": ratio, "L": transfer.L, "start": start, "epsilon": epsilon}
    for saddle in ((0.0, 0.0), (0.5, -0.5)):
        for transfer in transfers((1e2, 1e4)):
            S = transfer.infinite.S
            _, path = transfer.paths(saddle, np.array([0.0, 40 / S**2]))
            if path.risk[-1] > S / 2 * (1 + 1e-9):
                return Evidence(
                    verdict=Verdict.OPEN, engine=FLOW, reason=f"risk {path.risk[-1]:.6g} from {saddle} at L = {transfer.L:g}"
                )
    ratio = worst.pop("ratio")
    if ratio > c:
        least, again = (risk / worst["epsilon"] for risk in least_risks(worst["L"], 1 / 64))  # at most that of the limit
        if least <= c:
            return Evidence(
                verdict=Verdict.OPEN, engine=FLOW, reason=f"the limit is between {least:.4g} and {ratio:.4g} times epsilon"
            )
        witness = {**worst, "S": "1/64", "least risk over epsilon": least, "allowed": c}
        return refuted_by_two_routes(FLOW, witness, least, float(c), again)
    found = f"L(epsilon) = {', '.join(seen)} for epsilon = 1e-3, 1e-4, 1e-5 from two starts, and longer prompts"
    covered = f"d = 1, S = 1/64, {found}; and two starts that end in the saddle, L = 100, 10000"
    checked = r"\lim_t\mathcal{R}_L(\theta_L(t))\leq\lim_t\mathcal{R}_\infty(\theta_\infty(t))+\varepsilon,\ L\geq L(\varepsilon)"
    return Evidence(
        verdict=Verdict.SUPPORTED, engine=FLOW, checked=checked, covered=covered, slack=float(c) / ratio, tightest=worst
    )


def target(transfer: Transfer, start: tuple[float, float]) -> np.ndarray:
    """Return where the infinite-prompt flow ends: the minimum on the diagonal, the saddle on the
    antidiagonal.
    """
    end = 0.0 if start[0] == -start[1] else 1 / math.sqrt(transfer.infinite.S)
    return np.array([end, end])


#: What Section 4 assumes, in the names of the witness of `no_limit`.
HYPOTHESES = ("d in Integers", "d >= 1", "beta <= 1", "sigma >= 1", "rho > 0")


@claim(
    "BB:4.E1cor",
    false="gap",
    costs="a hypothesis",
    repair={"limit": "assumed"},
    control={"limit": "assumed", "c": Fraction(2, 5)},
    hypotheses=HYPOTHESES,
    needs=("BB:CE.5/limit",),
    argument=CONSTANTS + r"$T(\varepsilon)$ exists as the infinite-prompt parameters converge, and then $L^\star(\varepsilon)$, as "
    r"$g_2$ tends to 0.",
    cites=("Lojasiewicz 1963: a bounded gradient flow of a real-analytic function converges",),
    why=r"The limit need not exist: a bounded gradient flow of a smooth risk may wind round a circle for ever, under all "
    r"hypotheses of Theorem 4.3.",
    details=r"One task, $d=k=1$: $\mu$ is uniform on $\pm(1,1)$, the query is $\pm(1,0)$, and the loss "
    r"$\ell(\hat z,y)=h(\hat z)/17000$ is even in $\hat z$, does not use the label, and is infinitely often differentiable. In "
    r"polar coordinates of the plane, with $f=1/(1-r^2)$, $h=e^{-f}\big(1-\tfrac k2\sin(2\theta-2f)\big)$ for $r<1$, 0 beyond, "
    r"$k=\frac{4r^2(1+r^2)}{4r^2(1+r^2)+(1-r^2)^4}$. The output is $\pm\tanh(s)v$ with $s=(1,1)U(1,0)^\top$ and $v=V(1,1)^\top$; "
    r"$|v|^2-\sinh^2s$ is conserved, and where it is 1, $\theta=1/(1-r^2)$ is an orbit: $r\to1$, $\theta\to\infty$. "
    r"The sketch of the proof of Theorem 4.3 speaks of the convergence point too; the proof in Appendix E.1 does not need it.",
    instead=r"Suppose that $\lim_t(U_\infty(t),V_\infty(t))$ exists; then the display holds. The limit exists if "
    r"$\mathcal{R}_\infty$ is real-analytic (Lojasiewicz), in particular for centred Gaussian tokens and the squared loss, "
    r"where it is a polynomial.",
)
def parameters_come_close_at_one_time(*, limit: str = "not assumed", c: Fraction = Fraction(1)) -> Evidence:
    r"""As printed $\lim_t(U_\infty,V_\infty)$ need not exist: an exact orbit winds round a circle
    for ever. Where it exists, $\|U_L(T)-\lim U_\infty\|+\|V_L(T)-\lim V_\infty\|\leq\varepsilon$
    is derived for $T$ and $L$ so chosen that $\|\theta_\infty-\lim\theta_\infty\|$ from $T$ on and
    the right side of (26) at $T$ are at most $\varepsilon/(2\sqrt2)$; `c` multiplies $\varepsilon$.

    The exact orbit is that of `proofs_check.instances.spiral`.
    """
    if limit != "assumed":
        return no_limit()
    return derivation("BB:4.E1cor", _at_one_time(c).replace(sides=(drawn_times(c),)), c=c)


def one_time(epsilon: float, start: tuple[float, float]) -> tuple[Transfer, float] | None:
    """Return L and T at which each part of the distance is at most epsilon/(2 sqrt 2), if found."""
    part = epsilon / (2 * math.sqrt(2))
    lengths = transfers(tuple(10.0**k for k in (2, 6, 10, 16, 24, 32, 48, 64)))
    times = np.linspace(0.0, 8 / lengths[0].infinite.S ** 2, 321)
    away = np.linalg.norm(lengths[0].paths(start, times)[0].theta - target(lengths[0], start)[:, None], axis=0)
    T = float(times[np.argmax(away <= part)])
    fitting = [t for t in lengths if distance_26(t.g2, t.beta, T) <= part]
    return (fitting[0], T) if fitting and away.min() <= part else None


def distance_then(transfer: Transfer, T: float, start: tuple[float, float], rtol: float = 1e-11) -> float:
    """Return |U_L(T) - lim U| + |V_L(T) - lim V|."""
    end = transfer.paths(start, np.array([0.0, T]), rtol)[1].theta[:, -1]
    return float(np.abs(end - target(transfer, start)).sum())


def drawn_times(c: Fraction) -> Computed:
    """Return the distance at drawn epsilon and starts."""

    def distance(epsilon: float, start: tuple[float, float], rtol: float = 1e-11) -> float:
        found = one_time(epsilon, start)
        return math.nan if found is None else distance_then(*found, start, rtol)

    return Computed(
        "d = 1, S = 1/64, epsilon from 1/50 to 1, six starts, two of which end in the saddle",
        {
            "epsilon": Decades(0.02, 1.0, 0.5),
            "start": OneOf(((0.9, 0.9), (0.5, 0.5), (0.7, 0.7), (0.5, -0.5), (0.8, -0.8), (1.0, 0.5))),
        },
        lambda **at: (distance(**at), float(c) * at["epsilon"]),
        lambda **at: distance(**at, rtol=1e-12),
        each=10,
    )


def _at_one_time(c: Fraction) -> Evidence:
    worst: dict[str, Any] = {"ratio": 0.0}
    pairs = []
    for epsilon in (0.5, 0.05):
        for start in ((0.5, 0.5), (0.9, 0.9), (0.5, -0.5)):
            fitting = one_time(epsilon, start)
            if fitting is None:
                return Evidence(verdict=Verdict.OPEN, engine=FLOW, reason=f"no time or length found for {epsilon} from {start}")
            transfer, T = fitting
            found, again = (distance_then(transfer, T, start, r) for r in (1e-11, 1e-12))
            pairs.append(f"({transfer.L:.0e}, {T * transfer.infinite.S**2:.2f}/S^2)")
            if found / epsilon > worst["ratio"]:
                off = abs(found - again) / epsilon
                worst = {"ratio": found / epsilon, "epsilon": epsilon, "start": str(start), "L": transfer.L, "T": T, "off": off}
    ratio, off = worst.pop("ratio"), worst.pop("off")
    if ratio > c:
        witness = {**worst, "S": "1/64", "distance over epsilon": ratio, "allowed": c}
        return refuted_by_two_routes(FLOW, witness, ratio, float(c), ratio + off)
    covered = f"d = 1, S = 1/64, epsilon = 1/2, 1/20, three starts, one ending in the saddle; (L, T) = {', '.join(pairs)}"
    checked = r"\|U_L(T)-\lim U_\infty\|+\|V_L(T)-\lim V_\infty\|\leq\varepsilon"
    return Evidence(
        verdict=Verdict.SUPPORTED, engine=FLOW, checked=checked, covered=covered, slack=float(c) / ratio, tightest=worst
    )


@claim(
    "BB:4.E1cor2",
    false="gap",
    follows="BB:4.E1cor",
    costs="a hypothesis",
    repair={"limit": "assumed"},
    control={"limit": "assumed", "schedule": "too late"},
    hypotheses=HYPOTHESES,
    needs=("BB:CE.5/limit",),
    argument=CONSTANTS + r"As $g_2(L)$ tends to 0, so does $g_2^{1/2}\ln(1/g_2)$, and $T(L)$ tends to infinity, so that "
    r"$\theta_\infty(T(L))$ tends to its limit. So there is an $L^\star(\varepsilon)$ from which on (27) holds at $T(L)$ and both "
    r"terms are at most $\frac12\varepsilon$.",
    why="The limit on the right need not exist, as in the display before.",
    details=r"If the infinite-prompt flow ends in a saddle, no sequence $T(L)$ that grows too fast will do.",
    instead=r"Suppose that $\lim_t(U_\infty(t),V_\infty(t))$ exists; then $T(L)=\ln(1/g_2(L))/(2\beta_\infty)$ is such a "
    r"sequence.",
)
def parameters_converge_along_a_slow_time(*, limit: str = "not assumed", schedule: str = "slow") -> Evidence:
    r"""As printed $\lim_t\theta_\infty(t)$ need not exist. Where it exists, at
    $T(L)=\frac1{2\beta}\ln\frac1{g_2}$ the distance $\|\theta_L(T(L))-\lim\theta_\infty\|$ is at
    most $\|\theta_\infty(T(L))-\lim\theta_\infty\|$ and the right side of (26) together, which
    is $g_2^{1/2}\ln(1/g_2)/(2\beta)$ there, and at most $\varepsilon$ if both are at most
    $\frac12\varepsilon$. This is derived for all $L$ with (27) at $T(L)$, and tried on integrated
    flows; the `schedule` is the time.
    """
    if limit != "assumed":
        return no_limit()
    search = _at_slow_times(schedule).replace(sides=(drawn_schedules(schedule),))
    return derivation("BB:4.E1cor2", search, search, schedule=schedule)


def drawn_schedules(schedule: str) -> Computed:
    """Return the distance at T(L) from drawn starts, or at a time that is too late."""
    exponents = (4, 8, 16, 32, 64)
    lengths = transfers(tuple(10.0**k for k in exponents))

    def ends(start: tuple[float, float], exponent: int, rtol: float = 1e-11) -> tuple[float, float]:
        transfer = lengths[exponents.index(exponent)]
        slow = float(slow_time(transfer.g2, transfer.beta))
        T = slow if schedule == "slow" else (2 * math.log(transfer.L) + 20) / transfer.infinite.S**2
        off = (path.theta[:, -1] - target(transfer, start) for path in transfer.paths(start, np.array([0.0, T]), rtol))
        infinite, finite = map(float, map(np.linalg.norm, off))
        return finite, infinite + (float(distance_26(transfer.g2, transfer.beta, slow)) if schedule == "slow" else 1.0)

    return Computed(
        "d = 1, S = 1/64, six starts, two of which end in the saddle, L = 1e4 to 1e64",
        {
            "start": OneOf(((0.5, -0.5), (0.8, -0.8), (0.9, 0.9), (0.5, 0.5), (0.7, 0.7), (0.3, 0.3))),
            "exponent": OneOf(exponents),
        },
        ends,
        lambda **at: ends(**at, rtol=1e-12)[0],
        each=5,
    )


def _at_slow_times(schedule: str) -> Evidence:
    lengths = transfers(tuple(10.0**k for k in (4, 8, 16, 32, 64)))
    S = lengths[0].infinite.S
    if schedule != "slow":
        transfer, start = lengths[0], (0.5, -0.5)
        late = np.array([0.0, (2 * math.log(transfer.L) + 20) / S**2])
        ends = [float(np.linalg.norm(transfer.paths(start, late, r)[1].theta[:, -1])) for r in (1e-11, 1e-12)]
        allowed = float(np.linalg.norm(transfer.paths(start, late)[0].theta[:, -1])) + 1
        witness = {"L": transfer.L, "start": str(start), "T": late[-1], "distance from the limit": ends[0], "allowed": allowed}
        if ends[0] <= allowed:
            return Evidence(verdict=Verdict.OPEN, engine=FLOW, reason=f"the flow has not left the saddle: {witness}")
        return refuted_by_two_routes(FLOW, witness, ends[0], allowed, ends[1])
    shown, tightest = [], math.inf
    for start in ((0.5, 0.5), (0.9, 0.9), (0.5, -0.5)):
        goal, before = target(lengths[0], start), math.inf
        for transfer in lengths:
            T = float(slow_time(transfer.g2, transfer.beta))
            one, other = transfer.paths(start, np.array([0.0, T]))
            allowed = float(np.linalg.norm(one.theta[:, -1] - goal)) + float(distance_26(transfer.g2, transfer.beta, T))
            found = float(np.linalg.norm(other.theta[:, -1] - goal))
            if not found <= allowed < before:
                return Evidence(
                    verdict=Verdict.OPEN, engine=FLOW, reason=f"{found:.3g}, {allowed:.3g}, {before:.3g} at L = {transfer.L:g}"
                )
            before, tightest = allowed, min(tightest, allowed / found)
        shown.append(f"{start}: {before:.2g}")
    covered = f"d = 1, S = 1/64, |lim theta| = 0 or 11, L = 1e4 to 1e64; bound of the distance at the end: {', '.join(shown)}"
    checked = r"\|\theta_L(T(L))-\lim_t\theta_\infty(t)\|\to0,\quad T(L)=\tfrac{1}{2\beta}\ln\tfrac{1}{g_2(L)}"
    return Evidence(verdict=Verdict.SUPPORTED, engine=FLOW, checked=checked, covered=covered, slack=tightest)
