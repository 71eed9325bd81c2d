"""The mean square of the difference of the outputs of softmax and linear attention on one Gaussian
prompt, exactly, for every length (our R4).
"""

# A token z ~ N(0, Gamma) has the score a·z and the value b·z. With s = a'Gamma a, t = b'Gamma b, c
# = b'Gamma a the two outputs have
#
# E T_soft^2 = P2 t + (1 - P2 - 6 P3 + 6 Q) c^2,
#
# E T_lin^2 = c^2 + (s t + c^2)/L,
#
# E T_soft T_lin = (s/L) (t (1 - P2) - (2 P2 - 8 P3 + 6 Q) c^2) + (1 + 1/L) (1 - P2) c^2,
#
# the last by Stein's lemma on the linear one. So the gap is linear in t and in c^2, and c^2 lies
# between 0 and s t.

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.attention.quadrature.softmax_weights import SoftmaxMoments, softmax_moments

__all__ = ["OutputGap", "gap_of_moments", "output_gap"]

Floats = NDArray[np.float64]


class OutputGap(NamedTuple):
    """Factors of t and of c^2 in ``E (T_soft - k T_lin)^2``."""

    of_t: Floats
    of_c2: Floats


def output_gap(s: float, prompt_length: ArrayLike, *, factor: ArrayLike = 1.0) -> OutputGap:
    """``E (T_soft - k T_lin)^2 = of_t t + of_c2 c^2`` at a fixed task and query, scores of variance
    s and each length; the factor k is 1 if the linear one is divided by L as in Appendix A.1 of
    Boursier & Boyer.
    """
    return gap_of_moments(softmax_moments(s, prompt_length), s, prompt_length, factor=factor)


def gap_of_moments(
    m: SoftmaxMoments, s: float, prompt_length: ArrayLike, *, factor: ArrayLike = 1.0
) -> OutputGap:
    """`output_gap` from the moments of the weights, however they were computed.

    >>> gap_of_moments(softmax_moments(0.0, 10), 0.0, 10) == output_gap(0.0, 10)
    True
    """
    L, k = np.asarray(prompt_length, dtype=float), np.asarray(factor, dtype=float)
    P2, third = np.asarray(m.P2), 6 * (np.asarray(m.P3) - np.asarray(m.Q))
    # Sorted so that at k = 1 nothing of order 1 is left to cancel: the gap itself is of order 1/L.
    off = 1 - k
    of_t = P2 + k * k * s / L - 2 * k * (s / L) * (1 - P2)
    mixed = 2 * (s / L) * (2 * P2 - 8 * np.asarray(m.P3) + 6 * np.asarray(m.Q))
    of_c2 = off * off - P2 - third + k * k / L - 2 * k / L + 2 * k * P2 * (1 + 1 / L) + k * mixed
    return OutputGap(of_t, of_c2)
