"""The gradient flow of the finite-prompt risk of softmax attention (our R6) for a covariance with
one or two positive eigenvalues, from starts that are diagonal in the same basis.

The flow stays diagonal: ``Sigma = diag(l_i)`` and ``U = diag(a_i)`` on eigenspaces of dimension
m_i, so that a path has as many unknowns as Sigma has eigenvalues, plus the scalar u. The query
enters through its squared norms in the eigenspaces, over which a product Gauss rule integrates:
another route than that of `numerics.regression.flow.finite_prompt`, and a fast one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gamma
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.quadrature.softmax_weights import softmax_moments
from numerics.regression.flow.integrator import follow

__all__ = ["FinitePromptPath", "Spectrum", "finite_prompt_path"]

Floats = NDArray[np.float64]
#: Square roots of the score variances at which the moments of the weights are tabulated; beyond,
#: all weight is on one token.
ROOTS = np.concatenate([np.arange(0, 8, 0.08), np.arange(8, 60, 0.5)])


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues of a covariance with their multiplicities.

    Attributes
    ----------
    eigenvalues : tuple of float
        Nonnegative, not all 0; at most two of them positive.
    multiplicities : tuple of int
    """

    eigenvalues: tuple[float, ...]
    multiplicities: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.eigenvalues) != len(self.multiplicities) or min(self.multiplicities, default=0) < 1:
            raise ValueError(f"eigenvalues {self.eigenvalues} need one positive multiplicity each, got {self.multiplicities}")
        if min(self.eigenvalues) < 0 or not 1 <= sum(l > 0 for l in self.eigenvalues) <= 2:
            raise ValueError(f"eigenvalues {self.eigenvalues}: the product rule is for one or two positive ones, none negative")

    @property
    def trace(self) -> float:
        """``tr Sigma``."""
        return sum(l * m for l, m in zip(self.eigenvalues, self.multiplicities))

    def query(self, nodes: int = 56) -> tuple[Floats, Floats]:
        """Squared norms of ``x ~ N(0, Sigma)`` in the eigenspaces, shape (n, k), and the weights of
        a product Gauss rule.
        """
        x, w = np.polynomial.legendre.leggauss(nodes)
        squares, weights = np.zeros((1, 0)), np.ones(1)
        for l, m in zip(self.eigenvalues, self.multiplicities):
            r, chi = np.zeros(1), np.ones(1)
            if l > 0:
                end = np.sqrt(m) + 9
                r = end * (x + 1) / 2
                chi = end / 2 * w * r ** (m - 1) * np.exp(-(r**2) / 2) * 2 ** (1 - m / 2) / gamma(m / 2)
            squares = np.column_stack([np.repeat(squares, len(r), axis=0), np.tile(l * r**2, len(squares))])
            weights = np.outer(weights, chi).ravel()
        return squares, weights


@lru_cache(maxsize=64)
def _weights_of(L: float) -> Any:
    """Splines of ``ln P2`` and ``b / P2``, ``b = -P2 - 6 P3 + 6 Q``, in the root of s, with their
    derivatives.
    """
    from scipy.interpolate import make_interp_spline

    m = softmax_moments(ROOTS**2, L)
    # Both are even functions of the root: mirrored data leave the spline no end at 0, and no slope.
    even = np.concatenate([-ROOTS[:0:-1], ROOTS])
    mirrored = lambda y: np.concatenate([y[:0:-1], y])
    pair = make_interp_spline(even, np.stack([mirrored(np.log(m.P2)), mirrored(-1 - 6 * (m.P3 - m.Q) / m.P2)], axis=1), k=5)
    return pair, pair.derivative()


@dataclass(frozen=True, eq=False)
class FinitePromptPath:
    """Where the flow went.

    Attributes
    ----------
    a : array (n, k)
        The block U on each eigenspace, at the integrator's steps.
    u : array (n,)
    risk : array (n,)
        The risk, without the noise of the query's own label.
    speed : float
        Norm of the gradient at the end.
    """

    a: Floats
    u: Floats
    risk: Floats
    speed: float


class _Field:
    """Risk and gradient of a spectrum at one prompt length as a function of (a, u)."""

    def __init__(self, spectrum: Spectrum, L: float | None, noise: float, nodes: int) -> None:
        self.l, self.m = np.array(spectrum.eigenvalues), np.array(spectrum.multiplicities, dtype=float)
        self.level, self.L = spectrum.trace + noise, L
        self.x2, self.w = spectrum.query(nodes)

    def __call__(self, y: Floats) -> tuple[float, Floats]:
        """Risk and gradient in (a, u)."""
        a, u, l, x2 = y[:-1], y[-1], self.l, self.x2
        bracket = u * l * a - 1
        risk = float(self.m @ (l * bracket**2)) / 2
        to_a, to_u = self.m * l**2 * u * bracket, float(self.m @ (l * bracket * l * a))
        if self.L is None:
            return risk, np.append(to_a, to_u)
        s, h2, xh = x2 @ (l * a**2), x2 @ (l**2 * a**2), x2 @ (l * a)
        root = np.minimum(np.sqrt(s), ROOTS[-1])
        values, slopes = _weights_of(self.L)
        (log_P2, r), (dlog, dr) = values(root).T, slopes(root).T
        half = 1 / (2 * np.maximum(root, 1e-9))
        P2 = np.exp(np.minimum(log_P2, 0.0))
        dP2, db = P2 * dlog * half, P2 * (dlog * r + dr) * half
        b = P2 * r
        risk += float(self.w @ (u**2 * (self.level * P2 + b * h2) + 2 * u * P2 * xh)) / 2
        by_s = self.w * (u**2 * (self.level * dP2 + h2 * db) + 2 * u * xh * dP2) / 2
        to_a = to_a + (by_s @ x2) * 2 * l * a + ((self.w * b) @ x2) * u**2 * l**2 * a + ((self.w * P2) @ x2) * u * l
        to_u += float(self.w @ (u * (self.level * P2 + b * h2) + P2 * xh))
        return risk, np.append(to_a, to_u)


def finite_prompt_path(
    a0: Sequence[float],
    u0: float,
    spectrum: Spectrum,
    prompt_length: float | None,
    *,
    noise: float,
    nodes: int = 56,
    rtol: float = 1e-9,
    t_max: float = 1e5,
) -> FinitePromptPath:
    """Follow the flow until it stands still.

    Parameters
    ----------
    a0 : sequence of float
        Start of the block on each eigenspace.
    u0 : float
        Start of the value scalar.
    spectrum : Spectrum
        Of the covariance of the covariates.
    prompt_length : float or None
        A whole number up to 1e100; None is the infinite prompt.
    noise : float
        Variance of the label noise in the prompt; entries of w have variance 1.
    nodes : int
        Gauss nodes for each eigenspace; raise it to see the error of the quadrature.
    rtol : float
        Of the integrator.
    t_max : float
        Last time.

    Returns
    -------
    FinitePromptPath

    Raises
    ------
    ValueError
        If there is not one start for each eigenvalue.
    RuntimeError
        If the integrator fails.

    Examples
    --------
    >>> path = finite_prompt_path([0.5], 0.5, Spectrum((1.0,), (1,)), None, noise=0.0)
    >>> round(float(path.a[-1, 0] * path.u[-1]), 6), bool(path.risk[-1] < 1e-9)
    (1.0, True)
    """
    if len(a0) != len(spectrum.eigenvalues):
        raise ValueError(f"a0 = {list(a0)} does not give one number for each of the eigenvalues {spectrum.eigenvalues}")
    field, scale = _Field(spectrum, prompt_length, noise, nodes), np.append(spectrum.multiplicities, 1.0)
    motion = lambda y: -field(y)[1] / scale
    still = lambda y: float(np.linalg.norm(motion(y))) - 1e-3 * rtol
    start = np.append(np.asarray(a0, dtype=float), u0)
    _, states, _ = follow(motion, still, start, t_max, rtol=rtol)
    return FinitePromptPath(
        states[:, :-1], states[:, -1], np.array([field(y)[0] for y in states]), float(np.linalg.norm(field(states[-1])[1]))
    )
