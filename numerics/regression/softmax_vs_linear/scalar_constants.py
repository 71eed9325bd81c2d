"""Theorem 4.3 of Boursier & Boyer on in-context regression with one Gaussian covariate: both flows,
and every constant that the transfer from infinite to finite prompts asks for.
"""

# With ``phi = sqrt(S) (c, u)`` the infinite-prompt risk is ``(S/2) (phi_1 phi_2 - 1)^2``, so that
# on the ball ``|phi| <= r`` its gradient has the Lipschitz constant ``S^2 (3 r^2/2 + 1)`` and the
# risk itself ``S^{3/2} r (r^2/2 + 1)``, both exactly.

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from numerics.regression.softmax_vs_linear.scalar_flows import (
    ScalarRegression,
    Trajectory,
    scalar_regressions,
)
from theory.regression.transfer import distance_26

__all__ = ["Transfer", "transfers"]

Floats = NDArray[np.float64]
#: Suprema over the ball are taken on a grid and enlarged by this factor.
MARGIN = 1.01
#: S; on the ball of radius 2 rho the scores have variance at most ``9 x^2``, ``x ~ N(0, S)``.
COVARIATE_VARIANCE = 1 / 64


@dataclass(frozen=True, eq=False)
class Transfer:
    """One prompt length beside the infinite prompt."""

    infinite: ScalarRegression
    finite: ScalarRegression
    #: Radius of the ball in which the infinite-prompt flows stay.
    rho: float
    #: Suprema of ``|R_L - R|`` and ``|grad R_L - grad R|`` over the ball of radius 2 rho.
    g1: float
    g2: float
    #: Lipschitz constants of ``grad R`` and of R on that ball.
    beta: float
    kappa: float

    @property
    def L(self) -> float:
        """Prompt length."""
        return float(self.finite.L or math.inf)

    @property
    def T_27(self) -> float:
        """The largest T with ``g2 T e^{beta T} <= rho``, eq. (27)."""
        from scipy.special import lambertw

        return float(lambertw(self.beta * self.rho / self.g2).real / self.beta)

    def paths(
        self, start: tuple[float, float], times: Floats, rtol: float = 1e-11
    ) -> tuple[Trajectory, Trajectory]:
        """Infinite- and finite-prompt flow from ``start``, given in units of ``1/sqrt(S)``."""
        return _path(self.infinite, start, tuple(times), rtol), _path(self.finite, start, tuple(times), rtol)

    def distance(self, start: tuple[float, float], times: Floats, rtol: float = 1e-11) -> Floats:
        """``|theta_L(t) - theta(t)|`` at the given times."""
        one, other = self.paths(start, times, rtol)
        return np.asarray(np.hypot(*(other.theta - one.theta)))

    def bound_26(self, times: Floats) -> Floats:
        """Equation (26) at the given times."""
        return np.asarray(distance_26(self.g2, self.beta, times))


@cache
def _path(
    model: ScalarRegression, start: tuple[float, float], times: tuple[float, ...], rtol: float
) -> Trajectory:
    """A path of the flow, remembered: a claim and its control ask for the same."""
    unit = 1 / math.sqrt(model.S)
    return model.flow([start[0] * unit, start[1] * unit], np.array(times), rtol)


@cache
def _transfers(lengths: tuple[float, ...]) -> tuple[Transfer, ...]:
    """`transfers`, with suprema over the ball found on a polar grid."""
    S, r = COVARIATE_VARIANCE, 3.0
    radius = r / math.sqrt(S)
    infinite, *finite = scalar_regressions(S, lengths, radius)
    size, angle = np.meshgrid(np.linspace(0, radius, 61), np.linspace(0, 2 * np.pi, 181), indexing="ij")
    c, u = size * np.cos(angle), size * np.sin(angle)
    out = []
    for model in finite:
        g1 = MARGIN * float(np.abs(model.risk_gap(c, u)).max())
        g2 = MARGIN * float(np.sqrt((model.gradient_gap(c, u) ** 2).sum(0)).max())
        out.append(
            Transfer(
                infinite, model, radius / 2, g1, g2, S**2 * (1.5 * r**2 + 1), S**1.5 * r * (r**2 / 2 + 1)
            )
        )
    return tuple(out)


def transfers(lengths: Sequence[float]) -> tuple[Transfer, ...]:
    """Transfers for flows in the ball ``|phi| <= 3/2``, remembered; a start in it with
    ``|phi_2^2 - phi_1^2| <= 1`` stays there.
    """
    return _transfers(tuple(float(L) for L in lengths))
