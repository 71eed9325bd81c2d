"""The moments of `numerics.quadrature.score_moments` to four digits, for many variances of the
scores at once.

An average over queries to a percent asks for a few dozen variances and does not need fourteen
digits of each. The integrals are those of `numerics.quadrature.softmax_weights`, on one grid of v
for neighbouring variances and with half as many nodes; what one variance alone costs there is
mostly the time to start NumPy's functions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from numerics.quadrature.score_moments import DEFINITION, STEEP, STEIN, ScoreMoments, spread_by_definition
from numerics.quadrature.softmax_weights import Block, Key, products_of_sums
from theory.attention.softmax_covariance import spread_moments

__all__ = ["ACCURACY", "LARGEST_VARIANCE", "LONGEST", "coarse_score_moments"]

Floats = NDArray[np.float64]
#: Relative accuracy, and up to which variances and lengths.
ACCURACY, LARGEST_VARIANCE, LONGEST = 1e-4, 64.0, 1e30
#: P2 from which on the spread is taken from its definition: fewer digits than fourteen are lost to
#: the polynomials sooner.
HEAVY = 7e-4
#: Steps in v and in x = v + sqrt(s) g, and in g itself where sqrt(s) is below FLAT.
STEP, GAUSS_STEP, FLAT = 0.3, 0.7, 0.5
#: Integrands are followed down to e^{-CUT} of their maximum, and phi_k ends at X_END.
CUT, X_END = 20.0, 4.0
#: Standard deviations sqrt(s) up to that of the next group share a grid.
GROUPS = (FLAT, 1.4, 2.6, 4.5, 9.0)


def coarse_score_moments(s: Floats, lengths: Floats) -> ScoreMoments:
    """`numerics.quadrature.score_moments.score_moments` for every s, of shape (n_s, n_lengths).

    Parameters
    ----------
    s : array, shape (n_s,)
        Positive, at most `LARGEST_VARIANCE`.
    lengths : array, shape (n,)
        Whole numbers from 1 to `LONGEST`.

    Returns
    -------
    ScoreMoments

    Examples
    --------
    >>> from numerics.quadrature.score_moments import score_moments
    >>> s, L = np.array([0.1, 1.0, 20.0]), np.array([2.0, 1000.0])
    >>> fine = [score_moments(x, L).spread.D2 for x in s]
    >>> bool(np.abs(coarse_score_moments(s, L).spread.D2 / fine - 1).max() < ACCURACY)
    True
    """
    found = np.empty((len(STEIN), s.size, lengths.size))
    with np.errstate(under="ignore", over="ignore"):
        _fill(found, s, lengths, tuple(STEIN.values()))
        m = {powers: np.where(lengths == 1, 1.0, np.minimum(x, 1.0)) for powers, x in zip(STEIN, found)}
        spread = spread_moments(s[:, None], m)
        heavy = (s[:, None] > STEEP) & (m[2,] > HEAVY) & (lengths > 1)
        rows = heavy.any(axis=1)
        if rows.any():
            exact = np.empty((len(DEFINITION), int(rows.sum()), lengths.size))
            _fill(exact, s[rows], lengths, tuple(DEFINITION))
            where = heavy[rows]
            for polynomial, value in zip(spread[:3], spread_by_definition(dict(zip(DEFINITION, exact)), m[2,][rows])):
                polynomial[rows] = np.where(where, value, polynomial[rows])
    return ScoreMoments(m[2,], m[3,], spread)


def _fill(out: Floats, s: Floats, L: Floats, keys: tuple[Key, ...]) -> None:
    """Means of the products for every s, in groups."""
    tau = np.sqrt(s)
    group = np.searchsorted(GROUPS, tau)
    for i in np.unique(group):
        rows = np.flatnonzero(group == i)
        out[:, rows] = _means(tau[rows], L, keys)


def _means(tau: Floats, L: Floats, keys: tuple[Key, ...]) -> Floats:
    blocks, sums = products_of_sums(keys)
    rare = 2 * math.log(L.max()) + CUT
    v_lo = float(np.where(2 * tau * tau <= rare, -(rare / 2 + tau * tau), -tau * math.sqrt(2 * rare)).min())
    v_hi = X_END + float(tau.max()) * math.sqrt(2 * CUT)
    v = np.asarray(STEP * np.arange(math.floor(v_lo / STEP), math.ceil(v_hi / STEP) + 1), dtype=float)
    q, m0, m = (_flat if tau.max() <= FLAT else _broad)(tau, v, float(math.log(L.max())), blocks)
    log_m0 = np.where(q < 0.5, np.log1p(-np.minimum(q, 0.5)), np.log(np.maximum(m0, 1e-300)))
    top = float(L.max())
    table, out = top * m, np.zeros((tau.size, len(keys), L.size))
    for j, functions, coefficients in sums:
        products = table[:, functions[:, 0]]
        for i in range(1, j):
            products *= table[:, functions[:, i]]
        tokens = np.prod([np.maximum(1 - i / L, 0) for i in range(j)], axis=0) * (L / top) ** j
        others = tokens * np.exp(log_m0[:, :, None] * np.maximum(L - j, 0))  # (n_s, n_v, n_lengths)
        out += coefficients @ (products @ others)
    return np.asarray(STEP * out.swapaxes(0, 1))


def _flat(tau: Floats, v: Floats, log_L: float, blocks: Iterable[Block]) -> tuple[Floats, Floats, Floats]:
    """1 - m_0 and m_0, of shape (n_s, n_v), and the m_{k,j}, (n_s, n_blocks, n_v), by sums over g.

    A tilt by e^{k sqrt(s) g} shifts the mass of g to k sqrt(s).
    """
    blocks, end = list(blocks), math.sqrt(2 * CUT)
    shift = max(k for k, _ in blocks) * float(tau.max())
    g = GAUSS_STEP * np.arange(math.floor(-end / GAUSS_STEP), math.ceil((end + shift) / GAUSS_STEP) + 1)
    density = GAUSS_STEP / math.sqrt(2 * math.pi) * np.exp(-g * g / 2)
    X = np.exp(np.minimum(v[:, None] + tau[:, None, None] * g, 6.0))  # beyond x = 6, exp(-e^x) is 0 to all digits
    decay = np.exp(-X)
    power, reached, m = decay, 0, []
    for k, j in blocks:
        for _ in range(k - reached):
            power = power * X
        reached = k
        m.append(power @ (density * g**j))
    return -np.expm1(-X) @ density, decay @ density, np.stack(m, axis=1)


def _broad(tau: Floats, v: Floats, log_L: float, blocks: Iterable[Block]) -> tuple[Floats, Floats, Floats]:
    """The same by sums over x = v + sqrt(s) g on the grid of v: kernels depend on x - v only."""
    blocks = list(blocks)
    x_lo = -(log_L + CUT)  # L times what is left out of 1 - m_0 and the m_{k,j} is less than e^{-CUT}
    x = STEP * np.arange(math.floor(x_lo / STEP), math.ceil(X_END / STEP) + 1)
    lags = (x[0] - v[-1] + STEP * np.arange(v.size + x.size - 1)) / tau[:, None]
    gauss = np.exp(-lags * lags / 2) * (STEP / math.sqrt(2 * math.pi) / tau[:, None])
    decay = np.exp(x)
    orders = sorted({k for k, _ in blocks})
    phi = np.exp(np.outer(x, orders) - decay[:, None])
    ends = np.stack([-np.expm1(-decay), np.exp(-decay)], axis=1)
    # Beyond the last x the factor 1 - exp(-e^x) is 1, and so is exp(-e^x) before the first.
    after = gauss[:, ::-1].cumsum(axis=1)[:, ::-1][:, x.size :]
    before = gauss.cumsum(axis=1)[:, : v.size - 1]
    q, m0 = np.zeros((2, tau.size, v.size))
    q[:, 1:], m0[:, :-1] = after[:, ::-1], before[:, ::-1]
    m = np.empty((tau.size, len(blocks), v.size))
    for j in sorted({0, *(j for _, j in blocks)}):
        kernel = gauss * lags**j if j else gauss
        here = [i for i, block in enumerate(blocks) if block[1] == j]
        functions = phi[:, [orders.index(blocks[i][0]) for i in here]]
        down, right = kernel.strides
        shape = (tau.size, v.size, x.size)
        windows = np.lib.stride_tricks.as_strided(kernel[:, v.size - 1 :], shape, (down, -right, right), writeable=False)
        found = np.ascontiguousarray(windows) @ (functions if j else np.hstack([functions, ends]))
        m[:, here] = found[:, :, : len(here)].swapaxes(1, 2)
        if not j:
            q += found[:, :, -2]
            m0 += found[:, :, -1]
    return q, m0, m
