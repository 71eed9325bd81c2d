"""Moments of the softmax weights and of the spread of Gaussian scores, by quadrature, from which
the exact errors of output and gradients are made.

The formulas are those of `theory.attention.softmax_covariance`. For scores of large variance and
weights that are not small its polynomials cancel (they multiply s² by coefficients up to 2880).
There the mean of D² is taken from its definition instead; that cancels by a factor 1/E D², which is
harmless exactly where the weights are not small.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.quadrature.gaussian_transforms import Key, laplace_transforms
from numerics.quadrature.softmax_weights import check_lengths, mean_products
from theory.attention.softmax_covariance import GRAD_U_MOMENTS, SpreadMoments, spread_moments

__all__ = ["LARGEST_SCORE_VARIANCE", "ScoreMoments", "score_moments"]

Floats = NDArray[np.float64]

#: Score variances up to which the moments are computed.
LARGEST_SCORE_VARIANCE = 4096.0
STEIN: dict[tuple[int, ...], Key] = {powers: tuple((k, 0) for k in powers) for powers in GRAD_U_MOMENTS}
#: Sums over tokens of which D, Sc and D pi_2 are made: D + 1 = SQUARE - MEAN^2, and ONE = 1.
SQUARE, MEAN, TWO, ONE = (1, 2), (1, 1), (2, 0), (1, 0)
VARIANCE: tuple[tuple[int, Key], ...] = ((1, (SQUARE, ONE)), (-1, (MEAN, MEAN)))
VARIANCE_2: tuple[tuple[int, Key], ...]
VARIANCE_2 = ((1, (SQUARE, SQUARE)), (-2, (SQUARE, MEAN, MEAN)), (1, (MEAN, MEAN, MEAN, MEAN)))
VARIANCE_TWO: tuple[tuple[int, Key], ...] = ((1, (SQUARE, TWO)), (-1, (MEAN, MEAN, TWO)))
WEIGHTED: tuple[tuple[int, Key], ...] = ((1, ((2, 2),)), (-2, ((2, 1), MEAN)), (1, (TWO, MEAN, MEAN)))
DEFINITION = [key for terms in (VARIANCE, VARIANCE_2, VARIANCE_TWO, WEIGHTED) for _, key in terms]
#: The definition is used where s is above the first and P2 above the second of these.
DEFINITION_VARIANCE, DEFINITION_P2 = 2.0, 0.01


class ScoreMoments(NamedTuple):
    """What the errors of output and gradients need to know of the scores; each of the shape of the
    lengths.

    Attributes
    ----------
    P2, P3 : ndarray of shape (n,)
        E sum p^2 and E sum p^3.
    spread : SpreadMoments
        With Q = E (sum p^2)^2.
    """

    P2: Floats
    P3: Floats
    spread: SpreadMoments


def score_moments(s: float, lengths: Floats) -> ScoreMoments:
    """The moments for scores of variance s, by quadrature.

    Parameters
    ----------
    s : float
        From 0 to `LARGEST_SCORE_VARIANCE`.
    lengths : array, shape (n,)
        Whole numbers from 1 to 1e100.

    Returns
    -------
    ScoreMoments

    Raises
    ------
    ValueError
        If s or a length is out of range.

    Examples
    --------
    For s = 0 the weights are 1/L, and D + 1 is the variance of a sample: E D^2 = (2L - 1)/L^2.

    >>> score_moments(0.0, np.array([2.0])).spread.D2.tolist()
    [0.75]
    """
    L = np.asarray(lengths, dtype=float)
    if not 0 <= s <= LARGEST_SCORE_VARIANCE:
        raise ValueError(
            f"scores of variance s = {s:.6g} are beyond the quadrature, which goes from 0 to {LARGEST_SCORE_VARIANCE:g}; "
            "rescale U or the query"
        )
    check_lengths(L)
    with np.errstate(under="ignore"):
        if s == 0:
            m = {powers: L ** float(len(powers) - sum(powers)) for powers in GRAD_U_MOMENTS}
        else:
            keys = STEIN.values()
            found = mean_products(laplace_transforms(s, math.log(L.max()), keys), L, keys)
            m = {powers: np.where(L == 1, 1.0, np.minimum(found[key], 1.0)) for powers, key in STEIN.items()}
        spread = spread_moments(s, m)
        if s > DEFINITION_VARIANCE:
            heavy = (m[2,] > DEFINITION_P2) & (L > 1)
            if heavy.any():
                for polynomial, value in zip(spread[:3], _by_definition(s, L[heavy], m[2,][heavy])):
                    polynomial[heavy] = value
    return ScoreMoments(m[2,], m[3,], spread)


def _by_definition(s: float, L: Floats, P2: Floats) -> tuple[Floats, Floats, Floats]:
    """The three means at one s, from the definitions of D^2, Sc and D pi_2."""
    return spread_by_definition(mean_products(laplace_transforms(s, math.log(L.max()), DEFINITION), L, DEFINITION), P2)


def spread_by_definition(m: Mapping[Key, Floats], P2: Floats) -> tuple[Floats, Floats, Floats]:
    """E D^2, E Sc and E[D pi_2] from the powers of g under the weights: the means of the products
    in `DEFINITION`.
    """
    of = lambda terms: sum(c * m[key] for c, key in terms)
    return of(VARIANCE_2) - 2 * of(VARIANCE) + 1, of(WEIGHTED), of(VARIANCE_TWO) - P2
