"""The exact second moment of the error of the gradient in U at a fixed query (Gaussian tokens).

The formula is `theory.sharp_rates.softmax_covariance_second_moment`; here are the moments of the softmax weights that it needs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from numerics.setting import AttentionSetting
from theory.arrays import read_arrays
from theory.sharp_rates import GRAD_U_MOMENTS, softmax_covariance_second_moment

__all__ = ["grad_U_error"]

Floats = NDArray[np.float64]

#: Score variances up to which the quadrature below is used.
LARGEST_SCORE_VARIANCE = 64.0


def _partitions(indices: Sequence[int]) -> Iterator[list[int]]:
    """The sums over the blocks of every partition of the indices: which factors fall on the same token."""
    if not indices:
        yield []
        return
    first, rest = indices[0], indices[1:]
    for blocks in _partitions(rest):
        yield [first, *blocks]
        for i in range(len(blocks)):
            yield [*blocks[:i], blocks[i] + first, *blocks[i + 1 :]]


def _weight_moments(s: float, L: Floats) -> dict[tuple[int, ...], Floats]:
    """E[pi_a pi_b ...] for the softmax of L scores N(0, s), for every L.

    1/X^k = int e^{kv - e^v X} dv / (k-1)! turns each into integrals of products of m_k(v) = E exp(k x - e^x), x = v + sqrt(s) g.
    """
    tau, step = math.sqrt(s), 0.2
    v = np.arange(-(math.log(L.max()) + 4 * s + 25), 4.4 + 9 * tau, step)
    g_step = 0.25 / max(1.0, tau)
    g = np.arange(-9.0, 9.0 + 8 * tau, g_step)
    density = g_step * np.exp(-(g**2) / 2) / math.sqrt(2 * math.pi)
    x = np.minimum(v[:, None] + tau * g, 7.0)  # e^{-e^7} = 0
    e = np.exp(x)
    with np.errstate(under="ignore"):
        m = {k: np.exp(k * x - e) @ density for k in {0}.union(*(sum(map(tuple, _partitions(p)), ()) for p in GRAD_U_MOMENTS))}
        missing = -np.expm1(-e) @ density
        log_m0 = np.where(missing < 0.5, np.log1p(-np.minimum(missing, 0.5)), np.log(np.maximum(m[0], 1e-300)))
        out: dict[tuple[int, ...], Floats] = {}
        for indices in GRAD_U_MOMENTS:
            total = np.zeros_like(L)
            for blocks in _partitions(indices):
                j = len(blocks)
                tokens = np.prod([L - i for i in range(j)], axis=0)  # 0 where the prompt has fewer than j
                others = np.exp(np.maximum(L[:, None] - j, 0) * log_m0)
                total += tokens * (others @ np.prod([m[k] for k in blocks], axis=0)) * step
            out[indices] = total / math.factorial(sum(indices) - 1)
    return out


def grad_U_error(setting: AttentionSetting, lengths: Sequence[int]) -> Floats:
    """E|grad_U T_L - grad_U T|^2 at a fixed query, squared Frobenius norm over all rows of V.

    Parameters
    ----------
    setting : AttentionSetting
        With a fixed query and s at most `LARGEST_SCORE_VARIANCE`.
    lengths : sequence of int
        Prompt lengths, at least 1.

    Returns
    -------
    array, shape (n,)

    Raises
    ------
    ValueError
        If the query is random, s is too large, or a length is not a finite number from 1 on.

    Examples
    --------
    One token carries no information on the gradient: it is 0 instead of Gamma v z', whatever the token is.

    >>> import numpy as np
    >>> setting = AttentionSetting(2 * np.eye(2), np.eye(2), np.array([[1.0, 0.0]]), query=np.array([0.0, 1.0]))
    >>> grad_U_error(setting, [1]).round(9).tolist()
    [4.0]
    """
    s = setting.score_variance
    if setting.averaged or s > LARGEST_SCORE_VARIANCE:
        raise ValueError(f"s = {s:.4g}; the exact error of grad_U needs a fixed query with s <= {LARGEST_SCORE_VARIANCE:g}")
    (L,) = read_arrays(lengths=(lengths, "n"))
    if L.min() < 1:
        raise ValueError(f"lengths contain {L.min():g}; a prompt has at least one token")
    Gamma, W = setting.Gamma, setting.V.T @ setting.V
    h = Gamma @ setting.U @ setting.query
    l = h / math.sqrt(s) if s > 0 else np.zeros_like(h)
    Gp = Gamma - np.outer(l, l)
    total = softmax_covariance_second_moment(
        s,
        _weight_moments(s, L),
        lu2=float(l @ l),
        lv2=float(l @ W @ l),
        Guu=float(np.trace(Gp)),
        Gvv=float(np.trace(W @ Gp)),
        lGuv=float(l @ W @ Gp @ l),
        Guv2=float(np.trace(W @ Gp @ Gp)),
    )
    return np.asarray(float(setting.query @ setting.query) * total)
