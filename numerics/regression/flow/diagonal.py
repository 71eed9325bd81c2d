"""The gradient flow of the finite-prompt risk of softmax attention (our R6) for a covariance with
one or two positive eigenvalues, from starts that are diagonal in the same basis: a fast route that
is not that of `numerics.regression.flow.finite_prompt`.
"""

# The flow stays diagonal: ``Sigma = diag(l_i)`` and ``U = diag(a_i)`` on eigenspaces of dimension
# m_i, so that a path has as many unknowns as Sigma has eigenvalues, plus the scalar u. The query
# enters through its squared norms in the eigenspaces, over which a product Gauss rule integrates.

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from numerics.attention.quadrature.softmax_weights import softmax_moments
from numerics.regression.flow.integrator import by_python, follow

__all__ = ["FinitePromptPath", "Spectrum", "finite_prompt_path"]

Floats = NDArray[np.float64]
#: Square roots of the score variances at which the moments of the weights are tabulated; beyond,
#: all weight is on one token.
ROOTS = np.concatenate([np.arange(0, 8, 0.08), np.arange(8, 60, 0.5)])


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues of a covariance with their multiplicities."""

    #: Nonnegative, not all 0; at most two of them positive.
    eigenvalues: tuple[float, ...]
    multiplicities: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.eigenvalues) != len(self.multiplicities) or min(self.multiplicities, default=0) < 1:
            raise ValueError(
                f"eigenvalues {self.eigenvalues} need one positive multiplicity each, got "
                f"{self.multiplicities}"
            )
        if min(self.eigenvalues) < 0 or not 1 <= sum(l > 0 for l in self.eigenvalues) <= 2:
            raise ValueError(
                f"eigenvalues {self.eigenvalues}: the product rule is for one or two "
                "positive ones, none negative"
            )

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
                chi = end / 2 * w * r ** (m - 1) * np.exp(-(r**2) / 2) * 2 ** (1 - m / 2) / math.gamma(m / 2)
            squares = np.column_stack([np.repeat(squares, len(r), axis=0), np.tile(l * r**2, len(squares))])
            weights = np.outer(weights, chi).ravel()
        return squares, weights


@lru_cache(maxsize=64)
def _weights_of(L: float) -> Floats:
    """``ln P2`` and ``b / P2``, ``b = -P2 - 6 P3 + 6 Q``, as splines in the root of s: a row for
    each piece, with its left end and the six coefficients of either.
    """
    from scipy.interpolate import PPoly, make_interp_spline

    m = softmax_moments(ROOTS**2, L)
    # Both are even functions of the root: mirrored data leave the spline no end at 0, and no slope.
    even = np.concatenate([-ROOTS[:0:-1], ROOTS])
    mirrored = lambda y: np.concatenate([y[:0:-1], y])
    pieces = [
        PPoly.from_spline(make_interp_spline(even, mirrored(y), k=5))
        for y in (np.log(m.P2), -1 - 6 * (m.P3 - m.Q) / m.P2)
    ]
    ends = pieces[0].x
    used = (ends[:-1] >= 0) & (np.diff(ends) > 0)
    return np.column_stack([ends[:-1][used], *(piece.c[:, used].T for piece in pieces)])


@dataclass(frozen=True, eq=False)
class FinitePromptPath:
    """Where the flow went."""

    #: The block U on each eigenspace, at the integrator's steps.
    a: Floats
    u: Floats
    #: The risk, without the noise of the query's own label.
    risk: Floats
    #: Norm of the gradient at the end.
    speed: float


def _constants(spectrum: Spectrum, L: float | None, noise: float, nodes: int, limit: float) -> Floats:
    """What `_field` is handed: sizes and scalars, eigenvalues, multiplicities, nodes, table."""
    x2, w = spectrum.query(nodes) if L is not None else (np.zeros((0, 0)), np.zeros(0))
    table = _weights_of(L) if L is not None else np.zeros((0, 13))
    sizes = [len(spectrum.eigenvalues), len(w), spectrum.trace + noise, limit]
    return np.concatenate(
        [sizes, spectrum.eigenvalues, spectrum.multiplicities, w, x2.ravel(), table.ravel()]
    )


def _field(y: Floats, constants: Floats, out: Floats) -> float:
    """The motion of ``y = (a, u)``, compiled; see `Field`. If out has one place more than y, the
    risk is written there.
    """
    d, n, level = int(constants[0]), int(constants[1]), constants[2]
    l, m, w = constants[4 : 4 + d], constants[4 + d : 4 + 2 * d], constants[4 + 2 * d : 4 + 2 * d + n]
    x2 = constants[4 + 2 * d + n : 4 + 2 * d + n + n * d].reshape(n, d)
    table = constants[4 + 2 * d + n + n * d :].reshape(-1, 13)
    u, risk = y[d], 0.0
    out[d] = 0.0
    for i in range(d):
        bracket = u * l[i] * y[i] - 1
        risk += m[i] * l[i] * bracket**2 / 2
        out[i] = m[i] * l[i] ** 2 * u * bracket
        out[d] += m[i] * l[i] ** 2 * y[i] * bracket
    for node in range(n):
        s, h2, xh = 0.0, 0.0, 0.0
        for i in range(d):
            s += x2[node, i] * l[i] * y[i] ** 2
            h2 += x2[node, i] * (l[i] * y[i]) ** 2
            xh += x2[node, i] * l[i] * y[i]
        root = min(math.sqrt(s), ROOTS[-1])
        low, high = 0, len(table)
        while high - low > 1:
            middle = (low + high) // 2
            if table[middle, 0] <= root:
                low = middle
            else:
                high = middle
        over, log_P2, dlog, ratio, dr = root - table[low, 0], 0.0, 0.0, 0.0, 0.0
        for power in range(6):
            dlog = dlog * over + log_P2
            log_P2 = log_P2 * over + table[low, 1 + power]
            dr = dr * over + ratio
            ratio = ratio * over + table[low, 7 + power]
        P2, half = math.exp(min(log_P2, 0.0)), 1 / (2 * max(root, 1e-9))
        dP2, db = P2 * dlog * half, P2 * (dlog * ratio + dr) * half
        b = P2 * ratio
        risk += w[node] * (u**2 * (level * P2 + b * h2) + 2 * u * P2 * xh) / 2
        out[d] += w[node] * (u * (level * P2 + b * h2) + P2 * xh)
        by_s = w[node] * (u**2 * (level * dP2 + h2 * db) + 2 * u * xh * dP2) / 2
        for i in range(d):
            by_a = 2 * by_s * y[i] + w[node] * (b * u**2 * l[i] * y[i] + P2 * u)
            out[i] += by_a * l[i] * x2[node, i]
    for i in range(d):
        out[i] /= -m[i]
    out[d] *= -1
    if len(out) > d + 1:
        out[d + 1] = risk
    return constants[3]


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
    """Follow the flow, from the block a0 on each eigenspace and the value scalar u0, until it
    stands still, at the latest until t_max. `noise` is the variance of the label noise in the
    prompt, entries of w have variance 1; with more `nodes`, Gauss nodes for each eigenspace, one
    sees the error of the quadrature.
    """
    if len(a0) != len(spectrum.eigenvalues):
        raise ValueError(
            f"a0 = {list(a0)} does not give one number for each of the eigenvalues {spectrum.eigenvalues}"
        )
    from numerics.regression.flow.dormand_prince import python_field

    constants = _constants(spectrum, prompt_length, noise, nodes, 1e-3 * rtol)
    start = np.append(np.asarray(a0, dtype=float), u0)
    # Not by Dormand and Prince: at long prompts the fall into the valley is faster than the creep
    # along it by a factor of order L, which takes an implicit method.
    _, states, _ = follow(*by_python(_field, constants), start, t_max, rtol=rtol)
    found = np.empty((len(states), len(start) + 1))
    for state, out in zip(np.ascontiguousarray(states), found):
        python_field(_field)(state, constants, out)
    gradient = found[-1, :-1] * np.append(spectrum.multiplicities, 1.0)
    return FinitePromptPath(states[:, :-1], states[:, -1], found[:, -1], float(np.linalg.norm(gradient)))
