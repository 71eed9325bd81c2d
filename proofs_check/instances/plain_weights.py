"""The moments of the softmax weights of Gaussian scores by plain sums over a score and over r, as
R4 writes them: a second route that shares nothing with `attention.quadrature` but the definition.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from numerics.attention.quadrature.softmax_weights import SoftmaxMoments

#: Step of the sum over v = ln r, and the largest one in the scores.
STEP, SCORE_STEP = 0.2, 0.2


@cache
def plain_weights(s: float, L: float) -> SoftmaxMoments:
    """Return P2, P3 and Q from ``1/X^2 = int r e^{-rX} dr`` and its like, at a variance s of the
    scores, at most a few hundred, and a prompt length L.
    """
    if s == 0 or L == 1:
        return SoftmaxMoments(*(1.0 / L, L**-2.0, L**-2.0))
    tau, far = math.sqrt(s), math.sqrt(4 * math.log(L) + 50)
    v = np.arange(-(math.log(L) + 40 + s + tau * far), 5 + 8 * tau, STEP)
    step = min(0.1, SCORE_STEP / tau)
    g = np.arange(-8.0, 8.0 + 4 * tau + far, step)
    density = np.exp(-(g**2) / 2) * step / math.sqrt(2 * math.pi)
    out = np.zeros(3)
    for part in np.array_split(v, 1 + v.size * g.size // 2_000_000):
        X = np.exp(np.minimum(part[:, None] + tau * g, 6.0))
        decay = np.exp(-X)
        m2, m3, m4 = ((X**k * decay) @ density for k in (2, 3, 4))
        with np.errstate(divide="ignore", under="ignore"):
            log_m0 = np.log1p(-np.minimum(-np.expm1(-X) @ density, 1.0))
            one, two = np.exp((L - 1) * log_m0), np.exp((L - 2) * log_m0) if L > 2 else np.ones_like(log_m0)
        pairs = (L - 1) * (m2 * two) * m2
        out += L * STEP * np.array([m2 @ one, m3 @ one / 2, (m4 @ one + pairs.sum()) / 6])
    return SoftmaxMoments(*map(float, out))
