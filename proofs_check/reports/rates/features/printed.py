"""The laws that Li, Duan & Liang print for the times and rates of learning, against exact times. A
printed law holds up to constants: it is false if the exact quantity, divided by it, grows (or
falls) without bound along a sequence that meets the hypotheses. No table can show this; a line says
whether the ratio still moves like a power of K up to K = 2^40, as its refutation says.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from proofs_check.reports.rates.features.times import VARIED_EPS, VARIED_K, spread
from proofs_check.reports.rates.lines.line import Line, judged
from proofs_check.reports.rates.lines.slopes import exponent
from theory.regression.features.reduced import ReducedAttention

__all__ = ["CLASSES", "SHOWN", "ours", "printed_lines", "ratios"]

#: Where the ratios are taken, for orthonormal features at distance sqrt 2, and which are told.
CLASSES = tuple(2**n for n in range(2, 41))
SHOWN = {4: "4", 2**10: "1024", 2**40: "2^40"}
DELTA = 2**0.5
#: A ratio moves like a power if every local slope is at least this; of K, from K = 2^20 on.
POWER, FAR_FROM = 0.25, 2**20


class Law(NamedTuple):
    """A printed law of K: what it speaks of, from which side, and its words."""

    quantity: str
    below: bool
    says: str
    #: Whether it is judged as repaired: for orthonormal features, which these are.
    corrected: bool = False


LAWS = {
    "LDL:P2/time.upper": Law(
        "time", False, "Proposition 2: the attention is 1/2 after at most C K log K/(eta L^2 Delta^2) steps"
    ),
    "LDL:P2/time.lower": Law(
        "time",
        True,
        "Proposition 2, for orthonormal features: the attention is 1/2 after at least c K log "
        "K/(eta L^2 Delta^2) steps",
        corrected=True,
    ),
    "LDL:P2.attn": Law(
        "attention", True, "Proposition 2: after these steps the attention is at least c/(1+delta)"
    ),
    "LDL:P2/rate.lower": Law(
        "rate", True, "Proposition 2: in Phase I a step adds at least c eta L^2 Delta^2/K to q_k"
    ),
    "LDL:P3/rate": Law(
        "rate", False, "Proposition 3: in Phase II a step adds at most C eta delta^2 L^2 Delta^2/K to q_k"
    ),
    "LDL:P4/rate": Law(
        "rate",
        False,
        "Proposition 4: in Phase III a step adds at most C eta eps delta^2 L^2 Delta^2/K to q_k",
    ),
    "LDL:T1": Law(
        *("time", False),
        "Theorem 1: the loss is at most C eps^2 after T_f^* = K log(K/eps)/(eta delta^2 L^2 Delta^2) steps",
    ),
    "LDL:T2": Law(
        *("time", False),
        "Theorem 2: the loss is at most C eps^2 after T_s^* = K log(K L Delta/eps)/(eta eps delta^2 L^2 "
        "Delta^2) steps",
    ),
}


def ours(row: str, law: str, says: str, holds: bool) -> Line:
    """The line of a law of ours, which holds where `holds` says so."""
    return judged(row, law, says, not holds, printed=False)


def _printed(
    row: str,
    law: str,
    says: str,
    contradicted: bool,
    ratios: dict[str, float] | None = None,
    power: float | None = None,
    corrected: bool = False,
) -> Line:
    """The line of a printed law, which the exact times contradict or not."""
    return judged(row, law, says, contradicted, printed=True, ratios=ratios, power=power, corrected=corrected)


def half_time(K: float, L: float, Delta: float, eta: float) -> float:
    """The end of Phase I that Proposition 2 prints, ``K log K/(eta L^2 Delta^2)``."""
    return float(K * np.log(K) / (eta * (L * Delta) ** 2))


def flat_time(K: float, eps: float, L: float, Delta: float, delta: float, eta: float) -> float:
    """``T_f^*`` of Proposition 3 and Theorem 1, ``K log(K/eps)/(eta delta^2 L^2 Delta^2)``."""
    return float(K * np.log(K / eps) / (eta * (delta * L * Delta) ** 2))


def sharp_time(K: float, eps: float, L: float, Delta: float, delta: float, eta: float) -> float:
    """``T_s^*`` of Proposition 4 and Theorem 2,
    ``K log(K L Delta/eps)/(eta eps delta^2 L^2 Delta^2)``.
    """
    return float(K * np.log(K * L * Delta / eps) / (eta * eps * (delta * L * Delta) ** 2))


def ratios(K: int) -> dict[str, float]:
    """The exact quantity over the printed one, at K classes, for each printed law of K. Orthonormal
    features, ``eta = 1/L^2``, ``delta = 1/(10K)`` and ``eps = 1/K``. The Lipschitz constant is
    ``1/(Delta delta)``, where both regimes meet.
    """
    delta, eps = 1 / (10 * K), 1 / K
    L = 1 / (DELTA * delta)
    eta, s2 = 1 / L**2, spread(K, L, DELTA)
    reduced = ReducedAttention(K, eta * s2)
    place = (K, eps, L, DELTA, delta, eta)
    phase_1 = half_time(K, L, DELTA, eta)
    half = reduced.attention_time(0.5) / phase_1
    done = reduced.loss_time(eps**2 / s2)

    def speed(t: float) -> float:
        """What a step adds to q_k at time t, times K/(eta L^2 Delta^2)."""
        return float(reduced.slope(reduced.flow(t))) * (K - 1) / (eta * (L * DELTA) ** 2)

    return {
        "LDL:P2/time.upper": half,
        "LDL:P2/time.lower": half,
        "LDL:P2.attn": float(reduced.attention(reduced.flow(phase_1))) * (1 + delta),
        "LDL:P2/rate.lower": speed(0.0),
        "LDL:P3/rate": speed(phase_1) / delta**2,
        "LDL:P4/rate": speed(flat_time(*place)) / (delta**2 * eps),
        "LDL:T1": done / flat_time(*place),
        "LDL:T2": done / sharp_time(*place),
    }


def printed_lines() -> list[Line]:
    """A line for each printed law."""
    table = {K: ratios(K) for K in CLASSES}
    return [
        *(_of_K(row, law, {K: table[K][row] for K in CLASSES}) for row, law in LAWS.items()),
        _threshold(),
        _monotone(),
    ]


def _of_K(row: str, law: Law, ratio: dict[int, float]) -> Line:
    """The line of a law of K, from the ratios of the exact quantity to the printed one."""
    far = [K for K in CLASSES if K >= FAR_FROM]
    fit = exponent(far, [ratio[K] for K in far])
    # A law from below breaks where the ratio falls, one from above where it grows.
    broken = fit.high <= -POWER if law.below else fit.low >= POWER
    at = ", ".join(f"{ratio[K]:.3g} at K = {name}" for K, name in SHOWN.items())
    end = (
        f"the constant would have to {'fall' if law.below else 'grow'} with it"
        if broken
        else "one constant serves on this range"
    )
    says = (
        f"The exact {law.quantity} over the printed one is {at}; from K = 2^20 on it goes like "
        f"K^{fit.value:.3f}, with local slopes from {fit.low:.3f} to {fit.high:.3f}: {end}."
    )
    shown = {name: ratio[K] for K, name in SHOWN.items()}
    return _printed(row, law.says, says, broken, ratios=shown, power=fit.value, corrected=law.corrected)


def _threshold() -> Line:
    """The threshold of the regimes, by the scaling of our R9: it takes T_s^* elsewhere."""
    K, scale = 1024, np.array([1.0, 8.0, 64.0, 512.0])
    exact, paper = [], []
    for s in scale:
        L, eps, delta = s * 10 * K, s / K, 1 / (10 * K)
        s2, eta = spread(K, L, DELTA), 1 / L**2
        exact.append(ReducedAttention(K, eta * s2).loss_time(eps**2 / s2))
        paper.append(sharp_time(K, eps, L, DELTA, delta, eta))
    off, fit = max(exact) / min(exact) - 1, exponent(scale, np.array(exact) / paper)
    says = (
        "At (sL, eta/s^2, s eps) with s = 1 ... 512 and K = 1024 the exact time stays as it is, up to "
        f"{off:.1g}; the printed T_s^* falls from {paper[0]:.3g} to {paper[-1]:.3g} steps, so that exact "
        f"over printed goes like s^{fit.value:.3f}."
    )
    law = (
        "After Theorem 2: a threshold of L at 1/(Delta delta) separates two regimes, and T_s^* is the time "
        "beyond it"
    )
    return _printed("LDL:4.thr", law, says, off < 1e-9 and fit.low >= POWER)


def _monotone() -> Line:
    """Theorem 1's sentence that convergence is faster as L or Delta increases."""
    K, scale = VARIED_K, np.array([1.0, 10.0, 100.0, 1000.0])
    half = lambda L, Delta: ReducedAttention(K, Delta**4 / 4 * spread(K, L, Delta)).attention_time(0.5)
    in_L, in_Delta = (
        exponent(scale, [half(s, 1.0) for s in scale]),
        exponent(scale, [half(1.0, s) for s in scale]),
    )
    spreads = [spread(K, L, DELTA) for L in scale]
    done = [ReducedAttention(K, s2).loss_time(VARIED_EPS**2 / s2) for s2 in spreads]
    near = [spread(8, L, DELTA) for L in (9 / 32, 10 / 32)]
    low, high = (ReducedAttention(8, s2).loss_time(1 / 64 / s2) for s2 in near)
    says = (
        "The printed T_f^* goes like L^-2 Delta^-2. The exact time to the attention 1/2 goes like "
        f"L^{in_L.value:.3f} and, as the tasks vary over the distance of the features, like "
        f"Delta^{in_Delta.value:.3f}. But the time to the loss eps^2 grows from {low:.4g} to {high:.4g} "
        "steps between L = 9/32 and 10/32 at K = 8, eps = 1/8, eta = 1, for a larger L starts with a larger "
        "loss; and it hardly depends on L in the end: from L = 1 to 1000 it falls by the factor "
        f"{done[0] / done[-1]:.2f} (K = {K}, eps = {VARIED_EPS:g}), and T_f^* by 10^6."
    )
    return _printed(
        "LDL:T1.mono/faster", "Theorem 1: convergence is faster as L or Delta increases", says, high > low
    )
