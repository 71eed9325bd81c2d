"""Moments of the softmax weights and of the spread of Gaussian scores, by quadrature, from which
the exact errors of output and gradients are made.

The formulas are those of `theory.attention.softmax_covariance`. For scores of large variance and
weights that are not small its polynomials cancel (they multiply s² by coefficients up to 2880).
There the mean of D² is taken from its definition instead; that cancels by a factor 1/E D², which is
harmless exactly where the weights are not small.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.attention.quadrature.gaussian_transforms import CUT, FINER, STEP, Key
from numerics.attention.quadrature.softmax_weights import check_lengths
from theory.attention.softmax_covariance import GRAD_U_MOMENTS, SpreadMoments, spread_moments

__all__ = ["COARSE", "FINE", "LARGEST_SCORE_VARIANCE", "MEDIUM", "Fineness", "ScoreMoments", "score_moments"]

Floats = NDArray[np.float64]

#: Score variances up to which the moments are computed.
LARGEST_SCORE_VARIANCE = 4096.0
POWER_SUMS: tuple[Key, ...] = tuple(tuple((k, 0) for k in powers) for powers in GRAD_U_MOMENTS)
#: Sums over tokens of which D, Sc and D pi_2 are made: D + 1 = SQUARE - MEAN^2, and ONE = 1.
SQUARE, MEAN, TWO, ONE = (1, 2), (1, 1), (2, 0), (1, 0)
VARIANCE: tuple[tuple[int, Key], ...] = ((1, (SQUARE, ONE)), (-1, (MEAN, MEAN)))
VARIANCE_2: tuple[tuple[int, Key], ...]
VARIANCE_2 = ((1, (SQUARE, SQUARE)), (-2, (SQUARE, MEAN, MEAN)), (1, (MEAN, MEAN, MEAN, MEAN)))
VARIANCE_TWO: tuple[tuple[int, Key], ...] = ((1, (SQUARE, TWO)), (-1, (MEAN, MEAN, TWO)))
WEIGHTED: tuple[tuple[int, Key], ...] = ((1, ((2, 2),)), (-2, ((2, 1), MEAN)), (1, (TWO, MEAN, MEAN)))
DEFINITION = tuple(key for terms in (VARIANCE, VARIANCE_2, VARIANCE_TWO, WEIGHTED) for _, key in terms)
#: The definition is used where s is above this, and P2 above what the fineness says.
DEFINITION_VARIANCE = 2.0


class Fineness(NamedTuple):
    """How fine the quadrature is: one percent of an average needs no fourteen digits."""

    #: Relative accuracy of the moments for variances and lengths up to the next two.
    accuracy: float
    largest_variance: float
    longest: float
    step: float
    cut: float
    #: Value of P2 from which on the spread is computed from its definition. The fewer digits there
    #: are, the sooner the polynomials leave none.
    definition_P2: float


FINE = Fineness(1e-10, LARGEST_SCORE_VARIANCE, 1e100, FINER * STEP, CUT, 0.01)
MEDIUM = Fineness(1e-6, 64.0, 1e30, 0.24, 22.0, 1e-3)
COARSE = Fineness(1e-4, 64.0, 1e30, 0.28, 18.0, 7e-4)


class ScoreMoments(NamedTuple):
    """What the errors of output and gradients need to know of the scores; each of the shape of s
    followed by that of the lengths.
    """

    #: E sum p^2.
    P2: Floats
    #: E sum p^3.
    P3: Floats
    #: With Q = E (sum p^2)^2.
    spread: SpreadMoments


def score_moments(s: float | Floats, lengths: Floats, fineness: Fineness = FINE) -> ScoreMoments:
    """The moments for scores of variance s, up to `LARGEST_SCORE_VARIANCE`, by quadrature; of the
    fineness `FINE` where the variance or the length is beyond the range of the one that is asked
    for.
    """
    L, variances = np.asarray(lengths, dtype=float), np.atleast_1d(np.asarray(s, dtype=float))
    bad = ~((variances >= 0) & (variances <= LARGEST_SCORE_VARIANCE))
    if bad.any():
        raise ValueError(
            f"scores of variance s = {variances[bad][0]:.6g} are beyond the quadrature, which goes from 0 to "
            f"{LARGEST_SCORE_VARIANCE:g}; rescale U or the query"
        )
    check_lengths(L)
    m = np.empty((len(GRAD_U_MOMENTS), variances.size, L.size))
    still = variances == 0
    if still.any():
        m[:, still] = np.array([L ** float(len(powers) - sum(powers)) for powers in GRAD_U_MOMENTS])[:, None]
    beyond = (variances > fineness.largest_variance) | (L.max() > fineness.longest)
    parts = [
        (rows, rule) for rows, rule in ((~still & ~beyond, fineness), (~still & beyond, FINE)) if rows.any()
    ]
    for rows, rule in parts:
        found = _means(variances[rows], L, POWER_SUMS, rule)
        m[:, rows] = np.where(L == 1, 1.0, np.minimum(found, 1.0))
    spread = spread_moments(variances[:, None], dict(zip(GRAD_U_MOMENTS, m)))
    for rows, rule in parts:
        heavy = (rows & (variances > DEFINITION_VARIANCE))[:, None] & (m[0] > rule.definition_P2) & (L > 1)
        if heavy.any():
            part = np.ix_(heavy.any(axis=1), heavy.any(axis=0))
            means = dict(zip(DEFINITION, _means(variances[part[0][:, 0]], L[part[1][0]], DEFINITION, rule)))
            for polynomial, value in zip(spread[:3], spread_by_definition(means, m[0][part])):
                polynomial[part] = np.where(heavy[part], value, polynomial[part])
    shape = lambda x: x.reshape(np.shape(s) + L.shape)
    return ScoreMoments(shape(m[0]), shape(m[1]), SpreadMoments(*map(shape, spread)))


def _means(s: Floats, L: Floats, keys: tuple[Key, ...], fineness: Fineness) -> Floats:
    """The means of the products, of shape (n_keys, n_s, n)."""
    from numerics.attention.quadrature.moments_kernel import Steps, means_of_products

    return means_of_products(s, L, keys, Steps(fineness.step, fineness.cut)).swapaxes(0, 1)


def spread_by_definition(m: Mapping[Key, Floats], P2: Floats) -> tuple[Floats, Floats, Floats]:
    """E D^2, E Sc and E[D pi_2] from powers of g under the weights: means of `DEFINITION`."""
    of = lambda terms: sum(c * m[key] for c, key in terms)
    return of(VARIANCE_2) - 2 * of(VARIANCE) + 1, of(WEIGHTED), of(VARIANCE_TWO) - P2
