"""The gradient flow of linear attention from random starts, integrated with exact gradients, for
Figures 4 and 6 of Boursier & Boyer and their remark on the block start.

The task is that of the paper: d = 5, w ~ N(0, I/5), label noise 1/10. The time of the flow is the
learning rate 1e-3 times the number of steps, and it starts where the run with the same seed starts.
Parameters are one vector: O, V, K and Q one after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.regression.risk.any_parameters import population_risk
from numerics.training.parameters import Parameters, initial_parameters, pack, unpack
from theory.regression.task import RegressionTask

__all__ = ["LinearRisk", "block_limit", "flow", "random_start", "risk_again"]

Floats = NDArray[np.float64]
D, TASKS, NOISE = 5, 0.2, 0.1
N_ROWS = D + 1


def random_start(seed: int) -> Floats:
    return pack(initial_parameters(D, seed)).ravel()


def block_limit(L: int) -> float:
    """The risk at which the flow of linear attention from Assumption 5.1 ends on isotropic data."""
    return (TASKS * D * (1 - 1 / (1 + (1 + D + NOISE / TASKS) / L)) + NOISE) / 2


class LinearRisk:
    """The risk of linear attention at any parameters, and its gradient. Given the task, tokens have
    the covariance G, b = V'O, a = N x with N = K'Q; output and score have means and variances that
    are polynomials of degree 4 in the task. A product of Gauss rules of three points is exact for
    them.
    """

    def __init__(self, L: int, Sigma: Any = None) -> None:
        x = np.stack(np.meshgrid(*[[-np.sqrt(3), 0.0, np.sqrt(3)]] * D), axis=-1).reshape(-1, D)
        self.L, self.p, self.w = L, np.where(x == 0, 2 / 3, 1 / 6).prod(axis=1), np.sqrt(TASKS) * x
        self.S = S = np.eye(D) if Sigma is None else np.asarray(Sigma, dtype=float)
        G = np.array([np.block([[S, (S @ w)[:, None]], [S @ w, w @ S @ w + NOISE]]) for w in self.w])
        self.rows = G.reshape(-1, N_ROWS)  # one product of matrices for all tasks

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        O, V, K, Q = unpack(theta.reshape(-1, N_ROWS))
        b, N, p, L = V.T @ O, K.T @ Q[:, :D], self.p, self.L
        shape = (len(p), N_ROWS, D)
        Gb, GN, GNS = (
            (self.rows @ b).reshape(shape[:2]),
            (self.rows @ N).reshape(shape),
            (self.rows @ (N @ self.S)).reshape(shape),
        )
        H, t, s, y = Gb @ N, Gb @ b, (GNS * N).sum(axis=(1, 2)), self.w @ self.S
        A = (1 + 1 / L) * H @ self.S - y
        risk = (p @ (((A - y) * H + y * self.w).sum(axis=1) + t * s / L) + NOISE) / 2
        to_b = p @ (np.einsum("kij,kj->ki", GN, A) + s[:, None] * Gb / L)
        to_N = Gb.T @ (p[:, None] * A) + ((p * t) @ GNS.reshape(len(p), -1)).reshape(N_ROWS, D) / L
        to_Q = np.hstack([K @ to_N, np.zeros((N_ROWS, 1))])
        return float(risk), pack(Parameters(V @ to_b, np.outer(O, to_b), Q[:, :D] @ to_N.T, to_Q)).ravel()


def flow(L: int, start: Floats, times: Any, method: str = "LSODA", Sigma: Any = None) -> Floats:
    """The parameters of the flow at some times, as an array (times, 114)."""
    from scipy.integrate import solve_ivp

    slope, last = LinearRisk(L, Sigma), float(np.max(times))
    found = solve_ivp(
        lambda _, y: -slope(y)[1], (0.0, last), start, method=method, t_eval=times, rtol=1e-9, atol=1e-11
    )
    return np.asarray(found.y.T)


def risk_again(L: int, theta: Floats, Sigma: Any = None) -> float:
    """The risk by another rule over the tasks and by other formulas."""
    task = RegressionTask(np.eye(D) if Sigma is None else Sigma, noise=NOISE, task_variance=1 / D)
    return float(population_risk(unpack(theta.reshape(-1, N_ROWS)), "linear", task, L)[0])
