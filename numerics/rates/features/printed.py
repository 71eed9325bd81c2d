"""The laws that Li, Duan & Liang print for the times and rates of learning, against exact times.

A printed law holds up to constants: it is false if the exact quantity, divided by the printed one,
grows (or falls) without bound along a sequence that meets the hypotheses. No table can show this; a
line says whether the ratio still moves like a power of K up to K = 2^40, as its refutation says.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from numerics.rates.features.ledger_verdicts import PRINTED
from numerics.rates.features.times import exponent, spread
from theory import ReducedAttention

__all__ = ["CLASSES", "Line", "flat_time", "half_time", "printed_lines", "ratios", "sharp_time"]

#: Where the ratios are taken, for orthonormal features at distance sqrt 2.
CLASSES = tuple(2**n for n in range(2, 41))
DELTA = 2**0.5
#: A ratio moves like a power of K if every local slope from K = 2^20 on is at least this.
POWER = 0.25


@dataclass(frozen=True)
class Line:
    """What the exact times say of one law.

    Attributes
    ----------
    law : str
        In words.
    row : str
        Its claim in the ledger.
    declared : str
        The verdict there.
    printed : bool
        Whether the paper prints it; otherwise it is ours.
    says : str
        What was found.
    holds : bool
        Whether what was found is what the ledger declares.
    """

    law: str
    row: str
    declared: str
    printed: bool
    says: str
    holds: bool


def half_time(K: float, L: float, Delta: float, eta: float) -> float:
    """The end of Phase I that Proposition 2 prints, ``K log K/(eta L^2 Delta^2)``."""
    return K * np.log(K) / (eta * (L * Delta) ** 2)


def flat_time(K: float, eps: float, L: float, Delta: float, delta: float, eta: float) -> float:
    """``T_f^*`` of Proposition 3 and Theorem 1, ``K log(K/eps)/(eta delta^2 L^2 Delta^2)``."""
    return K * np.log(K / eps) / (eta * (delta * L * Delta) ** 2)


def sharp_time(K: float, eps: float, L: float, Delta: float, delta: float, eta: float) -> float:
    """``T_s^*`` of Proposition 4 and Theorem 2,
    ``K log(K L Delta/eps)/(eta eps delta^2 L^2 Delta^2)``.
    """
    return K * np.log(K * L * Delta / eps) / (eta * eps * (delta * L * Delta) ** 2)


def ratios(K: int) -> dict[str, float]:
    """The exact quantity over the printed one, at K classes, for each printed law.

    Orthonormal features, ``eta = 1/L^2``, ``delta = 1/(10K)`` and ``eps = 1/K``. The Lipschitz
    constant is ``1/(Delta delta)``, where both regimes meet.

    Examples
    --------
    >>> round(ratios(1024)["LDL:P2/time.upper"] / ratios(512)["LDL:P2/time.upper"], 2)
    1.77
    """
    delta, eps = 1 / (10 * K), 1 / K
    L = 1 / (DELTA * delta)
    eta, s2 = 1 / L**2, spread(K, L, DELTA)
    reduced = ReducedAttention(K, eta * s2)
    place = (K, eps, L, DELTA, delta, eta)
    half = reduced.attention_time(0.5) / half_time(K, L, DELTA, eta)
    done = reduced.loss_time(eps**2 / s2)

    def speed(t: float) -> float:
        """What a step adds to q_k at time t, times K/(eta L^2 Delta^2)."""
        return reduced.slope(reduced.flow(t)) * (K - 1) / (eta * (L * DELTA) ** 2)

    return {
        "LDL:P2/time.upper": half,
        "LDL:P2/time.lower": half,
        "LDL:P2/rate.lower": speed(0.0),
        "LDL:P3/rate": speed(half_time(K, L, DELTA, eta)) / delta**2,
        "LDL:P4/rate": speed(flat_time(*place)) / (delta**2 * eps),
        "LDL:T1": done / flat_time(*place),
        "LDL:T2": done / sharp_time(*place),
    }


LAWS = {
    "LDL:P2/time.upper": "Proposition 2: the attention is 1/2 after at most C K log K/(eta L^2 Delta^2) steps",
    "LDL:P2/time.lower": "Proposition 2: the attention is 1/2 after at least c K log K/(eta L^2 Delta^2) steps",
    "LDL:P2/rate.lower": "Proposition 2: in Phase I a step adds at least c eta L^2 Delta^2/K to q_k",
    "LDL:P3/rate": "Proposition 3: in Phase II a step adds at most C eta delta^2 L^2 Delta^2/K to q_k",
    "LDL:P4/rate": "Proposition 4: in Phase III a step adds at most C eta eps delta^2 L^2 Delta^2/K to q_k",
    "LDL:T1": "Theorem 1: the loss is at most C eps^2 after T_f^* = K log(K/eps)/(eta delta^2 L^2 Delta^2) steps",
    "LDL:T2": "Theorem 2: the loss is at most C eps^2 after T_s^* = K log(K L Delta/eps)/(eta eps delta^2 L^2 Delta^2) steps",
}


def printed_lines() -> list[Line]:
    """A line for each printed law.

    Returns
    -------
    list of Line
    """
    lines, table = [], {K: ratios(K) for K in CLASSES}
    for row, law in LAWS.items():
        values = np.array([table[K][row] for K in CLASSES])
        far = [K >= 2**20 for K in CLASSES]
        slope = exponent(np.array(CLASSES, dtype=float)[far], values[far])
        what = "The exact rate" if "rate" in row else "The exact time"
        at = f"{values[0]:.3g} times the printed one at K = 4, {values[8]:.3g} times at K = 1024, {values[-1]:.3g} times at K = 2^40"
        # A law from below breaks where the ratio falls, one from above where it grows.
        below = row.endswith(".lower")
        broken = slope.high <= -POWER if below else slope.low >= POWER
        moves = f"from K = 2^20 on it goes like K^{slope.value:.3f}, with local slopes from {slope.low:.3f} to {slope.high:.3f}"
        end = "no constant can hold" if broken else "a constant does hold on this range"
        declared = PRINTED[row]
        lines.append(Line(law, row, declared, True, f"{what} is {at}; {moves}: {end}.", broken == (declared == "REFUTED")))
    return [*lines, _monotone()]


def _monotone() -> Line:
    """Theorem 1's sentence that convergence is faster as L or Delta increases."""
    row, scale = "LDL:T1.mono", np.array([1.0, 2.0, 4.0, 8.0])
    at = lambda L, Delta: ReducedAttention(16, Delta**4 / 4 * spread(16, L, Delta)).attention_time(0.5)
    in_L, in_Delta = exponent(scale, [at(s, 1.0) for s in scale]), exponent(scale, [at(1.0, s) for s in scale])
    says = (
        f"The time to the attention 1/2 goes like L^{in_L.value:.3f} and, as the tasks vary over the distance of the features, like "
        f"Delta^{in_Delta.value:.3f}; the printed time has the exponents -2 and -2."
    )
    law = "Theorem 1: convergence is faster as L or Delta increases"
    return Line(law, row, PRINTED[row], True, says, (in_L.high < 0 and in_Delta.high < 0) == (PRINTED[row] != "REFUTED"))
