"""The least risks of finite prompts at drawn covariances, and where they are attained, for property
tests of our R6.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.counterexamples.drawn.computed import Computed, Decades, Drawn, OneOf, Share
from numerics.regression.flow.end_point import Trained, trained
from numerics.regression.risk.block_manifold import RiskField
from numerics.regression.risk.gap_to_infinite_prompt import finite_prompt_risk
from theory.regression.limit import limit_parameters
from theory.regression.task import RegressionTask
from theory.regression.valley import best_score_variance, valley_excess

Floats = NDArray[np.float64]
#: A short prompt, and one at which limits are compared.
SHORT, LONG = 2, 10**6
#: What a property test draws: covariances s diag(1, r, ...), and the label noise over the trace.
DRAWN: dict[str, Drawn] = {
    "s": Decades(0.1, 10.0),
    "r": Decades(0.25, 1.0),
    "d": OneOf((1, 2, 3)),
    "noise": Share(0.0, 0.3),
}
PARTS = ("L = 2", "L = 1e6", "limit of the risk", "limit of 1/u^2")


def task_with(S: Floats, noise: float) -> RegressionTask:
    """Return the task of Section 5, ``w ~ N(0, I)``, with a covariance and a label noise."""
    return RegressionTask(S, noise=noise, task_variance=1.0)


def end_by_slopes(S: Floats, noise: float, near: Trained, L: int) -> Trained:
    """Return the zero of the gradient near a point by a solver of SciPy and a finer quadrature, as
    a second route to the least risk.
    """
    from scipy.optimize import root

    field, vectors = RiskField(task_with(S, noise), L, step=0.08), np.linalg.eigh(S)[1]
    in_basis = lambda M: np.einsum("ji,jk,ki->i", vectors, M, vectors)
    point = lambda y: ((vectors * np.exp(y[:-1])) @ vectors.T, math.exp(y[-1]))

    def slopes(y: Floats) -> Floats:
        U, u = point(y)
        found = field(U, u)
        return np.append(in_basis(found.grad_U) * np.exp(y[:-1]), found.grad_u * u)

    U, u = point(root(slopes, np.append(np.log(in_basis(near.U11)), math.log(near.u)) + 1e-3, tol=1e-14).x)
    return Trained(field(U, u).risk, U, u, math.inf, 0.0)


def _task(s: float, r: float, d: int, noise: float) -> tuple[Floats, float, dict[str, Any]]:
    """Return the covariance, the label noise, and what the laws of R6 ask for."""
    S = s * np.diag([1.0, *[r] * (d - 1)])
    trace = float(np.trace(S))
    return S, noise * trace, {"trace": trace, "d": d, "noise": noise * trace}


@cache
def _end(s: float, r: float, d: int, noise: float, L: int) -> Trained:
    S, tau2, _ = _task(s, r, d, noise)
    return trained(task_with(S, tau2), L)


def least_risks(share: float) -> Computed:
    """Return the bound of R6.trained, whose right side is multiplied, and both of its limits."""

    def sides(**at: Any) -> tuple[list[float], list[float]]:
        _, tau2, law = _task(**at)
        best = float(best_score_variance(**law))
        limit = float(valley_excess(best, **law)) / 2
        short, long = (_end(**at, L=L) for L in (SHORT, LONG))
        values = [L * (end.risk - tau2 / 2) for L, end in ((SHORT, short), (LONG, long))]
        off = [abs(values[1] / limit - 1), abs(long.u**-2 / best - 1)]
        return [*values, *off], [share * limit, share * limit, 1 / 500, 1 / 100]

    def again(of: str, **at: Any) -> float:
        S, tau2, law = _task(**at)
        best = float(best_score_variance(**law))
        L = SHORT if of == PARTS[0] else LONG
        end = _end(**at, L=L)
        if of == PARTS[3]:
            return abs(end_by_slopes(S, tau2, end, L).u ** -2 / best - 1)
        value = L * (float(finite_prompt_risk(end.U11, end.u, task_with(S, tau2), L)) - tau2 / 2)
        return abs(value / float(valley_excess(best, **law)) * 2 - 1) if of == PARTS[2] else value

    covered = (
        "S = s diag(1, r, ...), d = 1, 2, 3, s from 1/10 to 10, r from 1/4 to 1, label noise up to 0.3 tr "
        "S, L = 2 and 1e6"
    )
    return Computed(covered, DRAWN, sides, again, along=("of", PARTS), each=10)


def apart_in_the_end(times: float) -> Computed:
    """Return the limit of R6.far, which is multiplied, where it is not small."""

    def off(end: Trained, S: Floats, law: dict[str, Any]) -> float:
        infinite, inverse = limit_parameters(S), float(np.linalg.norm(np.linalg.inv(S)))
        one, other = math.sqrt(best_score_variance(**law)), inverse**-0.5
        formula = times * math.hypot(inverse * (one - other), 1 / one - 1 / other)
        apart = math.hypot(
            float(np.linalg.norm(end.U11 - infinite.U[:-1, :-1])), end.u - float(infinite.V[-1, -1])
        )
        return abs(apart / formula - 1)

    def found(**at: Any) -> tuple[float, float]:
        S, _, law = _task(**at)
        return off(_end(**at, L=LONG), S, law), 0.01

    def again(**at: Any) -> float:
        S, tau2, law = _task(**at)
        return off(end_by_slopes(S, tau2, _end(**at, L=LONG), LONG), S, law)

    drawn = DRAWN | {"s": Decades(1.0, 10.0), "r": Decades(0.5, 1.0)}
    covered = (
        "S = s diag(1, r, ...), d = 1, 2, 3, s from 1 to 10, r from 1/2 to 1, label noise up to 0.3 tr S, "
        "L = 1e6"
    )
    return Computed(covered, drawn, found, again, accuracy=1e-6, each=10)
