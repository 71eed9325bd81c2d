"""Gradient flows from explicit starts, each by two routes: what Figures 3 and 4 and the remark on the block start are tried on.

Isotropic data, d = 5, w ~ N(0, I/5), label noise 1/10; the time of the flow is the learning rate 1e-3 times the steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.flow_coordinates import Factors
from numerics.training_flow import training_flow
from numerics.weight_tables import weight_table

__all__ = ["OFF_BLOCKS", "distance_again", "flow_distance", "off_block_ends", "small_start_risks"]

Floats = NDArray[np.float64]
D, TASKS, NOISE = 5, 0.2, 0.1
LEVEL = D + NOISE / TASKS  # tr Sigma + tau^2/om^2
#: alpha, beta, p, o, q of `off_block_risk`.
OFF_BLOCKS = (0.7, -0.1, 2.0, -0.3, 1.0)


def _factors(side: float) -> Factors:
    """K11 = Q11 = side I, o and V with the one entry `side` that reaches the prediction."""
    corner = np.append(np.zeros(D), side)
    return Factors(side * np.eye(D + 1, D), side * np.eye(D + 1, D), corner, corner)


def flow_distance(L: int, time: float, side: float) -> float:
    """|theta_soft - theta_lin|^2 at a time, both flows from the same block start in (O, V, K, Q)."""
    law: dict[str, Any] = {"noise": NOISE, "task_variance": TASKS, "times": [0.0, time], "rtol": 1e-10}
    soft, linear = (training_flow(_factors(side), np.eye(D), L, attention=a, **law).factors for a in ("softmax", "linear"))
    assert soft is not None
    assert linear is not None
    return float(sum(((x[-1] - y[-1]) ** 2).sum() for x, y in zip(soft, linear)))


def distance_again(L: int, time: float, side: float) -> float:
    """The same in the two numbers (k, r) that move: K11 = Q11 = k I, and r the entry of o and of V; the query by a radial rule."""
    soft, linear = (_integrated(field, (side, side), time, "LSODA") for field in (_softmax_field(L), _linear_field(L)))
    return float(2 * D * (soft[0] - linear[0]) ** 2 + 2 * (soft[1] - linear[1]) ** 2)


def small_start_risks(L: int, side: float, time: float) -> tuple[float, float, float]:
    """Risk of linear attention at a time, the same by another method, and its limit, from the block start."""
    g = 1 + (1 + LEVEL) / L
    risk = lambda y: TASKS * D / 2 * (y[1] ** 4 * y[0] ** 4 * g - 2 * y[1] ** 2 * y[0] ** 2 + 1) + NOISE / 2
    field = _linear_field(L)
    first, second = (float(risk(_integrated(field, (side, side), time, method))) for method in ("DOP853", "Radau"))
    return first, second, TASKS * D / 2 * (1 - 1 / g) + NOISE / 2


def off_block_ends(L: int) -> tuple[float, float]:
    """Risk at which linear attention ends from `OFF_BLOCKS`, by its flow, and by Newton's method from nearby."""
    from scipy.optimize import root

    slope = lambda y: np.array([off_block_risk(y + 1e-30j * e, L).imag / 1e-30 for e in np.eye(5)])
    end = _integrated(lambda y: slope(y) / np.array([4, 1, 1, 1, 1]), OFF_BLOCKS, 2000.0, "LSODA")
    # On the orbit of the scaling (U t, V / t), along which nothing changes, q stays where it is.
    still = root(lambda y: slope(np.append(y, end[4]))[:4], end[:4] * 1.001, tol=1e-14)
    return float(off_block_risk(end, L)), float(off_block_risk(np.append(still.x, end[4]), L))


def off_block_risk(y: Any, L: int) -> Any:
    """Risk of linear attention with U11 = diag(beta, alpha, alpha, ..), label row (o, 0, ..), last row of V (p, 0, ..; q).

    Symmetry keeps the flow in this family. In the mean over tasks and queries, h^2, s t and h y are polynomials.
    """
    a, b, p, o, q = y
    N, v, rest = D * TASKS + NOISE, TASKS, D - 1
    h2 = (q * b + p * o) ** 2 * v + (p * b + q * o * N) ** 2 + (q * o) ** 2 * 2 * D * v * v + rest * (q * a) ** 2 * v
    hy = (q * b + p * o) * v + rest * q * a * v
    st = (
        (b * b + rest * a * a) * (p * p + q * q * N) + 4 * o * b * p * q * v + o * o * (p * p * N + q * q * (N * N + 2 * D * v * v))
    )
    return ((1 + 1 / L) * h2 + st / L - 2 * hy + D * v + NOISE) / 2


def _integrated(field: Callable[[Floats], Any], start: Any, time: float, method: str = "DOP853") -> Floats:
    from scipy.integrate import solve_ivp

    found = solve_ivp(lambda t, y: -np.asarray(field(y)), (0, time), start, method=method, rtol=1e-11, atol=1e-13)
    return np.asarray(found.y[:, -1])


def _linear_field(L: int) -> Callable[[Floats], Any]:
    g = 1 + (1 + LEVEL) / L

    def field(y: Floats) -> tuple[float, float]:
        c, u = y[0] ** 2, y[1] ** 2
        return TASKS * (u * u * c * g - u) * y[0], TASKS * D * (u * c * c * g - c) * y[1]

    return field


def _softmax_field(L: int) -> Callable[[Floats], Any]:
    from math import gamma

    table = weight_table(L)
    x, w = np.polynomial.legendre.leggauss(80)
    r = 7 * (x + 1)
    density, r2 = 7 * w * r ** (D - 1) * np.exp(-r * r / 2) * 2 ** (1 - D / 2) / gamma(D / 2), r * r

    def field(y: Floats) -> tuple[float, float]:
        c, u = y[0] ** 2, y[1] ** 2
        m, ds, h2 = table(c * c * r2), 2 * c * r2, c * c * r2
        to_u = density @ (u * (LEVEL * m.P2 + m.kept2 * h2) - m.kept * c * r2)
        to_c = density @ (u * u * (LEVEL * m.dP2 * ds - m.db * ds * h2 + m.kept2 * ds) - 2 * u * (m.kept - m.dP2 * ds * c) * r2) / 2
        return float(TASKS * to_c * y[0] / D), float(TASKS * to_u * y[1])

    return field
