"""The moments of `numerics.quadrature.score_moments` to four digits, for many variances of the
scores in one call: for averages over queries of which a percent is asked.

Such an average needs the moments at a few dozen variances, and fourteen digits of none of them. The
integrals are those of `numerics.quadrature.softmax_weights`, with half as many nodes and on one
grid of v for neighbouring variances, since one variance alone mostly costs the time to start
NumPy's functions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from numerics.quadrature.gaussian_transforms import Block, Key, log_complement, products_of_sums
from numerics.quadrature.score_moments import DEFINITION, DEFINITION_VARIANCE, STEIN, ScoreMoments, spread_by_definition
from theory.attention.softmax_covariance import spread_moments

__all__ = ["ACCURACY", "LARGEST_VARIANCE", "LONGEST", "coarse_score_moments"]

Floats = NDArray[np.float64]
#: Relative accuracy, and the largest variance and length for which it was tested.
ACCURACY, LARGEST_VARIANCE, LONGEST = 1e-4, 64.0, 1e30
#: Value of P2 from which on the spread is computed from its definition. It is below that of
#: `score_moments`, since of four digits the polynomials leave none sooner.
DEFINITION_P2 = 7e-4
#: Steps in v and in x = v + sqrt(s) g; where sqrt(s) is below NARROW sums are over g itself, in
#: steps of GAUSS_STEP.
STEP, GAUSS_STEP, NARROW = 0.3, 0.7, 0.5
#: Integrands are followed until they are e^{-CUT} of their maximum; phi_k is 0 beyond X_END.
CUT, X_END = 20.0, 4.0
#: Standard deviations sqrt(s) between two neighbours of this list share a grid.
GROUPS = (NARROW, 1.4, 2.6, 4.5, 9.0)


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
        heavy = (s[:, None] > DEFINITION_VARIANCE) & (m[2,] > DEFINITION_P2) & (lengths > 1)
        rows = heavy.any(axis=1)
        if rows.any():
            exact = np.empty((len(DEFINITION), int(rows.sum()), lengths.size))
            _fill(exact, s[rows], lengths, tuple(DEFINITION))
            where = heavy[rows]
            for polynomial, value in zip(spread[:3], spread_by_definition(dict(zip(DEFINITION, exact)), m[2,][rows])):
                polynomial[rows] = np.where(where, value, polynomial[rows])
    return ScoreMoments(m[2,], m[3,], spread)


def _fill(out: Floats, s: Floats, L: Floats, keys: tuple[Key, ...]) -> None:
    """Write the means of the products for every s into `out`, one group of variances after
    another.
    """
    tau = np.sqrt(s)
    group = np.searchsorted(GROUPS, tau)
    for i in np.unique(group):
        rows = np.flatnonzero(group == i)
        out[:, rows] = _means(tau[rows], L, keys)


def _means(tau: Floats, L: Floats, keys: tuple[Key, ...]) -> Floats:
    """The means of the products for a group of variances, on one grid of v."""
    blocks, sums = products_of_sums(keys)
    rare = 2 * math.log(L.max()) + CUT
    v_lo = float(np.where(2 * tau * tau <= rare, -(rare / 2 + tau * tau), -tau * math.sqrt(2 * rare)).min())
    v_hi = X_END + float(tau.max()) * math.sqrt(2 * CUT)
    v = np.asarray(STEP * np.arange(math.floor(v_lo / STEP), math.ceil(v_hi / STEP) + 1), dtype=float)
    q, m0, m = (_flat if tau.max() <= NARROW else _broad)(tau, v, float(math.log(L.max())), blocks)
    log_m0 = log_complement(q, m0)
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
    """1 - m_0 and m_0, of shape (n_s, n_v), and the m_{k,j}, of shape (n_s, n_blocks, n_v), by sums
    over g.

    A tilt by e^{k sqrt(s) g} moves the mass of g to k sqrt(s), and the nodes reach that far.
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
    """The same by sums over x = v + sqrt(s) g on the grid of v: the kernels depend on x - v only,
    so that the sums are convolutions.
    """
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
