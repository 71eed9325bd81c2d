"""The exact second moment of the error of the gradient in U at a fixed query (Gaussian tokens).

With h = Gamma U z, s = (Uz)'Gamma(Uz), l = h / sqrt(s), the tokens are z_k = g_k l + zeta_k: the scores sqrt(s) g_k see only the
first part, and zeta_k ~ N(0, Gamma - l l') averages out by hand. What remains are moments of the softmax weights p and of
pi_k = sum_i p_i^k, to which Stein's lemma reduces the moments that contain the g_k.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from numerics.setting import AttentionSetting

__all__ = ["grad_U_error"]

Floats = NDArray[np.float64]

# The moments E[pi_a pi_b ...] that the formula needs, by their indices.
_PRODUCTS = ((2,), (3,), (2, 2), (4,), (2, 3), (2, 2, 2), (5,), (2, 4), (3, 3), (2, 2, 3), (2, 2, 2, 2))
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
        m = {k: np.exp(k * x - e) @ density for k in {0}.union(*(sum(map(tuple, _partitions(p)), ()) for p in _PRODUCTS))}
        missing = -np.expm1(-e) @ density
        log_m0 = np.where(missing < 0.5, np.log1p(-np.minimum(missing, 0.5)), np.log(np.maximum(m[0], 1e-300)))
        out: dict[tuple[int, ...], Floats] = {}
        for indices in _PRODUCTS:
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
        If the query is random, or s is too large.

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
    Gamma, W = setting.Gamma, setting.V.T @ setting.V
    h = Gamma @ setting.U @ setting.query
    l = h / math.sqrt(s) if s > 0 else np.zeros_like(h)
    Gp = Gamma - np.outer(l, l)
    lWl, ll, lWGpl = float(l @ W @ l), float(l @ l), float(l @ W @ Gp @ l)
    trW, tr, trWGG = float(np.trace(W @ Gp)), float(np.trace(Gp)), float(np.trace(W @ Gp @ Gp))
    m = _weight_moments(s, np.array(lengths, dtype=float))
    P2, P3, Q, P4, P23, P222 = (m[i] for i in ((2,), (3,), (2, 2), (4,), (2, 3), (2, 2, 2)))
    P5, P24, P33, P223, P2222 = (m[i] for i in ((5,), (2, 4), (3, 3), (2, 2, 3), (2, 2, 2, 2)))
    T2 = P2 - 2 * P3 + Q
    Sc = T2 + s * (P2 + 7 * Q - 14 * P3 + 38 * P4 - 52 * P23 + 20 * P222)
    Dp = -Q + s * (-4 * Q + 4 * P3 - 20 * P4 + 40 * P23 - 20 * P222)
    D2 = (
        (2 * P2 + 3 * Q - 4 * P3)
        + s * (4 * P2 + 36 * Q - 64 * P3 + 192 * P4 - 288 * P23 + 120 * P222)
        + s**2 * (P2 + 27 * Q - 62 * P3 + 594 * P4 - 680 * P23 + 240 * P222 - 1580 * P5 + 2480 * P24 + 1020 * P33)
        + s**2 * (-2880 * P223 + 840 * P2222)
    )
    along = lWl * ll * D2 + Sc * (lWl * tr + ll * trW + 2 * lWGpl)
    across = trWGG * (Q + T2) + T2 * trW * tr - 2 * Dp * lWGpl
    return np.asarray(float(setting.query @ setting.query) * (along + across))
