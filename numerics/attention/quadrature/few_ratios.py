"""Few of many eigenvalues that stand for all: 1 / (1 - a + a p) as a function of a in [0, 1],
interpolated between chosen a for all p on a contour at once.

What is a sum over pairs and triples of eigenvalues at every p then is one over those of the few.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["few_ratios"]

Floats = NDArray[np.float64]
Complex = NDArray[np.complex128]


def few_ratios(
    ratios: Floats, p: Complex, log_weight: Floats, tolerance: float
) -> tuple[NDArray[np.intp], Floats] | None:
    """Which of the ratios in [0, 1] stand for all, and with which coefficients (d, k):
    ``coefficients @ f(ratios[chosen])`` is f(ratios) for each f(a) = 1 / (1 - a + a p), up to a
    relative error times e^{log_weight} of at most the tolerance, for every p in the upper half
    plane. None if all are needed.

    The function times the product of 1 - a + a c over some points c, in conjugate pairs, is
    interpolated by a polynomial in a. With as many nodes as points its relative error is the
    product of (p - c) / (1 - b + b p) over points c and nodes b, times that of (b - a) / (1 - a + a
    c). Both are made small by taking the next c and b where these are largest (Leja, Bagby).
    """
    points: list[complex] = []
    chosen: list[int] = []
    of_p, of_a = log_weight.copy(), np.zeros(ratios.size)
    with np.errstate(divide="ignore"):
        while of_p.max() + of_a.max() > np.log(tolerance):
            if len(chosen) + 2 > ratios.size:
                return None
            points.append(c := p[of_p.argmax()])
            of_p += np.log(np.abs((p - c) * (p - np.conj(c))))
            of_a -= 2 * np.log(np.abs(1 - ratios + ratios * c))
            for _ in range(2):
                chosen.append(b := int(of_a.argmax()))
                of_p -= np.log(np.abs(1 - ratios[b] + ratios[b] * p))
                of_a += np.log(np.abs(ratios - ratios[b]))
                if np.isneginf(of_a).all():  # there are no other ratios
                    break
    few = ratios[chosen]
    apart, among = ratios[:, None] - few, few[:, None] - few + np.eye(len(few))
    same = apart == 0
    apart[same] = 1.0
    poles = lambda a: 2 * np.log(np.abs(1 - a[:, None] + a[:, None] * np.array(points))).sum(1)
    size, least = np.log(np.abs(apart)), np.log(np.abs(among)).sum(1)
    size = size.sum(1)[:, None] - size - least + poles(few) - poles(ratios)[:, None]
    sign = np.sign(apart)
    signs = sign.prod(1)[:, None] * sign * np.sign(among).prod(1)
    return np.array(chosen), np.where(same.any(1)[:, None], same, signs * np.exp(size))
