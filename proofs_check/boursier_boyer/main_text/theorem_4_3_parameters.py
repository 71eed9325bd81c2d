"""What Section 4 of Boursier & Boyer draws from Lemma E.1 for the parameters: the limit that it
speaks of need not exist. Where it does, the statements are derived from Corollary E.5, and tried on
integrated flows of regression with one Gaussian covariate.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.counterexamples.drawn.computed import Computed, Decades, OneOf
from numerics.evidence import Evidence
from numerics.regression.softmax_vs_linear.scalar_constants import Transfer, transfers
from proofs_check.boursier_boyer.main_text.theorem_4_3 import CONSTANTS, FLOW
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import supported, undecided
from proofs_check.instances.spiral import no_limit
from theory.regression.transfer import distance_26, slow_time


def target(transfer: Transfer, start: tuple[float, float]) -> np.ndarray:
    """Where the infinite-prompt flow ends: the minimum, or from the antidiagonal the saddle."""
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
    cites=(
        *CONSTANTS,
        "Lojasiewicz 1963: a bounded gradient flow of a real-analytic function converges",
    ),
)
def parameters_come_close_at_one_time(*, limit: str = "not assumed", c: Fraction = Fraction(1)) -> Evidence:
    r"""As printed $\lim_t(U_\infty,V_\infty)$ need not exist: an exact orbit winds round a circle
    for ever. Where it exists, $\|U_L(T)-\lim U_\infty\|+\|V_L(T)-\lim V_\infty\|\leq\varepsilon$ is
    derived for $T$ so chosen that $\|\theta_\infty-\lim\theta_\infty\|$ is at most
    $r=\varepsilon/(2\sqrt2)$ from $T$ on, and $L$ so large that by Corollary E.5
    $g_2\leq\min(\rho,r)\,e^{-\beta T}/(1+T)$, as for Lemma E.1; `c` multiplies $\varepsilon$.

    The exact orbit is that of `proofs_check.instances.spiral`.
    """
    if limit != "assumed":
        return no_limit()
    return derivation("BB:4.E1cor", _at_one_time(c).replace(sides=(drawn_times(c),)), c=c)


def one_time(epsilon: float, start: tuple[float, float]) -> tuple[Transfer, float] | None:
    """L and T at which each part of the distance is at most epsilon/(2 sqrt 2), if found."""
    part = epsilon / (2 * math.sqrt(2))
    lengths = transfers(tuple(10.0**k for k in (2, 6, 10, 16, 24, 32, 48, 64)))
    times = np.linspace(0.0, 8 / lengths[0].infinite.S ** 2, 321)
    away = np.linalg.norm(
        lengths[0].paths(start, times)[0].theta - target(lengths[0], start)[:, None], axis=0
    )
    T = float(times[np.argmax(away <= part)])
    fitting = [t for t in lengths if distance_26(t.g2, t.beta, T) <= part]
    return (fitting[0], T) if fitting and away.min() <= part else None


def distance_then(transfer: Transfer, T: float, start: tuple[float, float], rtol: float = 1e-11) -> float:
    """|U_L(T) - lim U| + |V_L(T) - lim V|."""
    end = transfer.paths(start, np.array([0.0, T]), rtol)[1].theta[:, -1]
    return float(np.abs(end - target(transfer, start)).sum())


def drawn_times(c: Fraction) -> Computed:
    """The distance at drawn epsilon and starts."""

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
                return undecided(FLOW, f"no time or length found for {epsilon} from {start}")
            transfer, T = fitting
            found, again = (distance_then(transfer, T, start, r) for r in (1e-11, 1e-12))
            pairs.append(f"({transfer.L:.0e}, {T * transfer.infinite.S**2:.2f}/S^2)")
            if found / epsilon > worst["ratio"]:
                off = abs(found - again) / epsilon
                at = {"ratio": found / epsilon, "epsilon": epsilon, "start": str(start), "L": transfer.L}
                worst = {**at, "T": T, "off": off}
    ratio, off = worst.pop("ratio"), worst.pop("off")
    if ratio > c:
        witness = {**worst, "S": "1/64", "distance over epsilon": ratio, "allowed": c}
        return refuted_by_two_routes(FLOW, witness, ratio, float(c), ratio + off)
    covered = (
        "d = 1, S = 1/64, epsilon = 1/2, 1/20, three starts, one ending in the saddle; (L, T) = "
        f"{', '.join(pairs)}"
    )
    checked = r"\|U_L(T)-\lim U_\infty\|+\|V_L(T)-\lim V_\infty\|\leq\varepsilon"
    return supported(FLOW, covered, checked=checked, slack=float(c) / ratio, tightest=worst)


@claim(
    "BB:4.E1cor2",
    false="gap",
    follows="BB:4.E1cor",
    costs="a hypothesis",
    repair={"limit": "assumed"},
    control={"limit": "assumed", "schedule": "too late"},
    hypotheses=HYPOTHESES,
    needs=("BB:CE.5/limit",),
    cites=CONSTANTS,
)
def parameters_converge_along_a_slow_time(*, limit: str = "not assumed", schedule: str = "slow") -> Evidence:
    r"""As printed $\lim_t\theta_\infty(t)$ need not exist. Where it exists, at
    $T(L)=\frac1{2\beta}\ln\frac1{g_2}$ the distance $\|\theta_L(T(L))-\lim\theta_\infty\|$ is at
    most $\|\theta_\infty(T(L))-\lim\theta_\infty\|$ and the right side of (26) together, which is
    $g_2^{1/2}\ln(1/g_2)/(2\beta)$ there, and at most $\varepsilon$ for long prompts. This is
    derived for all $L$ from the one on from which by Corollary E.5
    $g_2\leq(\beta\min(\rho,\frac12\varepsilon))^4$ and $g_2\leq e^{-2\beta T_0}$, where
    $\theta_\infty$ is within $\frac12\varepsilon$ of its limit from $T_0$ on, and tried on
    integrated flows; the `schedule` is the time.
    """
    if limit != "assumed":
        return no_limit()
    search = _at_slow_times(schedule).replace(sides=(drawn_schedules(schedule),))
    return derivation("BB:4.E1cor2", search, search, schedule=schedule)


def drawn_schedules(schedule: str) -> Computed:
    """The distance at T(L) from drawn starts, or at a time that is too late."""
    exponents = (4, 8, 16, 32, 64)
    lengths = transfers(tuple(10.0**k for k in exponents))

    def ends(start: tuple[float, float], exponent: int, rtol: float = 1e-11) -> tuple[float, float]:
        transfer = lengths[exponents.index(exponent)]
        slow = float(slow_time(transfer.g2, transfer.beta))
        T = slow if schedule == "slow" else (2 * math.log(transfer.L) + 20) / transfer.infinite.S**2
        off = (
            path.theta[:, -1] - target(transfer, start)
            for path in transfer.paths(start, np.array([0.0, T]), rtol)
        )
        infinite, finite = map(float, map(np.linalg.norm, off))
        return finite, infinite + (
            float(distance_26(transfer.g2, transfer.beta, slow)) if schedule == "slow" else 1.0
        )

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
        at = {"L": transfer.L, "start": str(start), "T": late[-1], "distance from the limit": ends[0]}
        witness = {**at, "allowed": allowed}
        if ends[0] <= allowed:
            return undecided(FLOW, f"the flow has not left the saddle: {witness}")
        return refuted_by_two_routes(FLOW, witness, ends[0], allowed, ends[1])
    shown, tightest = [], math.inf
    for start in ((0.5, 0.5), (0.9, 0.9), (0.5, -0.5)):
        goal, before = target(lengths[0], start), math.inf
        for transfer in lengths:
            T = float(slow_time(transfer.g2, transfer.beta))
            one, other = transfer.paths(start, np.array([0.0, T]))
            allowed = float(np.linalg.norm(one.theta[:, -1] - goal)) + float(
                distance_26(transfer.g2, transfer.beta, T)
            )
            found = float(np.linalg.norm(other.theta[:, -1] - goal))
            if not found <= allowed < before:
                return undecided(FLOW, f"{found:.3g}, {allowed:.3g}, {before:.3g} at L = {transfer.L:g}")
            before, tightest = allowed, min(tightest, allowed / found)
        shown.append(f"{start}: {before:.2g}")
    covered = (
        "d = 1, S = 1/64, |lim theta| = 0 or 11, L = 1e4 to 1e64; bound of the distance at the end: "
        f"{', '.join(shown)}"
    )
    checked = (
        r"\|\theta_L(T(L))-\lim_t\theta_\infty(t)\|\to0,\quad T(L)=\tfrac{1}{2\beta}\ln\tfrac{1}{g_2(L)}"
    )
    return supported(FLOW, covered, checked=checked, slack=tightest)
