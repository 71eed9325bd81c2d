"""The error of softmax attention on Gaussian tokens in one dimension with the query inside the
prompt, by quadrature.

The query adds the weight ``w_0 = e^{U z^2}`` and the token z to the prompt of L tokens, so that
with h = Gamma U z the error is ``(sum w_k (z_k - h) + w_0 (z - h))/(S_L + w_0)``. As in
`numerics.attention.quadrature.softmax_weights`, 1/X^2 is an integral of e^{-rX}, in which the query
multiplies by e^{-r w_0}; Stein's lemma turns the moments with tokens into the functions m_k.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from numerics.attention.quadrature.gaussian_transforms import CUT, laplace_transforms

__all__ = ["averaged_error_with_query", "error_with_query"]

Floats = NDArray[np.float64]
#: The sums over tokens of which the transforms are needed: of w^2, w^3 and w^4.
POWERS = (((2, 0),), ((3, 0),), ((4, 0),))
#: Step of the sum over queries, in units of their deviation. The query's own weight rises from 0 to
#: 1 over some tenths of it at L = 1e40.
STEP = 0.05


def error_with_query(z: float, Gamma: float, U: float, lengths: Floats) -> Floats:
    """``E|T[L/(L+1) mu_L + delta_z/(L+1)](z) - T[mu](z)|^2`` for tokens N(0, Gamma), V = 1 and
    d = 1, at one query, for lengths from 1 to 1e100. Refused where the scores vanish: then the
    output is the plain mean of L + 1 values.
    """
    s = Gamma * (U * z) ** 2
    if not s > 0:
        raise ValueError(
            f"the scores vanish at z = {z}, Gamma = {Gamma}, U = {U}: the output is the mean of the prompt"
        )
    h, own = Gamma * U * z, U * z * z
    # the grid must reach down to v = -own, where the weight of the query counts
    f = laplace_transforms(s, max(math.log(lengths.max()), own + CUT / 2), POWERS)
    m2, m3, m4 = (f.m[k, 0] for k in (2, 3, 4))
    x = f.start + f.step * np.arange(m2.size) + own
    with np.errstate(over="ignore", under="ignore"):
        decay = np.exp(-np.exp(np.minimum(x, 7.0)))
        mine = np.exp(np.minimum(x, 7.0)) * decay
        both = np.exp(2 * np.minimum(x, 7.0)) * decay
        square = m2 + s * (m2 - 3 * m3 + m4)
        out = np.empty(lengths.shape)
        for i, L in enumerate(lengths):
            one = L * np.exp((L - 1) * f.log_m0)
            two = L * (L - 1) * np.exp((L - 2) * f.log_m0) if L > 1 else 0 * one
            tokens = Gamma * (one * square + s * (two * m2) * m2)
            out[i] = np.sum(
                decay * tokens
                - 2 * (z - h) * h * mine * one * m2
                + (z - h) ** 2 * both * np.exp(L * f.log_m0)
            )
    return out * f.step


def averaged_error_with_query(S: float, Gamma: float, U: float, lengths: Floats) -> Floats:
    """`error_with_query` averaged over queries N(0, S), by a midpoint sum, for L from 1 to 1e40."""
    reach = math.sqrt(2 * (1.2 * math.log(lengths.max()) + 35))
    x = STEP * (np.arange(math.ceil(reach / STEP)) + 0.5)
    weight = 2 * STEP * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    return np.asarray(
        sum(w * error_with_query(math.sqrt(S) * y, Gamma, U, lengths) for w, y in zip(weight, x))
    )
