"""In-context regression with one Gaussian covariate and softmax attention, at any prompt length,
without sampling.
"""

# Tasks ``w ~ N(0, 1)``, covariates ``x ~ N(0, S)``, ``y = w x``. On the block manifold the
# parameters are the numbers c (query-key) and u (value). The risk is
# ``(S/2) [u^2 A(c) - 2 u B(c) + 1]`` with, for standard normal g, ``C = c S`` and P2, P3, Q the
# softmax moments at the score variance ``s = (C g)^2``,
#
# A = C^2 + a,  a = E[P2 - (P2 + 6 P3 - 6 Q) C^2 g^2],   B = C + b,  b = -E[P2 C g^2],
#
# and a = b = 0 for the infinite prompt (our R4 with Lemma 2.1). The corrections a and b are
# interpolated once, so that the difference of the two risks loses no digits, however long the
# prompt.

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.attention.quadrature.softmax_weights import softmax_moments
from numerics.regression.flow.integrator import follow_compiled

__all__ = ["ScalarRegression", "Trajectory", "scalar_regressions"]

Floats = NDArray[np.float64]
#: Nodes of the quadrature over the query, up to so many standard deviations.
NODES, END = 161, 12.0
#: Values of C of one sign at which a and b are computed.
POINTS = 121
#: Spacing of the table of the softmax moments in the root of s.
SPACING = 0.025


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A path of (c, u) at given times, and the risk along it."""

    times: Floats
    theta: Floats
    risk: Floats


@dataclass(frozen=True, eq=False)
class ScalarRegression:
    """One prompt length (None: infinite) at one covariate variance."""

    #: Variance of the covariate.
    S: float
    L: float | None
    #: The two corrections as functions of ``C = c S``, with the number of derivatives as second
    #: argument.
    a: Any
    b: Any
    #: Largest ``|c|`` at which they are known.
    reach: float = np.inf

    def risk_gap(self, c: Any, u: Any) -> Any:
        """Finite- minus infinite-prompt risk, elementwise."""
        C = np.asarray(c) * self.S
        return self.S / 2 * (u**2 * self.a(C, 0) - 2 * u * self.b(C, 0))

    def gradient_gap(self, c: Any, u: Any) -> Floats:
        """Finite- minus infinite-prompt gradients in (c, u), stacked on the first axis."""
        C = np.asarray(c) * self.S
        to_c = self.S**2 / 2 * (u**2 * self.a(C, 1) - 2 * u * self.b(C, 1))
        return np.stack([to_c, self.S * (u * self.a(C, 0) - self.b(C, 0))])

    def risk(self, c: Any, u: Any) -> Any:
        """The population risk, elementwise."""
        return self.S / 2 * (np.asarray(c) * u * self.S - 1) ** 2 + self.risk_gap(c, u)

    def gradient(self, c: Any, u: Any) -> Floats:
        """Its derivatives in (c, u), stacked on the first axis."""
        c = np.asarray(c)
        return self.S**2 * (c * u * self.S - 1) * np.stack([u + 0 * c, c]) + self.gradient_gap(c, u)

    @cached_property
    def _constants(self) -> Floats:
        """What `_field` is handed: S, and for each piece of the splines its left end, and the
        coefficients of a and of b.
        """
        if self.L is None:
            return np.array([self.S])
        return np.append(self.S, np.column_stack([self.a.x[:-1], self.a.c.T, self.b.c.T]).ravel())

    def flow(self, start: Sequence[float], times: Floats, rtol: float = 1e-11) -> Trajectory:
        """The gradient flow from ``start = (c, u)``; it must not leave the range of the
        interpolation.
        """
        times = np.asarray(times, dtype=float)
        # This size makes the absolute tolerance 1e-13.
        _, states, _ = follow_compiled(
            _field,
            self._constants,
            np.array(start),
            float(times[-1]),
            rtol=rtol,
            size=1e-10 / rtol,
            times=times,
        )
        found = states.T
        if (far := float(np.abs(found[0]).max())) > self.reach:
            raise RuntimeError(
                f"the flow from {start} reaches c = {far:.3g}; the softmax moments are interpolated "
                f"up to {self.reach:.3g}"
            )
        return Trajectory(times, found, np.asarray(self.risk(*found)))


def _field(y: Floats, constants: Floats, out: Floats) -> float:
    """Minus `ScalarRegression.gradient`, compiled; see `Field`. The flow is never called still."""
    S, pieces = constants[0], constants[1:].reshape(-1, 9)
    c, u = y[0], y[1]
    C = c * S
    a, da, b, db = 0.0, 0.0, 0.0, 0.0
    if len(pieces):
        low, high = 0, len(pieces)
        while high - low > 1:
            middle = (low + high) // 2
            if pieces[middle, 0] <= C:
                low = middle
            else:
                high = middle
        over = C - pieces[low, 0]
        for power in range(4):
            da = da * over + a
            a = a * over + pieces[low, 1 + power]
            db = db * over + b
            b = b * over + pieces[low, 5 + power]
    out[0] = -(S**2) * (C * u - 1) * u - S**2 / 2 * (u**2 * da - 2 * u * db)
    out[1] = -(S**2) * (C * u - 1) * c - S * (u * a - b)
    return 0.0


def _no_correction(C: Any, _: int) -> Any:
    """The corrections a and b of the infinite prompt."""
    return 0 * C


def scalar_regressions(S: float, lengths: Sequence[float], reach: float) -> tuple[ScalarRegression, ...]:
    """The infinite prompt first, then one problem for each length; `reach` is the largest ``|c|``
    that will be asked for. Differences of the risks are good to 1e-6 of their value, those of the
    gradients to 1e-5.
    """
    from scipy.interpolate import CubicSpline

    top = reach * S
    g = np.linspace(0.0, END, NODES)
    density = np.exp(-(g**2) / 2)
    density[0] /= 2
    density /= density.sum()
    # One table in sqrt(s) serves all: log P2, log P3 and log Q are smooth functions of it.
    root = np.linspace(0.0, top * END, max(200, math.ceil(top * END / SPACING) + 1))
    table = softmax_moments(root[:, None] ** 2, np.asarray(lengths, dtype=float))
    C = top * np.sin(np.linspace(-np.pi / 2, np.pi / 2, 2 * POINTS - 1))
    at = np.abs(C)[:, None] * g
    out = [ScalarRegression(S, None, _no_correction, _no_correction)]
    for i, L in enumerate(lengths):
        P2, P3, Q = (np.exp(CubicSpline(root, np.log(np.asarray(m)[:, i]))(at)) for m in table)
        a = (P2 - (P2 + 6 * P3 - 6 * Q) * at**2) @ density
        b = -C * ((P2 * g**2) @ density)
        out.append(ScalarRegression(S, float(L), CubicSpline(C, a), CubicSpline(C, b), float(reach)))
    return tuple(out)
