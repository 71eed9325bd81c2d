"""The averaged error of attention with the query inside the prompt, at two long prompts and by two
routes: for Remark 3.2 and our R4.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from numerics.attention.exact.query_in_prompt import averaged_error_with_query

Floats = NDArray[np.float64]
LENGTHS = (1e10, 1e20)


@cache
def averaged_errors(S: float, Gamma: float, U: float) -> Floats:
    """The averaged squared errors with the query inside the prompt, at `LENGTHS`."""
    return averaged_error_with_query(S, Gamma, U, np.array(LENGTHS))


def slope(errors: Floats) -> float:
    """The slope of ln E against ln L between `LENGTHS`."""
    return float(np.log(errors[1] / errors[0]) / math.log(LENGTHS[1] / LENGTHS[0]))


@cache
def averaged_directly(S: float, Gamma: float, U: float) -> Floats:
    """The same from 1/X^2 = int r e^{-rX} dr alone: sums over query, r = e^v and the score of a
    token, without Stein's lemma.
    """
    h, out = 0.3, np.zeros(len(LENGTHS))
    own = np.arange(0.045, math.sqrt(2 * (1.2 * math.log(LENGTHS[-1]) + 35)), 0.09)
    for z, weight in zip(math.sqrt(S) * own, 0.18 * np.exp(-(own**2) / 2) / math.sqrt(2 * math.pi)):
        a, mean = U * z, Gamma * U * z
        tau = math.sqrt(Gamma) * abs(a)
        low = 65 + max(U * z * z, tau**2)
        v = h * np.arange(-round(low / h), round((5 + 9 * tau) / h))
        x = h * np.arange(-round((low + 5) / h), round(5 / h))
        if tau < 4 * h:  # a narrow score: sum over its own variable
            g = 0.1 * np.arange(-120, 121)
            scores = v[:, None] + tau * g
            mass = (0.1 * np.exp(-(g**2) / 2) / math.sqrt(2 * math.pi))[None, :]
        else:
            scores = x[None, :]
            mass = h * np.exp(-(((x - v[:, None]) / tau) ** 2) / 2) / (tau * math.sqrt(2 * math.pi))
        token = (scores - v[:, None]) / a - mean
        with np.errstate(under="ignore", over="ignore"):
            large = np.exp(np.minimum(scores, 7.0))
            w, weighted = large * np.exp(-large), token * mass
            lost = (-np.expm1(-large) * mass).sum(1)
            lost += 0 if tau < 4 * h else ndtr((v - x[-1] - h / 2) / tau)
            log_m0 = np.log1p(-np.minimum(lost, 1 - 1e-16))
            first, second = (w * weighted).sum(1), (w * large * token * weighted).sum(1)
            r0 = np.exp(np.minimum(v + U * z * z, 7.0))
            for i, L in enumerate(LENGTHS):
                power = np.exp((L - 2) * log_m0)
                m0 = np.exp(log_m0)
                both = L * second * m0 + L * (L - 1) * first**2
                cross = 2 * L * r0 * (z - mean) * first * m0
                out[i] += (
                    weight * h * np.sum(np.exp(-r0) * power * (both + cross + (r0 * (z - mean) * m0) ** 2))
                )
    return out
